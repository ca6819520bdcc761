"""numpy.fft: transforms, as sums of parts for each factor of the length; frequencies, and shifts."""

import numpy as np

from _shared import as_float, axes_of, axis_of, complex_of, count_of, index_of

MODULE = "numpy.fft"
OF_ONE_AXIS = "fft ifft rfft irfft hfft ihfft"
OLD_DOUBLES = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2"


def _roots(n, rows, cols, sign):
    """The parts of exp(sign * 2 pi i j k / n) for j below `rows` and k below `cols`; of small angles, which round less."""
    half = n // 2
    angles = (np.mod(np.outer(np.arange(0.0, rows), np.arange(0.0, cols)) + half, n) - half) * (sign * 2 * np.pi / n)
    return np.cos(angles), np.sin(angles)


def _turned_by(real, imag, roots):
    cos, sin = roots
    return real * cos - imag * sin, real * sin + imag * cos


def _divisor(n, k):
    """The largest divisor of n up to k."""
    return k if n % k == 0 else _divisor(n, k - 1)


def _prime(n, k=3):
    """The smallest odd prime that divides n, which is odd."""
    return n if k * k > n else k if n % k == 0 else _prime(n, k + 2)


def _sums_of_two(x):
    half = x.shape[0] // 2
    return x[:half] + x[half:], x[:half] - x[half:]


def _sums_of_four(real, imag, sign):
    even_real, odd_real = _sums_of_two(real)
    even_imag, odd_imag = _sums_of_two(imag)
    (r0, r2), (i0, i2) = _sums_of_two(even_real), _sums_of_two(even_imag)
    quarter = odd_real.shape[0] // 2
    real, imag = odd_real[:quarter], odd_imag[:quarter]
    turned_real, turned_imag = odd_imag[quarter:] * sign, odd_real[quarter:] * sign
    return [r0, real - turned_real, r2, real + turned_real], [i0, imag + turned_imag, i2, imag - turned_imag]


