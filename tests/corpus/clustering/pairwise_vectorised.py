# call: pairwise_distances(X1, X2); X1 = normal(40, 5); X2 = normal(25, 5)
import numpy as np


def pairwise_distances(X1, X2):
    x1 = np.sum(np.square(X1), axis=1)
    x2 = np.sum(np.square(X2), axis=1)
    return np.sqrt(np.maximum(-2 * X1.dot(X2.T) + x1[:, None] + x2, 0))
