import numpy as np


def fit(X, y):
    XtX = X.T @ X
    beta = np.linalg.solve(XtX, X.T @ y)
    residual = y - X @ beta
    s2 = residual @ residual / (X.shape[0] - X.shape[1])
    cov = s2 * np.linalg.inv(XtX)
    return beta, s2, cov


X: (40, 4)
y: (40,)
beta, s2, cov = fit(X, y)
coef, res, rank, sv = np.linalg.lstsq(X, y, rcond=None)
gap = np.linalg.norm(beta - coef, np.inf)
