"""Reductions: ranges, averages, counts, moments, and reductions that ignore NaN."""

import numpy as np

from _shared import as_float, into, kind_of

METHODS = "ptp"
IN_ORDER = "cov corrcoef"
DOUBLES = "cov corrcoef"


def _has_nan(x):
    return kind_of(x) in "fc"


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest element minus the smallest."""
    most, least = np.max(a, axis=axis, keepdims=keepdims), np.min(a, axis=axis, keepdims=keepdims)
    return into(out, np.subtract(most, least))


def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of elements that are not 0."""
    truths = a if kind_of(a) == "b" else np.not_equal(a, 0)
    count = np.sum(truths, axis=axis, keepdims=keepdims)
    return int(count) if axis is None and not keepdims else count


def _weights(a, axis, weights):
    """Weights of one axis as those of all elements."""
    if np.ndim(weights) == np.ndim(a) and (np.ndim(a) == 1 or np.shape(weights) == np.shape(a)):
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if np.ndim(weights) != 1:
        raise TypeError("1D weights expected when shapes of a and weights differ.")
    if len(weights) != np.shape(a)[axis]:
        raise ValueError("Length of weights not compatible with specified axis.")
    shape = [1] * np.ndim(a)
    shape[axis] = -1
    return np.broadcast_to(np.reshape(weights, shape), np.shape(a))


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The weighted mean; with returned=True also the sum of the weights."""
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        total = np.asarray(a).size / np.size(mean)
    else:
        each = as_float(_weights(a, axis, weights))
        total = np.sum(each, axis=axis, keepdims=keepdims)
        if np.any(np.equal(total, 0)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        mean = np.sum(np.multiply(a, each), axis=axis, keepdims=keepdims) / total
    return (mean, np.full(np.shape(mean), total, dtype=np.asarray(mean).dtype)[()]) if returned else mean


def _without_nan(a, value):
    """The elements with `value` in the place of NaN."""
    return np.where(np.isnan(a), value, a) if _has_nan(a) else a


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum, where NaN counts as 0."""
    return np.sum(_without_nan(a, 0.0), axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product, where NaN counts as 1."""
    return np.prod(_without_nan(a, 1.0), axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def nancumsum(a, axis=None, dtype=None, out=None):
    """The running sum, where NaN counts as 0."""
    return np.cumsum(_without_nan(a, 0.0), axis=axis, dtype=dtype, out=out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The running product, where NaN counts as 1."""
    return np.cumprod(_without_nan(a, 1.0), axis=axis, dtype=dtype, out=out)


def _nan_extreme(extreme, a, least, axis, out, keepdims):
    if not _has_nan(a):
        return extreme(a, axis=axis, out=out, keepdims=keepdims)
    nans = np.isnan(a)
    found = extreme(np.where(nans, least, a), axis=axis, keepdims=keepdims)
    return into(out, np.where(np.all(nans, axis=axis, keepdims=keepdims), np.nan, found)[()])


def nanmax(a, axis=None, out=None, keepdims=False):
    """The largest element that is not NaN; NaN where all are."""
    return _nan_extreme(np.max, a, -np.inf, axis, out, keepdims)


def nanmin(a, axis=None, out=None, keepdims=False):
    """The smallest element that is not NaN; NaN where all are."""
    return _nan_extreme(np.min, a, np.inf, axis, out, keepdims)


def _has_numbers(a, axis):
    """Raises an error where a slice is of NaN only."""
    if _has_nan(a) and np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")


def nanargmax(a, axis=None):
    """The index of the largest element that is not NaN."""
    _has_numbers(a, axis)
    return np.argmax(_without_nan(a, -np.inf), axis=axis)


def nanargmin(a, axis=None):
    """The index of the smallest element that is not NaN."""
    _has_numbers(a, axis)
    return np.argmin(_without_nan(a, np.inf), axis=axis)


def _inexact(dtype):
    if dtype is not None and np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")


def _mean(a, nans, axis, dtype, keepdims):
    total = np.sum(np.where(nans, 0.0, a), axis=axis, dtype=dtype, keepdims=keepdims)
    return np.asarray(total / np.sum(~nans, axis=axis, keepdims=keepdims), dtype=total.dtype)[()]


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The mean of the elements that are not NaN."""
    if not _has_nan(a):
        return np.mean(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims)
    _inexact(dtype)
    return into(out, _mean(a, np.isnan(a), axis, dtype, keepdims))


def _variance(a, axis, dtype, ddof, keepdims):
    _inexact(dtype)
    nans = np.isnan(a)
    apart = np.where(nans, 0.0, a - _mean(a, nans, axis, dtype, True))
    squares = np.square(apart) if kind_of(a) == "f" else np.square(apart.real) + np.square(apart.imag)
    total = np.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims)
    freedom = np.sum(~nans, axis=axis, keepdims=keepdims) - ddof
    return np.asarray(np.where(freedom <= 0, np.nan, total / freedom), dtype=total.dtype)[()]


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance of the elements that are not NaN; NaN where no degree of freedom is left."""
    if not _has_nan(a):
        return np.var(a, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)
    return into(out, _variance(np.asarray(a), axis, dtype, ddof, keepdims))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation of the elements that are not NaN."""
    if not _has_nan(a):
        return np.std(a, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)
    return into(out, np.sqrt(_variance(np.asarray(a), axis, dtype, ddof, keepdims)))


def _variables(m, rowvar):
    """The variables as rows."""
    m = np.asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if m.ndim < 2:
        return m[None] if m.ndim == 1 else np.reshape(m, (1, 1))
    return m if rowvar or np.ndim(np.squeeze(m[:, :1])) == 0 else m.T  # one row is one variable in any case


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of the variables, which are rows, or columns with rowvar=False."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    _inexact(dtype)
    x = _variables(m, rowvar)
    if y is not None:
        x = np.concatenate([x, _variables(y, rowvar)])
    x = as_float(x) if dtype is None else x.astype(dtype)
    if ddof is None:
        ddof = 0 if bias else 1
    weights = fweights if aweights is None else aweights if fweights is None else np.multiply(fweights, aweights)
    if weights is None:
        apart = x - np.mean(x, axis=1, keepdims=True)
        other, freedom = apart, x.shape[1] - ddof
    else:
        total = np.sum(weights)
        apart = x - np.sum(x * weights, axis=1, keepdims=True) / total
        other = apart * weights
        freedom = total - ddof * (1 if aweights is None else np.sum(np.multiply(weights, aweights)) / total)
    other = np.conj(other) if other.dtype.kind == "c" else other
    product = np.dot(apart, other.T)
    product *= np.divide(1, np.maximum(freedom, 0))
    return np.squeeze(product)


def corrcoef(x, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    """The correlation matrix of the variables, which are rows, or columns with rowvar=False."""
    c = np.cov(x, y, rowvar, dtype=dtype)
    if np.ndim(c) == 0:
        return c / c
    deviations = np.sqrt(np.real(np.diag(c)))
    c = c / deviations[:, None] / deviations[None, :]
    return np.clip(c, -1, 1) if kind_of(c) != "c" else np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
