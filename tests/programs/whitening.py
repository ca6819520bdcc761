# Whitening by Newton-Schulz iterations for the inverse square root of the covariance, three written out.
import numpy as np

X: (50, 4)

centred = X - X.mean(axis=0, keepdims=True)
C = centred.T @ centred / X.shape[0] + 1e-3 * np.eye(4)
size = np.linalg.norm(C)
Y = C / size
Z = np.eye(4)
T = 1.5 * np.eye(4) - 0.5 * (Z @ Y)
Y, Z = Y @ T, T @ Z
T = 1.5 * np.eye(4) - 0.5 * (Z @ Y)
Y, Z = Y @ T, T @ Z
T = 1.5 * np.eye(4) - 0.5 * (Z @ Y)
Y, Z = Y @ T, T @ Z
root = Z / np.sqrt(size)
white = centred @ root
distance = np.abs(white.T @ white / X.shape[0] - np.eye(4)).sum()
