# call: expm(A); A = 0.3 * normal(12, 12)
import numpy as np


def expm(A, order=12, squarings=4):
    """Matrix exponential by scaling and squaring of a Taylor series."""
    n = A.shape[0]
    S = A / 2 ** squarings
    result = np.eye(n)
    term = np.eye(n)
    for k in range(1, order + 1):
        term = term @ S / k
        result += term
    for _ in range(squarings):
        result = result @ result
    return result
