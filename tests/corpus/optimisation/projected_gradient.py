# call: nnls(A, b, 60); A = uniform(20, 6); b = uniform(20)
import numpy as np


def nnls(A, b, iters):
    """Least squares with x >= 0."""
    x = np.zeros(A.shape[1])
    step = 1.0 / np.trace(A.T @ A)
    for k in range(iters):
        g = A.T @ (A @ x - b)
        x = np.maximum(0, x - step * g)
    return x
