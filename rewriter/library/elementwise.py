"""Element-wise functions."""

import numpy as np

from _shared import broadcast_into


def _check_real(*arrays):
    for x in arrays:
        if np.result_type(x).kind == "c":
            raise TypeError("This operation is not supported for complex numbers")


def _check_floats(*arrays):
    """Raises for the types that NumPy computes these functions of in floats of 16 or 32 bits."""
    _check_real(*arrays)
    for x in arrays:
        dtype = np.result_type(x)
        if dtype.kind in "biu" and dtype.itemsize < 4:
            raise NotImplementedError(f"NumPy computes this of {dtype.name} in floats of fewer bits; write x.astype(float)")


def _truth(x):
    return x if np.result_type(x) == bool else np.not_equal(x, 0)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The array with NaN and the infinities replaced by numbers."""
    kind = np.asarray(x).dtype.kind
    if kind == "c":
        return broadcast_into(None if copy else x, np.nan_to_num(np.real(x), True, nan, posinf, neginf)
                     + 1j * np.nan_to_num(np.imag(x), True, nan, posinf, neginf))
    if kind != "f":
        return np.array(x)[()] if copy else np.array(x, copy=False)
    most = float(np.finfo(np.empty_like(x).dtype).max)
    numbers = np.where(np.isnan(x), nan, x)
    numbers = np.where(np.equal(numbers, np.inf), most if posinf is None else posinf, numbers)
    numbers = np.where(np.equal(numbers, -np.inf), -most if neginf is None else neginf, numbers)
    return broadcast_into(None if copy else x, numbers[()])


def isfinite(x, out=None):
    """Whether an element is neither infinite nor NaN."""
    return np.equal(np.multiply(x, 0), 0, out=out)


def isposinf(x, out=None):
    """Whether an element is positive infinity."""
    _check_real(x)
    return np.equal(x, np.inf, out=out)


def isneginf(x, out=None):
    """Whether an element is negative infinity."""
    _check_real(x)
    return np.equal(x, -np.inf, out=out)


def signbit(x, out=None):
    """Whether the sign bit is set, as it is for -0.0."""
    return np.less(np.copysign(1.0, x), 0, out=out)


def radians(x, out=None):
    """Degrees to radians."""
    _check_floats(x)
    return np.multiply(x, np.pi / 180, out=out)


def degrees(x, out=None):
    """Radians to degrees."""
    _check_floats(x)
    return np.multiply(x, 180 / np.pi, out=out)


deg2rad = radians
rad2deg = degrees


def exp2(x, out=None):
    """2**x."""
    if np.result_type(x).kind != "c":
        _check_floats(x)
    return np.power(2.0, x, out=out)


def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    y = np.pi * np.where(np.equal(x, 0), 1e-20, x)
    return np.sin(y) / y


def logaddexp(x1, x2, out=None):
    """log(exp(x1) + exp(x2)), without overflow; for equal infinities that infinity."""
    _check_floats(x1, x2)
    total = np.maximum(x1, x2) + np.log1p(np.exp(-np.abs(np.subtract(x1, x2))))
    return broadcast_into(out, np.where(np.equal(x1, x2), np.add(x1, np.log(2)), total)[()])


def logaddexp2(x1, x2, out=None):
    """log2(2**x1 + 2**x2), without overflow; for equal infinities that infinity."""
    _check_floats(x1, x2)
    total = np.maximum(x1, x2) + np.log1p(np.exp2(-np.abs(np.subtract(x1, x2)))) * (1 / np.log(2))
    return broadcast_into(out, np.where(np.equal(x1, x2), np.add(x1, 1.0), total)[()])


def fmax(x1, x2, out=None):
    """The larger element; where one is NaN, the other."""
    if np.result_type(x1, x2).kind not in "fc":
        return np.maximum(x1, x2, out=out)
    larger = np.where(np.isnan(x2), x1, np.maximum(x1, x2))
    return broadcast_into(out, np.where(np.isnan(x1), x2, larger)[()])


def fmin(x1, x2, out=None):
    """The smaller element; where one is NaN, the other."""
    if np.result_type(x1, x2).kind not in "fc":
        return np.minimum(x1, x2, out=out)
    smaller = np.where(np.isnan(x2), x1, np.minimum(x1, x2))
    return broadcast_into(out, np.where(np.isnan(x1), x2, smaller)[()])


def heaviside(x1, x2, out=None):
    """0 where x1 is negative, x2 where it is 0, 1 where it is positive."""
    _check_floats(x1)
    step = np.where(np.equal(x1, 0), np.multiply(x2, 1.0), np.maximum(np.sign(x1), 0))
    return broadcast_into(out, step[()])


def logical_xor(x1, x2, out=None):
    """Whether exactly one of the two is true."""
    return np.not_equal(_truth(x1), _truth(x2), out=out)


def divmod(x1, x2):
    """The floor of the quotient, and the remainder."""
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether abs(a - b) <= atol + rtol * abs(b)."""
    y = b if np.result_type(b).kind == "f" else np.multiply(b, 1.0)
    near = np.abs(np.subtract(a, y)) <= np.abs(y) * rtol + atol
    close = (near & np.isfinite(y)) | np.equal(a, y)
    return close | (np.isnan(a) & np.isnan(y)) if equal_nan else close


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether isclose() is true for all elements."""
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether both have the same shape and the same elements."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    return bool(np.all(same | (np.isnan(a1) & np.isnan(a2)) if equal_nan else same))


def _select(conditions, choices, default):
    if len(conditions) == 0:
        return default
    return np.where(conditions[0], choices[0], _select(conditions[1:], choices[1:], default))


def select(condlist, choicelist, default=0):
    """For each element the first choice whose condition is true."""
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    for i, condition in enumerate(condlist):
        if np.result_type(condition) != bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    choices = [np.asarray(choice) if isinstance(choice, (list, tuple)) else choice for choice in [*choicelist, default]]
    dtype = np.result_type(*choices)
    if dtype.kind == "f" or dtype.kind != "c" and np.__version__ >= "2":
        choices = [_of_type(choice, dtype) for choice in choices]
    return _select(condlist, choices[:-1], choices[-1])


def _of_type(choice, dtype):
    """A number of Python's as one of this type, which its neighbours then have, too."""
    return np.asarray(choice, dtype) if isinstance(choice, (int, float)) else choice


def real(val):
    """The real part, a view."""
    return np.asarray(val).real[()]


def imag(val):
    """The imaginary part, a view; 0 for real numbers."""
    return np.asarray(val).imag[()]


def angle(z, deg=False):
    """The angle of each complex number, in radians, or degrees with deg=True."""
    z = np.asarray(z)
    radians = np.arctan2(z.imag if z.dtype.kind == "c" else 0, z.real)
    return radians * (180 / np.pi) if deg else radians


def iscomplexobj(x):
    """Whether the type is complex."""
    return np.asarray(x).dtype.kind == "c"


def isrealobj(x):
    """Whether the type is not complex."""
    return not iscomplexobj(x)


def iscomplex(x):
    """Where the imaginary part is not 0."""
    return np.not_equal(np.imag(x), 0)


def isreal(x):
    """Where the imaginary part is 0."""
    return np.equal(np.imag(x), 0)


def real_if_close(a, tol=100):
    """The array itself, as real arrays are."""
    a = np.asarray(a)
    if a.dtype.kind == "c":
        raise NotImplementedError("whether complex numbers are close to real ones is known only at run time; write a.real")
    return a
