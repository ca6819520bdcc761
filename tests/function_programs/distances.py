import numpy as np
A: (10, 3)
B: (7, 3)
d2 = np.add.outer(np.sum(A**2, axis=1), np.sum(B**2, axis=1)) - 2 * np.inner(A, B)
d = np.sqrt(np.maximum(d2, 0))
K = np.exp(-d2 / 2.0)
nearest = np.argmin(d, axis=1)
D = np.diag(1.0 / K.sum(axis=1))
N = D @ K
tr = np.trace(N.T @ N)
