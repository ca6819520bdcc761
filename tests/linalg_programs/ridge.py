import numpy as np

X: (50, 6)
Y: (50, 3)

alpha = 0.5
n_features = X.shape[1]
A = X.T @ X + alpha * np.eye(n_features)
W = np.linalg.solve(A, X.T @ Y)
U, s, Vt = np.linalg.svd(X, full_matrices=False)
d = s / (s ** 2 + alpha)
W_svd = (Vt.T * d) @ (U.T @ Y)
pred = X @ W
