import heapq
from collections import defaultdict, deque

import numpy as np


class Node:
    def __init__(self, key):
        self.key = key
        self.edges = []          # (neighbour Node, weight)

    def __lt__(self, other):
        return self.key < other.key


class Graph:
    def __init__(self, directed=False):
        self.directed = directed
        self.nodes = {}

    def node(self, key):
        if key not in self.nodes:
            self.nodes[key] = Node(key)
        return self.nodes[key]

    def connect(self, a, b, weight=1.0):
        na, nb = self.node(a), self.node(b)
        na.edges.append((nb, weight))
        if not self.directed:
            nb.edges.append((na, weight))

    def __len__(self):
        return len(self.nodes)

    def bfs(self, start):
        """Yields (key, level) in the order of discovery."""
        seen = {start}
        queue = deque([(self.nodes[start], 0)])
        while queue:
            node, level = queue.popleft()
            yield node.key, level
            for nb, _ in node.edges:
                if nb.key not in seen:
                    seen.add(nb.key)
                    queue.append((nb, level + 1))

    def dijkstra(self, start):
        dist = defaultdict(lambda: float("inf"))
        dist[start] = 0.0
        heap = [(0.0, self.nodes[start])]
        while heap:
            d, node = heapq.heappop(heap)
            if d > dist[node.key]:
                continue
            for nb, w in node.edges:
                if d + w < dist[nb.key]:
                    dist[nb.key] = d + w
                    heapq.heappush(heap, (d + w, nb))
        return dict(dist)

    def laplacian(self):
        keys = sorted(self.nodes)
        index = {k: i for i, k in enumerate(keys)}
        L = np.zeros((len(keys), len(keys)))
        for k in keys:
            for nb, w in self.nodes[k].edges:
                L[index[k], index[k]] += w
                L[index[k], index[nb.key]] -= w
        return L


def main():
    rng = np.random.default_rng(0)
    g = Graph()
    for i in range(11):
        g.connect(i, i + 1, round(rng.uniform(1, 3), 3))
    for _ in range(6):
        a, b = rng.choice(12, size=2, replace=False)
        g.connect(int(a), int(b), round(rng.uniform(1, 6), 3))
    dist = g.dijkstra(0)
    levels = dict(g.bfs(0))
    L = g.laplacian()
    eigenvalues = np.linalg.eigvalsh(L)
    print(f"{len(g)} nodes, farthest is {max(dist, key=dist.get)}, Fiedler value {eigenvalues[1]:.4f}")
    return np.array([dist[k] for k in range(12)]), np.array([levels[k] for k in range(12)]), eigenvalues


if __name__ == "__main__":
    distances, levels, eigenvalues = main()
