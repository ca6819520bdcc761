"""Functions of complex numbers by their parts, under the names that they have in numpy: linalg_inv is np.linalg.inv."""

import numpy as np

from _shared import axis_of, complex_of, into


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
    far = np.isinf(x.imag)
    large = np.where(far, np.inf, np.sqrt((np.hypot(x.real, x.imag) + np.abs(x.real)) / 2))
    small = np.where(far, np.inf, np.abs(x.imag) / np.where(large == 0, 1, 2 * large))
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
    """NaN unless the power is real and not negative; in NumPy 2 unless its real part is positive."""
    nan = complex(np.nan, np.nan)
    if isinstance(x, (int, float)):
        return 1 if x == 0 else 0 if x > 0 else nan
    positive = np.real(x) > 0
    if np.__version__ < "2":
        positive = positive & (np.imag(x) == 0)
    return np.where(np.equal(x, 0), 1, np.where(positive, 0, nan))


def power(x1, x2):
    """By logarithms, but of 0."""
    if isinstance(x1, (int, float)) and x1 > 0:
        return np.exp(x2 * float(np.log(x1)))
    zero = np.equal(x1, 0)
    return np.where(zero, _power_of_0(x2), np.exp(np.log(np.where(zero, 1, x1 + 0j)) * x2))[()]


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    if dtype is not None:
        raise NotImplementedError("dtype= of complex numbers is not supported")
    apart = a - np.mean(a, axis=axis, keepdims=True)
    squares = np.square(apart.real) + np.square(apart.imag)
    count = a.size / np.size(np.mean(a.real, axis=axis))
    return into(out, np.sum(squares, axis=axis, keepdims=keepdims) / np.maximum(count - ddof, 0))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return into(out, np.sqrt(var(a, axis, dtype, None, ddof, keepdims)))


def linalg_norm(x, ord=None, axis=None, keepdims=False):  # pylint: disable=redefined-builtin
    return np.linalg.norm(np.hypot(x.real, x.imag), ord, axis, keepdims)


# ---- NumPy's order of complex numbers: by the real part, then by the imaginary one


def less(x1, x2):
    a, b = np.real(x1), np.real(x2)
    c, d = np.imag(x1), np.imag(x2)
    return ((a < b) & ~np.isnan(c) & ~np.isnan(d)) | ((a == b) & (c < d))


def less_equal(x1, x2):
    a, b = np.real(x1), np.real(x2)
    c, d = np.imag(x1), np.imag(x2)
    return ((a < b) & ~np.isnan(c) & ~np.isnan(d)) | ((a == b) & (c <= d))


def greater(x1, x2):
    return less(x2, x1)


def greater_equal(x1, x2):
    return less_equal(x2, x1)


def _is_nan(x):
    return np.isnan(np.real(x)) | np.isnan(np.imag(x))


def maximum(x1, x2):
    return np.where(greater_equal(x1, x2) | _is_nan(x1), x1, x2)[()]


def minimum(x1, x2):
    return np.where(less_equal(x1, x2) | _is_nan(x1), x1, x2)[()]


def clip(a, a_min, a_max):
    a = a if a_min is None else maximum(a, a_min)
    return a if a_max is None else minimum(a, a_max)


def _along(a, axis):
    """The array and the axis; for None all elements in a row."""
    a = np.asarray(a)
    return (np.ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))


def _then_by(order, key, axis):
    again = np.argsort(np.take_along_axis(key, order, axis), axis=axis, kind="stable")
    return np.take_along_axis(order, again, axis)


def argsort(a, axis=-1, kind=None):
    """NaN comes last: what has a NaN as its imaginary part alone, then as its real part."""
    a, axis = _along(a, axis)
    order = _then_by(np.argsort(a.imag, axis=axis, kind="stable"), a.real, axis)
    return _then_by(order, np.isnan(a.real) * 2 + (np.isnan(a.imag) & ~np.isnan(a.real)), axis)


def sort(a, axis=-1, kind=None):
    a, axis = _along(a, axis)
    order = argsort(a, axis)
    return complex_of(np.take_along_axis(a.real, order, axis), np.take_along_axis(a.imag, order, axis))


