"""scipy.stats: scores."""

import numpy as np

MODULE = "scipy.stats"


def zscore(a, axis=0, ddof=0):
    """How many standard deviations each element is above the mean."""
    return np.subtract(a, np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)
