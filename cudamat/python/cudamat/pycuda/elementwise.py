from .. import _cudamat
from .driver import _defined, _text
from .tools import ScalarArg, VectorArg, _declared

__all__ = ["ElementwiseKernel", "ScalarArg", "VectorArg"]


class ElementwiseKernel:
    """cudamat.ElementwiseKernel, with PyCUDA's arguments."""

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, *, preamble="", check=False):
        preamble = _defined("ElementwiseKernel", options, preamble)
        self._kernel = _cudamat.ElementwiseKernel(
            _declared(arguments), _text(operation), name, preamble=preamble, check=check
        )

    def __call__(self, *args, stream=None):
        self._kernel(*args)
