"""Functions that take elements by their places and by conditions."""

import numpy as np

from _shared import along_axis, broadcast_into, several


def extract(condition, arr):
    """The elements where the condition holds."""
    mask = np.ravel(condition)
    return np.ravel(arr)[mask if mask.dtype == bool else np.not_equal(mask, 0)]


def _size(x):
    return abs(x) if np.ndim(x) == 0 else np.abs(x)


def fmod(x1, x2, out=None):
    """C's remainder, which has the sign of x1."""
    dtype = np.result_type(x1, x2)
    if dtype.kind == "c":
        raise TypeError("ufunc 'fmod' not supported for complex numbers")
    if dtype == bool:
        raise TypeError("NumPy computes this of booleans in int8; multiply by 1.0 first")
    if dtype.kind == "u":
        return np.remainder(x1, x2, out=out)
    if dtype.kind == "i" and dtype.itemsize < 8:  # the size of the least one does not fit
        return broadcast_into(out, np.asarray(fmod(np.asarray(x1, int), np.asarray(x2, int)), dtype)[()])
    rest = np.remainder(_size(x1), _size(x2))
    if dtype.kind == "f":
        return np.copysign(rest, x1, out=out)
    return broadcast_into(out, np.where(np.less(x1, 0), -rest, rest)[()])


def vander(x, N=None, increasing=False):
    """The powers of a vector as columns."""
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = len(x) if N is None else N
    dtype = np.result_type(x, int)
    if count == 0:
        return np.zeros((len(x), 0), dtype)
    powers = _powers(np.ones((len(x), 1), dtype), np.asarray(x, dtype)[:, None], count)
    return np.concatenate(powers if increasing else powers[::-1], axis=1)


def _powers(power, x, count):
    return [power] if count == 1 else [power] + _powers(x if power is None else power * x, x, count - 1)


def _along(arr, indices, axis):
    """The subscript that takes an element along the axis for each index."""
    if np.result_type(indices).kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if np.ndim(indices) != np.ndim(arr):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    ndim = np.ndim(arr)
    return tuple(indices if k == axis % ndim else
                 along_axis(np.arange(extent), k, ndim)
                 for k, extent in enumerate(np.shape(arr)))


def take_along_axis(arr, indices, axis):
    """The elements at their own places along an axis."""
    if axis is None:
        return np.ravel(arr)[_along(np.ravel(arr), indices, 0)]
    return np.asarray(arr)[_along(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """Writes to the elements at their own places along an axis."""
    if axis is None:
        raise ValueError("needs an axis")
    arr[_along(arr, indices, axis)] = values


def tril(m, k=0):
    """The lower triangle, and 0 above diagonal k."""
    m = np.asarray(m)
    return np.where(np.tri(m.shape[-min(m.ndim, 2)], m.shape[-1], k, bool), m, False if m.dtype == bool else 0)


def triu(m, k=0):
    """The upper triangle, and 0 below diagonal k."""
    m = np.asarray(m)
    return np.where(np.tri(m.shape[-min(m.ndim, 2)], m.shape[-1], k - 1, bool), False if m.dtype == bool else 0, m)


def _open(x, k, ndim):
    x = np.arange(0) if isinstance(x, (list, tuple)) and len(x) == 0 else np.asarray(x)
    if x.ndim != 1:
        raise ValueError("Cross index must be 1 dimensional")
    if x.dtype == bool:
        x = np.nonzero(x)[0]
    return np.reshape(x, (1,) * k + (-1,) + (1,) * (ndim - k - 1))


def ix_(*args):
    """The index of all places that have one index of each."""
    return tuple(_open(x, k, len(args)) for k, x in enumerate(args))


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of all points of a grid, an array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    axes = [1, 0, *range(2, ndim)] if indexing == "xy" and ndim > 1 else list(range(ndim))
    laid = [np.reshape(x, (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)) for x, axis in zip(xi, axes)]
    shape = [np.size(xi[axes.index(k)]) for k in range(ndim)]
    if sparse:
        return several([np.copy(x) for x in laid] if copy else laid)
    if not copy:
        return several([np.broadcast_to(x, shape) for x in laid])
    return several([np.tile(x, [1 if k == axis else shape[k] for k in range(ndim)]) for x, axis in zip(laid, axes)])
