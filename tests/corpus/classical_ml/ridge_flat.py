# call: ridge_fit(X, y, 0.5); X = normal(30, 4); y = normal(30)
import numpy as np


def ridge_fit(X, y, alpha=1.0, fit_intercept=True):
    if fit_intercept:
        X_offset = np.average(X, axis=0)
        y_offset = np.average(y)
        X = X - X_offset
        y = y - y_offset
    A = X.T @ X
    A.flat[::A.shape[0] + 1] += alpha
    coef = np.linalg.solve(A, X.T @ y)
    intercept = y_offset - X_offset @ coef if fit_intercept else 0.0
    return coef, intercept
