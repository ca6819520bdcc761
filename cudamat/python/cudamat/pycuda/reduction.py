from .. import _cudamat
from . import gpuarray
from .driver import _defined
from .tools import _declared, dtype_to_ctype

__all__ = ["ReductionKernel"]


class ReductionKernel:
    """cudamat.ReductionKernel, with PyCUDA's arguments and result: a GPUArray without dimensions."""

    def __init__(
        self,
        dtype_out,
        neutral,
        reduce_expr,
        map_expr=None,
        arguments=None,
        name="reduce_kernel",
        keep=False,
        options=None,
        preamble="",
        allocator=None,
        *,
        check=False,
    ):
        arguments = f"const {dtype_to_ctype(dtype_out)} *in" if arguments is None else _declared(arguments)
        map_expr = "in[i]" if map_expr is None else map_expr
        preamble = _defined("ReductionKernel", options, preamble)
        self._kernel = _cudamat.ReductionKernel(
            dtype_out, str(neutral), reduce_expr, map_expr, arguments, name, preamble=preamble, check=check
        )

    def __call__(self, *args, stream=None, allocator=None):
        return gpuarray.to_gpu(self._kernel(*args))
