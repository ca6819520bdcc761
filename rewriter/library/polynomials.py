"""Polynomials as arrays of coefficients, that of the highest power first."""

import numpy as np


def polyval(p, x):
    """The polynomial's value at x."""
    y = np.multiply(x, False)
    for c in p:
        y = y * x + c
    return y
