from .. import _cudamat

__all__ = ["ElementwiseKernel"]


class ElementwiseKernel:
    """cudamat.ElementwiseKernel, with PyCUDA's arguments."""

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, *, preamble="", check=False):
        if options:
            raise NotImplementedError("[ElementwiseKernel] there are no options: #define in preamble")
        self._kernel = _cudamat.ElementwiseKernel(arguments, operation, name, preamble=preamble, check=check)

    def __call__(self, *args, stream=None):
        self._kernel(*args)
