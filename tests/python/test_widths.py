"""convert: how wide NumPy's floats are, of what a function makes of float32 and of no floats at all."""
import numpy as np
import pytest

from checks import agree
from rewriter import convert

W = np.array([1.5, -2, 0.25, 3, -0.5], np.float32)
X = (np.arange(12.0).reshape(4, 3) / 7).astype(np.float32)
C = (W + 1j).astype(np.complex64)
K = np.array([3, 1, 2])
B = np.array([True, False, True])

OF_FLOATS = [
    lambda w, *_: w[w > 0].max(),
    lambda w, *_: w.min(initial=1),
    lambda w, *_: np.sum(w, initial=2),
    lambda w, *_: np.quantile(w, 0.5),
    lambda w, *_: np.percentile(w[w > 0], 50),
    lambda w, *_: np.median(w[w > 0]),
    lambda w, *_: np.nanmean(w),
    lambda w, *_: np.nanstd(w),
    lambda w, *_: np.nanpercentile(w, 50),
    lambda w, *_: np.fmod(w, 2),
    lambda w, *_: np.fmod(w, w),
    lambda w, *_: np.heaviside(w, 0.5),
    lambda w, *_: np.logaddexp(w, -1),
    lambda w, *_: np.logaddexp2(w, w),
    lambda w, *_: np.imag(w),
    lambda w, *_: np.clip(w, 0, 1.5),
    lambda w, *_: np.frexp(w),
    lambda w, *_: np.unwrap(w),
    lambda w, *_: np.convolve(w, w),
    lambda w, *_: np.histogram(w, 3),
    lambda w, *_: np.histogram(w, 3, density=True),
    lambda w, *_: np.append(w, 1.0),
    lambda w, *_: np.append(w, w),
    lambda w, *_: np.hstack([w, 1.0]),
    lambda w, *_: np.r_[w, 1.0],
    lambda w, *_: np.insert(w, 0, 1),
    lambda w, *_: np.select([w > 0], [w], 0),
    lambda w, *_: np.pad(w, 1, constant_values=2.0),
    lambda w, *_: np.intersect1d(w, w).max(),
    lambda w, *_: np.vander(w, 2),
    lambda w, *_: np.polyder(w),
    lambda w, *_: (w * 2).dtype == np.float32,
    lambda w, x, *_: np.quantile(x, 0.3, axis=0),
    lambda w, x, *_: np.quantile(x, [0.2, 0.5], axis=0),
    lambda w, x, *_: np.nanvar(x, axis=0),
    lambda w, x, *_: np.average(x, axis=0, weights=[1, 2, 3, 4]),
    lambda w, *_: np.average(w, weights=w * w),
    lambda w, *_: np.fft.fft(w),
    lambda w, *_: abs(np.fft.rfft(w)),
    lambda w, x, c, *_: np.fft.ifft(c),
    lambda w, x, c, *_: np.var(c),
    lambda w, x, c, *_: np.nanmean(c),
    lambda w, *_: np.linspace(0, 1, 4, retstep=True),
]
if np.__version__ >= "2":  # NumPy 1 promotes by the number's value
    OF_FLOATS += [lambda w, *_: sum(w),
                  lambda w, *_: np.clip(w, np.float64(0), np.float64(1)),
                  lambda w, *_: np.clip(w, None, np.int64(2))]


@pytest.mark.parametrize("function", OF_FLOATS)
@pytest.mark.parametrize("others", [(), (np.ones(2),)])
def test_what_is_made_of_float32_is_as_wide_as_numpys(function, others):
    agree(convert(function)(W, X, C, *others), function(W, X, C, *others), 1e-5)


def test_an_array_that_is_written_in_place_stays_as_wide():
    def added(a, b):
        a += b
        made = np.zeros(2, np.float32)
        made += b[:2] * 0.1
        return a.sum(), made.sum(), made[0]

    b = np.arange(5.0)
    agree(convert(added)(W.copy(), b), added(W.copy(), b), 1e-6)


@pytest.mark.parametrize("function", [
    lambda w, k, b: b.mean(),
    lambda w, k, b: (b.std(), b.var(), np.median(k)),
    lambda w, k, b: b.sum() / 3,
    lambda w, k, b: [x / 2 for x in k],
    lambda w, k, b: k / 2 + b.sum() / 3,
    lambda w, k, b: np.mean(w > 0),
    lambda w, k, b: k * 0.5,
])
def test_what_is_made_of_integers_beside_float32_is_float64(function):
    agree(convert(function)(W, K, B), function(W, K, B))


