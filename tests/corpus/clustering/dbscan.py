# call: dbscan(X, 0.6, 4); X = normal(60, 2)
import numpy as np


def dbscan(X, eps, min_pts):
    """Density clustering; -1 is noise."""
    n = len(X)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    neighbours = [np.where(D[i] <= eps)[0] for i in range(n)]
    labels = -np.ones(n, dtype=int)
    cluster = 0
    for i in range(n):
        if labels[i] != -1 or len(neighbours[i]) < min_pts:
            continue
        labels[i] = cluster
        queue = list(neighbours[i])
        while queue:
            j = queue.pop()
            if labels[j] == -1:
                labels[j] = cluster
                if len(neighbours[j]) >= min_pts:
                    queue.extend(neighbours[j])
        cluster += 1
    return labels
