"""scipy.stats: scores."""

import numpy as np

MODULE = "scipy.stats"


def zscore(a, axis=0, ddof=0):
    """The number of standard deviations by which each element exceeds the mean."""
    return np.subtract(a, np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)
