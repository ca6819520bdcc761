"""Arrays on the device. What they compute, kernels compute that are compiled at their first use; NumPy says of which
type."""

import builtins
import collections
import functools
import math
import numbers

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


# What NumPy means by // and %.
_PREAMBLE = """
template <class T> __device__ bool is_minus_one(T b) {
  return b < 0 && T(b + 1) == 0;
}
template <class T> __device__ T whole_quotient(T a, T b) {
  if (is_minus_one(b)) return T(0 - (unsigned long long)a);
  return b == 0 ? T(0) : T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
template <class T> __device__ T whole_rest(T a, T b) {
  if (b == 0 || is_minus_one(b)) return T(0);
  const T rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
}
template <class T> __device__ T real_rest(T a, T b) {
  const T rest = fmod(a, b);
  if (rest == 0) return copysign(T(0), b);
  return (rest < 0) != (b < 0) ? T(rest + b) : rest;
}
template <class T> __device__ T real_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T rest = fmod(a, b);
  const T quotient = (a - rest) / b - T(rest != 0 && (rest < 0) != (b < 0));
  if (quotient == 0) return copysign(T(0), a / b);
  const T below = floor(quotient);
  return quotient - below > T(0.5) ? T(below + 1) : below;
}
"""


@functools.lru_cache(maxsize=None)
def _map_kernel(expression, result, compute, inputs):
    """z[i] = expression, where x, y, ... are the inputs: (dtype, whether an array)."""
    arguments, values = [f"{_c_name(result)} *z"], expression
    for name, (dtype, is_array) in zip("xywv", inputs):
        arguments.append(f"const {_c_name(dtype)} *{name}" if is_array else f"{_c_name(dtype)} {name}")
        values = values.replace(name.upper(), f"({_c_name(compute)}){name}" + "[i]" * is_array)
    preamble = _PREAMBLE if "quotient" in values or "rest" in values else ""
    return _cudamat.ElementwiseKernel(", ".join(arguments), f"z[i] = {values}", "map", preamble=preamble)


def _apply(expression, dtype, *operands, target=None, compute=None):
    """The expression of each element of X, Y, W, V, which are arrays or numbers and are converted to the type `compute`
    first. An array without dimensions counts as a number."""
    dtype = np.dtype(dtype)
    compute = dtype if compute is None else np.dtype(compute)
    shaped = [x for x in operands if isinstance(x, GPUArray) and x.shape]
    if shaped:
        operands = [x.get()[()] if isinstance(x, GPUArray) and not x.shape else x for x in operands]
    arrays = shaped or [x for x in operands if isinstance(x, GPUArray)]
    for other in [*arrays[1:], *([] if target is None else [target])]:
        if other.shape != arrays[0].shape:
            raise ValueError(f"[GPUArray] shapes must agree; got {arrays[0].shape} and {other.shape}")
    order = arrays[0]._common_order(*arrays[1:], *([] if target is None else [target]))
    inputs = tuple((x.dtype.name, True) if isinstance(x, GPUArray) else (compute.name, False) for x in operands)
    target = GPUArray(arrays[0].shape, dtype, order=order) if target is None else target
    if target.size:
        values = [x if isinstance(x, GPUArray) else compute.type(x) for x in operands]
        _map_kernel(expression, dtype.name, compute.name, inputs)(target, *values)
    return target


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


def _comparison(sign):
    def method(self, other):
        if not isinstance(other, (GPUArray, numbers.Number, np.generic)):
            return NotImplemented
        return _apply(f"X {sign} Y", "bool", self, other, compute=self._common(other))

    return method


def _whole(whole, real, swapped=False, in_place=False):
    def method(self, other):
        common = self._common(other)
        dtype, target = (self.dtype, self) if in_place else (common, None)
        operands = (other, self) if swapped else (self, other)
        return _apply(real if common.kind == "f" else whole, dtype, *operands, target=target, compute=common)

    return method


def _in_place(expression, real=False):
    def method(self, other):
        if real and self.dtype.kind != "f":
            raise TypeError(f"[GPUArray] quotients and powers are not of type {self.dtype}")
        self._map(expression, self.dtype, other, False, self)
        return self

    return method


class _Elements:
    """What NumPy makes an array of, without a copy; it keeps the memory, though that may be freed."""

    def __init__(self, array):
        self.__array_interface__, self.memory = array._interface(), array.gpudata.hold()


_Flags = collections.namedtuple("Flags", "c_contiguous f_contiguous forc")


