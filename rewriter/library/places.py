"""Indexing functions: selection by indices and by conditions."""

import numpy as np

from _shared import along_axis, axis_of, broadcast_into, index_of, several

IN_ORDER = "vander"
DOUBLES = "vander"
OF_ONE_AXIS = "lexsort"


def extract(condition, arr):
    """The elements where the condition is true."""
    mask = np.ravel(condition)
    return np.ravel(arr)[mask if mask.dtype == bool else np.not_equal(mask, 0)]


def _size(x):
    return abs(x) if np.ndim(x) == 0 else np.abs(x)


def fmod(x1, x2, out=None):
    """The remainder as in C's fmod, with the sign of x1."""
    dtype = np.result_type(x1, x2)
    if dtype.kind == "c":
        raise TypeError("ufunc 'fmod' not supported for complex numbers")
    if dtype == bool:
        raise NotImplementedError("NumPy computes this of booleans in int8; multiply by 1.0 first")
    if dtype.kind == "u":
        return np.remainder(x1, x2, out=out)
    if dtype.kind == "i" and dtype.itemsize < 8:  # the size of the least one does not fit
        return broadcast_into(out, np.asarray(fmod(np.asarray(x1, int), np.asarray(x2, int)), dtype)[()])
    if np.result_type(x1) != np.result_type(x2):  # so that the sizes of small ints fit
        x1, x2 = (np.asarray(x, dtype)[()] for x in (x1, x2))
    rest = np.remainder(_size(x1), _size(x2))
    if dtype.kind == "f":
        return np.copysign(rest, x1, out=out)
    return broadcast_into(out, np.where(np.less(x1, 0), -rest, rest)[()])


def vander(x, N=None, increasing=False):
    """The powers of a vector as columns."""
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = len(x) if N is None else index_of(N)
    dtype = np.result_type(x, int)
    if count == 0:
        return np.zeros((len(x), 0), dtype)
    column = np.asarray(x, dtype)[:, None]
    powers = [np.ones_like(column), *_powers(column, column, count - 1)]
    return np.concatenate(powers if increasing else powers[::-1], axis=1)


def _powers(power, x, count):
    return [power, *_powers(power * x, x, count - 1)] if count > 0 else []


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
    """The elements at the indices along an axis, as argsort() and argmin() return them."""
    if axis is None:
        return np.ravel(arr)[_along(np.ravel(arr), indices, 0)]
    return np.asarray(arr)[_along(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """Assigns values at the indices along an axis."""
    if axis is None:
        raise ValueError("needs an axis")
    arr[_along(arr, indices, axis)] = values


def tril(m, k=0):
    """The lower triangle, with 0 above diagonal k."""
    m = np.asarray(m)
    return np.where(np.tri(m.shape[-min(m.ndim, 2)], m.shape[-1], k, bool), m, False if m.dtype == bool else 0)


def triu(m, k=0):
    """The upper triangle, with 0 below diagonal k."""
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
    """An open mesh of indices: a[np.ix_(i, j)] is the rows i and columns j."""
    return tuple(_open(x, k, len(args)) for k, x in enumerate(args))


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of the points of a grid, one array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    axes = [1, 0, *range(2, ndim)] if indexing == "xy" and ndim > 1 else list(range(ndim))
    laid = [np.reshape(x, (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)) for x, axis in zip(xi, axes)]
    shape = [np.size(xi[axes.index(k)]) for k in range(ndim)]
    if sparse:
        return several([np.copy(x) for x in laid]) if copy else laid  # a list in every version of NumPy
    if not copy:
        return several([np.broadcast_to(x, shape) for x in laid])
    return several([np.tile(x, [1 if k == axis else shape[k] for k in range(ndim)]) for x, axis in zip(laid, axes)])


def lexsort(keys, axis=-1):
    """The indices that sort by the last key, then by the one before it, and so on."""
    if len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if np.ndim(keys[0]) != 1:
        raise NotImplementedError("keys of one dimension are supported")
    axis_of(axis, 1)
    order = np.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        if len(key) != len(keys[0]):
            raise ValueError("all keys need to be the same shape")
        order = np.take(order, np.argsort(np.take(key, order), kind="stable"))
    return order


def _to_write(a, mask, values):
    """The mask as booleans, of the array's shape, and the values, which its type can hold."""
    mask = np.asarray(mask)
    if np.size(mask) != np.size(a):
        raise ValueError(f"mask and data must be the same size; got {np.shape(mask)} and {np.shape(a)}")
    dtype = np.asarray(values).dtype
    if not isinstance(values, np.ndarray):  # numbers and lists are converted
        values = np.asarray(values).astype(a.dtype)
    elif not np.can_cast(dtype, a.dtype):
        raise TypeError(f"Cannot cast array data from {dtype} to {a.dtype} according to the rule 'safe'")
    return np.reshape(mask if mask.dtype == bool else np.not_equal(mask, 0), a.shape), values


def putmask(a, mask, values):
    """Assigns values where the mask is true; the values are repeated to the size of the array."""
    mask, values = _to_write(a, mask, values)
    if np.ndim(values) > 0:
        if np.size(values) == 0:
            raise ValueError("values must not be empty")
        values = np.resize(values, a.shape)
    a[...] = np.where(mask, values, a)


def place(arr, mask, vals):
    """Assigns values where the mask is true, one after the other, repeated as needed."""
    mask, vals = _to_write(arr, mask, np.ravel(vals) if isinstance(vals, np.ndarray) else vals)
    vals = np.ravel(vals)
    if vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    flat = np.ravel(mask)
    turn = np.where(flat, np.mod(np.cumsum(flat) - 1, vals.size), 0)
    arr[...] = np.where(mask, np.reshape(np.take(vals, turn), arr.shape), arr)
