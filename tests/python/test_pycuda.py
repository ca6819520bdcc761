"""cudamat.pycuda: PyCUDA's programs, arrays and memory. NumPy judges."""

import copy
import gc
import pickle
import runpy
import subprocess
import sys
import threading
import time
from pathlib import Path

import cudamat as cm
import cudamat.pycuda
import cudamat.pycuda.driver as drv
import numpy as np
import pytest
from cudamat import In, InOut, KernelFault, Out, SourceModule
from cudamat.pycuda import gpuarray

on_the_cpu = pytest.mark.skipif(cm.kernels_run_on() != "the CPU", reason="memory is on a GPU, where nobody looks at it")
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("pycuda_*.py"))


def refusal(call, error=cm.CUDAMatException):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
                         ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("part", [np.s_[:], np.s_[1:], np.s_[1]], ids=["whole", "rows", "row"])
def test_copies_have_elements_of_their_own(twin_of, part):
    expected = np.arange(12, dtype=np.int16).reshape(3, 4)
    array = gpuarray.to_gpu(expected)
    twin = twin_of(array[part])
    twin.fill(-1)
    np.testing.assert_array_equal(array.get(), expected)
    twin = twin_of(array[part])
    np.testing.assert_array_equal(twin.get(), expected[part])
    assert twin.dtype == expected.dtype


# ---- programs ----


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.stem)
def test_programs_for_pycuda_run_unchanged(program):
    done = subprocess.run([sys.executable, "-m", "cudamat.pycuda", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_are_programs():
    assert len(PROGRAMS) == 5


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.stem)
def test_programs_run_with_other_import_lines(program):
    lines = program.read_text().splitlines()
    for i, line in enumerate(lines):
        if line.strip() in ("import pycuda", "import pycuda.gpuarray", "import pycuda.autoinit"):
            lines[i] = line.replace("pycuda", "cudamat.pycuda")
        elif line.strip().startswith(("import pycuda.", "from pycuda.")):
            lines[i] = line.replace("pycuda.", "cudamat.pycuda.", 1)
    text = "\n".join(lines)
    assert "import pycuda" not in text
    exec(compile(text, str(program), "exec"), {"__name__": "program"})


def test_the_first_program_prints_what_numpy_computes(capsys):
    np.random.seed(1)
    cudamat.pycuda.install()
    try:
        runpy.run_path(str(Path(__file__).parent / "programs" / "pycuda_multiply_them.py"))
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "pycuda"]:
            del sys.modules[name]
    np.random.seed(1)
    a, b = np.random.randn(400).astype("float32"), np.random.randn(400).astype("float32")
    assert capsys.readouterr().out == f"{a * b}\n"


def test_install_refuses_beside_pycuda_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycuda", type(sys)("pycuda"))
    with pytest.raises(ImportError, match="PyCUDA itself was imported before"):
        cudamat.pycuda.install()


# ---- arrays and memory ----


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_gpuarrays_compute_what_numpy_computes(random, dtype):
    x = random.integers(1, 9, (3, 4)).astype(dtype)
    y = random.integers(1, 9, (3, 4)).astype("float32")
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    for f in (
        lambda p, q: p + q,
        lambda p, q: 3 - p,
        lambda p, q: q * p * 2,
        lambda p, q: p / q,
        lambda p, q: 2 / p,
        lambda p, q: q**2 - np.float32(1.5),
        lambda p, q: -q + abs(p),
        lambda p, q: p.copy().reshape(4, -1).ravel(),
        lambda p, q: q.astype("int32"),
    ):
        got, expected = f(a, b), f(x, y)
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got.get(), expected, rtol=1e-6)
    a += 2
    x += 2
    a *= a
    x *= x
    np.testing.assert_array_equal(a.get(), x)
    for name in ("sum", "max", "min"):
        got, expected = getattr(gpuarray, name)(a).get(), getattr(x, name)()
        assert got == expected and got.dtype == expected.dtype
    assert gpuarray.dot(b, b).get() == (y * y).sum()
    assert str(a) == str(x)


def test_gpuarrays_extremes_and_errors():
    x = np.array([3, np.nan, -1], "float32")
    assert np.isnan(gpuarray.max(gpuarray.to_gpu(x)).get()) and np.isnan(gpuarray.min(gpuarray.to_gpu(x)).get())
    limits = np.array([np.iinfo("int64").min, np.iinfo("int64").min])
    assert gpuarray.max(gpuarray.to_gpu(limits)).get() == limits[0]
    a = gpuarray.zeros((2, 3), "float32")
    assert "shapes must agree; got (2, 3) and (3,)" in refusal(lambda: a + gpuarray.zeros(3, "float32"), ValueError)
    assert "has no shape (4, 2)" in refusal(lambda: a.reshape(4, 2), ValueError)
    assert "got (2, 3), float64" in refusal(lambda: a.set(np.zeros((2, 3))), ValueError)
    assert "no elements of type complex64" in refusal(lambda: a * 1j, TypeError)
    f = SourceModule("__global__ void f(double* x) {}").get_function("f")
    assert refusal(lambda: f(a, block=1)) == (
        "[f] argument 1 (x) is a double*: it takes elements of type double; got a matrix of float"
    )


