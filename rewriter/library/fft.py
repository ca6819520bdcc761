"""numpy.fft: transforms, computed as products with matrices of cosines and sines, frequencies, and shifts."""

import numpy as np

from _shared import as_float, axes_of, axis_of, complex_of, count_of, index_of

MODULE = "numpy.fft"
OF_ONE_AXIS = "fft ifft rfft irfft hfft ihfft"
OLD_DOUBLES = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2"


def _roots(n, rows, cols, sign):
    """exp(sign * 2 pi i j k / n) for j below `rows` and k below `cols`; of small angles, which round less."""
    angles = np.mod(np.outer(np.arange(0.0, rows), np.arange(0.0, cols)), n) * (sign * 2 * np.pi / n)
    return complex_of(np.cos(angles), np.sin(angles))


def _divisor(n, k):
    """The largest divisor of n up to k."""
    return k if n % k == 0 else _divisor(n, k - 1)


def _turned(x):
    return np.transpose(x, (0, 2, 1))


def _transformed(x, sign):
    """Of rows, along them. A length first * second takes two small matrices and factors between them (Cooley and
    Tukey's first step), not one large one."""
    rows, n = x.shape
    first = 1 if n <= 64 else _divisor(n, int(n ** 0.5))
    second = n // first
    if second > 4096:
        raise NotImplementedError(f"of {n} elements it is a product with a matrix of {second} x {second}, 4096 x 4096 at most; a "
                         "length with two factors up to 4096 is computed, as a power of 2 is")
    if first == 1:
        return np.matmul(x, _roots(n, n, n, sign))
    y = np.matmul(_turned(np.reshape(x, (rows, first, second))), _roots(first, first, first, sign))
    y = np.multiply(y, _roots(n, second, first, sign))
    y = np.matmul(_turned(y), _roots(second, second, second, sign))
    return np.reshape(_turned(y), (rows, n))


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
    made = _transformed(_whole(rows, n) if form == "whole" else _of_length(rows, n), 1 if inverts else -1)
    if form == "half":
        made = made[:, :n // 2 + 1]
    elif form == "whole":
        made = made.real
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
