"""Operations of integers in converted functions: bits, shifts, quotients and remainders of NumPy's types."""

import numpy as np
import pytest

from rewriter import convert

rng = np.random.default_rng(5)
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def check(f, *arguments):
    got, wanted = convert(f)(*arguments), f(*arguments)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


def integers(dtype, count=1000):
    """Of all sizes up to 45 bits."""
    bits = np.iinfo(dtype).bits - (dtype in (np.int8, np.int16, np.int32, np.int64))
    numbers = rng.integers(0, 2 ** min(bits, 45), count) >> rng.integers(0, min(bits, 45), count)
    return (numbers if np.iinfo(dtype).min == 0 else numbers * rng.choice([-1, 1], count)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_bits(dtype):
    x, y = integers(dtype), integers(dtype)
    for f in (lambda x, y: x & y, lambda x, y: x | y, lambda x, y: x ^ y, lambda x, y: x ^ (x >> 1),
              lambda x, y: (x & 13) | (y & 96), lambda x, y: x >> (y & 15), lambda x, y: 110 >> (x & 7)):
        check(f, x, y)
    if dtype != np.uint64:  # which has numbers beyond 2^53
        check(lambda x, y: ~x ^ y, x, y)


@pytest.mark.parametrize("dtype", TYPES)
def test_quotients_and_remainders(dtype):
    x, y = integers(dtype), integers(dtype)
    y[::50] = 0
    with np.errstate(divide="ignore"):
        for f in (lambda x, y: x // y, lambda x, y: x % y, lambda x, y: x // 7, lambda x, y: x % 7, lambda x, y: 100 // y):
            check(f, x, y)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_products_wrap_at_32_bits(dtype):
    x, y = integers(dtype), integers(dtype)
    check(lambda x, y: x * y, x, y)
    check(lambda x, y: x * y * x + y, x, y)
    check(lambda x: (x << 13) ^ (x << 5) ^ x, x)


def test_counts_of_shifts_that_shift_everything_out():
    x, k = np.array([5, -5, 7, -7]), np.array([-1, 63, 64, 1])
    check(lambda x, k: x >> k, x, k)
    check(lambda x, k: (x & 1) << k, x * 0, k)
    check(lambda x, k: x << k, x.astype(np.int32), k.astype(np.int32))


def test_shifts_by_the_iterations_of_a_loop():
    def reversed_bits(n):
        bits = int(np.round(np.log2(n)))
        places = np.zeros(n, dtype=int)
        for i in range(bits):
            places |= ((np.arange(n) >> i) & 1) << (bits - 1 - i)
        return places

    check(reversed_bits, 16)


def test_bits_of_integers_that_may_have_been_rounded_raise_an_error():
    large = np.array([2**40 + 1, -3])
    for f in (lambda x: x * x ^ 5, lambda x: (x * x | 1) & 255, lambda x: x << 20, lambda x: (x * x) & (x * x),
              lambda x: (x * x ^ 5).astype(np.uint8)):
        with pytest.raises(ValueError, match=r"a result has an integer beyond 2\^53"):
            convert(f)(large)
        check(f, np.array([2**20 + 1, -3]))
    check(lambda x: x * x & 255, large)  # of the remainders of both
