"""Arrays on the device. What they compute, kernels compute that are compiled at their first use; NumPy says of which
type."""

import functools
import math

import numpy as np

from .. import _cudamat
from . import driver

_C_NAMES = {
    **{"bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short"},
    **{"int32": "int", "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long"},
    **{"float32": "float", "float64": "double"},
}


def _c_name(dtype):
    try:
        return _C_NAMES[np.dtype(dtype).name]
    except KeyError:
        raise TypeError(f"[GPUArray] kernels have no elements of type {np.dtype(dtype)}") from None


@functools.lru_cache(maxsize=None)
def _map_kernel(expression, result, inputs):
    """z[i] = expression, where x, y, ... are the inputs: (dtype, whether an array)."""
    arguments, values = [f"{_c_name(result)} *z"], expression
    names = "xy"[: len(inputs)]
    for name, (dtype, is_array) in zip(names, inputs):
        arguments.append(f"const {_c_name(dtype)} *{name}" if is_array else f"{_c_name(dtype)} {name}")
        values = values.replace(name.upper(), f"({_c_name(result)}){name}" + "[i]" * is_array)
    return _cudamat.ElementwiseKernel(", ".join(arguments), f"z[i] = {values}", "map")


@functools.lru_cache(maxsize=None)
def _reduce_kernel(neutral, combine, result, mapped, inputs):
    arguments = ", ".join(f"const {_c_name(dtype)} *{name}" for dtype, name in zip(inputs, "xy"))
    return _cudamat.ReductionKernel(result, neutral, combine, mapped, arguments, "reduce")


def _binary(expression, swapped=False, real=False):
    def method(self, other):
        dtype = self._common(other)
        if real and dtype.kind in "iub":
            dtype = np.dtype("float64")
        return self._map(expression, dtype, other, swapped)

    return method


def _in_place(expression):
    def method(self, other):
        self._map(expression, self.dtype, other, False, self)
        return self

    return method


