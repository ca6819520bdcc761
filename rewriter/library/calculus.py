"""Differences, gradients, integrals, running sums and interpolation."""

import numpy as np

from _shared import along_axis, as_float, at_axis, axes_of, axis_of, index_of, several

IN_ORDER = "interp"
DOUBLES = "interp"


def _part(a, axis, start, stop):
    """The elements from start to stop of the axis, which is counted from the first."""
    return a[at_axis(axis, slice(start, stop))]


def _beside(a, axis, value):
    """What is joined to the array: a number becomes an axis of one element."""
    if value is None:
        return []
    if np.ndim(value) > 0:
        return [np.asarray(value)]
    return [np.broadcast_to(value, a.shape[:axis] + (1,) + a.shape[axis + 1:])]


def _difference(a, axis, n):
    if n == 0:
        return a
    after, before = _part(a, axis, 1, None), _part(a, axis, None, -1)
    return _difference(after != before if a.dtype.kind == "b" else after - before, axis, n - 1)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of consecutive elements along the axis, taken n times; for booleans, whether they differ."""
    if index_of(n) < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return a
    a = np.asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_of(axis, a.ndim)
    before, after = _beside(a, axis, prepend), _beside(a, axis, append)
    if len(before) + len(after) > 0:
        a = np.concatenate([*before, a, *after], axis=axis)
    return _difference(a, axis, n)


def _ends(ary, value, name):
    if value is None:
        return []
    if not np.can_cast(np.asarray(value).dtype, ary.dtype, "same_kind"):
        raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
    return [np.asarray(np.ravel(value), dtype=ary.dtype)]


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of consecutive elements, with to_begin before them and to_end after them."""
    ary = np.ravel(ary)
    apart = ary[1:] - ary[:-1]
    begin, end = _ends(ary, to_begin, "to_begin"), _ends(ary, to_end, "to_end")
    return np.concatenate([*begin, apart, *end]) if len(begin) + len(end) > 0 else apart


def _even_slopes(f, axis, h, edge_order):
    """Between points that all are h apart."""
    n = f.shape[axis]
    if edge_order == 1:
        first = (_part(f, axis, 1, 2) - _part(f, axis, 0, 1)) / h
        last = (_part(f, axis, n - 1, n) - _part(f, axis, n - 2, n - 1)) / h
    else:
        a, b, c = -1.5 / h, 2.0 / h, -0.5 / h
        first = a * _part(f, axis, 0, 1) + b * _part(f, axis, 1, 2) + c * _part(f, axis, 2, 3)
        last = -c * _part(f, axis, n - 3, n - 2) - b * _part(f, axis, n - 2, n - 1) - a * _part(f, axis, n - 1, n)
    if n == 2:
        return np.concatenate([first, last], axis=axis)
    inner = (_part(f, axis, 2, n) - _part(f, axis, 0, n - 2)) / (2.0 * h)
    return np.concatenate([first, inner, last], axis=axis)


def _uneven_slopes(f, axis, steps, edge_order):
    """Between points that are `steps` apart."""
    n = f.shape[axis]
    steps = along_axis(steps, axis, f.ndim)
    before, after = _part(steps, axis, 0, n - 2), _part(steps, axis, 1, n - 1)
    if edge_order == 1:
        first = (_part(f, axis, 1, 2) - _part(f, axis, 0, 1)) / _part(steps, axis, 0, 1)
        last = (_part(f, axis, n - 1, n) - _part(f, axis, n - 2, n - 1)) / _part(steps, axis, n - 2, n - 1)
    else:
        d1, d2 = _part(steps, axis, 0, 1), _part(steps, axis, 1, 2)
        first = -(2.0 * d1 + d2) / (d1 * (d1 + d2)) * _part(f, axis, 0, 1) + (
            (d1 + d2) / (d1 * d2) * _part(f, axis, 1, 2)) - d1 / (d2 * (d1 + d2)) * _part(f, axis, 2, 3)
        d1, d2 = _part(steps, axis, n - 3, n - 2), _part(steps, axis, n - 2, n - 1)
        last = d2 / (d1 * (d1 + d2)) * _part(f, axis, n - 3, n - 2) - (
            (d2 + d1) / (d1 * d2) * _part(f, axis, n - 2, n - 1)) + (
            (2.0 * d2 + d1) / (d2 * (d1 + d2)) * _part(f, axis, n - 1, n))
    if n == 2:
        return np.concatenate([first, last], axis=axis)
    both = before + after
    inner = -after / (before * both) * _part(f, axis, 0, n - 2) + (
        (after - before) / (before * after) * _part(f, axis, 1, n - 1)) + (
        before / (after * both) * _part(f, axis, 2, n))
    return np.concatenate([first, inner, last], axis=axis)