def test_memory_that_nothing_has_written_is_not_read():
    module = SourceModule(
        "__global__ void read(const short* x, short* y) { y[threadIdx.x] = x[threadIdx.x]; }\n"
        "__global__ void fill(short* x) { x[threadIdx.x] = threadIdx.x; }",
        check=True,
    )
    read, fill = module.get_function("read"), module.get_function("fill")
    memory, y = drv.mem_alloc(10), np.zeros(5, "int16")
    text = refusal(lambda: read(memory, Out(y), block=5), KernelFault)
    assert "reads x[0], which nothing has written" in text
    assert "writes x[5]; it has 5 elements" in refusal(lambda: fill(memory, block=6), KernelFault)
    fill(memory, block=5)
    read(memory, Out(y), block=5)
    assert y.tolist() == [0, 1, 2, 3, 4]
    drv.memcpy_htod(memory, y[::-1].copy())
    assert drv.from_device_like(memory, y).tolist() == [4, 3, 2, 1, 0]
    assert refusal(lambda: drv.memcpy_htod(memory, np.zeros(6, "int16"))) == (
        "[write] 12 bytes from 0 on are not in memory of 10 bytes"
    )
    memory.free()
    assert "the memory was freed" in refusal(lambda: fill(memory, block=5))


@pytest.mark.parametrize("offset", range(5))
@pytest.mark.parametrize("n", range(10))
def test_bytes_of_memory_are_written_where_they_belong(offset, n):
    from cudamat._cudamat import _DeviceMemory

    memory, expected = _DeviceMemory(15), np.arange(15, dtype="uint8")
    memory.write(expected)
    expected[offset : offset + n] = 200 + np.arange(n)
    memory.write(expected[offset : offset + n].copy(), offset)
    got, part = np.zeros(15, "uint8"), np.zeros(n, "uint8")
    memory.read(got)
    memory.read(part, offset)
    assert got.tolist() == expected.tolist() and part.tolist() == expected[offset : offset + n].tolist()


# ---- addresses ----

STRUCTS = """
struct Row { int length, padding; float *numbers; };
__global__ void twice(Row *rows) {
  const Row row = rows[blockIdx.x];
  for (int i = threadIdx.x; i < row.length; i += blockDim.x) row.numbers[i] *= 2;
}
__global__ void beyond(Row *rows) { rows->numbers[0] = 7; rows->numbers[rows->length] = 7; }
__global__ void nothing(Row row) {}
"""


def rows_of(*arrays):
    """An allocation of Rows, and those of their numbers."""
    rows, numbers = drv.mem_alloc(16 * len(arrays)), [drv.to_device(array) for array in arrays]
    for i, array in enumerate(arrays):
        drv.memcpy_htod(int(rows) + 16 * i, np.int32([array.size, 0]))
        drv.memcpy_htod(int(rows) + 16 * i + 8, np.uintp(int(numbers[i])))
    return rows, numbers


def test_kernels_find_addresses_in_memory():
    arrays = np.arange(3, dtype="float32"), np.array([5, 4], "float32")
    rows, numbers = rows_of(*arrays)
    module = SourceModule(STRUCTS)
    twice = module.get_function("twice")
    twice(rows, block=32, grid=2)
    for memory, array in zip(numbers, arrays):
        np.testing.assert_array_equal(drv.from_device_like(memory, array), 2 * array)
    twice(np.uintp(int(rows) + 16), block=32)
    assert drv.from_device_like(numbers[0], arrays[0]).tolist() == [0, 2, 4]
    assert drv.from_device_like(numbers[1], arrays[1]).tolist() == [20, 16]
    assert "of type Row" in refusal(lambda: module.get_function("nothing")(rows, block=1))


def test_what_a_wrong_kernel_wrote_by_an_address_is_undone():
    array = np.arange(4, dtype="float32")
    rows, (numbers,) = rows_of(array)
    text = refusal(lambda: SourceModule(STRUCTS, check=True).get_function("beyond")(rows, block=1), KernelFault)
    assert "access out of bounds" in text and "rows->numbers[rows->length] = 7" in text
    assert drv.from_device_like(numbers, array).tolist() == [0, 1, 2, 3]