class GPUArray:
    """Elements in C order, or, with order="F", in Fortran's. get() is a NumPy array of them, set(array) writes them;
    a[i], a[i:j] and a.T are other arrays of the same elements."""

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        if order not in ("C", "F"):
            raise ValueError(f"[GPUArray] order is 'C' or 'F'; got {order!r}")
        self.shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
        self.dtype = np.dtype(dtype)
        self.size = math.prod(self.shape)
        self.itemsize = self.dtype.itemsize
        self.nbytes = self.size * self.itemsize
        self.mem_size = self.size
        self.order, self.base = order, base
        if strides is not None and tuple(strides) != self.strides:
            raise NotImplementedError(f"[GPUArray] elements lie without gaps, in order {order}; got strides {strides}")
        self.allocator = driver.mem_alloc if allocator is None else allocator
        self.gpudata = driver._found(self.allocator(self.nbytes) if gpudata is None else gpudata)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def strides(self):
        lengths = self.shape if self.order == "F" else self.shape[::-1]
        steps = [self.itemsize * math.prod(lengths[:axis]) for axis in range(self.ndim)]
        return tuple(steps if self.order == "F" else steps[::-1])

    @property
    def flags(self):
        """c_contiguous, f_contiguous, forc."""
        both = self.size == 0 or builtins.sum(n != 1 for n in self.shape) <= 1
        return _Flags(both or self.order == "C", both or self.order == "F", True)

    @property
    def ptr(self):
        """The address of the first element."""
        return int(self.gpudata)

    @property
    def T(self):
        """Its axes the other way round; the same elements."""
        order = "F" if self.order == "C" else "C"
        return GPUArray(self.shape[::-1], self.dtype, order=order, **self._same())

    def transpose(self, axes=None):
        if axes is not None and tuple(axes) != tuple(range(self.ndim))[::-1]:
            raise NotImplementedError(f"[transpose] axes are taken the other way round alone; got {axes}")
        return self.T

    def _same(self, offset=0):
        return {"gpudata": self.gpudata.part(offset) if offset else self.gpudata, "base": self}

    def _common_order(self, *others):
        orders = {x.order for x in (self, *others) if not (x.flags.c_contiguous and x.flags.f_contiguous)}
        if len(orders) > 1:
            raise ValueError("[GPUArray] arrays must be in one order; got one in C order and one in Fortran's")
        return orders.pop() if orders else self.order

    def __len__(self):
        if not self.shape:
            raise TypeError("[GPUArray] an array without dimensions has no len()")
        return self.shape[0]

    def __bool__(self):
        if self.size != 1:
            raise ValueError("[GPUArray] the truth of an array with other than one element is ambiguous: get() it")
        return bool(self.get().item())

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __getitem__(self, index):
        """A number or a slice with step 1, of the first axis; the same elements."""
        if index is Ellipsis or (isinstance(index, tuple) and len(index) == 0):
            return self
        if isinstance(index, tuple) and len(index) == 1:
            index = index[0]
        rows = self.shape and self.flags.c_contiguous
        if isinstance(index, (int, np.integer)) and rows:
            if not -len(self) <= index < len(self):
                raise IndexError(f"[GPUArray] there are {len(self)} elements on the first axis; got index {index}")
            shape, first = self.shape[1:], int(index) % len(self)
        elif isinstance(index, slice) and rows and index.step in (None, 1):
            first, last, _ = index.indices(len(self))
            shape = (builtins.max(last - first, 0), *self.shape[1:])
        else:
            raise NotImplementedError(
                f"[GPUArray] of an array in C order there are a[i] and a[i:j], of the first axis; got {index!r}"
            )
        return GPUArray(shape, self.dtype, **self._same(first * math.prod(self.shape[1:]) * self.itemsize))

    def __setitem__(self, index, value):
        part = self[index]
        if isinstance(value, GPUArray) and value.shape == part.shape:
            part._assign(value)
        elif np.ndim(value) == 0 and not isinstance(value, GPUArray):
            part.fill(value)
        else:
            part.set(value)

    def _assign(self, value):
        _apply("X", self.dtype, value, target=self)

    def get(self, ary=None, pagelocked=False, stream=None):
        """A NumPy array; or fills this one, of the same number of bytes."""
        ary = np.empty(self.shape, self.dtype, self.order) if ary is None else ary
        if ary.nbytes != self.nbytes:
            raise ValueError(f"[get] the array must have {self.nbytes} bytes; got {ary.nbytes}")
        if getattr(ary.flags, "f_contiguous" if self.order == "F" else "c_contiguous"):
            self.gpudata.read(ary)
        else:
            ary[...] = self.get().reshape(ary.shape)
        return ary

    def get_async(self, stream=None, ary=None):
        return self.get(ary)

    def set(self, ary, stream=None):
        """Writes the elements of an array of this shape and type."""
        if isinstance(ary, GPUArray):
            return self._assign(ary)
        ary = np.asarray(ary)
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"[set] the array must be of shape {self.shape} and type {self.dtype}; got {ary.shape}, {ary.dtype}"
            )
        self.gpudata.write(np.asarray(ary, order=self.order))

    def set_async(self, ary, stream=None):
        self.set(ary)

    def fill(self, value, stream=None):
        self.gpudata.write(np.full(self.shape, value, self.dtype))
        return self

    def copy(self):
        return self._map("X", self.dtype)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return to_gpu, (self.get(),)

    def astype(self, dtype):
        return self._map("X", np.dtype(dtype))

    def reshape(self, *shape, order="C"):
        """The same elements in another shape."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        known = -math.prod(shape)
        shape = tuple(self.size // known if n == -1 and known > 0 else n for n in shape)
        if math.prod(shape) != self.size or any(n < 0 for n in shape):
            raise ValueError(f"[reshape] an array of shape {self.shape} has no shape {shape}")
        if not getattr(self.flags, order.lower() + "_contiguous"):
            raise ValueError(f"[reshape] the elements are not in {order} order; got order='{order}'")
        return GPUArray(shape, self.dtype, order=order, **self._same())

    def ravel(self, order="C"):
        return self.reshape(self.size, order=order)

    def view(self, dtype=None):
        """The same bytes as elements of another type of the same size."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        if dtype.itemsize != self.itemsize:
            raise ValueError(f"[view] types must be of one size; got {self.dtype} and {dtype}")
        return GPUArray(self.shape, dtype, order=self.order, **self._same())

    def squeeze(self):
        return GPUArray([n for n in self.shape if n != 1], self.dtype, order=self.order, **self._same())

    # ---- elements for other libraries ----

    def _interface(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.ptr if self.size else 0, False),
            "strides": None if self.flags.c_contiguous else self.strides,
            "version": 3,
        }

    @property
    def __cuda_array_interface__(self):
        """Of an array on a GPU; on the CPU there is none, and __dlpack__ is there."""
        if not self.gpudata.on_gpu:
            raise AttributeError("[GPUArray] the array is on the CPU: __dlpack__ shares its elements")
        return self._interface()

    def __dlpack_device__(self):
        if self.gpudata.on_gpu:
            raise BufferError("[GPUArray] the array is on a GPU: __cuda_array_interface__ shares its elements")
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The same elements, or with copy=True others, of an array on the CPU."""
        here = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != here:
            raise BufferError(f"[GPUArray] the array is on the CPU, device {here}; got {dl_device}")
        if copy or not self.size:
            return self.get().__dlpack__()
        self.gpudata.mark_written()  # by whom it is shared with
        return np.asarray(_Elements(self)).__dlpack__()

    # ---- arithmetic ----

    def _common(self, other):
        if isinstance(other, GPUArray):
            return np.result_type(self.dtype, other.dtype)
        return np.result_type(np.empty(1, self.dtype), other)

    def _map(self, expression, dtype, other=None, swapped=False, target=None):
        operands = [self] if other is None else [other, self] if swapped else [self, other]
        return _apply(expression, dtype, *operands, target=target)

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
    __floordiv__ = _whole("whole_quotient(X, Y)", "real_quotient(X, Y)")
    __rfloordiv__ = _whole("whole_quotient(X, Y)", "real_quotient(X, Y)", swapped=True)
    __mod__ = _whole("whole_rest(X, Y)", "real_rest(X, Y)")
    __rmod__ = _whole("whole_rest(X, Y)", "real_rest(X, Y)", swapped=True)
    __eq__ = _comparison("==")
    __ne__ = _comparison("!=")
    __lt__ = _comparison("<")
    __le__ = _comparison("<=")
    __gt__ = _comparison(">")
    __ge__ = _comparison(">=")
    __hash__ = None
    __iadd__ = _in_place("X + Y")
    __isub__ = _in_place("X - Y")
    __imul__ = _in_place("X * Y")
    __itruediv__ = _in_place("X / Y", real=True)
    __ipow__ = _in_place("pow(X, Y)", real=True)
    __ifloordiv__ = _whole("whole_quotient(X, Y)", "real_quotient(X, Y)", in_place=True)
    __imod__ = _whole("whole_rest(X, Y)", "real_rest(X, Y)", in_place=True)
    __array_ufunc__ = None  # NumPy's numbers leave operators to these

    def __neg__(self):
        return self._map("-X", self.dtype)

    def __abs__(self):
        return self._map("X < 0 ? -X : X" if self.dtype.kind == "i" else "fabs(X)", self.dtype)

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """selffac * self + otherfac * other"""
        dtype = self._common(other) if out is None else out.dtype
        return _apply("Y * X + V * W", dtype, self, selffac, other, otherfac, target=out)


# ---- new arrays ----


def to_gpu(ary, allocator=None):
    """With the elements of a NumPy array: in Fortran's order where that has them so, else in C order."""
    ary = np.asarray(ary)
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    array = GPUArray(ary.shape, ary.dtype, allocator, order=order)
    array.gpudata.write(np.asarray(ary, order=order))
    return array


