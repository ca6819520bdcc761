# call: haar(x); x = normal(32)
import numpy as np


def haar(x):
    """Full Haar decomposition; the length is a power of two."""
    out = x.copy()
    n = len(x)
    while n > 1:
        half = n // 2
        a = (out[0:n:2] + out[1:n:2]) / np.sqrt(2)
        d = (out[0:n:2] - out[1:n:2]) / np.sqrt(2)
        out[:half] = a
        out[half:n] = d
        n = half
    return out
