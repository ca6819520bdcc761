# call: normalised_affinity(X, 0.7); X = normal(25, 3)
import numpy as np


def normalised_affinity(X, gamma):
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        W[i] = np.exp(-gamma * np.sum((X - X[i]) ** 2, axis=1))
        W[i, i] = 0
    d = W.sum(axis=0)
    return W / np.sqrt(d[:, None] * d[None, :])
