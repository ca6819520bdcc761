import numpy as np


def gauss_newton(x, t, y, steps=5, lam=1e-2):
    for _ in range(steps):
        f = x[0] * np.exp(-x[1] * t)
        J = np.concatenate([np.exp(-x[1] * t)[:, None], (-x[0] * t * np.exp(-x[1] * t))[:, None]], axis=1)
        r = y - f
        H = J.T @ J
        H += lam * np.eye(2) * H
        x = x + np.linalg.solve(H, J.T @ r)
    return x


t: (20,)
y: (20,)
x = gauss_newton(np.array([1.0, 0.3]), t * 0.1, y)
mad = np.median(np.abs(y - np.median(y)))
z = np.abs(y - np.median(y)) / (1.4826 * mad)
trimmed = np.sort(y)[2:-2].mean()
rank = np.argsort(np.argsort(y))
