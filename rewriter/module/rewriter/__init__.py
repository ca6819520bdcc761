"""Converts NumPy functions to explicit Cudamat statements, and prints, checks and runs these.

    from rewriter import convert

    @convert
    def step(X, W, b):
        return np.tanh(X @ W + b)

    step(X, W, b)                    # converts once for each combination of shapes and types, and runs
    print(step.statements(X, W, b))  # every statement, temporary and byte
    step.verify(X, W, b)             # compares the results with NumPy

Code that is not supported raises NotationError with its line. The module `sym` has symbolic arrays, whose expressions
are trees: `sym.array(data)`, `y.as_numpy()`, `y.as_cuda()`, `y.statements()`.
"""
from . import _room  # before what loads OpenBLAS
from ._convert import Converted, convert
from ._errors import NotationError, NotationWarning
from . import sym

NotationError.__module__ = NotationWarning.__module__ = Converted.__module__ = convert.__module__ = __name__

__all__ = ["Converted", "NotationError", "NotationWarning", "convert", "sym"]
