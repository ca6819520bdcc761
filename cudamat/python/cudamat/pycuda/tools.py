"""What programs ask of PyCUDA's tools: a context, limits of the device, pools of memory."""

import functools

import numpy as np

from . import driver, gpuarray

__all__ = [
    *("DeviceData", "DeviceMemoryPool", "PageLockedMemoryPool", "ScalarArg", "VectorArg", "clear_context_caches"),
    *("context_dependent_memoize", "dtype_to_ctype", "get_default_device", "make_default_context", "mark_cuda_test"),
]


def get_default_device(default=0):
    return driver.Device(default)


def make_default_context(ctx_maker=None):
    """The context that there always is."""
    return driver.Context if ctx_maker is None else ctx_maker(get_default_device())


def clear_context_caches():
    """Does nothing."""


context_dependent_memoize = functools.lru_cache(maxsize=None)


def mark_cuda_test(function):
    """The function itself: there is a device always."""
    return function


class DeviceData:
    """Limits of a launch, those that are checked, and what CUDA says of every device."""

    def __init__(self, dev=None):
        self.max_threads = driver._ATTRIBUTES["MAX_THREADS_PER_BLOCK"]
        self.warp_size = driver._ATTRIBUTES["WARP_SIZE"]
        self.warps_per_mp = 64
        self.thread_blocks_per_mp = 16
        self.registers = driver._ATTRIBUTES["MAX_REGISTERS_PER_BLOCK"]
        self.shared_memory = driver._ATTRIBUTES["MAX_SHARED_MEMORY_PER_BLOCK"]
        self.smem_granularity = 32
        self.smem_alloc_granularity = 256
        self.reg_alloc_granularity = 256

    @staticmethod
    def align_bytes(word_size=4):
        return 128 if word_size > 8 else 64 if word_size > 4 else 32

    @classmethod
    def align(cls, bytes, word_size=4):
        return -(-bytes // cls.align_bytes(word_size)) * cls.align_bytes(word_size)

    @classmethod
    def align_words(cls, words, word_size):
        return cls.align(words * word_size, word_size) // word_size

    @classmethod
    def align_dtype(cls, elements, dtype_size):
        return cls.align_words(elements, dtype_size)


class DeviceMemoryPool:
    """allocate(nbytes) is memory of the device, kept for others when it is freed: cudamat keeps it."""

    held_blocks = 0

    def allocate(self, nbytes):
        return driver.mem_alloc(nbytes)

    __call__ = allocate

    def free_held(self):
        """Does nothing."""

    def stop_holding(self):
        """Does nothing."""


class PageLockedMemoryPool:
    """allocate(shape, dtype) is an array of NumPy's."""

    held_blocks = 0

    def allocate(self, shape, dtype, order="C"):
        return np.empty(shape, dtype, order)

    def free_held(self):
        """Does nothing."""

    def stop_holding(self):
        """Does nothing."""


def dtype_to_ctype(dtype):
    """"float" of float32."""
    return gpuarray._c_name(dtype)


class VectorArg:
    """An array, among the arguments of a kernel from an expression."""

    def __init__(self, dtype, name, with_offset=False):
        self.dtype, self.name = np.dtype(dtype), name

    def declarator(self):
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(VectorArg):
    """A number, among the arguments of a kernel from an expression."""

    def declarator(self):
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


def _declared(arguments):
    """A text, VectorArgs and ScalarArgs, or what has a text."""
    if isinstance(arguments, (list, tuple)):
        return ", ".join(argument.declarator() for argument in arguments)
    return driver._text(arguments)
