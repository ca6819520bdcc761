# call: propagate(W, Y, 0.9, 30); W = symmetric01(20) * 1.0; Y = np.eye(20, 3)
import numpy as np


def propagate(W, Y, alpha, n_iter):
    d = np.sum(W, axis=1) + 1e-12
    S = W / np.sqrt(np.outer(d, d))
    F = Y.copy()
    for _ in range(n_iter):
        F = alpha * S.dot(F) + (1 - alpha) * Y
    return np.argmax(F, axis=1)
