# call: best_stump(X, y); X = normal(30, 4); y = np.sign(normal(30))
import numpy as np


def best_stump(X, y):
    """Feature, threshold and sign with the fewest errors."""
    best = (0, 0.0, 1)
    best_err = np.inf
    for j in range(X.shape[1]):
        for threshold in np.unique(X[:, j]):
            for polarity in (1, -1):
                pred = np.where(polarity * (X[:, j] - threshold) >= 0, 1, -1)
                err = np.mean(pred != y)
                if err < best_err:
                    best_err, best = err, (j, threshold, polarity)
    return best_err, best[0], best[1], best[2]
