"""Element-wise functions of arrays of other types than the run's: strips of them, and whole numbers in integers."""

import subprocess
import sys

import numpy as np
import pytest

from rewriter import convert

rng = np.random.default_rng(7)
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SIZES = [8192, 8193, 16384, 140_001]  # a strip, more than one, whole ones, more than a thread's


def check(f, *arguments):
    got, wanted = convert(f)(*arguments), f(*arguments)
    for one, other in zip(got, wanted) if isinstance(wanted, tuple) else [(got, wanted)]:
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)


def whole(dtype, size):
    """All of a type's numbers, as far as doubles have what is made of them."""
    if dtype == "?":
        return rng.random(size) > 0.5
    least, most = max(np.iinfo(dtype).min, -(2**50)), min(np.iinfo(dtype).max, 2**50)
    numbers = rng.integers(least, most, size, endpoint=True).astype(dtype)
    numbers[:4] = least, most, 0, 1
    numbers[-2:] = most, least
    return numbers


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_whole_numbers(dtype, size):
    x, y = whole(dtype, size), whole(dtype, size)
    for f in (lambda x, y: x & y, lambda x, y: x | y, lambda x, y: x ^ y, lambda x, y: x + y, lambda x, y: x < y,
              lambda x, y: x == y, lambda x, y: np.maximum(x, y), lambda x, y: np.where(x > y, x, y)):
        check(f, x, y)
    if dtype not in ("?", "u8"):
        for f in (lambda x, y: x - y, lambda x, y: (x >> 2) + (y & 5), lambda x, y: ~x ^ y, lambda x, y: (x ^ y, x),
                  lambda x, y: abs(x - (y >> 1)) > 3):
            check(f, x, y)
    if dtype not in ("?", "u8", "i8"):
        for f in (lambda x, y: x * y, lambda x, y: x * y + x * 3 - y, lambda x, y: (x << 3) ^ y):
            check(f, x, y)


def test_results_in_the_place_of_others():
    def f(x, y):
        p, q = x ^ y, x & y
        for _ in range(2):
            p, q = p + q, p - q
        return q, p

    def g(x, y):
        p = x ^ y
        p += 3
        p *= y
        return p, p - x

    for dtype in ("i2", "i4", "u1", "i8"):
        x = rng.integers(0, 100, 9000).astype(dtype)
        check(f, x, x[::-1].copy())
        check(g, x, x[::-1].copy())


@pytest.mark.parametrize("one", TYPES)
@pytest.mark.parametrize("other", TYPES)
def test_two_types(one, other):
    x, y = whole(one, 9000), whole(other, 9000)
    for f in (lambda x, y: np.where(x > 0, x, 0) == y, lambda x, y: (x > 3) & (y < 5), lambda x, y: (x & 3) + (y & 7)):
        check(f, x, y)
    if "u8" not in (one, other) and "?" not in (one, other):
        check(lambda x, y: (x - y, x ^ y), x, y)


def test_conversions():
    x = whole("i4", 9000)
    check(lambda x: x.astype(np.uint8), x)
    check(lambda x: x.astype(np.int16) + x, x)
    check(lambda x: x.astype(float) * 0.5, x)
    check(lambda x: x / 3, x)
    check(lambda x: -1.0 * x, x)  # which has zeros below 0
    check(lambda x: np.signbit(-1.0 * (x & 1)), x)
    check(lambda x: (x * 1.5).astype(int), rng.normal(size=9000) * 100)


def test_orders_of_memory():
    x, y = whole("i2", 9000).reshape(90, 100), whole("i2", 9000).reshape(90, 100)
    check(lambda x, y: x + y, x, y)
    check(lambda x, y: x.reshape(-1) ^ y.reshape(-1), x, y)
    check(lambda x, y: x + y, np.asfortranarray(x), y)
    check(lambda x, y: x - y, x[::-1], y)
    check(lambda x, y: x.T - y.T, x, y)
    check(lambda x, y: x.reshape(9, 10, 100) - y.reshape(9, 10, 100), x, y)


def test_complex_numbers():
    z, w = (rng.normal(size=9000) + 1j * rng.normal(size=9000) for _ in range(2))
    for dtype in (np.complex128, np.complex64):
        for f in (lambda z, w: z + w, lambda z, w: (z - w, z.real), lambda z, w: (z.conj(), w.imag - z.imag)):
            check(f, z.astype(dtype), w.astype(dtype))
    np.testing.assert_allclose(convert(lambda z, w: z * w)(z, w), z * w, rtol=1e-12)
    check(lambda z, w: z.reshape(90, 100) + w.reshape(90, 100), z, w)
    check(lambda z, w: (z + w)[:10], z, w)
    check(lambda z, w: z + w, z[::2], w[::2])


def test_numbers_beyond_2_to_the_53():
    x = np.zeros(20_000, int)
    x[-1] = 2**53 + 1
    with pytest.raises(ValueError, match="an array has an integer beyond"):
        convert(lambda x: x + 1)(x)
    x[-1] = 2**53 - 1
    check(lambda x: x - 1, x)
    with pytest.raises(ValueError, match="a result has an integer beyond"):
        convert(lambda x: x + x)(x)


MEMORY = """
import re
import numpy as np
from rewriter import convert

@convert
def f(x, y):
    return (x + y) ^ y

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])

f(np.ones(20000, np.int32), np.ones(20000, np.int32))
x = np.ones(1 << 24, np.int32)
before = peak()
f(x, x)
print(peak() - before)
"""


def test_memory_is_numpys(tmp_path):
    """There is no array of doubles for each argument and result."""
    program = tmp_path / "program.py"
    program.write_text(MEMORY)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < (64 + 64) * 1024