class GPUArray:
    """Elements in C order. get() is a NumPy array of them, set(array) writes them."""

    def __init__(self, shape, dtype, allocator=None, order="C", gpudata=None):
        if order != "C":
            raise NotImplementedError(f"[GPUArray] elements are in C order; got order='{order}'")
        self.shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        self.dtype = np.dtype(dtype)
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.dtype.itemsize
        self.gpudata = driver.mem_alloc(self.nbytes) if gpudata is None else gpudata

    @property
    def ndim(self):
        return len(self.shape)

    def __len__(self):
        if not self.shape:
            raise TypeError("[GPUArray] an array without dimensions has no len()")
        return self.shape[0]

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def get(self, ary=None):
        """A NumPy array; or fills this one, of the same number of bytes."""
        ary = np.empty(self.shape, self.dtype) if ary is None else ary
        self.gpudata.read(ary)
        return ary

    def set(self, ary):
        """Writes the elements of an array of this shape and type."""
        ary = np.asarray(ary)
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"[set] the array must be of shape {self.shape} and type {self.dtype}; got {ary.shape}, {ary.dtype}"
            )
        self.gpudata.write(np.ascontiguousarray(ary))

    def fill(self, value):
        self.gpudata.write(np.full(self.shape, value, self.dtype))
        return self

    def copy(self):
        return self._map("X", self.dtype)

    def astype(self, dtype):
        return self._map("X", np.dtype(dtype))

    def reshape(self, *shape):
        """The same elements in another shape."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        known = -math.prod(shape)
        shape = tuple(self.size // known if n == -1 and known > 0 else n for n in shape)
        if math.prod(shape) != self.size or any(n < 0 for n in shape):
            raise ValueError(f"[reshape] an array of shape {self.shape} has no shape {shape}")
        return GPUArray(shape, self.dtype, gpudata=self.gpudata)

    def ravel(self):
        return self.reshape(self.size)

    # ---- arithmetic ----

    def _common(self, other):
        if isinstance(other, GPUArray):
            return np.result_type(self.dtype, other.dtype)
        return np.result_type(np.empty(1, self.dtype), other)

    def _map(self, expression, dtype, other=None, swapped=False, target=None):
        operands = [self] if other is None else [other, self] if swapped else [self, other]
        inputs = tuple((x.dtype.name, True) if isinstance(x, GPUArray) else (dtype.name, False) for x in operands)
        for operand in operands:
            if isinstance(operand, GPUArray) and operand.shape != self.shape:
                raise ValueError(f"[GPUArray] shapes must agree; got {self.shape} and {operand.shape}")
        target = GPUArray(self.shape, dtype) if target is None else target
        operands = [x if isinstance(x, GPUArray) else dtype.type(x) for x in operands]
        _map_kernel(expression, dtype.name, inputs)(target, *operands)
        return target

    __add__ = _binary("X + Y")
    __radd__ = _binary("X + Y", swapped=True)
    __sub__ = _binary("X - Y")
    __rsub__ = _binary("X - Y", swapped=True)
    __mul__ = _binary("X * Y")
    __rmul__ = _binary("X * Y", swapped=True)
    __truediv__ = _binary("X / Y", real=True)
    __rtruediv__ = _binary("X / Y", swapped=True, real=True)
    __pow__ = _binary("pow(X, Y)", real=True)
    __rpow__ = _binary("pow(X, Y)", swapped=True, real=True)
    __iadd__ = _in_place("X + Y")
    __isub__ = _in_place("X - Y")
    __imul__ = _in_place("X * Y")
    __array_ufunc__ = None  # NumPy's numbers leave operators to these

    def __itruediv__(self, other):
        if self.dtype.kind != "f":
            raise TypeError(f"[GPUArray] a quotient is not of type {self.dtype}")
        return self._map("X / Y", self.dtype, other, False, self)

    def __neg__(self):
        return self._map("-X", self.dtype)

    def __abs__(self):
        return self._map("X < 0 ? -X : X" if self.dtype.kind == "i" else "fabs(X)", self.dtype)


# ---- new arrays ----


def to_gpu(ary, allocator=None):
    """With the elements of a NumPy array."""
    ary = np.asarray(ary)
    array = GPUArray(ary.shape, ary.dtype)
    array.gpudata.write(np.ascontiguousarray(ary))
    return array


def empty(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, order=order)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, order=order).fill(0)


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, order=order).fill(1)


def empty_like(other):
    return GPUArray(other.shape, other.dtype)


def zeros_like(other):
    return empty_like(other).fill(0)


def ones_like(other):
    return empty_like(other).fill(1)


def arange(*args, dtype=None):
    return to_gpu(np.arange(*args, dtype=dtype))


# ---- reductions, to arrays without dimensions ----


def _combined(neutral, combine, dtype, mapped, *arrays):
    kernel = _reduce_kernel(neutral, combine, dtype.name, mapped, tuple(a.dtype.name for a in arrays))
    return kernel(*arrays)


def sum(a, dtype=None, stream=None):
    dtype = np.zeros(0, a.dtype).sum(dtype=dtype).dtype
    return to_gpu(_combined("0", "a + b", dtype, "x[i]", a))


def dot(a, b, dtype=None, stream=None):
    """The sum of the products of elements."""
    dtype = np.result_type(a.dtype, b.dtype) if dtype is None else np.dtype(dtype)
    wide = np.zeros(0, dtype).sum().dtype
    return to_gpu(_combined("0", "a + b", wide, f"({_c_name(wide)})x[i] * y[i]", a, b).astype(dtype))


def _extreme(name, sign, lowest):
    def function(a, stream=None):
        if a.size == 0:
            raise ValueError(f"[{name}] of no elements")
        wide = a.dtype if a.dtype.kind == "f" else np.dtype("int64" if a.dtype.kind == "i" else "uint64")
        # The first element is neutral; NaN propagates.
        combine = f"a != a || a {sign} b ? a : b"
        neutral = lowest if wide.kind == "f" else str(getattr(np.iinfo(wide), "min" if sign == ">" else "max"))
        if wide.name == "int64" and sign == ">":
            neutral = "(-9223372036854775807LL - 1)"
        elif wide.kind == "u":
            neutral += "ULL"
        return to_gpu(_combined(neutral, combine, wide, "x[i]", a).astype(a.dtype))

    function.__name__ = name
    return function


max = _extreme("max", ">", "-INFINITY")
min = _extreme("min", "<", "INFINITY")
