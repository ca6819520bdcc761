"""What several of these files import: `from _shared import axis_of`."""

import numpy as np


def into(out, result):
    """A reduction's result, which is written into `out` where that is given."""
    if out is not None and np.shape(out) != np.shape(result):
        raise ValueError(f"output parameter has the shape {np.shape(out)}; the result has {np.shape(result)}")
    return broadcast_into(out, result)


def broadcast_into(out, result):
    """A ufunc's result, which is written into `out` where that is given."""
    if out is None:
        return result
    if np.iscomplexobj(result) and not np.iscomplexobj(out):
        raise TypeError("Cannot cast output from complex numbers to real ones; out= is real")
    if not np.can_cast(np.result_type(result), out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast output from {np.result_type(result)} to {out.dtype}, the type of out=")
    out[...] = result
    return out


def kind_of(x):
    """The letter of the dtype's kind."""
    return np.asarray(x).dtype.kind


def as_float(x):
    """The array in floats; what is no integer stays as it is."""
    return np.multiply(x, 1.0) if kind_of(x) in "biu" else np.asarray(x)


def index_of(n):
    """The int, where NumPy takes no float."""
    if isinstance(n, float):
        raise TypeError("'float' object cannot be interpreted as an integer")
    return n


def axis_of(axis, ndim):
    """The axis counted from the first."""
    if axis is None:
        raise TypeError("axis must be an integer; got None")
    if isinstance(axis, (bool, float)):
        raise TypeError(f"axis must be an integer; got {axis}")
    if not -ndim <= axis < ndim:
        raise np.AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def axes_of(axis, ndim):
    """Of an axis, several, or None for all: counted from the first."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, (tuple, list, range)) else [axis]
    return [axis_of(each, ndim) for each in axes]


def at_axis(axis, index):
    """The subscript that has this index at one axis, which is counted from the first."""
    return (slice(None),) * axis + (index,)


def along_axis(a, axis, ndim):
    """An array of one dimension, which becomes this one of ndim axes."""
    return np.reshape(a, (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)) if ndim > 1 else a


def count_of(shape):
    """The number of elements."""
    if len(shape) < 2:
        return shape[0] if len(shape) == 1 else 1
    return shape[0] * count_of(shape[1:])


def complex_of(real, imag):
    """The complex numbers of these parts."""
    return np.vectorize(complex, otypes=[complex])(real, imag)


def several(arrays):
    """What is a tuple from NumPy 2 on, and a list before."""
    return list(arrays) if np.__version__ < "2" else tuple(arrays)


def is_definite(a):
    """Whether Cholesky's method finds no pivot that is not positive; it finds none of NaN."""
    rows = np.arange(len(a))
    root, pivots = np.zeros(np.shape(a)), np.zeros(len(a))
    for j in range(len(a)):
        rest = a[:, j] - root @ root[j]
        pivots[j] = rest[j]
        root[:, j] = np.where(rows >= j, rest, 0) / np.sqrt(np.where(rest[j] > 0, rest[j], 1))
    return np.logical_not(np.any(pivots <= 0))
