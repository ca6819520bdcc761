import numpy as np

np.random.seed(17)
edges = np.random.randint(0, 12, size=(50, 2))
edges = edges[edges[:, 0] != edges[:, 1]]
deg = np.zeros(12, dtype=int)
np.add.at(deg, edges[:, 0], 1)
np.add.at(deg, edges[:, 1], 1)
adj = {i: [] for i in range(12)}
for a, b in edges:
    adj[a].append(b)
    adj[b].append(a)
print(deg)
print(max(adj, key=lambda k: len(adj[k])))
