import numpy as np

rng = np.random.default_rng(21)
n = 40
upper = np.triu(rng.random((n, n)) < 0.2, 1)
A = (upper | upper.T).astype(int)
deg = A.sum(0)
tri = np.trace(A @ A @ A) // 6
wedges = (deg * (deg - 1) // 2).sum()
print("edges", A.sum() // 2)
print("triangles", tri)
print("transitivity", 3 * tri / wedges)
