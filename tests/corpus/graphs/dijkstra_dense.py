# call: dijkstra(W, 0); W = 1 + 9 * uniform(20, 20)
import numpy as np


def dijkstra(W, source):
    """Shortest distances in a dense weighted graph."""
    n = W.shape[0]
    dist = np.full(n, np.inf)
    dist[source] = 0
    visited = np.zeros(n, dtype=bool)
    for _ in range(n):
        u = np.argmin(np.where(visited, np.inf, dist))
        if dist[u] == np.inf:
            break
        visited[u] = True
        dist = np.minimum(dist, dist[u] + W[u])
    return dist