def test_positions_of_a_mask():
    x, y = rng.random(1000), rng.random((30, 40))
    for f in (lambda x: np.nonzero(x > 0.5), lambda x: (np.flatnonzero(x), np.where(x > 0.2)[0]),
              lambda x: (np.nonzero(x > 0.5)[0], np.nonzero(x > 0.5)[0] + 1)):
        check(f, x)
        check(f, x * 0)
    check(lambda y: np.nonzero(y > 0.5), y)
    check(lambda m: np.flatnonzero(m), x > 0.5)
    check(lambda x: (np.arange(1000)[x > 0.5], np.arange(1, 1001)[x > 0.5], np.arange(1000.0)[x > 0.5]), x)


@pytest.mark.parametrize("count", [2, 3, 8, 9])
def test_few_rows_are_copied(count):
    x = rng.random((count, 2000))
    check(lambda x: np.stack([*x], axis=1), x)
    check(lambda x: np.stack([x[0], x[1]], axis=1)[:, 1], x)


@pytest.mark.parametrize("dtype", ["f4", "f8", "g"])
@pytest.mark.parametrize("size", SIZES)
def test_comparisons_of_floats(dtype, size):
    x = rng.standard_normal(size).astype(dtype)
    y = np.where(rng.random(size) > 0.5, x, 1).astype(dtype)
    x[:3], y[2:5] = (np.nan, np.inf, -0.0), (0.0, np.nan, -np.inf)
    i, b = rng.integers(-5, 5, size), rng.random(size) > 0.5
    for f in (lambda x, y, i, b: x > 0.5, lambda x, y, i, b: 0.25 < x, lambda x, y, i, b: x == 0, lambda x, y, i, b: x <= y,
              lambda x, y, i, b: x != y, lambda x, y, i, b: (x > 0) | ~(y < x) | b, lambda x, y, i, b: np.isnan(x),
              lambda x, y, i, b: (x > 0) & (i > 2), lambda x, y, i, b: (x > 0).astype(int) * 3 + i, lambda x, y, i, b: i > 0.5,
              lambda x, y, i, b: np.where(x > y, i, 2), lambda x, y, i, b: (x > 0, np.where(x > 0, x, 0.5))):
        check(f, x, y, i, b)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "c16"])
@pytest.mark.parametrize("k", [0, 1, -1, 3, -4])
def test_diagonals(dtype, k):
    v = (rng.random(40) * 5).astype(dtype)
    check(lambda v: (np.diag(v, k), np.diag(v[:1], k), np.diag(v[:0], k)), v)
    for shape in (5, 8), (8, 5), (6, 6), (1, 4), (4, 1):
        matrix = (rng.random(shape) * 5).astype(dtype)
        check(lambda m: (np.diag(m, k) + m[0, 0], np.diag(m + m, k) + m[0, 0], np.diag(m.T, k) + m[0, 0]), matrix)


@pytest.mark.parametrize("dtype", ["f4", "f8", "g"])
def test_elements_forwards_and_backwards(dtype):
    x, at = rng.random(5000).astype(dtype), rng.integers(-5000, 5000, 3000)
    check(lambda x, at: (x[::-1] + 0, x[3000:10:-1] + 0, x[::-3] + 0, x[at]), x, at)
    for places in (-2000, 2000, 1), (-1, -4000, -1), (1500, -1500, -1), (7, 4000, 1), (0, 4000, 2):
        check(lambda x: x[np.arange(*places)], x)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?", "c16"])
def test_products_of_stacks(dtype):
    a, b = (rng.random((20, 3, 4)) * 5).astype(dtype), (rng.random((20, 4, 2)) * 5).astype(dtype)
    v, c = (rng.random(4) * 5).astype(dtype), (rng.random((3, 20, 3, 4)) * 5).astype(dtype)
    for f in (lambda a, b, v, c: a @ b, lambda a, b, v, c: v @ b, lambda a, b, v, c: a @ v, lambda a, b, v, c: c @ b,
              lambda a, b, v, c: (a @ b)[a[:, 0, 0] != 0]):
        got, wanted = convert(f)(a, b, v, c), f(a, b, v, c)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(2,), (9000,), (300, 41), (3, 4, 5)])
def test_numbers_of_all_elements(dtype, shape):
    a = rng.integers(0, 2, shape).astype(dtype) if dtype == "?" else rng.integers(0, 100, shape).astype(dtype)
    functions = [lambda a: a.any(), lambda a: a.all(), lambda a: a.sum(), lambda a: a.max(), lambda a: a.min(),
                 lambda a: (a > 1).sum(), lambda a: (a == a + a).all(), lambda a: (a != a).any(), lambda a: (a.sum(), a.max()),
                 lambda a: a.sum(keepdims=True), lambda a: a.max() | a.min()]
    extremes = [np.zeros(shape, dtype), np.ones(shape, dtype)]
    if dtype not in ("?", "i8", "u8"):
        extremes += [np.full(shape, np.iinfo(dtype).max, dtype), np.full(shape, np.iinfo(dtype).min, dtype)]
    for f in functions:
        for x in [a, *extremes]:
            check(f, x)


def test_sums_beyond_the_integers_of_a_double_are_errors():
    large = np.full(9000, 2**40)
    with pytest.raises(ValueError, match="2\\^53"):
        convert(lambda a: a.sum())(large)
    check(lambda a: (a.max(), a.min(), (a > 0).sum()), large)
    check(lambda a: a.sum(), large[:100])
    x = rng.standard_normal(9000)
    check(lambda x: ((x > 0.5).sum(), (x < 9).all()), x)
