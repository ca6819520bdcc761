"""Random numbers: Philox's, which cudamat.CUDAMatrix.init_random seeds."""

import math

import numpy as np

from .. import _cudamat
from . import gpuarray

__all__ = ["rand"]


def rand(shape, dtype=np.float32, stream=None):
    """Uniform on (0, 1]."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    matrix = _cudamat.empty((math.prod(shape), 1), np.dtype(dtype))
    return gpuarray.to_gpu(matrix.fill_with_rand().asarray().reshape(shape))
