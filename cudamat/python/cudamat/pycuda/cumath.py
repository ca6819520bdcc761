"""Functions of each element."""

import numpy as np

_NAMES = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("exp", "log", "log10", "sqrt", "floor", "ceil", "fabs"),
)


def _function(name):
    def function(array, stream=None):
        dtype = array.dtype if array.dtype.kind == "f" else np.dtype("float64")
        return array._map(f"{name}(X)", dtype)

    function.__name__ = name
    function.__doc__ = f"{name}(x) of each element."
    return function


globals().update({_name: _function(_name) for _name in _NAMES})
__all__ = list(_NAMES)
