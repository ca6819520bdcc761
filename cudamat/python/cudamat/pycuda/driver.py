"""Memory, copies, kernels and events. All calls run one after the other: a stream given to one changes nothing."""

import time

import numpy as np

from .. import CUDAMatException, In, InOut, KernelFault, Out, OutOfMemory, _cudamat

Error = LogicError = CompileError = CUDAMatException
LaunchError = KernelFault
MemoryError = OutOfMemory


# ---- devices ----


def init(flags=0):
    """Does nothing."""


def _synchronize():
    _cudamat.cuda_sync_threads()


class Device:
    """The device that kernels run on: a GPU, or the CPU."""

    def __init__(self, number):
        if number != 0:
            raise LogicError(f"[Device] there is device 0; got {number}")

    @staticmethod
    def count():
        return 1

    def name(self):
        return _cudamat.kernels_run_on()


class Context:
    @staticmethod
    def synchronize():
        """Waits for what was queued."""
        _synchronize()


class Stream:
    def __init__(self, flags=0):
        pass

    def synchronize(self):
        _synchronize()


class Event:
    """A point of time, when all that came before was done."""

    def __init__(self, flags=0):
        self._time = None

    def record(self, stream=None):
        _synchronize()
        self._time = time.perf_counter()
        return self

    def synchronize(self):
        return self

    def query(self):
        return True

    def time_since(self, event):
        """Milliseconds."""
        return (self._time - event._time) * 1e3

    def time_till(self, event):
        """Milliseconds."""
        return event.time_since(self)


# ---- memory ----


class DeviceAllocation(_cudamat._DeviceMemory):
    """Bytes on the device. As an argument it has elements of its parameter's type."""


def mem_alloc(nbytes):
    return DeviceAllocation(int(nbytes))


def memcpy_htod(dest, src):
    """The array's bytes to the device."""
    dest.write(np.asarray(src))


def memcpy_dtoh(dest, src):
    """Fills the array from the device."""
    src.read(dest)


def memcpy_dtod(dest, src, size):
    """From one allocation to another."""
    between = np.empty(size, np.uint8)
    src.read(between)
    dest.write(between)


def memcpy_htod_async(dest, src, stream=None):
    memcpy_htod(dest, src)


def memcpy_dtoh_async(dest, src, stream=None):
    memcpy_dtoh(dest, src)


def to_device(array):
    """An allocation with the array's bytes."""
    array = np.asarray(array)
    allocation = mem_alloc(array.nbytes)
    allocation.write(array)
    return allocation


def from_device(devptr, shape, dtype, order="C"):
    """A new array with the allocation's bytes."""
    array = np.empty(shape, dtype, order)
    devptr.read(array)
    return array


def from_device_like(devptr, other):
    """A new array of the other's shape and type."""
    return from_device(devptr, other.shape, other.dtype)


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    return np.empty(shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    return np.zeros(shape, dtype, order)


# ---- kernels ----


class Function:
    """A kernel: called with its arguments, block=(x, y, z), grid=(x, y), shared=bytes."""

    def __init__(self, kernel):
        self._kernel = kernel

    def __repr__(self):
        return repr(self._kernel)

    def __call__(self, *args, block=None, grid=(1,), stream=None, shared=0, texrefs=(), time_kernel=False):
        """With time_kernel it returns the seconds that it took."""
        if texrefs:
            raise NotImplementedError("[Function] there are no textures: pass arrays")
        if not time_kernel:
            return self._kernel(*args, block=block, grid=grid, shared=shared)
        start = Event().record()
        self._kernel(*args, block=block, grid=grid, shared=shared)
        return Event().record().time_since(start) / 1e3

    def prepare(self, arg_types, texrefs=()):
        """The parameters' types are known from the source: does nothing, and returns self."""
        return self

    def prepared_call(self, grid, block, *args, shared_size=0):
        self(*args, block=block, grid=grid, shared=shared_size)

    def prepared_async_call(self, grid, block, stream, *args, shared_size=0):
        self(*args, block=block, grid=grid, shared=shared_size)

    def prepared_timed_call(self, grid, block, *args, shared_size=0):
        """Returns a function that returns the seconds."""
        seconds = self(*args, block=block, grid=grid, shared=shared_size, time_kernel=True)
        return lambda: seconds


class SourceModule:
    """CUDA C++ source, compiled; cudamat.SourceModule says how. check=True: on the CPU, where there is a GPU, too. Of
    options, those that optimise or name a device or a standard of C++ are left out."""

    def __init__(
        self,
        source,
        nvcc="nvcc",
        options=None,
        keep=False,
        no_extern_c=False,
        arch=None,
        code=None,
        cache_dir=None,
        include_dirs=(),
        *,
        check=False,
    ):
        if include_dirs:
            raise NotImplementedError("[SourceModule] there are no include_dirs: put the headers' text into the source")
        needless = ("-O", "-std", "--std", "-arch", "--gpu-architecture")
        defines = [option for option in options or () if not option.startswith(needless)]
        self._module = _cudamat.SourceModule(source, options=defines, check=check)

    def get_function(self, name):
        return Function(self._module.get_function(name))

    def get_global(self, name):
        raise NotImplementedError(f"[SourceModule] there is no get_global: pass '{name}' as an argument of the kernel")


__all__ = [
    *("CompileError", "Context", "Device", "DeviceAllocation", "Error", "Event", "Function", "In", "InOut"),
    *("LaunchError", "LogicError", "MemoryError", "Out", "SourceModule", "Stream", "from_device", "from_device_like"),
    *("init", "mem_alloc", "memcpy_dtod", "memcpy_dtoh", "memcpy_dtoh_async", "memcpy_htod", "memcpy_htod_async"),
    *("pagelocked_empty", "pagelocked_zeros", "to_device"),
]
