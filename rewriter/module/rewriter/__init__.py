"""Converts NumPy programs to explicit Cudamat statements, shows, checks and runs them.

    from rewriter import convert

    @convert
    def step(X, W, b):
        return np.tanh(X @ W + b)

    step(X, W, b)                    # converts once for each combination of shapes and types, and runs
    print(step.statements(X, W, b))  # every statement, every temporary, every byte
    step.verify(X, W, b)             # compares with NumPy

`sym` has symbolic arrays, whose expressions are trees: `sym.array(data)`, `y.as_numpy()`, `y.as_cuda()`,
`y.statements()`. Code that is not supported raises NotationError with its line.
"""
from . import _room  # before what loads OpenBLAS
from ._convert import Converted, convert
from ._errors import NotationError, NotationWarning
from . import sym

NotationError.__module__ = NotationWarning.__module__ = Converted.__module__ = convert.__module__ = __name__

__all__ = ["Converted", "NotationError", "NotationWarning", "convert", "sym"]
