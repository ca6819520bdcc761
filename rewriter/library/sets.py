"""Sets: the distinct elements of one or two arrays, sorted."""

import numpy as np


def union1d(ar1, ar2):
    """The sorted distinct elements of either array."""
    return np.unique(np.concatenate([ar1, ar2], axis=None))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of the first array that are not in the second."""
    x = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return x[np.isin(x, ar2, invert=True)]


def intersect1d(ar1, ar2, assume_unique=False):
    """The elements that both arrays have."""
    if assume_unique:
        x = np.sort(np.concatenate([np.ravel(ar1), np.ravel(ar2)]))
        return x[:-1][x[1:] == x[:-1]]
    x = np.unique(ar1)
    x = x[np.isin(x, ar2)]
    dtype = np.result_type(np.ravel(ar1), np.ravel(ar2))
    return x if x.dtype == dtype else x.astype(dtype)


def setxor1d(ar1, ar2, assume_unique=False):
    """The elements that exactly one of the arrays has."""
    if assume_unique:
        x = np.sort(np.concatenate([ar1, ar2]))
        apart = x[1:] != x[:-1]
        return x[np.append(True, apart) & np.append(apart, True)]
    x = np.unique(np.concatenate([np.ravel(ar1), np.ravel(ar2)]))
    return x[(np.isin(x, ar1) != np.isin(x, ar2)) | (x != x)]  # pylint: disable=comparison-with-itself
