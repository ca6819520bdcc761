"""Medians and quantiles that ignore NaN, and sorting of complex numbers."""

import numpy as np

from _shared import axes_of, into

OLD_DOUBLES = "nanquantile nanpercentile"


def _axes(axis, ndim):
    """The axes, counted from the first and in order."""
    axes = sorted(axes_of(axis, ndim))
    if len(set(axes)) < len(axes):
        raise ValueError("repeated axis")
    return axes


def _rows(a, axes):
    """The axes as one: the array, and which axis that is."""
    if len(axes) == 1:
        return a, axes[0]
    others = [each for each in range(a.ndim) if each not in axes]
    if len(others) > 0:
        a = np.transpose(a, [*others, *axes])
    return np.reshape(a, [a.shape[each] for each in range(len(others))] + [-1]), len(others)


def _kept(result, shape, axes):
    """With an axis of one element for each that is gone."""
    return np.reshape(result, [1 if each in axes else shape[each] for each in range(len(shape))])


def _numbers(a, axis):
    """The elements in order along the axis, NaN last, and how many are none."""
    return np.sort(a, axis=axis), np.sum(~np.isnan(a), axis=axis, keepdims=a.ndim > 1)


def _at(ordered, places, axis):
    """The elements at these places, without the axis."""
    if ordered.ndim > 1:
        return np.squeeze(np.take_along_axis(ordered, places, axis=axis), axis)
    return ordered[np.minimum(places, np.maximum(len(ordered) - 1, 0))]


def _middle(a, axis):
    ordered, count = _numbers(a, axis)
    low = _at(ordered, np.maximum(count - 1, 0) // 2, axis)
    return (low + _at(ordered, count // 2, axis)) / 2.0


def sort_complex(a):
    """The elements sorted along the last axis as complex numbers: by the real part, then by the imaginary one."""
    a = np.sort(a)
    if a.dtype in (np.int8, np.uint8, np.int16, np.uint16):
        return a.astype(np.complex64)
    return a if a.dtype.kind == "c" else a + 0j


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN."""
    a = np.asarray(a)
    if a.size == 0:
        return into(out, np.mean(a, axis=axis, keepdims=keepdims))
    axes = _axes(axis, a.ndim)
    rows, along = _rows(a, axes)
    found = _middle(rows, along) if a.dtype.kind == "f" else np.median(rows, axis=along)
    return into(out, (_kept(found, a.shape, axes) if keepdims else found)[()])


def _between(a, axis, q):
    """What has the fraction q of all below it, on the line between both neighbours."""
    ordered, count = _numbers(a, axis)
    last = np.maximum(count - 1, 0)
    place = last * q
    before = np.floor(place)
    low = _at(ordered, before.astype(int), axis)
    high = _at(ordered, np.minimum(before + 1, last).astype(int), axis)
    t, apart = place - before, high - low
    t = np.squeeze(t, axis) if a.ndim > 1 else t
    return np.where(t >= 0.5, high - apart * (1.0 - t), low + apart * t)


def _fractions(q, most):
    """The fractions as a list; those that are known are in the range."""
    if np.ndim(q) > 1:
        raise ValueError("q must be a scalar or 1d")
    q = [q] if np.ndim(q) == 0 else [each for each in q]
    for each in q:
        if isinstance(each, (int, float)) and not 0 <= each <= most:
            raise ValueError(f"q must be in the range [0, {most}]; got {each}")
    return [each if most == 1 else np.true_divide(each, most) for each in q]


def _in_range(found, q):
    """NaN where the fraction is in no range, as far as that was not known."""
    return found if isinstance(q, (int, float)) else np.where((q >= 0) & (q <= 1), found, np.nan)


def _quantile(a, q, most, axis, out, method, keepdims):
    a, fractions = np.asarray(a), _fractions(q, most)
    if method != "linear":
        raise NotImplementedError(f"the method {method} is not supported; 'linear' is")
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if a.size == 0 and np.ndim(q) > 0:
        raise NotImplementedError("of an empty array q must be a number")
    if a.size == 0:
        return into(out, np.mean(a, axis=axis, keepdims=keepdims))
    axes = _axes(axis, a.ndim)
    rows, along = _rows(a, axes)
    if a.dtype.kind == "f":
        found = [_in_range(_between(rows, along, each), each) for each in fractions]
    else:
        found = [np.quantile(rows, each, axis=along) for each in fractions]
    found = [_kept(each, a.shape, axes) if keepdims else each for each in found]
    return into(out, found[0][()] if np.ndim(q) == 0 else np.stack(found))


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
                interpolation=None):
    """The quantile q of the elements that are not NaN; one for each of several q."""
    return _quantile(a, q, 1, axis, out, method if interpolation is None else interpolation, keepdims)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
                  interpolation=None):
    """The percentile q of the elements that are not NaN; one for each of several q."""
    return _quantile(a, q, 100, axis, out, method if interpolation is None else interpolation, keepdims)
