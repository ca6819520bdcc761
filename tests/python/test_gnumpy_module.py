"""NumPy's functions on garrays; memory, checks, statements, errors, engines."""

import operator
import os
import subprocess
import sys

import gnumpy as gpu
import numpy as np
import pytest
from checks import close, numbers

garray = gpu.garray


# ---- NumPy's functions ----


def test_arrays_of_indices_are_broadcast():
    x, i = np.arange(16.0).reshape(4, 4), np.array([0, 2])
    close(garray(x)[i[:, None], i[None, :]], x[i[:, None], i[None, :]])


def test_numpys_functions_give_garrays(random):
    x = numbers(random, 3, 4)
    a = garray(x)
    for f in (np.exp, np.sqrt, np.tanh, np.abs, np.negative, np.square, np.isnan, np.floor, np.log1p, np.sign):
        close(f(a), f(x), 1e-6)
    for f in (np.add, np.maximum, np.power, np.arctan2, np.less, np.logical_and, np.matmul):
        left, right = (a, x.T) if f is np.matmul else (a, x)
        result = f(left, right)
        assert isinstance(result, garray)
        close(result, f(x, right), 1e-5)
        close(f(x, a.T if f is np.matmul else a), f(x, right), 1e-5)
    close(np.sum(a, axis=0), x.sum(0))
    close(np.mean(a, axis=1, keepdims=True), x.mean(1, keepdims=True))
    close(np.add.reduce(a), x.sum(0))
    close(np.dot(a, x.T), x @ x.T)
    close(np.concatenate([a, x], axis=1), np.concatenate([x, x], axis=1))
    close(np.where(a > 1, a, 0), np.where(x > 1, x, 0))
    close(np.linalg.norm(a, axis=0), np.linalg.norm(x, axis=0))
    close(np.clip(a, 1, 2), np.clip(x, 1, 2))
    close(np.transpose(a), x.T)
    close(np.zeros_like(a), np.zeros((3, 4)))
    assert np.shape(a) == (3, 4) and np.ndim(a) == 2
    into = np.empty((3, 4), "float32")
    assert np.exp(a, out=into) is into
    np.testing.assert_allclose(into, np.exp(x), rtol=1e-6)
    target = gpu.zeros((3, 4))
    assert np.add(a, a, out=target) is target
    close(target, x + x)
    # What is not here goes to the host.
    assert isinstance(np.median(a), np.floating) and np.median(a) == np.median(x)
    close(garray(np.percentile(a, [10, 90], axis=0)), np.percentile(x, [10, 90], axis=0))


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=os.environ | environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("choice", ["allow", "warn", "refuse", "perhaps"])
def test_implicit_conversion(choice):
    done = run(
        "import gnumpy as gpu, numpy as np\na = gpu.ones(3)\nprint(np.median(a), np.asarray(a).sum())",
        GNUMPY_IMPLICIT_CONVERSION=choice,
    )
    if choice == "allow":
        assert done.stdout == "1.0 3.0\n", done.stderr
    else:
        expected = {
            "warn": "RuntimeWarning: a garray of shape (3,) becomes",
            "refuse": "TypeError: a garray of shape (3,)",
            "perhaps": "must be allow, warn or refuse; got 'perhaps'",
        }
        assert expected[choice] in done.stderr
    explicit = run(
        "import gnumpy as gpu\nprint(gpu.ones(3).as_numpy_array().sum(), float(gpu.ones(3).sum()))",
        GNUMPY_IMPLICIT_CONVERSION="refuse",
    )
    assert explicit.stdout == "3.0 3.0\n", explicit.stderr


@pytest.mark.parametrize(
    ("bits", "dtype", "error"), [("32", "float32", 1e-6), ("64", "float64", 1e-14), ("128", "longdouble", 1e-17)]
)
def test_precision_of_the_cpu(bits, dtype, error):
    done = run(
        f"""
import gnumpy as gpu, numpy as np
x = np.linspace(1, 2, 50, dtype="{dtype}")
a = gpu.garray(x)
assert a.dtype == np.dtype("{dtype}") and a._as_engine_numpy().dtype == a.dtype
assert np.abs((a / 3 * 3).sqrt().astype("{dtype}") ** 2 - x).max() < {error}
print("fine")
""",
        GNUMPY_CPU_PRECISION=bits,
        GNUMPY_USE_GPU="no",
    )
    assert done.stdout == "fine\n", done.stderr


# ---- memory, checks, statements ----


def test_memory(random):
    gpu.free_reuse_cache()
    before = gpu.memory_in_use()
    a = gpu.zeros((1 << 10, 1 << 8))
    assert gpu.memory_in_use() - before == 1 << 20
    assert gpu.memory_in_use(in_megabytes=True) == gpu.memory_in_use() / 2**20
    line = [each for each in gpu.memory_allocators(new_style=True) if each[0] == __file__ and each[2] >= 1 << 20]
    assert line and line[0][3] == 1
    assert gpu.memory_available() > 0 and gpu.max_memory_usage == float("inf")
    del a
    assert gpu.memory_in_use() == before
    assert gpu.free_reuse_cache() >= 1 << 20
    gpu.max_memory_usage = before + (1 << 20)
    assert gpu.max_memory_usage == before + (1 << 20)
    with pytest.raises(MemoryError, match=r"test_gnumpy_module.py:\d+: no memory for 524288 elements"):
        gpu.zeros(1 << 19)
    gpu.max_memory_usage = float("inf")
    gpu.track_memory_usage = True


