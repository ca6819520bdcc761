# call: mahalanobis(X, mu, S); X = normal(50, 6); mu = normal(6); S = spd(6)
import numpy as np


def mahalanobis(X, mu, S):
    """Distance of every row of X from mu in the metric of S."""
    diff = X - mu
    solved = np.linalg.solve(S, diff.T).T
    return np.sqrt(np.einsum("ij,ij->i", diff, solved))