def _first(a, axis, extreme):
    """Where the first NaN is or, where there is none, the first of the extreme elements."""
    real = extreme(a.real, axis=axis, keepdims=True)
    imag = np.where(a.real == real, a.imag, -extreme(np.array([np.inf, -np.inf])))
    best = (a.real == real) & (a.imag == extreme(imag, axis=axis, keepdims=True))
    nan = _is_nan(a)
    return np.argmax(np.where(np.any(nan, axis=axis, keepdims=True), nan, best), axis=axis)


def _place(a, axis, extreme, keepdims):
    row, along = _along(a, axis)
    if row.shape[along] == 0:
        raise ValueError("attempt to get argmax or argmin of an empty sequence")
    place = _first(row, along, extreme)
    if not keepdims:
        return place
    return np.reshape(place, (1,) * np.ndim(a)) if axis is None else np.expand_dims(place, along)


def argmax(a, axis=None, out=None, keepdims=False):
    return into(out, _place(a, axis, np.max, keepdims))


def argmin(a, axis=None, out=None, keepdims=False):
    return into(out, _place(a, axis, np.min, keepdims))


def _extreme(a, axis, extreme, keepdims):
    row, along = _along(a, axis)
    if row.shape[along] == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    place = np.expand_dims(_first(row, along, extreme), along)
    found = complex_of(np.take_along_axis(row.real, place, along), np.take_along_axis(row.imag, place, along))
    if keepdims:
        return np.reshape(found, (1,) * np.ndim(a)) if axis is None else found
    return np.squeeze(found, along)[()]


def max(a, axis=None, out=None, keepdims=False):  # pylint: disable=redefined-builtin
    return into(out, _extreme(a, axis, np.max, keepdims))


def min(a, axis=None, out=None, keepdims=False):  # pylint: disable=redefined-builtin
    return into(out, _extreme(a, axis, np.min, keepdims))


amax, amin = max, min


def ptp(a, axis=None, out=None, keepdims=False):
    return into(out, max(a, axis, None, keepdims) - min(a, axis, None, keepdims))


def _all_axes(a, axis, keepdims):
    """The array with the axis first, or raveled, and the shape of what is reduced."""
    if axis is None:
        return np.ravel(a), (1,) * np.ndim(a) if keepdims else ()
    if isinstance(axis, tuple):
        raise NotImplementedError("of complex numbers axis is an int, or None")
    axis, shape = axis_of(axis, np.ndim(a)), list(np.shape(a))
    rows = np.moveaxis(a, axis, 0)
    shape[axis] = 1
    return rows, tuple(shape) if keepdims else np.shape(rows)[1:]


def _product(rows):
    """Halves are multiplied until one row is left."""
    if len(rows) == 1:
        return rows[0]
    half = len(rows) // 2
    both = rows[:half] * rows[half:2 * half]
    return _product(both if len(rows) == 2 * half else np.concatenate([both, rows[2 * half:]]))


def prod(a, axis=None, keepdims=False):
    rows, shape = _all_axes(a, axis, keepdims)
    return np.ones(shape) + 0j if len(rows) == 0 else np.reshape(_product(rows), shape)[()]


def _running(rows, step):
    """Each row is multiplied by that so many before it, then by that twice as many before it."""
    if step >= len(rows):
        return rows
    return _running(np.concatenate([rows[:step], rows[step:] * rows[:-step]]), 2 * step)


def cumprod(a, axis=None):
    if np.ndim(a) == 0 or axis is None:
        a, axis = np.ravel(a), 0
    axis = axis_of(axis, np.ndim(a))
    return np.moveaxis(_running(np.moveaxis(a, axis, 0), 1), 0, axis) + 0


