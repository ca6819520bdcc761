"""New functions and names of NumPy 2."""

import numpy as np

acos = np.arccos
acosh = np.arccosh
asin = np.arcsin
asinh = np.arcsinh
atan = np.arctan
atan2 = np.arctan2
atanh = np.arctanh
bitwise_invert = np.invert
bitwise_left_shift = np.left_shift
bitwise_right_shift = np.right_shift
concat = np.concatenate
permute_dims = np.transpose
pow = np.power


def matrix_transpose(x):
    """A view with the last two axes exchanged."""
    if np.ndim(x) < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {np.ndim(x)}")
    return np.swapaxes(x, -1, -2)


def unstack(x, *, axis=0):
    """Views of the parts along an axis."""
    if np.ndim(x) == 0:
        raise ValueError("Input array must be at least 1-d.")
    if axis is None:
        raise TypeError("'NoneType' object is not iterable: axis must be an int")
    return tuple(part for part in np.moveaxis(x, axis, 0))


def astype(x, dtype, *, copy=True):
    """The array converted to another type."""
    return np.array(x, dtype) if copy else np.asarray(x, dtype)


def _check_matrices(x):
    if np.ndim(x) < 2:
        raise ValueError(f"takes matrices, in the last two axes; got an array of {np.ndim(x)} dimensions")


def matvec(x1, x2):
    """The products of the matrices in the last two axes and the vectors in the last axis."""
    _check_matrices(x1)
    return np.matmul(x1, x2) if np.ndim(x2) == 1 else np.matmul(x1, np.asarray(x2)[..., None])[..., 0]


def vecmat(x1, x2):
    """The products of conjugated vectors and matrices."""
    _check_matrices(x2)
    x = np.conj(x1) if np.result_type(x1).kind == "c" else np.asarray(x1)
    return np.matmul(x, x2) if x.ndim == 1 else np.matmul(x[..., None, :], x2)[..., 0, :]
