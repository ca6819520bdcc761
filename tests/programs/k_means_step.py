# One step of k-means with three centres: distances, assignment, new means.
import numpy as np

X: (25, 2)
centres: (3, 2)

squares = np.sum(X ** 2, axis=1, keepdims=True) - 2 * X @ centres.T + np.sum(centres ** 2, axis=1)
nearest = np.argmin(squares, axis=1)
in_0 = (nearest == 0)[:, None] * 1.0
in_1 = (nearest == 1)[:, None] * 1.0
in_2 = (nearest == 2)[:, None] * 1.0
members = np.concatenate((in_0, in_1, in_2), axis=1)
counts = members.sum(0)
moved = members.T @ X / np.maximum(counts, 1)[:, None]
centres = np.where((counts > 0)[:, None], moved, centres)
inertia = np.sum(squares.min(axis=1))
