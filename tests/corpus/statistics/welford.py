# call: running_moments(x); x = normal(200)
import numpy as np


def running_moments(x):
    """Mean and variance in one pass (Welford)."""
    mean = 0.0
    m2 = 0.0
    for n, value in enumerate(x, start=1):
        delta = value - mean
        mean += delta / n
        m2 += delta * (value - mean)
    if len(x) < 2:
        return mean, float("nan")
    return mean, m2 / (len(x) - 1)
