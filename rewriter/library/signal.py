"""Windows, convolution and correlation."""

import math

import numpy as np

DOUBLES = "hanning hamming blackman bartlett"


def _window(M, weight):
    """The weights of M points, each at its distance from the middle: -1 to 1."""
    if M < 1:
        return np.zeros(0)
    if M == 1:
        return np.ones(1)
    return np.array([weight(n / (M - 1)) for n in range(1 - M, M, 2)])


def hanning(M):
    """The Hann window, a raised cosine."""
    return _window(M, lambda t: 0.5 + 0.5 * math.cos(math.pi * t))


def hamming(M):
    """The Hamming window, a cosine on a pedestal."""
    return _window(M, lambda t: 0.54 + 0.46 * math.cos(math.pi * t))


def blackman(M):
    """The Blackman window, a sum of two cosines."""
    return _window(M, lambda t: 0.42 + 0.5 * math.cos(math.pi * t) + 0.08 * math.cos(2 * math.pi * t))


def bartlett(M):
    """The Bartlett window, a triangle."""
    return _window(M, lambda t: 1 + t if t <= 0 else 1 - t)


def _i0(x):
    """The modified Bessel function of order 0, by its series."""
    total, term, k = 1.0, 1.0, 1
    while term > 1e-17 * total:
        term = term * (x / (2 * k)) ** 2
        total = total + term
        k = k + 1
    return total


def kaiser(M, beta):
    """The Kaiser window, a Bessel function; beta is its shape parameter."""
    highest = _i0(beta)
    return _window(M, lambda t: _i0(beta * math.sqrt(1 - t * t)) / highest)


def _products(a, v):
    """All products of elements whose places add up, summed; v is the shorter one."""
    if a.dtype.kind == "b" and v.dtype.kind == "b":
        return _products(1 * a, v) > 0
    n = len(a)
    dtype = np.result_type(a, v)
    wide = np.dtype(int) if dtype.kind in "iu" and dtype.itemsize < 4 else dtype
    a, v = np.asarray(a, dtype=wide), np.asarray(v, dtype=wide)
    sums = np.zeros(n + len(v) - 1, dtype=wide)
    for j in range(len(v)):
        sums[j:j + n] += a * v[j]
    return np.asarray(sums, dtype=dtype)


def _mode(sums, n, m, mode):
    """What a mode takes of the sums of n and m elements."""
    if mode == "full":
        return sums
    if mode == "valid":
        return sums[m - 1:n]
    if mode != "same":
        raise ValueError("mode must be one of 'valid', 'same', or 'full'")
    return sums[(m - 1) // 2:(m - 1) // 2 + n]


def _operands(a, v):
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError("a and v cannot be empty")
    return np.reshape(a, (-1,)), np.reshape(v, (-1,))


def convolve(a, v, mode="full"):
    """The discrete convolution of two vectors."""
    a, v = _operands(a, v)
    a, v = (a, v) if len(a) >= len(v) else (v, a)
    return _mode(_products(a, v), len(a), len(v), mode)


def correlate(a, v, mode="valid"):
    """The cross-correlation of two vectors."""
    if np.ndim(a) == 0 or np.ndim(v) == 0:
        raise ValueError("object of too small depth for desired array")
    a, v = _operands(a, v)
    v = np.conj(v) if v.dtype.kind == "c" else v
    if len(a) >= len(v):
        return _mode(_products(a, v[::-1]), len(a), len(v), mode)
    return _mode(_products(v, a[::-1]), len(v), len(a), mode)[::-1]
