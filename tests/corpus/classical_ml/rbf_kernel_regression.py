# call: kernel_ridge(X, y, Xt, 0.5, 1e-2); X = normal(40, 3); y = normal(40); Xt = normal(10, 3)
import numpy as np


def rbf(A, B, gamma):
    d2 = (A ** 2).sum(1).reshape(-1, 1) + (B ** 2).sum(1) - 2 * A.dot(B.T)
    return np.exp(-gamma * d2)


def kernel_ridge(X, y, Xt, gamma, lam):
    K = rbf(X, X, gamma)
    K[np.diag_indices_from(K)] += lam
    dual = np.linalg.solve(K, y)
    return rbf(Xt, X, gamma) @ dual
