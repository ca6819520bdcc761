"""scipy.signal: convolutions and filters of one dimension."""

import numpy as np

MODULE = "scipy.signal"


def _flat(x, name):
    if np.ndim(x) != 1:
        raise NotImplementedError(f"{name} has one dimension here; the shape is {np.shape(x)}")
    return np.asarray(x)


def _centred(x, count):
    first = (np.shape(x)[0] - count) // 2
    return x[first:first + count]


def convolve(in1, in2, mode="full", method="auto"):
    """The convolution of two arrays of one dimension; 'same' is as long as the first."""
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    a, b = _flat(in1, "in1"), _flat(in2, "in2")
    if mode == "same":
        return np.copy(_centred(np.convolve(a, b, "full"), np.shape(a)[0]))
    return np.convolve(a, b, mode)


def fftconvolve(in1, in2, mode="full", axes=None):
    """The same."""
    return convolve(np.multiply(in1, 1.0), np.multiply(in2, 1.0), mode)


def lfilter(b, a, x, axis=-1, zi=None):
    """A digital filter along an axis, with the numerator b and the denominator a."""
    if zi is not None:
        raise NotImplementedError("zi= is not supported")
    top, bottom = np.divide(_flat(b, "b"), _flat(a, "a")[0]), np.divide(_flat(a, "a"), _flat(a, "a")[0])
    kind = np.result_type(np.asarray(b), np.asarray(a), np.asarray(x))
    if kind.kind in "biu":
        raise NotImplementedError("filters of ints alone are not supported; write x.astype(float)")
    moved = np.moveaxis(np.multiply(x, 1.0), axis, 0)
    count, order = np.shape(moved)[0], max(np.shape(top)[0], np.shape(bottom)[0])
    top = np.concatenate((top, np.zeros(order - np.shape(top)[0])))
    bottom = np.concatenate((bottom, np.zeros(order - np.shape(bottom)[0])))
    made = np.zeros(np.shape(moved), dtype=kind)
    state = np.zeros((order,) + np.shape(moved)[1:], dtype=kind)
    for n in range(count):
        y = state[0] + top[0] * moved[n]
        made[n] = y
        for k in range(order - 1):
            state[k] = state[k + 1] + top[k + 1] * moved[n] - bottom[k + 1] * y
    return np.moveaxis(made, 0, axis)
