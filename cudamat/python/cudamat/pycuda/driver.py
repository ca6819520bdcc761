"""Memory, copies, kernels and events. All calls run one after the other: a stream given to one changes nothing."""

import functools
import operator
import os
import re
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


class _Names:
    """Names of things that PyCUDA's programs pass, and that change nothing."""

    def __init__(self, **names):
        self.__dict__.update(names)


class DeviceAttribute(str):
    """The name of an attribute of devices."""

    def __repr__(self):
        return f"device_attribute.{self}"


_ATTRIBUTES = {
    **{"MAX_THREADS_PER_BLOCK": 1024, "MAX_BLOCK_DIM_X": 1024, "MAX_BLOCK_DIM_Y": 1024, "MAX_BLOCK_DIM_Z": 64},
    **{"MAX_GRID_DIM_X": 2147483647, "MAX_GRID_DIM_Y": 65535, "MAX_GRID_DIM_Z": 65535},
    **{"MAX_SHARED_MEMORY_PER_BLOCK": 49152, "WARP_SIZE": 32},
    **{"TOTAL_CONSTANT_MEMORY": 65536, "MAX_REGISTERS_PER_BLOCK": 65536},
}
_OF_THIS_DEVICE = "COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MULTIPROCESSOR_COUNT", "CLOCK_RATE"
device_attribute = _Names(**{name: DeviceAttribute(name) for name in (*_ATTRIBUTES, *_OF_THIS_DEVICE)})
func_cache = _Names(PREFER_NONE=0, PREFER_SHARED=1, PREFER_L1=2, PREFER_EQUAL=3)
shared_config = _Names(DEFAULT_BANK_SIZE=0, FOUR_BYTE_BANK_SIZE=1, EIGHT_BYTE_BANK_SIZE=2)
ctx_flags = _Names(
    SCHED_AUTO=0, SCHED_SPIN=1, SCHED_YIELD=2, SCHED_BLOCKING_SYNC=4, BLOCKING_SYNC=4, MAP_HOST=8, LMEM_RESIZE_TO_MAX=16
)
event_flags = _Names(DEFAULT=0, BLOCKING_SYNC=1, DISABLE_TIMING=2)
host_alloc_flags = _Names(PORTABLE=1, DEVICEMAP=2, WRITECOMBINED=4)


@functools.lru_cache(maxsize=None)
def _capability():
    """Of the GPU that the kernels are compiled for; of the CPU what its kernels may use."""
    source = "__global__ void f(int* x) {\n#ifdef __CUDA_ARCH__\nx[0] = __CUDA_ARCH__;\n#else\nx[0] = 700;\n#endif\n}"
    number = np.zeros(1, np.int32)
    _cudamat.SourceModule(source).get_function("f")(Out(number), block=1)
    return int(number[0]) // 100, int(number[0]) // 10 % 10


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

    def compute_capability(self):
        """(9, 0) of a GPU; (7, 0) of the CPU."""
        return _capability()

    def total_memory(self):
        """Bytes."""
        return mem_get_info()[1]

    def get_attribute(self, attribute):
        """What a launch may have at most, the compute capability, and what tells how fast the device is: the CPU is one
        multiprocessor."""
        try:
            return self.get_attributes()[attribute]
        except KeyError:
            raise LogicError(f"[get_attribute] there are {', '.join(self.get_attributes())}; got {attribute}") from None

    def get_attributes(self):
        of_this_device = zip(_OF_THIS_DEVICE, (*_capability(), *_cudamat._device_speed()))
        all_of_them = {**_ATTRIBUTES, **dict(of_this_device)}
        return {DeviceAttribute(name): value for name, value in all_of_them.items()}

    def make_context(self, flags=0):
        return Context

    retain_primary_context = make_context

    def __eq__(self, other):
        return isinstance(other, Device)

    def __hash__(self):
        return 0


class Context:
    """There is one, always: making it, pushing and popping it do nothing."""

    @staticmethod
    def synchronize():
        """Waits for what was queued."""
        _synchronize()

    @staticmethod
    def get_device():
        return Device(0)

    @staticmethod
    def get_current():
        return Context

    @staticmethod
    def push():
        pass

    @staticmethod
    def pop():
        pass

    @staticmethod
    def detach():
        pass

    @staticmethod
    def set_cache_config(config):
        pass

    @staticmethod
    def set_shared_config(config):
        pass


def get_version():
    """Of the CUDA whose driver this module is like."""
    return 12, 0, 0


def get_driver_version():
    return 12000


def mem_get_info():
    """Free bytes and all: of the GPU, or of the machine."""
    return _cudamat._memory_info()


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
    """Bytes on the device. As an argument it has elements of its parameter's type. int(allocation) is its address,
    which programs may add to, pass to kernels and copies, and write into memory for kernels to find."""


def _found(where):
    """The memory of an allocation, of part of one, of an array, or from an address on."""
    if isinstance(where, _cudamat._DeviceMemory):
        return where
    if hasattr(where, "gpudata"):
        return _found(where.gpudata)
    return _cudamat._find_memory(operator.index(where))


def mem_alloc(nbytes):
    return DeviceAllocation(int(nbytes))


def mem_alloc_like(ary):
    """Memory for as many bytes as the array has."""
    return mem_alloc(ary.nbytes)


def memcpy_htod(dest, src):
    """The array's bytes to the device."""
    _found(dest).write(np.asarray(src))


def memcpy_dtoh(dest, src):
    """Fills the array from the device."""
    _found(src).read(dest)


def memcpy_dtod(dest, src, size):
    """From one allocation to another."""
    between = np.empty(size, np.uint8)
    memcpy_dtoh(between, src)
    memcpy_htod(dest, between)