def test_addresses():
    memory, x = drv.to_device(np.arange(5, dtype="int32")), np.zeros(2, "int32")
    drv.memcpy_dtoh(x, int(memory) + 4)
    assert x.tolist() == [1, 2] and np.intp(memory) == int(memory)
    drv.memcpy_dtod(int(memory) + 8, memory, 8)
    drv.memset_d32(int(memory) + 16, 9, 1)
    assert drv.from_device(memory, 5, "int32").tolist() == [0, 1, 0, 1, 9]
    f = SourceModule("__global__ void f(int* x) { x[threadIdx.x] = -1; }", check=True).get_function("f")
    f(int(memory) + 12, block=2)
    assert drv.from_device(memory, 5, "int32").tolist() == [0, 1, 0, -1, -1]
    assert "access out of bounds" in refusal(lambda: f(int(memory) + 12, block=3), KernelFault)
    address = int(memory)
    memory.free()
    assert "it takes a matrix" in refusal(lambda: f(address, block=1))
    assert refusal(lambda: drv.memcpy_dtoh(x, address)) == f"[find_memory] no allocation has the address {address}"


def test_parts_have_addresses_of_their_own():
    a = gpuarray.to_gpu(np.arange(8, dtype="float32"))
    f = SourceModule("__global__ void f(float *x) { x[threadIdx.x] *= 10; }").get_function("f")
    f(a[3:5].gpudata, block=2)
    f(a[4:6][1:].gpudata, block=1)
    row, x = a.reshape(2, 4)[1], np.zeros(2, "float32")
    assert a.get().tolist() == [0, 1, 2, 30, 40, 50, 6, 7]
    drv.memcpy_dtoh(x, row[1:3].gpudata)
    assert x.tolist() == [50, 6]
    drv.memcpy_htod(row.gpudata, np.full(4, -1, "float32"))
    assert a.get().tolist() == [0, 1, 2, 30, -1, -1, -1, -1]
    drv.memcpy_dtod(a[6:].gpudata, a[2:].gpudata, 8)
    assert a.get().tolist() == [0, 1, 2, 30, -1, -1, 2, 30]
    assert int(row.gpudata) == row.ptr == a.ptr + 16 and row.gpudata.nbytes == 16
    assert refusal(row.gpudata.free) == "[free] part of an allocation is not freed without the rest"
    assert "9 bytes from 8 on are not in memory of 16" in refusal(lambda: row.gpudata.write(np.zeros(9, "int8"), 8))
    a.gpudata.free()
    assert "the memory was freed" in refusal(lambda: f(row, block=1))


def test_arrays_lie_where_gpudata_says():
    memory = drv.to_device(np.arange(8, dtype="int32"))
    a = gpuarray.GPUArray((2,), np.int32, gpudata=int(memory) + 8)
    assert a.get().tolist() == [2, 3]
    a.fill(9)
    assert drv.from_device(memory, 5, "int32").tolist() == [0, 1, 9, 9, 4]
    assert gpuarray.GPUArray((2, 2), np.int32, gpudata=memory, strides=(8, 4)).get().tolist() == [[0, 1], [9, 9]]
    assert "without gaps" in refusal(lambda: gpuarray.GPUArray(2, np.int32, strides=(8,)), NotImplementedError)

    class Array:
        gpudata, dtype, size = int(memory) + 4, np.dtype("int32"), 2

    SourceModule("__global__ void f(int* x) { x[1] = -1; }").get_function("f")(Array(), block=1)
    assert drv.from_device(memory, 4, "int32").tolist() == [0, 1, -1, 9]


def test_null_pointers_and_the_end_of_an_allocation():
    f = SourceModule("__global__ void f(float* y, float* x, int n) { y[0] = x ? 1 : 2; if (n) x[0] = n; }", check=True)
    f, y = f.get_function("f"), np.zeros(1, "float32")
    for null in 0, np.intp(0), np.uintp(0):
        f(Out(y), null, 0, block=1)
        assert y[0] == 2
    a = gpuarray.zeros(4, "float32")
    for end in a[4:], a[4:].gpudata, a[4:].ptr, np.intp(a.ptr + 16):
        f(Out(y), end, 0, block=1)
        assert y[0] == 1
        assert "it has 0 elements" in refusal(lambda end=end: f(Out(y), end, 1, block=1), KernelFault)


def test_arrays_of_pointers_and_structs():
    rows = [drv.to_device(np.arange(3, dtype="float32")) for _ in range(2)]
    pointers = gpuarray.to_gpu(np.array([int(row) for row in rows], np.uintp))
    module = SourceModule(
        "struct Row { float* x; };"
        "__global__ void f(float** rows) { rows[blockIdx.x][threadIdx.x] += 1; }"
        "__global__ void g(Row* rows) { rows[1].x[0] = 9; }"
    )
    module.get_function("f")(pointers, block=3, grid=2)
    module.get_function("g")(pointers, block=1)
    assert [drv.from_device(row, 3, "float32").tolist() for row in rows] == [[1, 2, 3], [9, 2, 3]]