def to_gpu_async(ary, allocator=None, stream=None):
    return to_gpu(ary, allocator)


def empty(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator, order=order).fill(0)


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator, order=order).fill(1)


def empty_like(other, dtype=None, order="K"):
    """Of the other's shape; of its type and, with order "K" or "A", its order, unless others are given."""
    dtype = other.dtype if dtype is None else dtype
    return GPUArray(other.shape, dtype, order=other.order if order in ("K", "A") else order)


def zeros_like(other, dtype=None, order="K"):
    return empty_like(other, dtype, order).fill(0)


def ones_like(other, dtype=None, order="K"):
    return empty_like(other, dtype, order).fill(1)


def arange(*args, dtype=None):
    return to_gpu(np.arange(*args, dtype=dtype))


# ---- functions of arrays ----


def _common(*operands):
    array = next((x for x in operands if isinstance(x, GPUArray)), None)
    if array is None:
        return np.result_type(*operands)
    return functools.reduce(lambda dtype, x: np.result_type(dtype, array._common(x)), operands, array.dtype)


def maximum(a, b, out=None, stream=None):
    """The larger of each two; NaN if one is."""
    return _apply("(X != X || X > Y) ? X : Y", _common(a, b) if out is None else out.dtype, a, b, target=out)


def minimum(a, b, out=None, stream=None):
    """The smaller of each two; NaN if one is."""
    return _apply("(X != X || X < Y) ? X : Y", _common(a, b) if out is None else out.dtype, a, b, target=out)


