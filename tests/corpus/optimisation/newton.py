# call: newton_minimise(x0, A, b); x0 = zeros(6); A = spd(6); b = normal(6)
import numpy as np


def newton_minimise(x0, A, b, tol=1e-10, max_iter=25):
    """Minimise sum(exp(x)) + x'Ax/2 - b'x with Newton's method."""
    x = x0.copy()
    for _ in range(max_iter):
        gradient = np.exp(x) + A @ x - b
        if np.linalg.norm(gradient) < tol:
            break
        hessian = np.diag(np.exp(x)) + A
        x -= np.linalg.solve(hessian, gradient)
    return x
