import numpy as np


def pca(X, k):
    mu = np.mean(X, axis=0)
    U, S, Vt = np.linalg.svd(X - mu, full_matrices=False)
    return U[:, :k] * S[:k], Vt[:k], S ** 2 / (len(X) - 1)


X: (33, 7)
scores, components, variance = pca(X, 3)
U, S, Vt = np.linalg.svd(X)
only = np.linalg.svd(X, compute_uv=False)
back = U[:, :7] @ (S[:, None] * Vt)
