"""NumPy's functions on garrays: np.exp(a), np.concatenate([a, b]) and np.add.reduce(a) return garrays if gnumpy
has the function; other functions get NumPy arrays, if GNUMPY_IMPLICIT_CONVERSION=allow|warn|refuse permits it."""

import os
import warnings

import numpy as np

from . import _gnumpy

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
# What NumPy calls otherwise, or what takes its arguments in another order.
_UFUNCS = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "invert": "logical_not",
    "matmul": "matmul",
}
_MODULES = ("numpy", "numpy.linalg")


def implicit(garray, why, stacklevel=4):
    """Before elements of an array go to NumPy and the like unasked."""
    choice = os.environ.get("GNUMPY_IMPLICIT_CONVERSION", "") or "allow"
    if choice not in ("allow", "warn", "refuse"):
        raise ValueError(f"GNUMPY_IMPLICIT_CONVERSION must be allow, warn or refuse; got '{choice}'")
    if choice == "allow" or garray.ndim == 0:
        return
    text = f"a garray of shape {garray.shape} becomes an array of NumPy's for {why}; as_numpy_array() says so"
    if choice == "refuse":
        raise TypeError(text + " (GNUMPY_IMPLICIT_CONVERSION is refuse)")
    warnings.warn(text, RuntimeWarning, stacklevel)


def array(self, dtype=None, copy=None):
    implicit(self, "NumPy")
    return self._as_numpy(dtype, copy)


def _on_host(value, why):
    if isinstance(value, _gnumpy.garray):
        implicit(value, why)
        return value._as_engine_numpy()
    if isinstance(value, (list, tuple)):
        return type(value)(_on_host(each, why) for each in value)
    if isinstance(value, dict):
        return {name: _on_host(each, why) for name, each in value.items()}
    return value


def _delivered(result, out):
    if out is None:
        return result
    target = out[0] if isinstance(out, tuple) else out
    if isinstance(target, np.ndarray):
        target[...] = result.as_numpy_array() if isinstance(result, _gnumpy.garray) else result
    else:
        target[...] = result
    return target


def array_ufunc(self, ufunc, method, *inputs, out=None, **options):
    name = ufunc.__name__
    if method == "__call__" and not options:
        function = getattr(_gnumpy, _UFUNCS.get(name, name), None)
        if function is not None:
            return _delivered(function(*inputs), out)
    if method == "reduce" and name in _REDUCTIONS and options.keys() <= {"axis", "keepdims"}:
        return _delivered(getattr(_gnumpy, _REDUCTIONS[name])(*inputs, **{"axis": 0, **options}), out)
    if out is not None:
        options["out"] = _on_host(out, f"np.{name}")
        if any(isinstance(each, _gnumpy.garray) for each in out):
            result = getattr(ufunc, method)(*_on_host(inputs, f"np.{name}"), **options)
            return _delivered(result, out)
    return getattr(ufunc, method)(*_on_host(inputs, f"np.{name}"), **_on_host(options, f"np.{name}"))


def array_function(self, function, types, arguments, options):
    name = function.__name__
    own = getattr(_gnumpy, name, None) if function.__module__ in _MODULES else None
    if name in ("shape", "ndim", "size") and len(arguments) == 1:
        return getattr(arguments[0], name)
    if own is not None:
        options = dict(options)
        out = options.pop("out", None)
        options.pop("dtype", None)
        try:
            return _delivered(own(*arguments, **options), out)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
    why = f"np.{name}"
    return function(*_on_host(arguments, why), **_on_host(dict(options), why))