def median(a, axis=None, keepdims=False):
    """The mean of the middle ones in order; NaN is the last of them."""
    a, shape = _all_axes(a, axis, keepdims)
    if len(a) == 0:
        raise NotImplementedError("of an empty array is not supported")
    a, half = np.sort(a, axis=0), len(a) // 2
    middle = a[half] if len(a) % 2 == 1 else (a[half - 1] + a[half]) / 2
    return np.reshape(np.where(_is_nan(a[-1]), a[-1], middle), shape)[()]


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    row = np.ravel(np.asarray(ar))
    order = argsort(row)
    ordered = row[order]
    nan = _is_nan(ordered)
    same = np.equal(ordered[1:], ordered[:-1]) | (nan[1:] & nan[:-1])
    first = np.concatenate([np.ones(np.minimum(row.size, 1), bool), ~same])
    found = [ordered[first]]
    which = np.cumsum(first) - 1
    if return_index:
        found.append(order[first])
    if return_inverse:
        inverse = which[np.argsort(order)]
        found.append(np.reshape(inverse, np.shape(ar)) if np.__version__ >= "2" else inverse)
    if return_counts:
        found.append(np.bincount(which, minlength=row.size)[np.arange(row.size) < np.sum(first)])
    return found[0] if len(found) == 1 else tuple(found)


def isin(element, test_elements, assume_unique=False, invert=False):
    element, others = np.asarray(element), np.ravel(np.asarray(test_elements))
    row = element if element.ndim == 1 else np.ravel(element)
    found = np.any(np.equal(row[:, np.newaxis], others[np.newaxis]), axis=1)
    found = ~found if invert else found
    return found if element.ndim == 1 else np.reshape(found, element.shape)


def in1d(ar1, ar2, assume_unique=False, invert=False):
    return isin(np.ravel(np.asarray(ar1)), ar2, assume_unique, invert)


def where(condition, x=None, y=None):
    chosen = np.not_equal(condition, 0)
    return np.nonzero(chosen) if x is None and y is None else np.where(chosen, x, y)


def rint(x):
    return complex_of(np.rint(x.real), np.rint(x.imag))


def sign(x):
    """NumPy 1's: of the real part or, where that is 0, of the imaginary one. NumPy 2's: x / abs(x)."""
    if np.__version__ >= "2":
        size = np.hypot(x.real, x.imag)
        return np.where(size == 0, 0, x / np.where(size == 0, 1, size))[()]
    return complex_of(np.where(x.real == 0, np.sign(x.imag), np.sign(x.real)), np.zeros_like(x.real))[()]


def _as_real(a):
    """[[re, -im], [im, re]]: what solves real equations for complex ones."""
    return np.vstack([np.hstack([a.real, -a.imag]), np.hstack([a.imag, a.real])])


