"""Kernels of users. NumPy judges; what is wrong must be reported as it is written here. Where there is a GPU, wrong
kernels run on the CPU all the same: check=True."""

import signal
import subprocess
import sys
import threading
import time

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest
from cudamat import ElementwiseKernel, In, InOut, KernelFault, Out, ReductionKernel, SourceModule

MULTIPLY_THEM = """
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
"""
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()
C_NAMES = ["bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long"]
C_NAMES += ["unsigned long long", "float", "double"]


def kernel(source, name="f", **options):
    return SourceModule(source, **options).get_function(name)


@pytest.fixture(scope="module")
def multiply_them():
    return kernel(MULTIPLY_THEM, "multiply_them", check=True)


@pytest.fixture(scope="module")
def fill():
    """Writes a number of each type into the first element."""
    source = "".join(
        f"__global__ void of_{dtype}({c} *x, {c} value) {{ x[0] = value; }}\n" for dtype, c in zip(DTYPES, C_NAMES)
    )
    module = SourceModule(source, check=True)
    return {dtype: module.get_function("of_" + dtype) for dtype in DTYPES}


def refusal(call, error=cm.CUDAMatException):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_the_tutorials_400_threads_on_arrays_of_100_are_out_of_bounds(multiply_them, random):
    a, b = random.normal(size=(2, 100)).astype("float32")
    dest = np.full(100, 7, "float32")
    report = refusal(
        lambda: multiply_them(Out(dest), In(a), In(b), block=(400, 1, 1), grid=(1, 1)), KernelFault
    )
    assert report == (
        "[multiply_them] access out of bounds\n"
        "kernel.cu:5: thread (100,0,0) of block (0,0,0) reads a[100]; it has 100 elements\n"
        "    5 |   dest[i] = a[i] * b[i];\n"
        "launched with block (400,1,1), grid (1,1,1)"
    )
    assert (dest == 7).all()
    ga, gb, gdest = gpu.garray(a), gpu.garray(b), gpu.zeros(100)
    report = refusal(lambda: multiply_them(gdest, ga, gb, block=(400, 1, 1), grid=(1, 1)), KernelFault)
    assert "thread (100,0,0) of block (0,0,0) reads a[100]; it has 100 elements" in report
    assert (gdest.as_numpy_array() == 0).all()


# ---- arguments ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_type(fill, dtype):
    x = np.zeros(3, dtype)
    value = np.dtype(dtype).type(1 if dtype == "bool" else 100)
    fill[dtype](InOut(x), value, block=1)
    assert x.tolist() == [value, 0, 0]
    fill[dtype](InOut(x), False if dtype == "bool" else 7, block=1)
    assert x[0] == (0 if dtype == "bool" else 7)


@pytest.mark.parametrize("dtype", DTYPES[1:9])
def test_whole_numbers_must_have_their_value_in_the_parameters_type(fill, dtype):
    x = np.zeros(1, dtype)
    limits = np.iinfo(dtype)
    for number in (limits.min, limits.max):
        fill[dtype](InOut(x), int(number), block=1)
        assert x[0] == number
    for number in (int(limits.min) - 1, int(limits.max) + 1):
        text = refusal(lambda: fill[dtype](InOut(x), number, block=1))
        assert text.startswith(f"[of_{dtype}] argument 2 (value) is of type ")
        assert text.endswith(f"which has no value {number}")
    assert refusal(lambda: fill[dtype](InOut(x), 1.5, block=1)).endswith("which has no value 1.5")
    assert x[0] == limits.max


@pytest.mark.parametrize(
    "number", [0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1), 3, np.int8(-3), np.uint64(9), True]
)
def test_numbers_for_a_float_are_rounded(fill, number):
    x = np.zeros(1, "float32")
    fill["float32"](InOut(x), number, block=1)
    assert x[0] == np.float32(number)


@pytest.mark.parametrize("number", [1j, np.complex64(1), "1", None, [1.0]])
def test_what_is_no_number(fill, number):
    x = np.zeros(1, "float32")
    text = refusal(lambda: fill["float32"](InOut(x), number, block=1), TypeError)
    assert text.startswith("[of_float32] argument 2 (value) must be a number")