def _chosen(truths, a, b, out):
    dtype = _common(a, b) if out is None else out.dtype
    return _apply("X != 0 ? Y : W", dtype, truths, a, b, target=out)


def if_positive(criterion, then_, else_, out=None, stream=None):
    """then_ where the criterion is > 0, else_ elsewhere."""
    return _chosen(criterion > 0, then_, else_, out)


def where(condition, a, b, out=None, stream=None):
    """a where the condition is not 0, b elsewhere."""
    return _chosen(condition != 0, a, b, out)


def take(a, indices, out=None, stream=None):
    """a[indices], of an array with one dimension. On a GPU nobody looks whether there are such indices."""
    if a.ndim != 1 or indices.dtype.kind not in "iu":
        raise ValueError(f"[take] an array with one dimension, and whole indices; got {a.shape}, {indices.dtype}")
    out = GPUArray(indices.shape, a.dtype, order=indices.order) if out is None else out
    if out.shape != indices.shape:
        raise ValueError(f"[take] out must be of the indices' shape, {indices.shape}; got {out.shape}")
    if indices.size:
        threads = builtins.min(256, indices.size)
        kernel = _take_kernel(a.dtype.name, indices.dtype.name)
        kernel(out, a, indices, indices.size, block=threads, grid=-(-indices.size // threads))
    return out


@functools.lru_cache(maxsize=None)
def _take_kernel(dtype, index):
    element, number = _c_name(dtype), _c_name(index)
    return _cudamat.SourceModule(
        f"__global__ void take({element} *z, const {element} *x, const {number} *at, long long n)\n"
        "{ const long long i = threadIdx.x + (long long)blockDim.x * blockIdx.x; if (i < n) z[i] = x[at[i]]; }"
    ).get_function("take")


def transpose(a, axes=None):
    return a.transpose(axes)


def reshape(a, *shape, **order):
    return a.reshape(*shape, **order)


# ---- reductions, to arrays without dimensions ----


def _combined(neutral, combine, dtype, mapped, *arrays):
    arrays[0]._common_order(*arrays[1:])
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
