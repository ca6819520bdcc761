"""numpy.fft: where the frequencies are."""

import numpy as np

from _shared import axes_of

MODULE = "numpy.fft"


def fftshift(x, axes=None):
    """The middle first: rolled by half of the axes."""
    axes = axes_of(axes, np.ndim(x))
    return np.roll(x, [np.shape(x)[axis] // 2 for axis in axes], axes)


def ifftshift(x, axes=None):
    """What was before fftshift."""
    axes = axes_of(axes, np.ndim(x))
    return np.roll(x, [-(np.shape(x)[axis] // 2) for axis in axes], axes)
