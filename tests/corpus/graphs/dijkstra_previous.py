# call: dijkstra(adj); adj = np.where(uniform(7, 7) < 0.5, 1 + 8 * uniform(7, 7), 0)
import numpy as np


def dijkstra(adj, src=0):
    n = adj.shape[0]
    dist = np.full(n, np.inf)
    dist[src] = 0
    done = np.zeros(n, dtype=bool)
    prev = [-1] * n
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, dist))
        if not np.isfinite(dist[u]):
            break
        done[u] = True
        for v in np.nonzero(adj[u])[0]:
            alt = dist[u] + adj[u, v]
            if alt < dist[v]:
                dist[v] = alt
                prev[v] = u
    return dist, np.array(prev)
