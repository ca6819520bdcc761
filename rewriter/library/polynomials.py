"""Polynomials as arrays of coefficients, the highest power first."""

import numpy as np

from _shared import as_float

DOUBLES = "polyfit polyder polyint"


def _coefficients(p):
    p = np.asarray(p)
    if p.ndim > 1:
        raise ValueError("the coefficients are an array of one dimension")
    return np.reshape(p, (-1,))


def polyval(p, x):
    """The polynomial's value at x."""
    if np.iscomplexobj(p) or np.iscomplexobj(x):
        return _horner(np.asarray(p), x, np.multiply(x, 0) + 0j)
    y = np.multiply(x, False)
    for c in [*np.asarray(p)] if isinstance(p, (list, tuple)) else p:
        y = y * x + c
    return y


def _horner(p, x, y):
    return y if len(p) == 0 else _horner(p[1:], x, y * x + p[0])


def _longer(p, count):
    """With zeros in front."""
    return np.concatenate([np.zeros(count - len(p), dtype=p.dtype), p]) if count > len(p) else p


def polyadd(a1, a2):
    """The sum of two polynomials."""
    a1, a2 = _coefficients(a1), _coefficients(a2)
    count = max(len(a1), len(a2))
    return _longer(a1, count) + _longer(a2, count)


def polysub(a1, a2):
    """The difference of two polynomials."""
    a1, a2 = _coefficients(a1), _coefficients(a2)
    count = max(len(a1), len(a2))
    return _longer(a1, count) - _longer(a2, count)


def polymul(a1, a2):
    """The product of two polynomials; leading zeros are kept as coefficients."""
    return np.convolve(_coefficients(a1), _coefficients(a2))


def polyder(p, m=1):
    """The derivative, m times."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = np.asarray(p)
    if p.ndim != 1:
        raise ValueError("the coefficients are an array of one dimension")
    if m == 0:
        return p
    return polyder(p[:-1] * np.arange(len(p) - 1, 0, -1), m - 1)


def _constants(k, m):
    """One constant of integration for each of m times."""
    k = [0] if k is None else [k] if np.ndim(k) == 0 else k
    if len(k) == 1 and m > 1:
        return [k[0] for _ in range(m)]
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    return k


def _integral(p, k, m, i):
    if i == m:
        return p
    return _integral(np.concatenate([p / np.arange(len(p), 0, -1), [k[i]]]), k, m, i + 1)


def polyint(p, m=1, k=None):
    """The antiderivative, m times, with the constants k."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    return _integral(np.asarray(p), _constants(k, m), m, 0)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of degree deg with the least sum of squared errors; the errors are multiplied by w."""
    if full or cov:
        raise NotImplementedError("full= and cov= are not supported")
    x, y = as_float(x), as_float(y)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    powers = np.vander(x, deg + 1)
    if w is not None:
        w = as_float(w)
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if len(w) != len(y):
            raise TypeError("expected w and y to have the same length")
        powers = powers * w[:, None]
        y = y * w if y.ndim == 1 else y * w[:, None]
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    found = np.linalg.lstsq(powers / scale, y, rcond=rcond)[0]
    return found / scale if y.ndim == 1 else (found.T / scale).T