def test_wrong_arguments(multiply_them):
    a = np.zeros(4, "float32")

    def call(*arguments, error=cm.CUDAMatException):
        return refusal(lambda: multiply_them(*arguments, block=4), error)

    assert call(Out(a), In(a)) == (
        "[multiply_them] takes 3 arguments, multiply_them(float* dest, float* a, float* b); got 2"
    )
    assert call(Out(a), In(a), a, error=TypeError) == (
        "[multiply_them] argument 3 (b) is a numpy.ndarray of the host: pass In(array) if the kernel reads it, "
        "Out(array) if it writes it, InOut(array) for both"
    )
    assert call(Out(a), In(a), In(np.zeros(4))) == (
        "[multiply_them] argument 3 (b) is a float*: it takes elements of type float; got an array of double"
    )
    assert call(Out(a), In(a), 3) == (
        "[multiply_them] argument 3 (b) is a float*: it takes a matrix, or an array as In, Out or InOut; got a number "
        "of type long long"
    )
    assert call(Out(a), In(a), In(np.zeros(8, "float32")[::2]), error=TypeError) == (
        "[multiply_them] argument 3 (b) is not contiguous; np.ascontiguousarray() makes a copy that is"
    )
    assert call(Out(a), In(a), In(np.zeros(4, "complex64")), error=TypeError) == (
        "[multiply_them] argument 3 (b) has elements of type complex64, which kernels do not know"
    )
    assert call(Out(a), In(a), In([1.0]), error=TypeError) == (
        "[multiply_them] argument 3 (b) must be a CUDAMatrix, a garray, or an array as In, Out or InOut; got list"
    )
    fixed = np.zeros(4, "float32")
    fixed.flags.writeable = False
    assert call(Out(fixed), In(a), In(a), error=TypeError) == (
        "[multiply_them] argument 1 (dest) is read-only, and the kernel is to write it"
    )
    assert call(cm.empty((2, 2)).T, In(a), In(a)).startswith("[multiply_them] argument 1 (dest) has the transposed flag")
    multiply_them(Out(a), In(fixed), In(fixed), block=4)


def test_wrong_launches(multiply_them):
    a = np.zeros(4, "float32")

    def call(error=cm.CUDAMatException, **launch):
        return refusal(lambda: multiply_them(Out(a), In(a), In(a), **launch), error)

    assert call(error=TypeError) == (
        "[multiply_them] block=(x, y, z) must be given: how many threads a block has"
    )
    assert call(TypeError, block=(512.0, 1, 1)) == (
        "[multiply_them] block must be one to three integers; got (512.0, 1, 1)"
    )
    assert call(TypeError, block=(1, 1, 1, 1)) == (
        "[multiply_them] block must be one to three integers; got (1, 1, 1, 1)"
    )
    assert call(block=(64, 32)) == "[multiply_them] block is (64, 32, 1): 2048 threads; a block has at most 1024"
    assert call(block=0) == (
        "[multiply_them] block is (0, 1, 1): each extent is at least 1, and at most 1024, 1024, 64"
    )
    assert call(block=1, grid=(1, 65536)).startswith("[multiply_them] grid is (1, 65536, 1)")
    assert call(block=1, shared=50000).startswith("[multiply_them] shared_bytes is 50000: a block has 49152 bytes")


def test_matrices_are_written_in_place_column_by_column(random):
    f = kernel(
        "__global__ void f(const float* x, float* y, int rows) {\n"
        "  y[threadIdx.x + rows * threadIdx.y] = 10 * threadIdx.x + threadIdx.y + x[0];\n"
        "}"
    )
    x, y = cm.CUDAMatrix(np.full((1, 1), 0.5)), cm.empty((3, 4))
    f(x, y, 3, block=(3, 4))
    np.testing.assert_array_equal(y.asarray(), 10 * np.arange(3)[:, None] + np.arange(4) + 0.5)
    whole = cm.CUDAMatrix(np.zeros((3, 4)))
    f(In(x), whole.slice(1, 3), 3, block=(3, 2))
    expected = np.zeros((3, 4))
    expected[:, 1:3] = 10 * np.arange(3)[:, None] + np.arange(2) + 0.5
    np.testing.assert_array_equal(whole.asarray(), expected)
    with pytest.raises(KernelFault, match=r"writes y\[12\]; it has 12 elements \(3x4\)"):
        kernel("__global__ void f(float* y) { y[threadIdx.x] = 0; }", check=True)(y, block=13)


