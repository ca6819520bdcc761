# call: lanczos(A, v, 10); A = spd(30); v = normal(30)
import numpy as np


def lanczos(A, v, m):
    """Tridiagonal projection of a symmetric matrix."""
    n = len(v)
    V = np.zeros((m, n))
    alpha = np.zeros(m)
    beta = np.zeros(m - 1)
    V[0] = v / np.linalg.norm(v)
    w = A @ V[0]
    alpha[0] = w @ V[0]
    w = w - alpha[0] * V[0]
    for j in range(1, m):
        beta[j - 1] = np.linalg.norm(w)
        V[j] = w / beta[j - 1]
        w = A @ V[j]
        alpha[j] = w @ V[j]
        w = w - alpha[j] * V[j] - beta[j - 1] * V[j - 1]
    return np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
