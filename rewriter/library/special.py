"""scipy.special: element-wise functions, and sums of exponentials that do not overflow."""

import numpy as np

MODULE = "scipy.special"


def _float(x):
    """The array in floats; raises for what SciPy computes in floats of fewer bits."""
    dtype = np.asarray(x).dtype
    if dtype.kind in "biu" and dtype.itemsize < 4:
        raise NotImplementedError(f"SciPy computes this of {dtype.name} in floats of fewer bits; write x.astype(float)")
    return np.multiply(x, 1.0) if dtype.kind in "iu" else x


def _real(x):
    if np.asarray(x).dtype.kind == "c":
        raise NotImplementedError("not supported for complex numbers")
    return _float(x)


def logit(x, out=None):
    """log(x / (1 - x)), the inverse of expit."""
    return np.log(np.divide(x, np.subtract(1, x)), out=out)


def xlogy(x, y):
    """x * log(y), and 0 where x is 0 and y is not NaN."""
    return np.where(np.equal(x, 0) & ~np.isnan(y), 0.0, np.multiply(x, np.log(y)))[()]


def _finite_max(x, axis):
    largest = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0.0)


def logsumexp(a, axis=None, b=None, keepdims=False):
    """log(sum(b * exp(a))), without overflow."""
    largest = _finite_max(a, axis)
    terms = np.exp(np.subtract(a, largest))
    if b is not None:
        terms = np.multiply(terms, b)
    logs = np.log(np.sum(terms, axis=axis, keepdims=keepdims))
    return logs + (largest if keepdims else np.reshape(largest, np.shape(logs)))


def softmax(x, axis=None):
    """exp(x) / sum(exp(x)), without overflow."""
    terms = np.exp(np.subtract(x, np.max(x, axis=axis, keepdims=True)))
    return terms / np.sum(terms, axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    """The logarithm of softmax, without overflow."""
    below = np.subtract(x, _finite_max(x, axis))
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


def xlog1py(x, y):
    """x * log1p(y), and 0 where x is 0 and y is not NaN."""
    x, y = _float(x), _float(y)
    return np.where(np.equal(x, 0) & ~np.isnan(y), 0.0, np.multiply(x, np.log1p(y)))[()]


def log_expit(x):
    """The logarithm of expit, without overflow."""
    return -np.logaddexp(0.0, np.negative(_float(x)))


def softplus(x):
    """log(1 + exp(x)), without overflow."""
    return np.logaddexp(0.0, _float(x))


def entr(x):
    """-x * log(x), 0 at 0, and -inf below."""
    x = _real(x)
    inside = np.where(np.equal(x, 0), 0.0, np.multiply(np.negative(x), np.log(x)))
    return np.where(np.less(x, 0), -np.inf, inside)[()]


def rel_entr(x, y):
    """x * log(x / y), 0 where x is 0 and y is not negative, and inf where one is negative."""
    x, y = _real(x), _real(y)
    ratio = np.multiply(x, np.log(np.divide(x, y)))
    inside = np.where(np.equal(x, 0) & np.greater_equal(y, 0), 0.0, ratio)
    outside = np.less(x, 0) | np.less(y, 0) | (np.greater(x, 0) & np.equal(y, 0))
    return np.where(outside, np.inf, inside)[()]


def kl_div(x, y):
    """x * log(x / y) - x + y, y where x is 0 and y is not negative, and inf where one is negative."""
    x, y = _real(x), _real(y)
    inside = np.add(np.subtract(np.multiply(x, np.log(np.divide(x, y))), x), y)
    inside = np.where(np.equal(x, 0) & np.greater_equal(y, 0), y, inside)
    outside = np.less(x, 0) | np.less(y, 0) | (np.greater(x, 0) & np.equal(y, 0))
    return np.where(outside, np.inf, inside)[()]
