# k-means as it is often written: the rows of a cluster chosen by a mask.
import numpy as np

X: (12, 2)

k = 3
centroids = X[:k].copy()
for step in range(4):
    distances = np.sqrt(((X[:, None, :] - centroids[None, :, :])**2).sum(axis=2))
    labels = np.argmin(distances, axis=1)
    for j in range(k):
        centroids[j] = X[labels == j].mean(axis=0)
inertia = np.sum((X - centroids[labels])**2)
sizes = np.zeros(k)
for j in range(k):
    sizes[j] = np.sum(labels == j)
