# call: fuzzy_cmeans(X, U, 2.0, 20); X = normal(50, 3); U = np.full((50, 4), 0.25) + 0.1 * uniform(50, 4)
import numpy as np


def fuzzy_cmeans(X, U, m, iters):
    U = U / U.sum(axis=1, keepdims=True)
    for t in range(iters):
        Um = U ** m
        C = Um.T @ X / Um.sum(axis=0)[:, None]
        dist = np.sqrt(((X[:, None, :] - C) ** 2).sum(-1)) + 1e-10
        inv = dist ** (-2 / (m - 1))
        U = inv / inv.sum(axis=1, keepdims=True)
    return C, U