def test_texts_of_memory(capsys):
    a = gpu.zeros(1000)
    gpu.status()
    gpu.memory_allocators()
    text = capsys.readouterr().out
    assert "memory in use" in text and "test_gnumpy_module.py" in text and a.size == 1000


def test_acceptable_numbers():
    a = gpu.zeros(3)
    try:
        gpu.acceptable_number_types = "no nans"
        assert gpu.acceptable_number_types == "no nans"
        with pytest.raises(ValueError, match=r"\[divide\] .*test_gnumpy_module.py:\d+: NaN in a result of 3 numbers"):
            (a / a).as_numpy_array()
        gpu.acceptable_number_types = 100.0
        assert gpu.acceptable_number_types == 100
        with pytest.raises(ValueError, match="acceptable_number_types is 100"):
            (a + 101).as_numpy_array()
        gpu.expensive_check_probability = 0.5
        assert gpu.expensive_check_probability == 0.5
        with pytest.raises(ValueError, match="'anything goes', 'no nans'"):
            gpu.acceptable_number_types = "no"
    finally:
        gpu.acceptable_number_types = "anything goes"
        gpu.expensive_check_probability = 1


def test_expressions_are_fused_and_shown():
    a, b = gpu.ones((8, 8)), gpu.ones(8)
    before = gpu.work_done()
    c = (gpu.dot(a, a) + b).logistic() * 2
    assert gpu.work_done()["expressions"] == before["expressions"]
    text = gpu.explain(c)
    assert "cm.dot(" in text and "cm.fused(" in text and "test_gnumpy_module.py" in text
    c.as_numpy_array()
    after = gpu.work_done()
    assert after["expressions"] == before["expressions"] + 1 and gpu.explain(c) == ""
    assert gpu.passes() == "default,fuse" and gpu.passes("default") == "default"
    assert "cm.fused(" not in gpu.explain((gpu.dot(a, a) + b).logistic() * 2)
    gpu.passes("default,fuse")


def add():
    return gpu.zeros(3) + gpu.zeros(4)


def add_by_numpy():
    return np.add(gpu.zeros(3), gpu.zeros(4))


def update():
    a = gpu.zeros(3)
    a += gpu.zeros(4)


@pytest.mark.parametrize(("function", "lines"), [(add, 1), (add_by_numpy, 1), (update, 2)])
def test_errors_name_the_line_of_the_program(function, lines):
    place = f"{__file__}:{function.__code__.co_firstlineno + lines}: "
    with pytest.raises(ValueError) as error:
        function()
    assert f"[add] {place}" in str(error.value) and "shape" in str(error.value)


def test_misuse_has_numpys_exceptions():
    a = gpu.zeros((2, 3))
    for call, error, text in (
        (lambda: a[5], IndexError, "index 5 is out of bounds for axis 0 with size 2"),
        (lambda: a[0, 0, 0], IndexError, "too many indices"),
        (lambda: a["x"], IndexError, "only integers"),
        (lambda: a[1.5], IndexError, "only integers"),
        (lambda: a.__setitem__(0, gpu.zeros(4)), ValueError, "could not broadcast"),
        (lambda: a.reshape(5), ValueError, "cannot reshape array of size 6"),
        (lambda: a.sum(7), ValueError, "axis 7 is out of bounds"),
        (lambda: gpu.garray("x"), TypeError, "elements must be real numbers; got dtype str"),
        (lambda: gpu.garray([1j]), TypeError, "complex128"),
        (lambda: gpu.garray([[1], [1, 2]]), ValueError, "inhomogeneous"),
        (lambda: operator.setitem(a, 1, operator.iadd(a[1], gpu.ones((1, 3)))), ValueError, "broadcast"),  # as NumPy's
        (lambda: a + "x", TypeError, "unsupported operand"),
        (lambda: gpu.histogram(a, 3, range=(1,)), TypeError, "range must be two numbers"),
        (lambda: gpu.where(a > 0, None, a), ValueError, "either both or neither of x and y"),
        (lambda: gpu.tensordot(a, a, axes=(0, 1, 0)), ValueError, "axes must be a number, or two lists of axes"),
        (lambda: operator.delitem(a, 0), TypeError, "cannot be deleted"),
        (lambda: hash(a), TypeError, "unhashable type: 'garray'"),
        (lambda: list(gpu.garray(3.0)), TypeError, "iteration over a 0-d array"),
        (lambda: gpu.dot(a, a), ValueError, r"shapes \(2, 3\) and \(2, 3\) not aligned"),
        (lambda: len(a.sum()), TypeError, "no length"),
        (lambda: gpu.rand(2.5), TypeError, "an extent must be an integer; got float"),
        (lambda: gpu.zeros((1 << 40, 1 << 40)), ValueError, "more than 2\\^63"),
        (lambda: gpu.zeros(1 << 50), MemoryError, "no memory for"),
        (lambda: gpu.concatenate([a, gpu.zeros((3, 3))], axis=1), ValueError, "concatenate"),
        (lambda: float(a), TypeError, "is not one number"),
        (lambda: a.max(axis=(0, 0)), ValueError, "duplicate"),
        (lambda: gpu.zeros((0, 3)).max(), ValueError, "zero-size array"),
    ):
        with pytest.raises(error, match=text):
            call()
