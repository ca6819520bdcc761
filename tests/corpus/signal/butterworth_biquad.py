# call: biquad(x, 0.1); x = normal(150)
import numpy as np


def biquad(x, fc):
    """Second order low pass, direct form I."""
    K = np.tan(np.pi * fc)
    norm = 1 / (1 + K * np.sqrt(2) + K * K)
    b0 = K * K * norm
    b1, b2 = 2 * b0, b0
    a1 = 2 * (K * K - 1) * norm
    a2 = (1 - K * np.sqrt(2) + K * K) * norm
    y = np.zeros_like(x)
    for n in range(len(x)):
        y[n] = b0 * x[n]
        if n >= 1:
            y[n] += b1 * x[n - 1] - a1 * y[n - 1]
        if n >= 2:
            y[n] += b2 * x[n - 2] - a2 * y[n - 2]
    return y