def memcpy_dtod_async(dest, src, size, stream=None):
    memcpy_dtod(dest, src, size)


def _memset(dtype):
    def memset(dest, data, count):
        memcpy_htod(dest, np.full(count, data, dtype))

    memset.__doc__ = f"Writes `count` numbers of {8 * np.dtype(dtype).itemsize} bits."
    return memset


memset_d8, memset_d16, memset_d32 = _memset(np.uint8), _memset(np.uint16), _memset(np.uint32)


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
    memcpy_dtoh(array, devptr)
    return array


def from_device_like(devptr, other):
    """A new array of the other's shape, type and order."""
    return from_device(devptr, other.shape, other.dtype, _order_of(other))


def _order_of(array):
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    return np.empty(shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    return np.zeros(shape, dtype, order)


def pagelocked_empty_like(array, mem_flags=0):
    return np.empty(array.shape, array.dtype, _order_of(array))


def pagelocked_zeros_like(array, mem_flags=0):
    return np.zeros(array.shape, array.dtype, _order_of(array))


# ---- kernels ----


class Function:
    """A kernel: called with its arguments, block=(x, y, z), grid=(x, y), shared=bytes."""

    def __init__(self, kernel):
        self._kernel = kernel

    # What PyCUDA tells of the compiled code, and nobody knows here.
    num_regs = shared_size_bytes = local_size_bytes = const_size_bytes = 0
    max_threads_per_block = _ATTRIBUTES["MAX_THREADS_PER_BLOCK"]

    def __repr__(self):
        return repr(self._kernel)

    def set_cache_config(self, config):
        """Does nothing."""

    def set_shared_config(self, config):
        """Does nothing."""

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


# Options of nvcc that change no result: how much is optimised, for which device, what is printed. Those with a value
# have it after "=", or as the option that follows.
_NEEDLESS = (
    *("-use_fast_math", "--use_fast_math", "-g", "-G", "-w", "--disable-warnings", "-lineinfo", "--generate-line-info"),
    *("-keep", "--keep", "-v", "--verbose", "-restrict", "--restrict", "-res-usage", "--resource-usage", "-m64"),
)
_NEEDLESS_WITH_VALUE = (
    *("-O", "--optimize", "-std", "--std", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode"),
    *("--generate-code", "-m", "--machine", "-maxrregcount", "--maxrregcount", "-rdc", "--relocatable-device-code"),
    *("-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad"),
    *("-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options", "-ccbin", "--compiler-bindir"),
)


def _read_options(what, options, include_dirs=()):
    """The definitions among nvcc's options, and the folders of headers."""
    defines, folders, options = [], list(include_dirs), [str(option) for option in options or ()]
    at = 0
    while at < len(options):
        option = options[at]
        at += 1
        for short, long, found in (("-I", "--include-path", folders), ("-D", "--define-macro", defines)):
            if option in (short, long) and at < len(options):
                found.append(options[at])
                at += 1
            elif option.startswith(long + "="):
                found.append(option[len(long) + 1 :])
            elif option.startswith(short) and len(option) > 2:
                found.append(option[2:])
            else:
                continue
            break
        else:
            if option in _NEEDLESS_WITH_VALUE:
                at += 1
            elif not option.startswith(_NEEDLESS + _NEEDLESS_WITH_VALUE):
                raise NotImplementedError(f"[{what}] there is no option '{option}'; there are -D and -I")
    return defines, folders


def _refuse_headers(what, source, folders):
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', source, re.MULTILINE):
        for folder in folders:
            if os.path.exists(os.path.join(folder, name)):
                raise NotImplementedError(
                    f"[{what}] the source includes '{name}' of {folder}: put the header's text into the source"
                )


def _text(source):
    """What is no text is asked for one: templates are."""
    return source.decode() if isinstance(source, bytes) else str(source)


def _defined(what, options, preamble):
    """The preamble of a kernel from an expression, with what options define."""
    defines, folders = _read_options(what, options)
    preamble = _text(preamble)
    _refuse_headers(what, preamble, folders)
    lines = ["#define " + define.replace("=", " ", 1) if "=" in define else f"#define {define} 1" for define in defines]
    return "\n".join([*lines, preamble])


class SourceModule:
    """CUDA C++ source, compiled; cudamat.SourceModule says how. check=True: on the CPU, where there is a GPU, too. Of
    options, those that optimise or name a device or a standard of C++ are omitted."""

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
        source = _text(source)
        defines, folders = _read_options("SourceModule", options, include_dirs or ())
        _refuse_headers("SourceModule", source, folders)
        flags = ["-D" + define for define in defines]
        self._module = _cudamat.SourceModule(source, options=flags, check=check)

    def get_function(self, name):
        return Function(self._module.get_function(name))

    def get_global(self, name):
        raise NotImplementedError(f"[SourceModule] there is no get_global: pass '{name}' as an argument of the kernel")


__all__ = [
    *("CompileError", "Context", "Device", "DeviceAllocation", "Error", "Event", "Function", "In", "InOut"),
    *("LaunchError", "LogicError", "MemoryError", "Out", "SourceModule", "Stream", "ctx_flags", "device_attribute"),
    *("event_flags", "from_device", "from_device_like", "func_cache", "get_driver_version", "get_version"),
    *("host_alloc_flags", "init", "mem_alloc", "mem_alloc_like", "mem_get_info", "memcpy_dtod", "memcpy_dtod_async", "memcpy_dtoh"),
    *("memcpy_dtoh_async", "memcpy_htod", "memcpy_htod_async", "memset_d16", "memset_d32", "memset_d8"),
    *("pagelocked_empty", "pagelocked_empty_like", "pagelocked_zeros", "pagelocked_zeros_like", "shared_config", "to_device"),
]
