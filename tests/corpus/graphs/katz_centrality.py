# call: katz(A, 0.05, 1.0); A = symmetric01(18)
import numpy as np


def katz(A, alpha, beta, max_iter=100, tol=1e-6):
    n = A.shape[0]
    x = np.zeros(n)
    for it in range(max_iter):
        x_new = alpha * A.T @ x + beta
        if np.abs(x_new - x).sum() < n * tol:
            x = x_new
            break
        x = x_new
    return x / np.linalg.norm(x), it