def test_arrays_of_the_host_are_structs_for_kernels_that_say_so():
    module = SourceModule("""
        struct Body { float mass; int id; };
        __global__ void scale(float4* out, const float2* by, Body* bodies) {
            const int i = threadIdx.x;
            float4 v = out[i];
            v.x *= by[i].y;
            out[i] = v;
            bodies[i].id += bodies[i].mass;
        }""")
    out, by = np.ones((8, 4), np.float32), np.arange(16, dtype=np.float32)
    bodies = np.array([(k, 10) for k in range(8)], [("mass", "f4"), ("id", "i4")])
    module.get_function("scale")(drv.InOut(out), drv.In(by), drv.InOut(bodies), block=(8, 1, 1))
    np.testing.assert_array_equal(out, np.stack([np.arange(1, 16, 2), *np.ones((3, 8))], axis=1))
    np.testing.assert_array_equal(bodies["id"], np.arange(10, 18))


def test_kernels_write_nothing_where_they_were_to_read():
    f = SourceModule("__global__ void f(const float* x, float* y) { y[0] = 9; ((float*)x)[0] = 5; }", check=True)
    f, zeros = f.get_function("f"), np.zeros(2, "float32")
    x, y = drv.to_device(zeros), drv.to_device(zeros)
    for told in (), (y,), (x, y):
        for memory in told:
            int(memory)
        assert "written to x, which it was given to read" in refusal(lambda: f(In(x), y, block=1), KernelFault)
        assert drv.from_device_like(x, zeros).tolist() == drv.from_device_like(y, zeros).tolist() == [0, 0]
    f(x, y, block=1)
    assert drv.from_device_like(x, zeros)[0] == 5 and drv.from_device_like(y, zeros)[0] == 9


@on_the_cpu
def test_only_what_a_kernel_wrote_counts_as_written():
    module = SourceModule(
        "__global__ void write(float* x) { x[0] = 1; }__global__ void read(float* y, float* x) { y[0] = x[0]; }",
        check=True,
    )
    write, read = module.get_function("write"), module.get_function("read")
    memories, y = [drv.mem_alloc(8) for _ in range(3)], np.zeros(1, "float32")
    for memory in memories:
        int(memory)
    write(memories[1], block=1)
    read(Out(y), memories[1], block=1)
    assert y[0] == 1
    for memory in memories[::2]:
        assert "which nothing has written" in refusal(lambda memory=memory: read(Out(y), memory, block=1), KernelFault)


# ---- memory that goes while it is used ----


class Fleeting:
    """An array whose memory nobody else keeps."""

    def __init__(self, values):
        self.values, self.dtype, self.size = values, values.dtype, values.size

    @property
    def gpudata(self):
        gc.collect()
        return drv.to_device(self.values)


def test_kernels_keep_the_memory_of_their_arguments():
    add = SourceModule("__global__ void add(int* z, int* x, int* y) { z[0] = x[0] + y[0]; }").get_function("add")
    z = np.zeros(1, "int32")
    add(Out(z), Fleeting(np.int32([5])), Fleeting(np.int32([7])), block=1)
    assert z[0] == 12


def test_kernels_reach_what_was_told_while_they_were_called():
    class Pointer:
        dtype, size = np.dtype("uint64"), 1

        @property
        def gpudata(self):
            self.memory = drv.to_device(np.int32([5]))
            return drv.to_device(np.uintp([int(self.memory)]))

    pointer = Pointer()
    SourceModule("__global__ void f(int** x) { *x[0] += 1; }").get_function("f")(pointer, block=1)
    assert drv.from_device(pointer.memory, 1, "int32") == 6


WAITING = """
__global__ void wait(int *x, volatile int *flags) {
  flags[0] = 1;
  while (flags[1] == 0) {}
  x[0] = 7;
}
"""


@on_the_cpu
@pytest.mark.parametrize("freed", ["free", "del"])
def test_memory_may_be_freed_while_a_kernel_uses_it(freed):
    wait = SourceModule(WAITING, check=True).get_function("wait")
    flags, zeros, started = drv.to_device(np.zeros(2, "int32")), np.zeros(1 << 18, "int32"), np.zeros(1, "int32")
    memories, done = [drv.to_device(zeros) for _ in range(5)], []
    address, _ = int(memories[0]), int(flags)

    def launch():
        wait(address, flags, block=1)
        done.append(True)

    thread = threading.Thread(target=launch)
    thread.start()
    try:
        while started[0] == 0:
            time.sleep(0.001)
            drv.memcpy_dtoh(started, flags)
        if freed == "free":
            memories[0].free()
        else:
            del memories[:]
        fresh = [drv.to_device(zeros) for _ in range(8)]
    finally:
        drv.memcpy_htod(int(flags) + 4, np.int32([1]))
        thread.join()
    assert done and not any(drv.from_device_like(each, zeros).any() for each in fresh)


