"""Functions of each element."""

import numpy as np

from .gpuarray import _apply

_NAMES = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("exp", "log", "log10", "sqrt", "floor", "ceil", "fabs"),
)


def _function(name):
    def function(array, out=None, stream=None):
        real = array.dtype if array.dtype.kind == "f" else np.dtype("float64")
        return _apply(f"{name}(X)", real if out is None else out.dtype, array, target=out, compute=real)

    function.__name__ = name
    function.__doc__ = f"{name}(x) of each element; out is written, if given."
    return function


globals().update({_name: _function(_name) for _name in _NAMES})
__all__ = list(_NAMES)
