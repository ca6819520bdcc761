"""Matrices on a GPU or a CPU whose methods write into targets: Cudamat's interface (Mnih, UTML TR 2009-004).

import cudamat as cm
cm.cublas_init()
v = cm.CUDAMatrix(np.random.rand(784, 128))
h = cm.empty((256, 128))
cm.dot(w.T, v, target=h)
h.add_col_vec(b)
h.apply_sigmoid()
print(h.asarray())
"""

from . import _room  # noqa: F401, I001: before what loads OpenBLAS
from . import _cudamat, learn
from ._cudamat import *  # noqa: F403: its names are those of the original's module
from ._cudamat import (
    CUDAMatException,
    CUDAMatrix,
    ElementwiseKernel,
    In,
    IncompatibleDimensionsException,
    InOut,
    KernelFault,
    KernelFunction,
    Out,
    OutOfMemory,
    ReductionKernel,
    SourceModule,
)

for _type in (
    *(CUDAMatException, CUDAMatrix, IncompatibleDimensionsException, KernelFault, OutOfMemory),
    *(ElementwiseKernel, In, InOut, KernelFunction, Out, ReductionKernel, SourceModule),
):
    _type.__module__ = __name__  # as programs, messages and pickles know it
__version__ = _cudamat.__version__

# ---- the original's names ----

MAX_ONES = 1024 * 256


def _set_shape(self, shape):
    """The original package's name of reshape(shape)."""
    return self.reshape(shape)


def _internal(name, instead):
    def refuse(self):
        raise AttributeError(f"CUDAMatrix has no {name}, which was the original library's structure: {instead}")

    return property(refuse, doc=f"Not there: {instead}.")


CUDAMatrix.set_shape = _set_shape
CUDAMatrix.mat = _internal("mat", "shape, is_transposed and from_dlpack() tell and share what was in it")
CUDAMatrix.p_mat = _internal("p_mat", "pass the matrix itself to kernels and calls")


def get_last_cuda_error():
    """Returns "no error": calls that fail raise an exception. For programs of the original package."""
    return "no error"


def generate_exception(err_code):
    """Returns the exception that the original package made for an error code of its library."""
    texts = {
        **{-1: "Incompatible matrix dimensions.", -2: "CUBLAS error.", -3: "CUDA error: " + get_last_cuda_error()},
        **{-4: "Operation not supported on views.", -5: "Operation not supported on transposed matrices."},
        **{-7: "Incompatible transposedness.", -8: "Matrix is not in device memory.", -9: "Operation not supported."},
    }
    kind = IncompatibleDimensionsException if err_code == -1 else CUDAMatException
    return kind(texts.get(err_code, ""))


def check_ones_matrix(min_size):
    """Does nothing: the length of sums is not limited. For programs of the original package."""


__all__ = [name for name in dir(_cudamat) if not name.startswith("_")] + [
    *("learn", "MAX_ONES", "check_ones_matrix", "generate_exception", "get_last_cuda_error")
]
