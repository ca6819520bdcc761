# call: single_linkage(X, 3); X = normal(14, 2)
import numpy as np


def single_linkage(X, k):
    """Merge the closest clusters until k are left; returns labels."""
    n = X.shape[0]
    D = np.sqrt(((X[:, None, :] - X[None, :, :]) ** 2).sum(-1))
    np.fill_diagonal(D, np.inf)
    labels = np.arange(n)
    for _ in range(n - k):
        i, j = np.unravel_index(np.argmin(D), D.shape)
        labels[labels == labels[j]] = labels[i]
        same = labels[:, None] == labels[None, :]
        D[same] = np.inf
    return labels
