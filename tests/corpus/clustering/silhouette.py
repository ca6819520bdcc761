# call: silhouette(X, labels); X = normal(40, 3); labels = np.arange(40) % 3
import numpy as np


def silhouette(X: np.ndarray, labels: np.ndarray) -> float:
    """Mean silhouette coefficient of a labelling."""
    assert X.shape[0] == labels.shape[0]
    D = np.sqrt(np.maximum(((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2), 0))
    scores = []
    for i in range(len(X)):
        same = labels == labels[i]
        a = D[i, same].sum() / max(same.sum() - 1, 1)
        b = min(D[i, labels == c].mean() for c in np.unique(labels) if c != labels[i])
        scores.append((b - a) / max(a, b))
    return float(np.mean(scores))