@pytest.mark.parametrize("function", [
    lambda v, k: np.arange(5).astype(np.float32) * 2,
    lambda v, k: np.ones(3, dtype="float32").sum(),
    lambda v, k: k.astype(np.float32) / 3,
    lambda v, k: k.astype(np.float32).mean(),
    lambda v, k: np.float32(2) * k[0],
    lambda v, k: (np.zeros((2, 2), np.float32) @ np.ones(2, np.float32)),
    lambda v, k: v.astype(np.float32).sum(),
    lambda v, k: np.sqrt(v.astype("f4") ** 2),
    lambda v, k: v.astype(np.complex64) * 2,
    lambda v, k: np.zeros(3, np.complex64),
    lambda v, k: np.complex64(v[0]),
    lambda v, k: v.astype(np.complex64).astype(complex),
])
def test_a_program_makes_float32_of_its_own(function):
    v = W.astype(float)
    agree(convert(function)(v, K), function(v, K), 1e-6)
    if not np.any(function(v, K) != function(v + 1, K)):
        alone = convert(function)
        agree(alone(K, K), function(K, K), 1e-6)


@pytest.mark.skipif(np.__version__ < "2", reason="NumPy 1 promotes by the number's value")
def test_a_number_of_numpys_that_a_loop_carries_is_as_wide():
    def summed(a):
        s, c = 0.0, 2 * np.cos(0.3)
        for v in a:
            s = v + c * s
        return s

    def doubled(a):
        s = np.float64(0)
        for v in a:
            s = v + s
        return s

    for function in (summed, doubled):
        agree(convert(function)(W), function(W), 1e-12)


def test_bits_of_bytes():
    def bits(u, b):
        return (np.unpackbits(u), np.unpackbits(u, axis=1), np.unpackbits(u[0], count=11, bitorder="little"), np.packbits(b),
                np.packbits(b > 0, axis=0, bitorder="little"), np.packbits(np.unpackbits(u)))

    u, b = np.array([[200, 3], [7, 255]], np.uint8), np.arange(11) % 3
    agree(convert(bits)(u, b), bits(u, b))


def test_integers_are_rounded_to_integers():
    def rounded(k):
        return np.round(k, -1), np.round(k, -2), np.round(k, 1), np.around(k[k > 20], -1)

    k = np.array([15, 25, -15, 149, 1250, 4])
    agree(convert(rounded)(k), rounded(k))


def test_real_if_close_and_require_of_real_arrays():
    x = np.array([1.0, 2])
    assert convert(lambda x: np.real_if_close(x))(x) is x  # pylint: disable=unnecessary-lambda
    assert convert(lambda x: np.require(x))(x) is x  # pylint: disable=unnecessary-lambda
    agree(convert(lambda x: np.require(x, np.float32))(x), x.astype(np.float32))


def test_an_int_of_quantile_takes_an_element():
    x = np.array([2, -np.inf, np.inf])

    def ends(x):
        return (np.quantile(x, 0), np.quantile(x, 1), np.quantile(x, [0, 1]), np.quantile(x, 1.0), np.percentile(x, 100),
                np.quantile(x, 1, method="hazen"))

    with np.errstate(invalid="ignore"):
        agree(convert(ends)(x), ends(x))


def test_integers_of_arrays_that_float32_does_not_hold():
    def square(w, k):
        v = np.dot(k, k)
        return v ** 2

    k = np.array([300, 5000])
    agree(convert(square)(W, k), square(W, k))


@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_complex_numbers_beside_real_arrays():
    def made(a, b):
        return np.linspace(2j, a, 3), np.linspace(a, 1 + 2j, 3), np.full_like(a, 2j + 1)

    a = np.array([1.0, 2, 3])
    with pytest.warns(np.ComplexWarning if np.__version__ < "2" else np.exceptions.ComplexWarning):
        wanted = made(a, B)
    agree(convert(made)(a, B), wanted)


def test_formats_of_scalars_are_those_of_pythons_floats():
    def texts(w, x):
        return f"{w[0]}", f"{w[0]!s}", str(w[0]), f"{w.max()}", f"{w[0]:8}", "{}".format(w[1]), f"{np.float32(0.1)}", f"{x[0, 1]:g}"
    x = (np.arange(6.0).reshape(2, 3) / 7).astype(np.float32)
    assert convert(texts)(W / 7, x) == texts(W / 7, x)
