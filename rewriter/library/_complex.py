"""Functions of complex numbers by their parts, under the names that they have in numpy: linalg_inv is np.linalg.inv."""

import numpy as np

from _shared import complex_of, into


def absolute(x):
    return np.hypot(x.real, x.imag)


abs = absolute  # pylint: disable=redefined-builtin


def conjugate(x):
    return complex_of(x.real, -x.imag)


conj = conjugate


def negative(x):
    return complex_of(-x.real, -x.imag)


def positive(x):
    return complex_of(x.real, x.imag)


def square(x):
    return x * x


def reciprocal(x):
    return 1 / x


def exp(x):
    scale = np.exp(x.real)
    return complex_of(scale * np.cos(x.imag), scale * np.sin(x.imag))


def expm1(x):
    half = np.sin(x.imag / 2)
    real = np.expm1(x.real) * np.cos(x.imag) - 2 * half * half
    return complex_of(real, np.exp(x.real) * np.sin(x.imag))


def log(x):
    return complex_of(np.log(np.hypot(x.real, x.imag)), np.arctan2(x.imag, x.real))


def log2(x):
    return np.log(x) / np.log(2)


def log10(x):
    return np.log(x) / np.log(10)


def log1p(x):
    return complex_of(np.log(np.hypot(x.real + 1, x.imag)), np.arctan2(x.imag, x.real + 1))


def sqrt(x):
    large = np.sqrt((np.hypot(x.real, x.imag) + np.abs(x.real)) / 2)
    small = np.abs(x.imag) / np.where(large == 0, 1, 2 * large)
    right = x.real >= 0
    return complex_of(np.where(right, large, small), np.copysign(np.where(right, small, large), x.imag))


def sin(x):
    return complex_of(np.sin(x.real) * np.cosh(x.imag), np.cos(x.real) * np.sinh(x.imag))


def cos(x):
    return complex_of(np.cos(x.real) * np.cosh(x.imag), -np.sin(x.real) * np.sinh(x.imag))


def sinh(x):
    return complex_of(np.sinh(x.real) * np.cos(x.imag), np.cosh(x.real) * np.sin(x.imag))


def cosh(x):
    return complex_of(np.cosh(x.real) * np.cos(x.imag), np.sinh(x.real) * np.sin(x.imag))


def _tanh(a, b):
    """The parts of tanh(a + b * 1j), where a from 20 on makes no difference."""
    s, c = np.sinh(np.clip(a, -20, 20)), np.cos(b)
    over = s * s + c * c
    return s * np.sqrt(1 + s * s) / over, np.sin(b) * c / over


def tanh(x):
    real, imag = _tanh(x.real, x.imag)
    return complex_of(real, imag)


def tan(x):
    imag, real = _tanh(x.imag, x.real)
    return complex_of(real, imag)


def isnan(x):
    return np.isnan(x.real) | np.isnan(x.imag)


def isinf(x):
    return np.isinf(x.real) | np.isinf(x.imag)


def logical_not(x):
    return np.equal(x, 0)


def logical_and(x1, x2):
    return np.not_equal(x1, 0) & np.not_equal(x2, 0)


def logical_or(x1, x2):
    return np.not_equal(x1, 0) | np.not_equal(x2, 0)


def any(a, axis=None, out=None, keepdims=False):  # pylint: disable=redefined-builtin
    return np.any(np.not_equal(a, 0), axis=axis, out=out, keepdims=keepdims)


def all(a, axis=None, out=None, keepdims=False):  # pylint: disable=redefined-builtin
    return np.all(np.not_equal(a, 0), axis=axis, out=out, keepdims=keepdims)


def nonzero(a):
    return np.nonzero(np.not_equal(a, 0))


def flatnonzero(a):
    return np.flatnonzero(np.not_equal(a, 0))


def argwhere(a):
    return np.argwhere(np.not_equal(a, 0))


def round(a, decimals=0):  # pylint: disable=redefined-builtin
    return complex_of(np.round(a.real, decimals), np.round(a.imag, decimals))


around = round


def ones_like(a):
    return complex_of(np.ones_like(a.real), np.zeros_like(a.real))


def _power_of_0(x):
    """NaN unless the power is real and not negative."""
    nan = complex(np.nan, np.nan)
    if isinstance(x, (int, float)):
        return 1 if x == 0 else 0 if x > 0 else nan
    return np.where(np.equal(x, 0), 1, np.where((np.imag(x) == 0) & (np.real(x) > 0), 0, nan))


def power(x1, x2):
    """By logarithms, but of 0."""
    if isinstance(x1, (int, float)) and x1 > 0:
        return np.exp(x2 * float(np.log(x1)))
    zero = np.equal(x1, 0)
    return np.where(zero, _power_of_0(x2), np.exp(np.log(np.where(zero, 1, x1 + 0j)) * x2))[()]


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    if dtype is not None:
        raise TypeError("dtype= of complex numbers is not supported")
    apart = a - np.mean(a, axis=axis, keepdims=True)
    squares = np.square(apart.real) + np.square(apart.imag)
    count = a.size / np.size(np.mean(a.real, axis=axis))
    return into(out, np.sum(squares, axis=axis, keepdims=keepdims) / np.maximum(count - ddof, 0))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return into(out, np.sqrt(var(a, axis, dtype, None, ddof, keepdims)))


def linalg_norm(x, ord=None, axis=None, keepdims=False):  # pylint: disable=redefined-builtin
    return np.linalg.norm(np.hypot(x.real, x.imag), ord, axis, keepdims)


def _as_real(a):
    """[[re, -im], [im, re]]: what solves real equations for complex ones."""
    return np.vstack([np.hstack([a.real, -a.imag]), np.hstack([a.imag, a.real])])


def linalg_solve(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 2:
        raise ValueError("of complex numbers takes one matrix")
    n = a.shape[0]
    x = np.linalg.solve(_as_real(a), np.concatenate([b.real, b.imag]))
    return complex_of(np.copy(x[:n]), np.copy(x[n:]))


def linalg_inv(a):
    return linalg_solve(a, np.eye(np.shape(a)[0]))