# ---- more of arrays ----


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8"])
def test_comparisons_and_quotients_are_of_each_element(random, dtype):
    x, y = random.integers(0, 5, (2, 3, 4)).astype(dtype)
    y[0, 0] = 0
    if dtype != "uint8":
        x -= 2
        y -= 2
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    with np.errstate(all="ignore"):
        for f in (
            lambda p, q: p == q,
            lambda p, q: p != q,
            lambda p, q: p < q,
            lambda p, q: 2 <= p,
            lambda p, q: p > 1.5,
            lambda p, q: p >= 1,
            lambda p, q: p // q,
            lambda p, q: p % q,
            lambda p, q: 7 % p,
        ):
            got, expected = f(a, b), f(x, y)
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got.get(), expected)
    for f in "//=", "%=":
        p, q, r = a.copy(), x.copy(), y.copy()
        r[r == 0] = 1
        part, expected = p[1:], q[1:]
        exec(f"part {f} divisor", {"part": part, "divisor": gpuarray.to_gpu(r)[1:]})
        exec(f"part {f} divisor", {"part": expected, "divisor": r[1:]})
        np.testing.assert_array_equal(p.get(), q)
    assert (a == "text") is False and (a != None) is True  # noqa: E711
    assert "truth" in refusal(lambda: bool(a == b), ValueError)
    assert bool(gpuarray.to_gpu(np.ones(1))) and not bool(gpuarray.to_gpu(np.zeros(())))
    with pytest.raises(TypeError):
        hash(a)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotients_at_the_edges(dtype):
    values = np.array([0, -0.0, 1, -1, 2.5, -7, np.inf, -np.inf, np.nan, 1e30], dtype)
    x, y = (each.ravel().copy() for each in np.meshgrid(values, values))
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    with np.errstate(all="ignore"):
        for got, expected in ((a // b, x // y), (a % b, x % y)):
            np.testing.assert_array_equal(got.get(), expected)
            number = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(got.get())[number], np.signbit(expected)[number])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_the_smallest_number_is_divided_by_minus_one(dtype):
    x = np.array([np.iinfo(dtype).min, -3, 0, 5], dtype)
    a, minus_one = gpuarray.to_gpu(x), gpuarray.to_gpu(np.full(4, -1, dtype))
    assert (a // minus_one).get().tolist() == (0 - x).tolist() and not (a % minus_one).get().any()


def test_powers_and_quotients_of_parts_stay_in_the_array():
    x = np.arange(1, 5, dtype="float32")
    a = gpuarray.to_gpu(x)
    part = a[1:3]
    part **= 2
    part /= 8
    assert a.get().tolist() == [1, 0.5, 1.125, 4]
    whole = gpuarray.to_gpu(np.arange(3))
    with pytest.raises(TypeError, match="quotients and powers are not of type int64"):
        whole **= 2


def test_arrays_without_dimensions_are_numbers():
    x = np.arange(1, 5, dtype="float32").reshape(2, 2)
    a = gpuarray.to_gpu(x)
    np.testing.assert_array_equal((a / gpuarray.sum(a)).get(), x / x.sum())
    np.testing.assert_array_equal((gpuarray.max(a) - a).get(), x.max() - x)
    np.testing.assert_array_equal((a > gpuarray.min(a)).get(), x > x.min())
    a -= gpuarray.min(a)
    np.testing.assert_array_equal(a.get(), x - 1)
    both = gpuarray.sum(a) + gpuarray.sum(a)
    assert both.shape == () and both.get() == 12
    with pytest.raises(ValueError, match="shapes must agree"):
        both += a


def test_parts_of_gpuarrays_share_their_elements():
    x = np.arange(12, dtype="float32").reshape(4, 3)
    a = gpuarray.to_gpu(x)
    part, row = a[1:3], a[-1]
    part += 1
    x[1:3] += 1
    row *= 2
    x[-1] *= 2
    a[0] = 7
    x[0] = 7
    a[1:2] = np.zeros((1, 3), "float32")
    x[1:2] = 0
    np.testing.assert_array_equal(a.get(), x)
    np.testing.assert_array_equal((a[0:2] + a[2:4]).get(), x[0:2] + x[2:4])
    assert [each.get().tolist() for each in a] == x.tolist()
    with pytest.raises(IndexError):
        a[4]
    assert "a[i] and a[i:j]" in refusal(lambda: a[:, 1], NotImplementedError)
    f = SourceModule("__global__ void f(float* x) { x[threadIdx.x] = 0; }", check=True).get_function("f")
    assert "writes x[3]; it has 3 elements" in refusal(lambda: f(row, block=4), KernelFault)
    assert row.ptr == a.ptr + 36 and int(a.gpudata) == a.ptr and len(a[4:]) == 0


def test_gpuarrays_keep_the_order_of_their_elements():
    x = np.asfortranarray(np.arange(6, dtype="float32").reshape(2, 3))
    a = gpuarray.to_gpu(x)
    assert a.strides == x.strides and a.flags.f_contiguous and not a.flags.c_contiguous
    assert a.get().flags.f_contiguous
    f = SourceModule("__global__ void f(float* x) { x[threadIdx.x] = threadIdx.x; }").get_function("f")
    f(a, block=6)
    assert a.get().tolist() == [[0, 2, 4], [1, 3, 5]]
    assert a.T.get().tolist() == [[0, 1], [2, 3], [4, 5]] and a.T.flags.c_contiguous
    assert (a + a).get().tolist() == [[0, 4, 8], [2, 6, 10]]
    assert a.get(np.zeros((2, 3), "float32")).tolist() == [[0, 2, 4], [1, 3, 5]]
    a.set(np.ascontiguousarray(x))
    np.testing.assert_array_equal(a.get(), x)
    c = gpuarray.to_gpu(np.ascontiguousarray(x))
    assert "one in C order and one in Fortran's" in refusal(lambda: a + c, ValueError)
    assert "one in C order and one in Fortran's" in refusal(lambda: gpuarray.dot(a, c), ValueError)
    assert "not in C order" in refusal(lambda: a.ravel(), ValueError)
    assert c.strides == (12, 4) and c.itemsize == 4 and c.mem_size == 6


def test_functions_of_gpuarrays():
    x, y = np.array([1, np.nan, -3, 4], "float32"), np.array([2, 0, np.nan, -4], "float32")
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    np.testing.assert_array_equal(gpuarray.maximum(a, b).get(), np.maximum(x, y))
    np.testing.assert_array_equal(gpuarray.minimum(a, 0).get(), np.minimum(x, 0))
    np.testing.assert_array_equal(gpuarray.if_positive(a, b, a).get(), np.where(x > 0, y, x))
    np.testing.assert_array_equal(gpuarray.where(b == 0, 5, a).get(), np.where(y == 0, np.float32(5), x))
    np.testing.assert_array_equal(gpuarray.take(a, gpuarray.to_gpu(np.array([3, 0]))).get(), x[[3, 0]])
    np.testing.assert_array_equal(a.mul_add(2, b, 3).get(), 2 * x + 3 * y)
    np.testing.assert_array_equal(gpuarray.to_gpu_async(x).get_async(), x)
    out = gpuarray.empty_like(a, dtype="float64")
    assert gpuarray.where(b == 0, 5, a, out=out) is out and out.dtype == np.float64
    np.testing.assert_array_equal(out.get(), np.where(y == 0, 5, x))
    assert a.mul_add(2, b, 3, out=out) is out
    np.testing.assert_array_equal(out.get(), 2 * x + 3 * y)
    assert gpuarray.zeros_like(a, dtype="int8").get().tolist() == [0] * 4
    assert gpuarray.ones_like(gpuarray.zeros((2, 2)), order="F").flags == (False, True, True)
    small = gpuarray.empty(2, "float32")
    assert "shapes must agree; got (4,) and (2,)" in refusal(lambda: gpuarray.maximum(a, 1, out=small), ValueError)
    indices = gpuarray.to_gpu(np.zeros(4, "int32"))
    assert "the indices' shape" in refusal(lambda: gpuarray.take(a, indices, out=small), ValueError)
    assert gpuarray.transpose(gpuarray.zeros((2, 3))).shape == (3, 2)
    assert gpuarray.reshape(a, 2, 2).shape == (2, 2) and a.view("int32").get().tolist() == x.view("int32").tolist()


# ---- what programs ask of devices, tools and compilers ----


def test_tools():
    from cudamat.pycuda import tools

    context = tools.make_default_context()
    context.push()
    context.pop()
    assert context.get_device().name() == cm.kernels_run_on()
    tools.clear_context_caches()
    assert tools.DeviceData().max_threads == 1024 and tools.DeviceData.align_words(5, 4) == 8
    a = gpuarray.zeros(3, "float32", tools.DeviceMemoryPool().allocate)
    assert a.get().tolist() == [0, 0, 0]
    assert tools.PageLockedMemoryPool().allocate((2, 3), "int8").shape == (2, 3)
    assert tools.dtype_to_ctype("uint8") == "unsigned char"
    from cudamat.pycuda.elementwise import ElementwiseKernel

    arguments = [tools.VectorArg("float32", "x"), tools.ScalarArg("float32", "s")]
    ElementwiseKernel(arguments, "x[i] += S", options=["-DS=s"])(a, 2)
    assert a.get().tolist() == [2, 2, 2]


def test_devices():
    device = drv.Device(0)
    major, minor = device.compute_capability()
    free, total = drv.mem_get_info()
    assert (major, minor) >= (7, 0) and 0 < free <= total == device.total_memory()
    assert device.get_attribute(drv.device_attribute.MAX_THREADS_PER_BLOCK) == 1024
    assert device.get_attributes()[drv.device_attribute.COMPUTE_CAPABILITY_MAJOR] == major
    names = "MULTIPROCESSOR_COUNT", "CLOCK_RATE", "TOTAL_CONSTANT_MEMORY", "MAX_REGISTERS_PER_BLOCK"
    assert all(device.get_attribute(getattr(drv.device_attribute, name)) > 0 for name in names)
    assert drv.get_version() >= (4,) and cudamat.pycuda.VERSION >= (2011,)


def test_options_of_nvcc(tmp_path):
    from cudamat.pycuda import compiler
    from cudamat.pycuda.reduction import ReductionKernel

    (tmp_path / "mine.h").write_text("")
    source = "__global__ void f(int* x) { x[0] = A + B; }"
    options = ["-use_fast_math", "--ptxas-options=-v", "-Xptxas", "-v", "-std=c++11", f"-I{tmp_path}", "-DA=1"]
    options += ["-O", "3", "-O2", "--machine", "64", "-m64", "-rdc", "true", "-prec-div=false", "-ccbin", "/usr/bin"]
    options += ["--compiler-bindir", "/usr/bin", "-gencode", "arch=compute_80,code=sm_80", "-fmad=false", "-arch=sm_80"]
    function = compiler.SourceModule(source, options=[*options, "-D", "B=2"], include_dirs=["."]).get_function("f")
    x = np.zeros(1, "int32")
    function(Out(x), block=1)
    assert x[0] == 3 and function.num_regs == 0
    function.set_cache_config(drv.func_cache.PREFER_L1)
    text = refusal(lambda: compiler.SourceModule('#include "mine.h"', options=options), NotImplementedError)
    assert "put the header's text into the source" in text
    text = refusal(lambda: compiler.SourceModule(source, options=["--what"]), NotImplementedError)
    assert text == "[SourceModule] there is no option '--what'; there are -D and -I"
    assert "use SourceModule" in refusal(lambda: compiler.compile(source), NotImplementedError)
    assert ReductionKernel(np.float32, "0", "a+b")(gpuarray.arange(5, dtype="float32")).get() == 10


# ---- what published programs use ----


def test_scans_combine_elements_with_those_before(random):
    from cudamat.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

    total, before = InclusiveScanKernel(np.int32, "a+b"), ExclusiveScanKernel(np.int32, "a+b", 7)
    largest = InclusiveScanKernel(np.float32, "a > b ? a : b", neutral="-1")
    for n in (0, 1, 5, 4096, 10_007):
        x = random.integers(-9, 9, n).astype("int32")
        a = gpuarray.to_gpu(x)
        into = gpuarray.empty_like(a)
        assert total(a, into) is into
        assert into.get().tolist() == np.cumsum(x, dtype="int32").tolist() and a.get().tolist() == x.tolist()
        assert before(a).get().tolist() == ([7] + np.cumsum(x).tolist())[:n]
        y = random.random(n, dtype="float32")
        assert largest(gpuarray.to_gpu(y)).get().tolist() == np.maximum.accumulate(y).tolist()
    parts = gpuarray.to_gpu(np.ones(5, "int32"))
    assert total(parts, n=3).get().tolist() == [1, 2, 3, 1, 1]
    # "a" comes before "b": what is combined need not commute
    last = InclusiveScanKernel(np.int32, "b")
    assert last(gpuarray.to_gpu(np.arange(9000, dtype="int32"))).get().tolist() == list(range(9000))
    assert "must have 5 elements of int32; got 5 of float32" in refusal(
        lambda: total(gpuarray.zeros(5, "float32")), ValueError
    )
    assert "needs neutral" in refusal(lambda: ExclusiveScanKernel(np.int32, "a+b"), ValueError)


@on_the_cpu
def test_other_libraries_share_an_arrays_elements():
    for dtype in "int32", "float64", "uint8":
        x = np.arange(6).reshape(2, 3).astype(dtype)
        for given in x, np.asfortranarray(x):
            a = gpuarray.to_gpu(given)
            view = np.from_dlpack(a)
            assert view.dtype == x.dtype and view.strides == given.strides and view.tolist() == x.tolist()
            a += 1
            assert view.tolist() == (x + 1).tolist()
            if given is x:
                assert np.from_dlpack(a[1:]).tolist() == (x + 1)[1:].tolist()
            a.gpudata.free()
            assert view.tolist() == (x + 1).tolist()
    b = gpuarray.empty(4, "float32")
    cm.from_dlpack(b).assign(3)
    assert (b * 2).get().tolist() == [6, 6, 6, 6]
    assert np.from_dlpack(gpuarray.zeros((0, 3), "float32")).shape == (0, 3)
    assert b.__dlpack_device__() == (1, 0) and not hasattr(b, "__cuda_array_interface__")


def test_results_go_where_out_says():
    from cudamat.pycuda import cumath
    from cudamat.pycuda.reduction import ReductionKernel

    x = gpuarray.to_gpu(np.float32([0, 1, 4]))
    out = gpuarray.empty_like(x)
    assert cumath.sqrt(x, out=out) is out and out.get().tolist() == [0, 1, 2]
    assert cumath.sqrt(x, x).get().tolist() == [0, 1, 2] and x.get().tolist() == [0, 1, 2]
    total = ReductionKernel(np.float32, "0", "a+b", "x[i]", "const float *x")
    into = gpuarray.empty((), np.float32)
    assert total(x, out=into) is into and into.get() == 3


def test_memory_like_that_of_arrays():
    x = np.asfortranarray(np.arange(6, dtype="int16").reshape(2, 3))
    memory = drv.mem_alloc_like(x)
    assert memory.nbytes == 12
    drv.memcpy_htod(memory, x)
    assert drv.from_device_like(memory, x).tolist() == x.tolist()
    for like in drv.pagelocked_empty_like(x), drv.pagelocked_zeros_like(x):
        assert (like.shape, like.dtype, like.strides) == (x.shape, x.dtype, x.strides)


def test_sources_are_what_has_a_text():
    from cudamat.pycuda import elementwise

    class Template:
        def __init__(self, text):
            self.text = text

        def __str__(self):
            return self.text

    x = np.zeros(2, "int32")
    module = drv.SourceModule(Template("__global__ void f(int *x) { x[threadIdx.x] = 5; }"))
    module.get_function("f")(InOut(x), block=2)
    assert x.tolist() == [5, 5]
    a = gpuarray.to_gpu(x)
    elementwise.ElementwiseKernel(Template("int *x"), Template("x[i] = SIX"), preamble=Template("#define SIX 6"))(a)
    assert a.get().tolist() == [6, 6]


def test_whole_numbers_of_one_size_are_passed_with_and_without_a_sign():
    f = SourceModule("__global__ void f(int *x, unsigned char *y) { x[0] -= 1; y[0] += 1; }").get_function("f")
    x, y = np.zeros(1, "uint32"), gpuarray.to_gpu(np.int8([-1]))
    f(InOut(x), y, block=1)
    assert x[0] == 2**32 - 1 and y.get()[0] == 0
    assert "takes elements of type int" in refusal(lambda: f(InOut(np.zeros(1, "float32")), y, block=1))
    assert "takes elements of type int" in refusal(lambda: f(InOut(np.zeros(1, "int16")), y, block=1))


FAULTS = """
import numpy as np
import cudamat.pycuda.driver as drv
from cudamat.pycuda import gpuarray
from cudamat import SourceModule
module = SourceModule('''
__global__ void beyond(float *x) { x[threadIdx.x] += 1; }
__global__ void racing(int *x) { x[0] = threadIdx.x; }
__global__ void early(int *x) {
  __shared__ int s[64];
  if (threadIdx.x >= 40) return;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = s[39 - threadIdx.x];
}
__global__ void nowhere(float *x) { *(float *)64 = 1; }
''', check=True)
x = gpuarray.zeros(100, "float32")
for _ in range(2):
    module.get_function("beyond")(x, block=128)
print(x.get().min(), x.get().max())
told = gpuarray.zeros(100, "float32")
told.ptr
module.get_function("beyond")(told, block=128)
print(told.get().min(), told.get().max())
y = gpuarray.zeros(40, "int32")
module.get_function("racing")(y, block=40)
print(0 <= y.get()[0] < 40)
module.get_function("early")(y, block=64)
print(y.get().tolist() == list(range(40))[::-1])
try:
    module.get_function("nowhere")(x, block=1)
except drv.LaunchError as error:
    print("access out of bounds" in str(error))
"""


@on_the_cpu
def test_faults_are_reported_and_the_kernel_goes_on():
    import os

    def run(choice):
        command = [sys.executable, "-c", FAULTS]
        env = {**os.environ, "CUDAMAT_KERNEL_FAULTS": choice}
        return subprocess.run(command, capture_output=True, text=True, env=env)

    done = run("report")
    assert done.stdout.split("\n") == ["2.0 2.0", "1.0 1.0", "True", "True", "True", ""], done.stderr
    assert done.stderr.count("[beyond] access out of bounds") == 2  # its read and its write, once each
    assert "thread (100,0,0) of block (0,0,0) reads x[100]; it has 100 elements" in done.stderr
    assert "[racing] race" in done.stderr and "leaves the kernel while others wait" in done.stderr
    assert "KernelFault" in run("raise").stderr
    assert "must be 'raise' or 'report'; got 'x'" in run("x").stderr


BOOKKEEPING = """
import resource
import numpy as np
from cudamat import Out, SourceModule
f = SourceModule("__global__ void f(float *x) { x[threadIdx.x + 1024 * blockIdx.x] = 1; }", check=True).get_function("f")
x = np.ones(1 << 22, "float32")
f(Out(x), block=1024, grid=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
f(Out(x), block=1024, grid=x.size // 1024)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x.nbytes)
"""


def test_checks_of_an_array_that_is_written_take_three_bytes_for_each():
    done = subprocess.run([sys.executable, "-c", BOOKKEEPING], capture_output=True, text=True)
    assert float(done.stdout) < 4.5, done.stdout + done.stderr  # with the kernel's copy of the array
