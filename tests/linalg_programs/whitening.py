import numpy as np

X: (80, 4)

X = X - X.mean(axis=0)
sigma = X.T.dot(X) / len(X)
L = np.linalg.cholesky(np.linalg.inv(sigma + 1e-6 * np.eye(4)))
white = X.dot(L)
check = white.T @ white / len(X)
