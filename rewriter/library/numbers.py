"""Integral parts, powers of 2, divisors and bits."""

import numpy as np

from _shared import axis_of, index_of

OF_ONE_AXIS = "unpackbits packbits"


def _float(x):
    """The array in floats; raises for the types that NumPy computes this of in floats of 16 or 32 bits."""
    dtype = np.asarray(x).dtype
    if dtype.kind == "c":
        raise TypeError("This operation is not supported for complex numbers")
    if dtype.kind in "biu" and dtype.itemsize < 4:
        raise NotImplementedError(f"NumPy computes this of {dtype.name} in floats of fewer bits; write x.astype(float)")
    return np.multiply(x, 1.0) if dtype.kind in "iu" else np.asarray(x)


def modf(x):
    """The fractional and the integral part, both with the sign of x."""
    x = _float(x)
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0, x - whole), x), whole


def ldexp(x1, x2):
    """x1 * 2**x2, in two steps, as 2**x2 may overflow or underflow."""
    if np.asarray(x2).dtype.kind not in "biu":
        raise TypeError("ufunc 'ldexp' not supported for the input types: the exponents are ints")
    half = np.floor_divide(x2, 2)
    x1 = _float(x1)
    return np.multiply(np.multiply(x1, np.power(2.0, half)), np.power(2.0, x2 - half)).astype(x1.dtype)


def frexp(x):
    """The mantissa, from 0.5 to below 1 without its sign, and the exponent of 2; 0 for 0, infinities and NaN."""
    x = _float(x)
    has_exponent = np.isfinite(x) & (x != 0)
    size = np.where(has_exponent, np.abs(x), 0.5)
    exponent = np.floor(np.log2(size)).astype(int) + 1
    mantissa = ldexp(size, -exponent)
    exponent = exponent + (mantissa >= 1) - (mantissa < 0.5)
    mantissa = np.copysign(ldexp(size, -exponent), x)
    return np.where(has_exponent, mantissa, x), np.where(has_exponent, exponent, 0).astype(np.int32)


def _ints(x):
    if np.asarray(x).dtype != np.int64:
        raise NotImplementedError(f"takes int64 here; write a.astype(int) for {np.asarray(x).dtype.name}")
    return np.abs(x)


def gcd(x1, x2):
    """The greatest common divisor, by Euclid's algorithm."""
    a, b = np.broadcast_arrays(_ints(x1), _ints(x2))
    a, b = a + 0, b + 0
    while np.any(b > 0):
        a, b = np.where(b > 0, b, a), np.where(b > 0, np.mod(a, np.maximum(b, 1)), 0)
    return a[()]


def lcm(x1, x2):
    """The least common multiple; 0 where one of them is 0."""
    a, b = _ints(x1), _ints(x2)
    return np.floor_divide(a, np.maximum(gcd(a, b), 1)) * b


def _places(bitorder):
    """What each bit of a byte counts, in order."""
    if bitorder not in ("big", "little"):
        raise ValueError("'bitorder' must be either 'little' or 'big'")
    return [2 ** k for k in (range(8) if bitorder == "little" else range(7, -1, -1))]


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The eight bits of each byte, along an axis, or of the flattened array if axis is None."""
    a, places = np.asarray(a), np.array(_places(bitorder))
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        a, axis = np.ravel(a), 0
    axis = axis_of(axis, a.ndim)
    x = np.moveaxis(a, axis, -1).astype(int)
    bits = np.reshape(np.floor_divide(x[..., None], places) % 2, x.shape[:-1] + (8 * x.shape[-1],)).astype(np.uint8)
    if count is not None and index_of(count) > bits.shape[-1]:
        more = np.zeros(bits.shape[:-1] + (count - bits.shape[-1],), np.uint8)
        bits = np.concatenate([bits, more], axis=-1)
    return np.moveaxis(bits if count is None else bits[..., :count], -1, axis)


def packbits(a, /, axis=None, bitorder="big"):
    """Bytes of eight bits each, which are 1 where elements are not 0, along an axis; the last is filled with zeros."""
    a, places = np.asarray(a), np.array(_places(bitorder))
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None:
        a, axis = np.ravel(a), 0
    axis = axis_of(axis, a.ndim)
    x = np.moveaxis(np.not_equal(a, 0), axis, -1).astype(int)
    count = -(-x.shape[-1] // 8)
    x = np.concatenate([x, np.zeros(x.shape[:-1] + (8 * count - x.shape[-1],), int)], axis=-1)
    made = np.sum(np.reshape(x, x.shape[:-1] + (count, 8)) * places, axis=-1)
    return np.moveaxis(made.astype(np.uint8), -1, axis)
