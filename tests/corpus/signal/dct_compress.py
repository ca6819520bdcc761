import numpy as np

N = 16
n = np.arange(N)
C = np.sqrt(2 / N) * np.cos(np.pi * (2 * n[None, :] + 1) * n[:, None] / (2 * N))
C[0] /= np.sqrt(2)
assert np.allclose(C @ C.T, np.eye(N))
np.random.seed(1)
x = np.cumsum(np.random.randn(10, N), axis=1)
X = x @ C.T
for keep in (2, 4, 8):
    Y = X.copy()
    Y[:, keep:] = 0
    err = np.linalg.norm(Y @ C - x) / np.linalg.norm(x)
    print("keep {:2d}: relative error {:.4f}".format(keep, err))
