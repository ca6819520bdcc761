# call: pairwise(X, D); X = normal(30, 4); D = zeros(30, 30)
import numpy as np


def pairwise(X, D):
    n, d = X.shape
    for i in range(n):
        for j in range(n):
            acc = 0.0
            for k in range(d):
                t = X[i, k] - X[j, k]
                acc += t * t
            D[i, j] = np.sqrt(acc)
