# rounding: 1e-9 (eigenvalues lie close together)
import numpy as np

np.random.seed(3)
theta = np.linspace(0, 2 * np.pi, 40, endpoint=False)
inner = np.c_[np.cos(theta), np.sin(theta)]
outer = 3 * inner
X = np.r_[inner, outer] + 0.05 * np.random.randn(80, 2)

sq = np.sum(X ** 2, 1)
D2 = sq[:, None] + sq[None, :] - 2 * X @ X.T
W = np.exp(-D2 / 0.3)
np.fill_diagonal(W, 0)
deg = W.sum(1)
L = np.diag(deg) - W
vals, vecs = np.linalg.eigh(L)
fiedler = vecs[:, 1]
labels = (fiedler > 0).astype(int)
print("eigenvalues", vals[:3])
print("sizes", labels.sum(), (1 - labels).sum())
