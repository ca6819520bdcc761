# k-means: assignments to the nearest of three centres, and their means.
import numpy as np

points: (40, 2)

numbers = np.array([0.0, 1.0, 2.0])
centres = points[:3].copy()
for iteration in range(4):
    distances = np.zeros((points.shape[0], 3))
    for c in range(3):
        difference = points - centres[c]
        distances[:, c] = (difference * difference).sum(axis=1)
    nearest = np.argmin(distances, axis=1)
    member = (nearest[:, None] == numbers) * 1.0
    counts = member.sum(axis=0)
    centres = (member.T @ points) / np.maximum(counts, 1)[:, None]
inertia = np.sum(np.min(distances, axis=1))
