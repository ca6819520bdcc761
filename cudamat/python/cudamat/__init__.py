"""Matrices on a GPU or a CPU, whose calls write into targets: Cudamat's interface (Mnih, UTML TR 2009-004).

import cudamat as cm
cm.cublas_init()
v = cm.CUDAMatrix(np.random.rand(784, 128))
h = cm.empty((256, 128))
cm.dot(w.T, v, target=h)
h.add_col_vec(b)
h.apply_sigmoid()
print(h.asarray())
"""

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
__all__ = [name for name in dir(_cudamat) if not name.startswith("_")] + ["learn"]
