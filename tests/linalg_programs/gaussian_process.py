import numpy as np


def kernel(a, b, length=0.5):
    sq = np.sum(a ** 2, 1).reshape(-1, 1) + np.sum(b ** 2, 1) - 2 * np.dot(a, b.T)
    return np.exp(-0.5 * sq / length ** 2)


X: (20, 1)
y: (20,)
T: (7, 1)

noise = 0.1
K = kernel(X, X) + noise ** 2 * np.eye(len(X))
L = np.linalg.cholesky(K)
alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
Ks = kernel(X, T)
mu = Ks.T @ alpha
v = np.linalg.solve(L, Ks)
cov = kernel(T, T) - v.T @ v
loglik = -0.5 * y @ alpha - np.sum(np.log(L[0:1])) - 0.5 * len(X) * np.log(2 * np.pi)
