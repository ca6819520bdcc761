"""cudamat.pycuda: PyCUDA's programs, arrays and memory. NumPy judges."""

import runpy
import subprocess
import sys
from pathlib import Path

import cudamat as cm
import cudamat.pycuda
import cudamat.pycuda.driver as drv
import numpy as np
import pytest
from cudamat import KernelFault, Out, SourceModule
from cudamat.pycuda import gpuarray

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("pycuda_*.py"))


def refusal(call, error=cm.CUDAMatException):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


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
