# call: solve_poisson(b, 1e-3); b = 0.1 * normal(16, 16)
import numpy as np


def solve_poisson(b, tol):
    """Relax until the relative change is below tol."""
    p = np.zeros_like(b)
    change = 1.0
    iterations = 0
    while change > tol:
        pn = p.copy()
        p[1:-1, 1:-1] = 0.25 * (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1]
                                - b[1:-1, 1:-1])
        change = np.sum(np.abs(p - pn)) / (np.sum(np.abs(p)) + 1e-12)
        iterations += 1
    return p, iterations
