import numpy as np
from collections import deque, defaultdict


class CycleError(RuntimeError):
    pass


class Graph:
    def __init__(self, edges=()):
        self.adj = defaultdict(set)
        self.nodes = set()
        for u, v in edges:
            self.add(u, v)

    def add(self, u, v):
        self.adj[u].add(v)
        self.nodes |= {u, v}

    def topo(self):
        indeg = {n: 0 for n in self.nodes}
        for u in self.adj:
            for v in self.adj[u]:
                indeg[v] += 1
        ready = deque(sorted(n for n in indeg if not indeg[n]))
        order = []
        while ready:
            n = ready.popleft()
            order.append(n)
            for m in sorted(self.adj.get(n, set())):
                indeg[m] -= 1
                if indeg[m] == 0:
                    ready.append(m)
        if len(order) != len(self.nodes):
            raise CycleError("cycle among " + ", ".join(sorted(self.nodes - set(order))))
        return order

    def bfs(self, start):
        dist = {start: 0}
        queue = deque([start])
        while queue:
            u = queue.popleft()
            for v in sorted(self.adj[u]):
                if v not in dist:
                    dist[v] = dist[u] + 1
                    queue.append(v)
        return dist

    def matrix(self):
        names = sorted(self.nodes)
        index = {n: i for i, n in enumerate(names)}
        A = np.zeros((len(names), len(names)), dtype=int)
        for u, vs in self.adj.items():
            for v in vs:
                A[index[u], index[v]] = 1
        return names, A


g = Graph([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"), ("c", "e")])
print(g.topo())
print(sorted(g.bfs("a").items(), key=lambda p: (p[1], p[0])))
names, A = g.matrix()
paths = np.linalg.matrix_power(A, 3)
print(dict(zip(names, paths[0].tolist())))
g.add("e", "b")
try:
    g.topo()
except CycleError as e:
    print(e)
else:
    print("no cycle")
print({"a", "b"} <= g.nodes, g.nodes.isdisjoint({"z"}), len(g.nodes ^ {"a", "q"}))