def linalg_solve(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 2:
        raise NotImplementedError("of complex numbers takes one matrix")
    n = a.shape[0]
    x = np.linalg.solve(_as_real(a), np.concatenate([b.real, b.imag]))
    return complex_of(np.copy(x[:n]), np.copy(x[n:]))


def linalg_inv(a):
    return linalg_solve(a, np.eye(np.shape(a)[0]))


# ---- what the order decides


def searchsorted(a, v, side="left", sorter=None):
    """How many elements come before each of v; a is in order, NaN last."""
    a, v = np.ravel(np.asarray(a)), np.asarray(v)
    a = a if sorter is None else a[sorter]
    if np.any(_before(a[1:], a[:-1])):
        raise ValueError("the first array must be sorted")
    each = np.ravel(v)[:, np.newaxis]
    before = _before(a, each) if side == "left" else ~_before(each, a)
    return np.reshape(np.sum(before, axis=1), np.shape(v))[()]


def _rank(x):
    """0 of numbers, 1 of what has a NaN as its imaginary part alone, 2 where the real part is NaN, 3 where both are."""
    a, b = np.isnan(np.real(x)), np.isnan(np.imag(x))
    return a * 2 + b * 1


def _before(x1, x2):
    """Whether it comes before the other in order, where NaN is last."""
    one, other = _rank(x1), _rank(x2)
    a, b = np.nan_to_num(np.real(x1)), np.nan_to_num(np.real(x2))
    c, d = np.nan_to_num(np.imag(x1)), np.nan_to_num(np.imag(x2))
    numbers = (a < b) | (np.equal(a, b) & (c < d))
    return np.where(np.equal(one, other), numbers, one < other)


def partition(a, kth, axis=-1):
    return sort(a, axis)


def argpartition(a, kth, axis=-1):
    return argsort(a, axis)


def _running_extreme(array, axis, dtype, out, extreme):
    """The extreme of the elements up to each one; the first NaN is kept."""
    if dtype is not None:
        raise NotImplementedError("dtype= of complex numbers is not supported")
    axis = axis_of(axis, np.ndim(array))
    rows = np.moveaxis(array, axis, 0)
    return into(out, np.moveaxis(_steps(rows, 1, extreme), 0, axis) + 0)


def _steps(rows, step, extreme):
    if step >= len(rows):
        return rows
    return _steps(np.concatenate([rows[:step], extreme(rows[:-step], rows[step:])]), 2 * step, extreme)


def maximum_accumulate(array, axis=0, dtype=None, out=None):
    return _running_extreme(array, axis, dtype, out, maximum)


def minimum_accumulate(array, axis=0, dtype=None, out=None):
    return _running_extreme(array, axis, dtype, out, minimum)


def multiply_accumulate(array, axis=0, dtype=None, out=None):
    return into(out, cumprod(array, axis))


def quantile(a, q, axis=None, keepdims=False):
    """On the line between both neighbours, as NumPy 1 does it; NumPy 2 raises an error."""
    if np.__version__ >= "2":
        raise TypeError("a must be an array of real numbers")
    rows, shape = _all_axes(a, axis, keepdims)
    ordered = np.sort(rows, axis=0)
    found = [np.reshape(np.where(_is_nan(ordered[-1]), ordered[-1], _on_line(ordered, each)), shape)[()]
             for each in ([q] if isinstance(q, (int, float)) else q)]
    return found[0] if isinstance(q, (int, float)) else np.stack(found)


def _on_line(ordered, q):
    if not 0 <= q <= 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    place = (len(ordered) - 1) * q
    below = int(place)
    low, high = ordered[below], ordered[-1 if below + 1 >= len(ordered) else below + 1]
    t = place - below
    return high - (high - low) * (1 - t) if t >= 0.5 else low + (high - low) * t


def percentile(a, q, axis=None, keepdims=False):
    return quantile(a, q / 100 if isinstance(q, (int, float)) else [each / 100 for each in q], axis, keepdims)


# ---- elementary functions


def float_power(x1, x2):
    return power(x1 if np.iscomplexobj(x1) else x1 + 0j, x2)


def _roots(real, imag):
    """The square roots of 1 + z and of 1 - z, for z of these parts, with the signs of zeros."""
    return np.sqrt(complex_of(1 + real, imag)), np.sqrt(complex_of(1 - real, -imag))


def _arcsinh(real, imag):
    """Kahan's, of the parts of x, and so that the parts of 1j * x keep the signs of zeros."""
    a, b = _roots(-imag, real)
    return np.arcsinh(b.real * a.imag - b.imag * a.real), np.arctan2(imag, a.real * b.real - a.imag * b.imag)


def arcsinh(x):
    real, imag = _arcsinh(x.real, x.imag)
    return complex_of(real, imag)


def arcsin(x):
    imag, real = _arcsinh(-x.imag, x.real)
    return complex_of(real, -imag)


def arccos(x):
    b, a = _roots(x.real, x.imag)
    return complex_of(2 * np.arctan2(a.real, b.real), np.arcsinh(b.real * a.imag - b.imag * a.real))


def arccosh(x):
    a, b = np.sqrt(complex_of(x.real - 1, x.imag)), np.sqrt(complex_of(x.real + 1, x.imag))
    return complex_of(np.arcsinh(a.real * b.real + a.imag * b.imag), 2 * np.arctan2(a.imag, b.real))


def _arctanh(a, b):
    """log((1 + x) / (1 - x)) / 2, whose real part is by log1p."""
    return np.log1p(4 * a / (np.square(1 - a) + b * b)) / 4, np.arctan2(2 * b, (1 - a) * (1 + a) - b * b) / 2


def arctanh(x):
    real, imag = _arctanh(x.real, x.imag)
    return complex_of(real, imag)


def arctan(x):
    imag, real = _arctanh(-x.imag, x.real)
    return complex_of(real, -imag)

