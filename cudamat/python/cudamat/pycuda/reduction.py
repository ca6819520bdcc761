from .. import _cudamat
from . import gpuarray

__all__ = ["ReductionKernel"]


class ReductionKernel:
    """cudamat.ReductionKernel, with PyCUDA's arguments and result: a GPUArray without dimensions."""

    def __init__(
        self,
        dtype_out,
        neutral,
        reduce_expr,
        map_expr,
        arguments,
        name="reduce_kernel",
        keep=False,
        options=None,
        preamble="",
        allocator=None,
        *,
        check=False,
    ):
        if options:
            raise NotImplementedError("[ReductionKernel] there are no options: #define in preamble")
        self._kernel = _cudamat.ReductionKernel(
            dtype_out, str(neutral), reduce_expr, map_expr, arguments, name, preamble=preamble, check=check
        )

    def __call__(self, *args, stream=None, allocator=None):
        return gpuarray.to_gpu(self._kernel(*args))
