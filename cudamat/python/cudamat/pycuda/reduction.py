from .. import _cudamat
from . import gpuarray
from .driver import _defined, _text
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
        map_expr = "in[i]" if map_expr is None else _text(map_expr)
        preamble = _defined("ReductionKernel", options, preamble)
        self._kernel = _cudamat.ReductionKernel(
            dtype_out, str(neutral), _text(reduce_expr), map_expr, arguments, name, preamble=preamble, check=check
        )

    def __call__(self, *args, stream=None, out=None, allocator=None):
        """out: an array with one element for the result, which is returned."""
        result = self._kernel(*args)
        return gpuarray.to_gpu(result) if out is None else out.fill(result)
