# call: bfgs(A, b, x0, 15); A = spd(8); b = normal(8); x0 = zeros(8)
import numpy as np


def bfgs(A: np.ndarray, b: np.ndarray, x0: np.ndarray, iters: int) -> np.ndarray:
    """Quasi-Newton on a quadratic with an exact line search."""
    n = len(x0)
    I = np.eye(n)
    H = np.eye(n)
    x = x0
    g = A @ x - b
    for _ in range(iters):
        p = -H @ g
        if np.dot(g, g) < 1e-18:
            return x
        alpha = -(g @ p) / (p @ A @ p)
        s = alpha * p
        x = x + s
        g_new = A @ x - b
        y = g_new - g
        rho = 1.0 / (y @ s)
        V = I - rho * np.outer(s, y)
        H = V @ H @ V.T + rho * np.outer(s, s)
        g = g_new
    return x