def test_a_matrix_is_written_where_a_cast_takes_const_away():
    f = kernel("__global__ void f(const float* x, float* y) { ((float*)x)[1] = 5; y[0] = x[1]; }")
    x, y = cm.CUDAMatrix(np.zeros((2, 2))), cm.empty((1, 1))
    f(x, y, block=1)
    assert x.asarray().tolist() == [[0, 0], [5, 0]] and y.asarray()[0, 0] == 5
    f = kernel("__global__ void f(const float* x) { ((float*)x)[1] = 6; }", check=True)
    text = refusal(lambda: f(In(x), block=1), KernelFault)
    assert text.startswith("[f] the kernel has written to x, which it was given to read")
    assert x.asarray()[1, 0] == 5
    f = kernel("__global__ void f(const float* x, float* y) { y[0] = x[0] + 1; }")
    f(In(x), x, block=1)  # the same matrix
    assert x.asarray()[0, 0] == 1


def test_garrays_are_read_and_written(random):
    f = kernel("__global__ void f(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }")
    numbers = random.normal(size=(3, 5)).astype("float32")
    g, h = gpu.garray(numbers), gpu.zeros((3, 5))
    alias, value = h.reshape(15), h + 0
    f(g + 1, h, block=15)
    np.testing.assert_array_equal(h.as_numpy_array(), 2 * (numbers + 1))
    np.testing.assert_array_equal(alias.as_numpy_array(), 2 * (numbers + 1).ravel())
    np.testing.assert_array_equal(value.as_numpy_array(), 0)
    f(In(g), Out(h), block=15)
    np.testing.assert_array_equal(h.as_numpy_array(), 2 * numbers)
    scale = kernel("__global__ void f(float* x, float a) { if (threadIdx.x < 5) x[threadIdx.x] *= a; }")
    h[...] = gpu.garray(np.full((3, 5), 0.1))
    kept = h.as_numpy_array()[1:]
    scale(h, gpu.garray(3.0), block=15)  # a garray without dimensions is a number
    np.testing.assert_array_equal(h.as_numpy_array()[0], np.float32(0.1) * np.float32(3))
    np.testing.assert_array_equal(h.as_numpy_array()[1:], kept)  # of any precision
    whole = kernel("__global__ void f(int* x) {}")
    assert "takes elements of type int" in refusal(lambda: whole(h, block=1))


def test_arrays_in_either_order_and_buffers_of_others():
    f = kernel("__global__ void f(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }")
    x = np.arange(6, dtype="int32").reshape(2, 3)
    y = np.zeros((2, 3), "int32", order="F")
    f(In(x), Out(y), block=6)
    assert y.ravel("K").tolist() == [1, 2, 3, 4, 5, 6]
    import array

    z = array.array("i", [0] * 6)
    f(In(memoryview(x.ravel())), Out(z), block=6)
    assert z.tolist() == [1, 2, 3, 4, 5, 6]


# ---- sources ----


def test_sources_that_do_not_compile():
    text = refusal(lambda: SourceModule("__global__ void f(float* x) {\n  x[0] = y;\n}\n", check=True))
    assert text.startswith("[SourceModule] the source does not compile:\n")
    assert "kernel.cu:2:10: error:" in text and "x[0] = y;" in text
    text = refusal(lambda: ElementwiseKernel("float *x", "x[i] = y", "half_done", check=True))
    assert "half_done:4:12: error:" in text and "x[i] = y;" in text
    source = "__global__ void f(float* x) { x[0] = 1 }\n__global__ void abs(float* x) {}"
    text = refusal(lambda: SourceModule(source, check=True))
    assert "kernel.cu:1" in text and not any(word in text for word in ("entries", "simt", "SIMT", "include"))
    text = refusal(lambda: SourceModule("__global__ void f(float* x) {", check=True))
    assert "a bracket is not closed before the end" in text and "simt" not in text
    for name in ("abs", "sqrt", "max"):
        source = f"__global__ void g() {{}}\n__global__ void {name}(float* x) {{}}"
        text = refusal(lambda: SourceModule(source, check=True))
        assert text == (
            "[SourceModule] the source does not compile:\n"
            f"the kernel '{name}' has the name of other functions, of C++ or of CUDA: call it something else\n"
        )
    assert "the kernel 'f' cannot be called: it returns void" in refusal(
        lambda: SourceModule("__global__ int f(float* x) {}", check=True)
    )
    assert refusal(lambda: SourceModule("int x;")) == (
        "[SourceModule] the source has no kernel: no function is __global__"
    )
    module = SourceModule("__global__ void f(float* x) {}\n__global__ void g(int n) {}", check=True)
    assert refusal(lambda: module.get_function("h")) == (
        "[SourceModule] there is no kernel 'h'; the source has f, g"
    )
    assert module.functions == ["f", "g"]
    assert module.get_function("f").signature == "f(float* x)"
    assert repr(module.get_function("g")) == "<kernel g(int n)>"
    assert refusal(lambda: SourceModule("__global__ void f() {}", options=["-O3"])) == (
        "[SourceModule] flags are -DNAME or -DNAME=VALUE; got '-O3'"
    )


