# call: spearman(x, y); x = normal(70); y = normal(70)
import numpy as np


def rankdata(a):
    order = np.argsort(a)
    ranks = np.empty(len(a))
    ranks[order] = np.arange(1, len(a) + 1)
    return ranks


def spearman(x, y):
    """Rank correlation, no ties."""
    if x.shape != y.shape:
        raise ValueError("x and y must have the same length")
    rx, ry = rankdata(x), rankdata(y)
    rx -= rx.mean()
    ry -= ry.mean()
    return np.sum(rx * ry) / np.sqrt(np.sum(rx ** 2) * np.sum(ry ** 2))
