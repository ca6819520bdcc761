# call: dft_power(x); x = normal(24)
import numpy as np


def dft_power(x):
    """Power spectrum with real matrices."""
    n = x.shape[0]
    k = np.arange(n)
    angle = 2 * np.pi * np.outer(k, k) / n
    re = np.cos(angle) @ x
    im = -np.sin(angle) @ x
    return (re ** 2 + im ** 2) / n
