"""numpy.fft: where the frequencies are."""

import numpy as np

MODULE = "numpy.fft"


def _axes(axes, ndim):
    return list(range(ndim)) if axes is None else list(axes) if isinstance(axes, (tuple, list)) else [axes]


def fftshift(x, axes=None):
    """The middle first: rolled by half of the axes."""
    axes = _axes(axes, np.ndim(x))
    return np.roll(x, [np.shape(x)[axis] // 2 for axis in axes], axes)


def ifftshift(x, axes=None):
    """What was before fftshift."""
    axes = _axes(axes, np.ndim(x))
    return np.roll(x, [-(np.shape(x)[axis] // 2) for axis in axes], axes)
