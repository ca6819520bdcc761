"""Symbolic arrays: NumPy expressions build a tree, which is evaluated on request.

    from rewriter import sym

    W = sym.array(np.random.rand(784, 256))
    delta_o = -(x - z)
    delta_h = sym.dot(delta_o, W) * h * (1.0 - h)     # np.dot does the same
    grad_W = sym.dot(X.T, delta_h)
    grad_W.shape                                      # computes nothing
    grad_W.as_numpy()                                 # evaluates the tree directly
    grad_W.as_cuda()                                  # runs Cudamat statements
    print(grad_W.statements())                        # prints these statements

Operators, functions, methods, subscripts and in-place writes work as in NumPy. The module has NumPy's functions; those
that create arrays (`sym.zeros`, `sym.random.rand`, ...) return symbolic arrays. An evaluation uses the current contents of
the arrays that were given to `sym.array`.
"""
import linecache
import sys

import numpy as np

from . import _report, _rewriter
from ._errors import NotationError

Array = _rewriter.Symbol
Array.__name__ = Array.__qualname__ = "Array"
Array.__module__ = __name__

_ADVICE = ("is known only at run time: np.where chooses element by element, and convert() without trace=True "
           "reads `if` and `while`")
_NAMES = {"absolute": "abs", "bitwise_not": "invert", "conjugate": "conj"}
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//",
              "remainder": "%", "power": "**", "matmul": "@", "bitwise_and": "&", "bitwise_or": "|",
              "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>", "less": "<", "less_equal": "<=",
              "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
Array.__copy__ = lambda self: self.copy()
Array.__deepcopy__ = lambda self, memo: self.copy()
_file = None  # whose lines the nodes have


def array(data, dtype=None):
    """Returns a symbolic array that refers to an array of numbers."""
    data = np.asarray(data, dtype)
    if data.dtype.kind not in "fiub":
        raise TypeError(f"symbolic arrays are of floats, ints and bools; got {data.dtype}")
    global _file
    if not _tracing:
        _file = _caller().f_code.co_filename
    return _rewriter.sym_input(data)


_tracing = []


def _caller():
    """The frame outside of this package and of NumPy."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("rewriter", "numpy"):
        frame = frame.f_back
    return frame


def _at():
    """Tells where in the source the next operation is."""
    frame = _caller()
    while frame is not None and frame.f_code.co_filename != _file:
        frame = frame.f_back
    _rewriter.sym_place(frame.f_lineno if frame is not None else 0)


def _call(name, args, kwargs):
    _at()
    return _rewriter.sym_call(name, tuple(args), kwargs)


def _refusal(error):
    return NotationError(str(error))


def _binary(op, reflected=False):
    def method(self, other):
        if isinstance(other, (str, set)):
            return NotImplemented
        _at()
        return _rewriter.sym_binary(op, other, self) if reflected else _rewriter.sym_binary(op, self, other)
    return method


def _in_place(op):
    def method(self, other):
        _at()
        return _rewriter.sym_in_place(op, self, other)
    return method


def _unary(op):
    def method(self):
        _at()
        return _rewriter.sym_unary(op, self)
    return method


for _name, _op in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
                   "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.items():
    setattr(Array, f"__{_name}__", _binary(_op))
    setattr(Array, f"__r{_name}__", _binary(_op, True))
    setattr(Array, f"__i{_name}__", _in_place(_op))
for _name, _op in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Array, f"__{_name}__", _binary(_op))
for _name, _op in {"neg": "-", "pos": "+", "invert": "~"}.items():
    setattr(Array, f"__{_name}__", _unary(_op))


def _ufunc(self, ufunc, method, *inputs, out=None, **kwargs):
    """NumPy calls it for np.exp(array) and array_of_numbers + array."""
    if out is not None:
        if len(out) != 1 or not isinstance(out[0], Array):
            raise NotationError("a symbolic array cannot be written into an array of numbers; rewriter.sym.array(...) or "
                                "rewriter.sym.zeros(...) makes a symbolic one to write to")
        kwargs["out"] = out[0]
    name = _NAMES.get(ufunc.__name__, ufunc.__name__)
    if method == "__call__" and not kwargs and len(inputs) == 2 and ufunc.__name__ in _OPERATORS \
            and ufunc.__name__ != "power":
        _at()
        return _rewriter.sym_binary(_OPERATORS[ufunc.__name__], *inputs)
    if method != "__call__":
        name = f"{name}.{method}"
    return _call(f"np.{name}", inputs, kwargs)


def _function(self, function, types, args, kwargs):
    """NumPy calls it for np.dot(array, ...) and its like."""
    module = function.__module__.removeprefix("numpy").strip(".")
    prefix = {"linalg": "np.linalg.", "fft": "np.fft.", "random": "np.random."}.get(module, "np.")
    if function is np.shape:
        return args[0].shape
    if function is np.ndim:
        return args[0].ndim
    return _call(prefix + _NAMES.get(function.__name__, function.__name__), args, kwargs)


def _attribute(self, name):
    if name.startswith("__") or not _rewriter.sym_knows("." + name):
        raise AttributeError(f"symbolic arrays have no attribute {name!r}")
    return lambda *args, **kwargs: _call("." + name, (self, *args), kwargs)


def _truth(self):
    truth = self._truth()
    if truth is None:
        raise NotationError(f"whether a symbolic array is true {_ADVICE}")
    return truth


def _no_number(self):
    raise NotationError(f"the number in a symbolic array {_ADVICE}")


def _no_array(self, dtype=None, copy=None):
    raise NotationError("a symbolic array cannot be converted to an array of numbers; as_numpy() evaluates it. To write it "
                        "to another array make that one symbolic: rewriter.sym.array(...), rewriter.sym.zeros(...)")


def _length(self):
    if not self.ndim:
        raise TypeError("len() of unsized object")
    return self.shape[0]


def _rows(self):
    return (self[i] for i in range(_length(self)))


def _item(self, index):
    _at()
    return self._item(index)


def _store(self, index, value):
    _at()
    self._store(index, value)


def _text(self):
    return f"sym.Array({self.shape}, {self._dtype})" if self._is_array else f"sym.Array of {self._description}"


def _type(self):
    """__class__: what NumPy would have, so that isinstance(x, np.ndarray) is what it is there."""
    if not self._is_array:
        return Array
    return np.dtype(self._dtype).type if self._is_scalar else np.ndarray


def _program(self, passes, precision, engine):
    """The conversion of an expression; names are those of the caller's variables."""
    frame = _caller()
    names = {name: value for scope in (frame.f_globals, frame.f_locals) for name, value in scope.items()
             if isinstance(value, Array) and value._is_array}
    if precision is None:
        codes = set(self._codes) & set("fdg")
        precision = 128 if "g" in codes else 32 if codes == {"f"} else 64
    return _rewriter.sym_trace([], self, names, [], _file or "", "".join(linecache.getlines(_file)) if _file else "",
                               passes, precision, engine)


