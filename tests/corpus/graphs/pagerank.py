import numpy as np

np.random.seed(0)
n = 30
A = (np.random.rand(n, n) < 0.1).astype(float)
np.fill_diagonal(A, 0)
out_degree = A.sum(axis=1)
dangling = out_degree == 0
out_degree[dangling] = 1
M = (A / out_degree[:, None]).T

d = 0.85
rank = np.ones(n) / n
for i in range(100):
    new_rank = (1 - d) / n + d * (M @ rank + rank[dangling].sum() / n)
    delta = np.abs(new_rank - rank).sum()
    rank = new_rank
    if delta < 1e-8:
        break
print("iterations:", i)
print("top five:", np.argsort(-rank)[:5])
