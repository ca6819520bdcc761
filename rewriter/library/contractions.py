"""Products of arrays along axes."""

import numpy as np

from _shared import axes_of, axis_of, count_of

METHODS = "trace"
IN_ORDER = "tensordot inner kron"


def _moved(x, source, destination):
    """np.moveaxis, which leaves what stays in its place as it is."""
    source, destination = axis_of(source, np.ndim(x)), axis_of(destination, np.ndim(x))
    return np.asarray(x) if source == destination else np.moveaxis(x, source, destination)


def tensordot(a, b, axes=2):
    """The sum of products over pairs of axes, or over the last axes of a and the first of b."""
    pair = (range(-axes, 0), range(axes)) if isinstance(axes, int) else axes
    a, b = np.asarray(a), np.asarray(b)
    of_a = axes_of(pair[0], a.ndim)
    of_b = axes_of(pair[1], b.ndim)
    if [a.shape[k] for k in of_a] != [b.shape[k] for k in of_b]:
        raise ValueError("shape-mismatch for sum")
    left = [k for k in range(a.ndim) if k not in of_a]
    right = [k for k in range(b.ndim) if k not in of_b]
    rows, columns = [a.shape[k] for k in left], [b.shape[k] for k in right]
    inner = count_of([a.shape[k] for k in of_a])
    x = np.reshape(np.transpose(a, left + of_a), (count_of(rows), inner))
    y = np.reshape(np.transpose(b, of_b + right), (inner, count_of(columns)))
    return np.reshape(np.dot(x, y), rows + columns)


def inner(a, b):
    """The sum of products over the last axes of both."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        dtype = np.result_type(np.asarray(a).dtype, np.asarray(b).dtype)
        if np.result_type(a, b) != dtype:
            a, b = np.asarray(a, dtype), np.asarray(b, dtype)
        return np.multiply(a, b)
    if np.ndim(b) == 1:
        return np.dot(a, b)
    return np.dot(a, np.transpose(b)) if np.ndim(b) == 2 else tensordot(a, b, axes=(-1, -1))


def vdot(a, b):
    """The dot product of all elements, those of a conjugated."""
    x = np.ravel(a)
    return np.dot(np.conj(x) if np.result_type(x).kind == "c" else x, np.ravel(b))


def vecdot(x1, x2, *, axis=-1):
    """The dot products along one axis, x1 conjugated."""
    if np.ndim(x1) == 0 or np.ndim(x2) == 0:
        raise ValueError("takes arrays of one dimension or more")
    at = axis if np.ndim(x1) == np.ndim(x2) else -1
    x, y = (np.asarray(x1), np.asarray(x2)) if at == axis else (_moved(x1, axis, -1), _moved(x2, axis, -1))
    if x.shape[at] != y.shape[at]:
        raise ValueError(f"shapes {x.shape} and {y.shape} do not fit: "
                         f"{x.shape[at]} elements along the axis and {y.shape[at]}")
    terms = np.multiply(np.conj(x) if x.dtype.kind == "c" else x, y)
    return np.sum(terms, axis=axis_of(at, terms.ndim), dtype=None if terms.dtype.kind in "fc" else terms.dtype)


def _repeated(x, counts, axis):
    if axis == len(counts):
        return x
    return _repeated(np.repeat(x, counts[axis], axis=axis), counts, axis + 1)


def kron(a, b):
    """The Kronecker product: each element of a times b."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(np.asarray(a), np.asarray(b))
    ndim = max(np.ndim(a), np.ndim(b))
    left = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    right = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    if ndim == 1:
        return np.ravel(np.outer(a, b))
    if ndim == 2:
        return np.multiply(_repeated(np.reshape(a, left), right, 0), np.tile(np.reshape(b, right), left))
    rows = [n for extent in left for n in (extent, 1)]
    columns = [n for extent in right for n in (1, extent)]
    return np.reshape(np.reshape(a, rows) * np.reshape(b, columns), [m * n for m, n in zip(left, right)])


def _minor(a, b, i, j):
    """Of the vectors' components i and j; those that vectors in a plane lack have no part."""
    if a.shape[-1] <= j:
        return a[..., i] * b[..., j]
    if b.shape[-1] <= j:
        return -(a[..., j] * b[..., i])
    return a[..., i] * b[..., j] - a[..., j] * b[..., i]


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors; of two-dimensional vectors the z component."""
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a, b = _moved(a, axisa, -1), _moved(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3); "
                         f"got {a.shape[-1]} and {b.shape[-1]}")
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return _minor(a, b, 0, 1)
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        up = -_minor(a, b, 0, 2)
    else:
        up = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    return _moved(np.stack([_minor(a, b, 1, 2), up, _minor(a, b, 0, 1)], axis=-1), -1, axisc)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)
