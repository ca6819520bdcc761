# call: mean_shift(X, 1.5, 10); X = normal(40, 2)
import numpy as np


def mean_shift(X, bandwidth, n_iter):
    points = X.copy()
    for _ in range(n_iter):
        for i in range(points.shape[0]):
            w = np.exp(-np.sum((X - points[i]) ** 2, axis=1) / (2 * bandwidth ** 2))
            points[i] = (w[:, None] * X).sum(axis=0) / w.sum()
    return points