def test_options_and_names():
    source = "__global__ void f(int* x) { x[threadIdx.x] = N; }"
    f = SourceModule(source, options=["-DN=42"], name="answer.cu", check=True).get_function("f")
    x = np.zeros(1, "int32")
    f(Out(x), block=1)
    assert x[0] == 42
    assert "answer.cu:1: thread (1,0,0)" in refusal(lambda: f(Out(x), block=2), KernelFault)


# ---- wrong kernels ----

WRONG = {
    "access out of bounds": "__global__ void f(float* x) { x[threadIdx.x + 1] = 0; }",
    "memory that was never written": "__global__ void f(float* x) {\n"
    "  __shared__ float s[64];\n"
    "  x[threadIdx.x] = s[threadIdx.x];\n"
    "}",
    "race": "__global__ void f(float* x) { x[0] = threadIdx.x; }",
    "stack overflow": "__device__ float down(float n) {\n"
    "  volatile float here[1000];\n"
    "  here[0] = n;\n"
    "  return n < 0 ? 0 : down(n + 1) + here[0];\n"
    "}\n"
    "__global__ void f(float* x) { x[threadIdx.x] = down(1); }",
    "assertion `threadIdx.x < 32' failed": "__global__ void f(float* x) { assert(threadIdx.x < 32); }",
    "divides a whole number by zero": "__global__ void f(float* x) { x[0] = 7 % (int)(threadIdx.x / 64); }",
    "leaves the kernel while others wait for it at __syncthreads": "__global__ void f(float* x) {\n"
    "  if (threadIdx.x < 32) __syncthreads();\n"
    "}",
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_kernels_raise_their_report(what):
    f = kernel(WRONG[what], check=True)
    x = np.full(64, 3, "float32")
    for _ in range(2):
        text = refusal(lambda: f(InOut(x), block=64), KernelFault)
        assert what in text and "kernel.cu:" in text and "launched with block (64,1,1)" in text
    assert (x == 3).all()
    assert issubclass(KernelFault, cm.CUDAMatException)


def test_arrays_that_are_only_written_must_not_be_read():
    f = kernel("__global__ void f(float* x) { x[threadIdx.x] += 1; }", check=True)
    x = np.zeros(4, "float32")
    assert "memory that was never written" in refusal(lambda: f(Out(x), block=4), KernelFault)
    f(InOut(x), block=4)
    assert (x == 1).all()


# ---- from an expression ----


def test_elementwise_kernels(random):
    axpy = ElementwiseKernel("float a, float *x, float *y, float *z", "z[i] = a*x[i] + y[i]")
    x, y = random.normal(size=(2, 1000)).astype("float32")
    z = np.zeros(1000, "float32")
    axpy(2, In(x), In(y), Out(z))
    np.testing.assert_array_equal(z, np.float32(2) * x + y)
    m, n, o = cm.CUDAMatrix(x.reshape(20, 50)), cm.CUDAMatrix(y.reshape(20, 50)), cm.empty((20, 50))
    axpy(np.float32(0.5), m, n, o)
    np.testing.assert_array_equal(o.asarray(), np.float32(0.5) * m.asarray() + n.asarray())
    assert refusal(lambda: axpy(2, In(x), In(y[:10]), Out(z))) == (
        "[kernel] arrays must have the same number of elements: x has 1000, y has 10"
    )
    both = ElementwiseKernel("const float *x, float *sq, float *cu", "sq[i] = x[i]*x[i]; cu[i] = third(x[i])",
                             preamble="__device__ float third(float v) { return v*v*v; }")  # fmt: skip
    cubes = np.zeros(1000, "float32")
    both(In(x), Out(z), Out(cubes))
    np.testing.assert_array_equal(z, x * x)
    np.testing.assert_array_equal(cubes, x * x * x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint32", "int64", "uint64"])
def test_reductions(random, dtype):
    c = C_NAMES[DTYPES.index(dtype)]
    total = ReductionKernel(dtype, "0", "a+b", "x[i]*y[i]", f"{c} *x, {c} *y")
    for n in (0, 1, 1000, 20000):
        x, y = random.integers(0, 9, (2, n)).astype(dtype)
        got = total(In(x), In(y))
        assert type(got) is np.dtype(dtype).type
        assert got == (x.astype("float64") * y).sum()
    largest = ReductionKernel(np.float32, "-INFINITY", "max(a, b)", "x[i]", "const float *x", preamble="#define X 1")
    matrix = cm.CUDAMatrix(random.normal(size=(30, 40)))
    assert largest(matrix) == matrix.asarray().max()
    assert "dtype must be one of" in refusal(lambda: ReductionKernel("int8", "0", "a+b", "x[i]", "char *x"), TypeError)


# ---- other threads, Ctrl-C ----

SPIN = """
import time
import numpy as np
from cudamat import InOut, SourceModule

print("ready", flush=True)
for body in BODIES:
    f = SourceModule("__global__ void spin(int* x) {\\n  " + body + "\\n}", check=True).get_function("spin")
    x = np.zeros(4, "int32")
    print("running", flush=True)
    try:
        f(InOut(x), block=4)
    except KeyboardInterrupt as interrupt:
        print(interrupt, x.tolist(), flush=True)
    f = SourceModule("__global__ void add(int* x) { x[threadIdx.x] += 1; }", check=True).get_function("add")
    f(InOut(x), block=4)
    print(x.tolist(), flush=True)
"""
BODIES = [
    "while (x[0] == 0);",
    "for (;;) __syncthreads();",
    "while (true) asm volatile(\"\");",
    "while (true) printf(\"\");",
    "while (true) free(malloc(8));",
]


def interrupt_each(process):
    assert process.stdout.readline() == "ready\n"
    for body in BODIES:
        assert process.stdout.readline() == "running\n"
        time.sleep(0.3)  # into the kernel
        process.send_signal(signal.SIGINT)
        lines = [process.stdout.readline() for _ in range(4)]
        assert lines[0] == "[spin] interrupted\n", lines
        at = next(i for i, line in enumerate(lines) if "launched with" in line)
        assert " of block (0,0,0) runs here" in lines[1]
        if "__sync" not in body:
            assert lines[1].startswith("kernel.cu:2: thread (") and lines[2] == f"    2 |   {body}\n"
        assert lines[at] == "launched with block (4,1,1), grid (1,1,1) [0, 0, 0, 0]\n"
        last = lines[at + 1] if at + 1 < len(lines) else process.stdout.readline()
        assert last == "[1, 1, 1, 1]\n"


def test_ctrl_c_ends_a_kernel_that_never_ends(tmp_path):
    program = SPIN.replace("BODIES", repr(BODIES))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        try:
            interrupt_each(process)
            process.wait()
        finally:
            process.kill()  # it would not end by itself after a failure
    assert process.returncode == 0


def test_a_handler_of_the_programs_own_leaves_kernels_alone():
    f = kernel("__global__ void f(int* x) { for (int k = 0; k < 5000000; ++k) x[0] = k; }", check=True)
    x, told = np.zeros(1, "int32"), []
    previous = signal.signal(signal.SIGINT, lambda *_: told.append(True))
    try:
        thread = threading.Timer(0.03, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
        thread.start()
        f(Out(x), block=1)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, previous)
    assert x[0] == 4999999 and told


def test_other_threads_run_meanwhile():
    f = kernel("__global__ void f(int* x) { for (int k = 0; k < 200000; ++k) atomicAdd(x, 1); }", check=True)
    x = np.zeros(1, "int32")
    done = threading.Event()
    counted = 0
    thread = threading.Thread(target=lambda: (f(InOut(x), block=8), done.set()))
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert x[0] == 8 * 200000 and counted > 10


def test_kernels_of_several_threads():
    f = kernel("__global__ void f(int* x, int n) { x[threadIdx.x] = n; }")
    arrays = [np.zeros(32, "int32") for _ in range(8)]

    def work(n):
        for _ in range(20):
            f(Out(arrays[n]), n, block=32)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((arrays[n] == n).all() for n in range(8))
