# call: kmeans(X, 3); X = normal(90, 2) + 4 * np.repeat(np.eye(3)[:, :2], 30, axis=0)
import numpy as np


def kmeans(X, k, max_iters=50):
    """Lloyd's algorithm; the first k points are the initial centres."""
    centroids = X[:k].copy()
    for _ in range(max_iters):
        distances = np.linalg.norm(X[:, np.newaxis] - centroids, axis=2)
        labels = np.argmin(distances, axis=1)
        new_centroids = np.array([X[labels == j].mean(axis=0) for j in range(k)])
        if np.allclose(centroids, new_centroids):
            break
        centroids = new_centroids
    return labels, centroids
