# call: ridge_fit(X, y, 0.5); X = normal(60, 8); y = normal(60)
import numpy as np


def ridge_fit(X: np.ndarray, y: np.ndarray, alpha: float = 1.0):
    """Closed form ridge regression with an unpenalised intercept."""
    if alpha < 0:
        raise ValueError("alpha must not be negative")
    Xm, ym = X.mean(axis=0), y.mean()
    Xc, yc = X - Xm, y - ym
    coef = np.linalg.solve(Xc.T @ Xc + alpha * np.eye(X.shape[1]), Xc.T @ yc)
    intercept = ym - Xm @ coef
    return coef, intercept