def _sums_of_many(real, imag, radix, sign):
    """By products with a matrix of cosines and sines."""
    n, m = real.shape
    if radix > 4096:
        raise NotImplementedError(f"of a length with the prime factor {radix} it is a product with a matrix of {radix} x {radix}, "
                         "4096 x 4096 at most; pad to a length of smaller factors, as a power of 2 is")
    cos, sin = _roots(radix, radix, radix, sign)
    shape = (radix, n // radix * m)
    real, imag = np.reshape(real, shape), np.reshape(imag, shape)
    shape = (radix, n // radix, m)
    made = [cos @ real - sin @ imag, sin @ real + cos @ imag]
    return [[part[k] for k in range(radix)] for part in [np.reshape(part, shape) for part in made]]


def _down(real, imag, sign):
    """Of columns, along them: of each, the sums of as many parts as the first factor says, each the next of the columns of
    a matrix that is shorter by that factor (Stockham's order, in which nothing has to be sorted)."""
    n, m = real.shape
    if n == 1:
        return [real, imag]
    radix = 4 if n % 4 == 0 else 2 if n % 2 == 0 else _prime(n)
    left = n // radix
    if radix == 4:
        reals, imags = _sums_of_four(real, imag, sign)
    elif radix == 2:
        reals, imags = _sums_of_two(real), _sums_of_two(imag)
    else:
        reals, imags = _sums_of_many(real, imag, radix, sign)
    if left > 1:
        roots = [np.reshape(part, (radix, left, 1)) for part in _roots(n, radix, left, sign)]
        turned = [_turned_by(reals[k], imags[k], [part[k] for part in roots]) for k in range(1, radix)]
        reals, imags = [reals[0]] + [part[0] for part in turned], [imags[0]] + [part[1] for part in turned]
    parts = _down(np.concatenate(reals, axis=1), np.concatenate(imags, axis=1), sign)
    return [np.reshape(part, (n, m)) for part in parts]


def _is_small(n, rows):
    """One product takes less time than its steps. Few elements also where the number of rows is data-dependent."""
    return n <= 16 or n <= 64 and n * rows <= 4096


def _transformed(x, sign):
    """Of rows, along them. Of few rows the elements are columns of a matrix, then its rows (Bailey's four steps): the sums
    are of long parts."""
    rows, n = x.shape
    if _is_small(n, rows):
        return np.matmul(x, complex_of(*_roots(n, n, n, sign)))
    first = _divisor(n, int(n ** 0.5)) if rows < 16 else 1
    second = n // first
    parts = [x.real, x.imag if x.dtype.kind == "c" else np.zeros_like(x)]
    parts = [np.transpose(np.reshape(part, (rows, first, second)), (1, 2, 0)) for part in parts]
    parts = [np.reshape(part, (first, second * rows)) for part in parts]
    if first > 1:
        parts = _down(*parts, sign)
        roots = [np.repeat(part, rows, axis=1) for part in _roots(n, first, second, sign)]
        parts = _turned_by(*parts, roots)
    parts = [np.transpose(np.reshape(part, (first, second, rows)), (1, 0, 2)) for part in parts]
    parts = [np.reshape(part, (second, first * rows)) for part in parts]
    parts = [np.transpose(np.reshape(part, (n, rows))) for part in _down(*parts, sign)]
    return complex_of(*parts)


def _of_length(rows, n):
    """The first n elements of each row, or the row padded with zeros to n."""
    count, held = rows.shape
    if n <= held:
        return rows if n == held else rows[:, :n]
    return np.concatenate([rows, np.zeros((count, n - held), dtype=rows.dtype)], axis=1)


def _length(n, otherwise):
    n = otherwise if n is None else n
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return n


def _scale(norm, inverts, n):
    """What norm= makes of a sum of n elements."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return 1 / n ** 0.5
    return 1 / n if (norm == "forward") != inverts else 1


def _whole(half, n):
    """Rows, of which the conjugates of the other half are known."""
    half = _of_length(half, n // 2 + 1)
    if n < 3:
        return _of_length(half, n)
    other = half[:, (n + 1) // 2 - 1:0:-1]
    if half.dtype.kind == "c":
        other = complex_of(other.real, -other.imag)
    return _of_length(np.concatenate([half, other], axis=1), n)


def _mirrored(half):
    """half[:, (h - k) % h] for its h columns."""
    return half if half.shape[1] == 1 else np.concatenate([half[:, :1], half[:, :0:-1]], axis=1)


def _of_reals(x, sign):
    """The first half of _transformed() of real rows of an even length. The even elements and the odd ones are the parts of
    complex numbers, half as many."""
    h = x.shape[1] // 2
    made = _transformed(complex_of(x[:, 0::2], x[:, 1::2]), sign)
    real, imag = made.real, made.imag
    other_real, other_imag = _mirrored(real), _mirrored(imag)
    even_real, even_imag = (real + other_real) * 0.5, (imag - other_imag) * 0.5
    odd_real, odd_imag = (imag + other_imag) * 0.5, (other_real - real) * 0.5
    roots = [part[1:] for part in _roots(2 * h, 2, h, sign)]
    turned_real, turned_imag = _turned_by(odd_real, odd_imag, roots)
    last = even_real[:, :1] - odd_real[:, :1]
    real = np.concatenate([even_real + turned_real, last], axis=1)
    return complex_of(real, np.concatenate([even_imag + turned_imag, np.zeros_like(last)], axis=1))


def _to_reals(half, n, sign):
    """What _of_reals() makes this half of with the other sign, n times as large."""
    h = n // 2
    real = half.real
    nothing = np.zeros_like(real[:, :1])
    inner = half.imag[:, 1:h] if half.dtype.kind == "c" else np.zeros_like(real[:, 1:h])
    imag = np.concatenate([nothing, inner, nothing], axis=1)
    other_real, other_imag = real[:, :0:-1], imag[:, :0:-1]
    real, imag = real[:, :h], imag[:, :h]
    roots = [part[1:] for part in _roots(n, 2, h, sign)]
    odd_real, odd_imag = _turned_by(real - other_real, imag + other_imag, roots)
    made = _transformed(complex_of(real + other_real - odd_imag, imag - other_imag + odd_real), sign)
    return np.reshape(np.stack([made.real, made.imag], axis=2), (half.shape[0], n))


def _of_form(rows, n, sign, form):
    """What _along() makes of rows."""
    is_even = n % 2 == 0 and not _is_small(n, rows.shape[0])
    if form == "whole":
        half = _of_length(rows, n // 2 + 1)
        return _to_reals(half, n, sign) if is_even else _transformed(_whole(rows, n), sign).real
    rows = _of_length(rows, n)
    if is_even and rows.dtype.kind != "c":
        half = _of_reals(rows, sign)
        return half if form == "half" else _whole(half, n)
    made = _transformed(rows, sign)
    return made[:, :n // 2 + 1] if form == "half" else made


def _along(a, n, axis, norm, inverts, form="complex"):
    """Along one axis; n elements of it, or all. The form says what is known of the others: "half" are not computed, of
    "whole" they are the conjugates of those given."""
    x = as_float(np.asarray(a))
    axis = axis_of(axis, x.ndim)
    if form == "half" and x.dtype.kind == "c":
        raise TypeError("ufunc 'rfft' did not contain a loop with signature matching types; write a.real")
    order = [k for k in range(x.ndim) if k != axis] + [axis]
    shape = [x.shape[k] for k in order]
    rows = np.reshape(np.transpose(x, order), (count_of(shape[:-1]), shape[-1]))
    n = _length(n, 2 * (shape[-1] - 1) if form == "whole" else shape[-1])
    made = _of_form(rows, n, 1 if inverts else -1, form)
    scale = _scale(norm, inverts, n)
    made = made if scale == 1 else np.multiply(made, scale)
    return np.transpose(np.reshape(made, [*shape[:-1], made.shape[1]]), [order.index(k) for k in range(x.ndim)])


def fft(a, n=None, axis=-1, norm=None):
    """The discrete Fourier transform along one axis."""
    return _along(a, n, axis, norm, False)


def ifft(a, n=None, axis=-1, norm=None):
    """The inverse of fft."""
    return _along(a, n, axis, norm, True)


def rfft(a, n=None, axis=-1, norm=None):
    """The first half of the fft of real numbers; the other half is its conjugate."""
    return _along(a, n, axis, norm, False, "half")


def irfft(a, n=None, axis=-1, norm=None):
    """The inverse of rfft: n real numbers."""
    return _along(a, n, axis, norm, True, "whole")


def hfft(a, n=None, axis=-1, norm=None):
    """The fft of a Hermitian-symmetric signal, of which a is the first half: n real numbers."""
    return _along(a, n, axis, norm, False, "whole")


def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of hfft."""
    return _along(a, n, axis, norm, True, "half")


def _over(x, s, axes, norm, inverts, last="complex"):
    """Axis after axis, the last one first, or of "whole" last."""
    if len(axes) == 0:
        if last != "complex":
            raise IndexError("list index out of range: there is no axis")
        return x
    rest = [s[:-1], axes[:-1], norm, inverts]
    if last == "whole":
        return _along(_over(x, *rest), s[-1], axes[-1], norm, inverts, last)
    return _over(_along(x, s[-1], axes[-1], norm, inverts, last), *rest)


def _axes(a, s, axes):
    """Lengths and axes, as many of the one as of the other."""
    count = np.ndim(a) if s is None else len(s)
    axes = list(range(-count, 0)) if axes is None else list(axes)
    s = [None] * len(axes) if s is None else list(s)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return s, axes


def fftn(a, s=None, axes=None, norm=None):
    """The discrete Fourier transform along several axes."""
    return _over(a, *_axes(a, s, axes), norm, False)


def ifftn(a, s=None, axes=None, norm=None):
    """The inverse of fftn."""
    return _over(a, *_axes(a, s, axes), norm, True)


def rfftn(a, s=None, axes=None, norm=None):
    """The first half, along the last axis, of the fftn of real numbers."""
    return _over(a, *_axes(a, s, axes), norm, False, "half")


def irfftn(a, s=None, axes=None, norm=None):
    """The inverse of rfftn."""
    return _over(a, *_axes(a, s, axes), norm, True, "whole")


def fft2(a, s=None, axes=(-2, -1), norm=None):
    """The discrete Fourier transform along two axes."""
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """The inverse of fft2."""
    return ifftn(a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """The first half, along the last axis, of the fft2 of real numbers."""
    return rfftn(a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """The inverse of rfft2."""
    return irfftn(a, s, axes, norm)


def fftfreq(n, d=1.0):
    """The frequencies of fft() of n samples with the spacing d."""
    first = np.arange(0, (_length(index_of(n), 0) + 1) // 2)
    places = np.concatenate([first, np.arange(-(n // 2), 0)]) if n > 1 else first
    return places * (1.0 / (n * d))


def rfftfreq(n, d=1.0):
    """The frequencies of rfft() of n samples with the spacing d."""
    return np.arange(0, _length(index_of(n), 0) // 2 + 1) * (1.0 / (n * d))


def fftshift(x, axes=None):
    """Shifts frequency 0 to the centre of the axes."""
    axes = axes_of(axes, np.ndim(x))
    return np.roll(x, [np.shape(x)[axis] // 2 for axis in axes], axes)


def ifftshift(x, axes=None):
    """The inverse of fftshift."""
    axes = axes_of(axes, np.ndim(x))
    return np.roll(x, [-(np.shape(x)[axis] // 2) for axis in axes], axes)
