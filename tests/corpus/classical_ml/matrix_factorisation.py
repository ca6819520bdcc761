# call: als(R, M, U, V, 0.1, 6); R = uniform(20, 15); M = (uniform(20, 15) > 0.3).astype(float); U = uniform(20, 3); V = uniform(15, 3)
import numpy as np


def als(R, M, U, V, lam, iters):
    k = U.shape[1]
    for _ in range(iters):
        for i in range(U.shape[0]):
            W = np.diag(M[i])
            U[i] = np.linalg.solve(V.T @ W @ V + lam * np.eye(k), V.T @ W @ R[i])
        for j in range(V.shape[0]):
            W = np.diag(M[:, j])
            V[j] = np.linalg.solve(U.T @ W @ U + lam * np.eye(k), U.T @ W @ R[:, j])
    return np.sum(M * (R - U @ V.T) ** 2)
