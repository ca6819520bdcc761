import numpy as np

X: (60, 5)

mean = X.mean(axis=0)
Xc = X - mean
C = Xc.T @ Xc / (X.shape[0] - 1)
eigenvalues, eigenvectors = np.linalg.eigh(C)
top = eigenvectors[:, -2:]
scores = Xc @ top
explained = eigenvalues / eigenvalues.sum()
w = np.linalg.eigvalsh(C)
