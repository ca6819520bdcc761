"""NumPy's arrays on a GPU or a CPU: gnumpy's interface (Tieleman, UTML TR 2010-002).

    import gnumpy as gpu
    h1 = (gpu.dot(v1, w_vh) + w_h).logistic()
    sampled = h1.rand() < h1

GNUMPY_USE_GPU=auto|yes|no and GNUMPY_CPU_PRECISION=32|64|128 choose the engine when the first array is made.
"""

import os as _os
import sys as _sys
import types as _types

from . import _room  # noqa: F401, I001: before what loads OpenBLAS
from . import _gnumpy
from ._gnumpy import *  # noqa: F403: its names are NumPy's and gnumpy's
from ._gnumpy import __version__, garray, newaxis  # noqa: F401

garray.__module__ = __name__  # as programs, messages and pickles know it
_gnumpy._own_folder(_os.path.dirname(__file__) + _os.sep)

inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045


def _with_numpy(name):
    """A method of _numpy.py, which is imported (and NumPy with it) at its first call."""

    def method(self, *arguments, **options):
        from . import _numpy

        return getattr(_numpy, name)(self, *arguments, **options)

    return method


garray.__array__ = _with_numpy("array")
garray.__array_ufunc__ = _with_numpy("array_ufunc")
garray.__array_function__ = _with_numpy("array_function")


def _log_1_plus_exp(x, numpy):
    return numpy.logaddexp(0.0, x)


def _logistic(x, numpy):
    return numpy.exp(-_log_1_plus_exp(-x, numpy))


def _of_kind(name, numpy_form=None):
    """The function, with results of the type of its argument, as in the original package: NumPy arrays for NumPy arrays,
    floats for Python numbers."""
    own = getattr(_gnumpy, name)

    def function(a, *arguments, **options):
        if isinstance(a, garray):
            return own(a, *arguments, **options)
        numpy = _sys.modules.get("numpy")
        if numpy is None or not isinstance(a, (float, int, numpy.ndarray, numpy.number, numpy.bool_)):
            return own(a, *arguments, **options)
        x = a if isinstance(a, numpy.ndarray) else numpy.float64(a)
        result = numpy_form(x, numpy) if numpy_form else getattr(numpy, name)(x, *arguments, **options)
        return result if isinstance(a, numpy.ndarray) else float(result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = own.__doc__
    return function


for _name in ("abs exp isinf isnan log negative sign sqrt tanh log10 log2 cos sin "
              "all any sum mean max min prod std argmax argmin").split():
    globals()[_name] = _of_kind(_name)
log_1_plus_exp = _of_kind("log_1_plus_exp", _log_1_plus_exp)
logistic = _of_kind("logistic", _logistic)
sigmoid = _of_kind("sigmoid", _logistic)


def status():
    """Prints the engine, the memory in use, cached and available, and the lines of the program that hold most memory."""
    print(_gnumpy._status(), end="")


def usingGpu():
    """Whether garrays are on a GPU."""
    return "(CPU)" not in _gnumpy._status().split("\n")[0]


def memory_allocators(minimum_n_bytes=1, new_style=False):
    """Prints the lines of the program that hold memory, largest first; with new_style=True, returns a list of
    (file, line, bytes, arrays) instead."""
    if new_style:
        return _gnumpy._memory_allocators(minimum_n_bytes)
    print(_gnumpy._allocators_text(minimum_n_bytes), end="")
    return None


class _Module(_types.ModuleType):
    """The module's settings."""

    #: Memory is always tracked by line; this switch exists for programs of the original package.
    track_memory_usage = True

    @property
    def max_memory_usage(self):
        """The maximum number of bytes for garrays and cached memory; infinity if there is no limit."""
        return _gnumpy._max_memory_usage() or inf

    @max_memory_usage.setter
    def max_memory_usage(self, n_bytes):
        _gnumpy._set_max_memory_usage(0 if n_bytes is None or n_bytes == inf else int(n_bytes))

    @property
    def acceptable_number_types(self):
        """What results may contain: 'anything goes', 'no nans', 'no nans or infs', or the largest magnitude."""
        return _gnumpy._acceptable_number_types()

    @acceptable_number_types.setter
    def acceptable_number_types(self, what):
        _gnumpy._set_acceptable_number_types(what)

    @property
    def expensive_check_probability(self):
        """The fraction of results that are checked, chosen at random."""
        return _gnumpy._expensive_check_probability()

    @expensive_check_probability.setter
    def expensive_check_probability(self, probability):
        _gnumpy._set_expensive_check_probability(probability)


_sys.modules[__name__].__class__ = _Module
__all__ = [_name for _name in dir(_gnumpy) if not _name.startswith("_")] + [
    "inf",
    "nan",
    "pi",
    "e",
    "status",
    "usingGpu",
    "memory_allocators",
]