def _as_numpy(self, precision=None):
    """Evaluates the tree directly and returns a NumPy array."""
    return next(iter(_program(self, "none", precision, "npmat")._tree_values(0).values()))


def _as_cuda(self, passes="none", precision=None, engine="auto"):
    """Runs the Cudamat statements and returns a NumPy array; for `engine` see convert."""
    return np.asarray(_program(self, passes, precision, engine)._run(0))


def _statements(self, passes="none", precision=None, engine="auto"):
    """Returns the Cudamat statements that as_cuda() runs."""
    return _report.Listing(_program(self, passes, precision, engine))


def _memory(self, passes="none", precision=None, engine="auto"):
    """Returns the memory plan of these statements."""
    return _report.Memory(_program(self, passes, precision, engine))


Array.__doc__ = "A symbolic array, created by `sym.array`. See the description of the module."
Array.__array_ufunc__ = _ufunc
Array.__array_function__ = _function
Array.__getattr__ = _attribute
Array.__bool__ = _truth
Array.__float__ = Array.__int__ = Array.__index__ = Array.__complex__ = _no_number
Array.__array__ = _no_array
Array.__len__ = _length
Array.__iter__ = _rows
Array.__getitem__ = _item
Array.__setitem__ = _store
Array.__repr__ = _text
Array.__format__ = lambda self, how: format(_text(self), how if how.strip("<>^0123456789") == "" else "")
Array.__hash__ = lambda self: id(self)
Array._type = _type
Array.dtype = property(lambda self: np.dtype(self._dtype), doc="The dtype that the array has in NumPy.")
Array.as_numpy = Array.asNumpy = _as_numpy
Array.as_cuda = Array.asCUDA = _as_cuda
Array.statements = _statements
Array.memory = _memory


class _Functions:
    """The functions of one of NumPy's modules; those that create arrays return symbolic arrays."""

    def __init__(self, prefix):
        self._prefix = prefix

    def __getattr__(self, name):
        return _named(self._prefix + name)


def _named(name):
    if not _rewriter.sym_knows(name):
        raise AttributeError(f"{name} is not supported")
    function = lambda *args, **kwargs: _call(name, args, kwargs)
    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = f"{name} of NumPy, on symbolic arrays."
    return function


linalg = _Functions("np.linalg.")
random = _Functions("np.random.")
fft = _Functions("np.fft.")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _named("np." + name)