def _slopes(f, axis, h, edge_order):
    if f.shape[axis] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, "
                         "at least (edge_order + 1) elements are required.")
    if np.ndim(h) == 0:
        return _even_slopes(f, axis, h, edge_order)
    if np.ndim(h) != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(h) != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    return _uneven_slopes(f, axis, np.diff(as_float(h)), edge_order)


def gradient(f, *varargs, axis=None, edge_order=1):
    """The gradient along each axis: central differences, one-sided ones of the first or second order at the ends."""
    if np.asarray(f).dtype.kind == "b":
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    f = as_float(f)
    axes = axes_of(axis, f.ndim)
    steps = list(varargs) if len(varargs) > 0 else [1.0]
    if len(steps) == 1 and np.ndim(steps[0]) == 0:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    slopes = [_slopes(f, each, h, edge_order) for each, h in zip(axes, steps)]
    return slopes[0] if len(slopes) == 1 else several(slopes)


def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral of y by the trapezoidal rule, at the points x or at points dx apart."""
    y = np.asarray(y)
    along = axis_of(axis, y.ndim)
    d = dx
    if x is not None:
        x = np.asarray(x)
        d = along_axis(np.diff(x), along, y.ndim) if x.ndim == 1 else np.diff(x, axis=axis)
    sums = _part(y, along, 1, None) + _part(y, along, None, -1)
    return np.sum(d * sums / 2.0, axis=axis)


trapezoid = trapz


def _cumulative(running, initial, x, axis, dtype, out, include_initial):
    x = np.asarray(x)
    if x.ndim == 0:
        x = np.reshape(x, (1,))
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if not include_initial:
        return running(x, axis=axis, dtype=dtype, out=out)
    sums = running(x, axis=axis, dtype=dtype)
    first = np.full(sums.shape[:axis % x.ndim] + (1,) + sums.shape[axis % x.ndim + 1:], initial, dtype=sums.dtype)
    return np.concatenate([first, sums], axis=axis, out=out)


def cumulative_sum(x, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running sum along the axis; include_initial begins with 0."""
    return _cumulative(np.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running product along the axis; include_initial begins with 1."""
    return _cumulative(np.cumprod, 1, x, axis, dtype, out, include_initial)


def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    """The array with jumps of more than half a period removed by adding multiples of the period."""
    p = np.asarray(p)
    axis = axis_of(axis, p.ndim)
    d = np.diff(p, axis=axis)
    dtype = np.result_type(d, period)
    if dtype.kind == "u":
        raise NotImplementedError("unsigned ints have no jumps below 0; write p.astype(int)")
    whole = dtype.kind == "i"
    high = period // 2 if whole else period / 2
    turned = np.mod(d + high, period) - high
    if not whole or period % 2 == 0:
        turned = np.where((turned == -high) & (d > 0), high, turned)
    small = np.abs(d) < (period / 2 if discont is None else discont)
    jumps = np.cumsum(np.where(small, 0, turned - d), axis=axis)
    first, rest = _part(p, axis, 0, 1), _part(p, axis, 1, None)
    rest = np.asarray(np.asarray(rest, dtype=dtype) + jumps, dtype=dtype)
    return np.concatenate([np.asarray(first, dtype=dtype), rest], axis=axis)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between the points (xp, fp); left and right beyond the ends."""
    x, xp, fp = as_float(x), as_float(xp), as_float(fp)
    if x.dtype.kind == "c" or xp.dtype.kind == "c":
        raise TypeError("Cannot cast array data from complex to float64 according to the rule 'safe'")
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("Data points must be 1-D sequences")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        x, xp = np.mod(x, period), np.mod(xp, period)
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    last = len(xp) - 1
    near = np.clip(x, xp[0], xp[last])
    at = np.searchsorted(xp, near, side="right") - 1
    slopes = np.concatenate([np.diff(fp) / np.diff(xp), [0.0]])
    slope, after = np.take(slopes, at), np.minimum(at + 1, last)
    x0, y0, y1 = np.take(xp, at), np.take(fp, at), np.take(fp, after)
    # at a point itself its value; from the point after it where infinities make NaN of the one before
    found = slope * (near - x0) + y0
    found = np.where(np.isnan(found), slope * (near - np.take(xp, after)) + y1, found)
    found = np.where(np.equal(near, x0) | np.isnan(found) & np.equal(y0, y1) & np.equal(near, near), y0, found)
    if period is None:  # of points that are the same the first counts on the left
        found = np.where(x < xp[0], fp[0] if left is None else left, found)
    if right is not None and period is None:
        found = np.where(x > xp[last], right, found)
    return found[()]
