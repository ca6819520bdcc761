"""A function run once on symbolic arrays: convert(f, trace=True)."""
import functools
import linecache
import sys
import threading

import numpy as np

from . import _rewriter, sym
from ._errors import NotationError
from ._values import OUTSIDE, Leaves, OutsideValue

MAKERS = ("arange", "array", "asanyarray", "asarray", "ascontiguousarray", "empty", "empty_like", "eye", "full", "full_like",
          "identity", "linspace", "ones", "ones_like", "zeros", "zeros_like")
"""NumPy's functions that make arrays: of a function that is traced they make symbolic ones."""


class Environment:
    """Nothing outside of the function is read from its source, and what it finds there stays as it was."""

    def __init__(self):
        self.fixed, self.data, self.data_names = [], [], []

    def watched(self):
        return self.fixed, self.data


class _SymbolicMakers:
    """While it is entered, MAKERS and the random numbers of NumPy are symbolic where a program calls them in this thread, also
    under the names that the function imports them by."""

    lock = threading.RLock()

    def __init__(self, function):
        self.thread = threading.get_ident()
        self.names = function.__globals__

    def __enter__(self):
        self.lock.acquire()
        drawn = [name for name in dir(np.random) if _rewriter.sym_knows(f"np.random.{name}")]
        made = {}
        self.kept = []
        for module, prefix, names in ((np, "np.", MAKERS), (np.random, "np.random.", drawn)):
            for name in names:
                numpys = getattr(module, name)
                made[id(numpys)] = numpys, self._maker(numpys, prefix + name)
                self._put(vars(module), name, made[id(numpys)][1])
        for name, value in list(self.names.items()):
            if id(value) in made:
                self._put(self.names, name, made[id(value)][1])

    def _put(self, names, name, value):
        self.kept.append((names, name, names[name]))
        names[name] = value

    def _maker(self, numpys, name):
        @functools.wraps(numpys, updated=())
        def maker(*args, **kwargs):
            caller = sys._getframe(1).f_globals.get("__name__", "").split(".")[0]
            if threading.get_ident() != self.thread or caller in OUTSIDE or caller in sys.stdlib_module_names - {"__main__"}:
                return numpys(*args, **kwargs)
            return sym._call(name, args, kwargs)
        return maker

    def __exit__(self, *error):
        for names, name, value in reversed(self.kept):
            names[name] = value
        self.lock.release()


class _Symbols(Leaves):
    """The leaves of a call, arrays of which become symbolic."""

    def __init__(self):
        super().__init__()
        self.symbols = {}

    def symbolic(self, value, name):
        """The value with symbolic arrays in the places of arrays."""
        if type(value) in (tuple, list):
            return type(value)(self.symbolic(item, f"{name}_{i}") for i, item in enumerate(value))
        if type(value) is dict:
            return {key: self.symbolic(item, f"{name}_{key}") for key, item in value.items()}
        if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, (np.integer, np.bool_)):
            if type(value) is not np.ndarray and isinstance(value, np.ndarray) or not _rewriter.code_of(value):
                raise OutsideValue(f"{name} is a {type(value).__name__} of {value.dtype}")
            if id(value) in self.seen:
                return self.seen[id(value)]
            leaf = self.add(name, value, True)
            made = self.symbols[leaf] = self.seen[id(value)] = _rewriter.sym_input(value)
            self.kept.append(value)
            return made
        if isinstance(value, (float, int, np.integer)) and not isinstance(value, bool):
            self.add(name, value, False)
        return value


def conversion(converted, values):
    """(the conversion, flags, whether containers changed) of a call of Converted with trace=True."""
    from ._convert import _Nothing, precision_of
    function = converted.__wrapped__
    file = function.__code__.co_filename
    leaves = _Symbols()
    arguments = [leaves.symbolic(value, p.name) for p, value in zip(converted._parameters, values)]
    inputs = [(name, symbol, symbol._text) for name, symbol in leaves.symbols.items()]
    bound = converted._signature.bind_partial()
    bound.arguments.update(zip((p.name for p in converted._parameters), arguments))
    names = {}

    def at_return(frame, event, argument):
        if event == "return" and frame.f_code is function.__code__:
            names.update({name: value for name, value in frame.f_locals.items()
                          if isinstance(value, sym.Array) and value._is_array})

    _rewriter.sym_begin()
    outer_file, sym._file = sym._file, file
    sym._tracing.append(function)
    before = sys.getprofile()
    sys.setprofile(at_return)
    try:
        with _SymbolicMakers(function):
            result = function(*bound.args, **bound.kwargs)
    except NotationError as error:
        raise _with_place(error, file) from error
    except (ValueError, IndexError) as error:
        raise _with_place(NotationError(str(error)), file, error) from error
    finally:
        sys.setprofile(before)
        sym._tracing.pop()
        sym._file = outer_file
    text = "".join(linecache.getlines(file, function.__globals__))
    made = _rewriter.sym_trace(inputs, result, {name: value for name, value in names.items() if name not in leaves.symbols},
                               [leaf.name for leaf in leaves], file, text, converted.passes,
                               precision_of(converted, leaves), converted.engine)
    return made, _Nothing(), False


def _with_place(error, file, cause=None):
    """The error at the line of the function that it comes from."""
    line, trace = 0, (cause or error).__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if not line:
        return error
    text = linecache.getline(file, line).rstrip()
    start = len(text) - len(text.lstrip()) + 1
    return NotationError(error.msg, (file, line, start, text, line, len(text) + 1))
