# call: ista(A, b, 0.1, 80); A = normal(40, 15); b = normal(40)
import numpy as np


def soft_threshold(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0.0)


def ista(A, b, lam, n_iter):
    L = np.linalg.norm(A, 2) ** 2
    x = np.zeros(A.shape[1])
    for _ in range(n_iter):
        x = soft_threshold(x - A.T @ (A @ x - b) / L, lam / L)
    return x
