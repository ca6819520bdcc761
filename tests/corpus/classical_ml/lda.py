# call: lda_direction(X, y); X = normal(60, 4); y = np.arange(60) % 2
import numpy as np


def lda_direction(X, y):
    X0, X1 = X[y == 0], X[y == 1]
    m0, m1 = X0.mean(axis=0), X1.mean(axis=0)
    Sw = (X0 - m0).T @ (X0 - m0) + (X1 - m1).T @ (X1 - m1)
    w = np.linalg.solve(Sw, m1 - m0)
    return w / np.linalg.norm(w)
