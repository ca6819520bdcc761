"""convert: values, types and errors where they depend on how a call's arguments are read."""
import copy

import numpy as np
import pytest

from checks import agree
from rewriter import NotationError, NotationWarning, convert

scalars = [np.float32(0.3), np.float64(0.3), np.int8(100), np.uint8(200), np.int16(-300), np.int64(3), np.uint8(3)]


@pytest.mark.parametrize("t", [1, 3, 1000])
def test_numbers_of_a_call_are_computed_in_double_whoever_reads_them(t):
    def scaled(x, t):
        return x / (1 - 0.999 ** t)

    x = np.linspace(0.5, 2, 7, dtype=np.float32)
    f = convert(scaled)
    for each in (1, 2, 3, 4, t, 1):
        got, wanted = f(x, each), scaled(x, each)
        assert got.dtype == wanted.dtype == np.float32
        assert np.array_equal(got, wanted)
    assert f.verify(x, t)


def test_numbers_that_are_returned_are_as_in_python():
    def rates(x, t):
        bias = 1 - 0.999 ** t
        return bias, t * 2, t, x * bias if t > 2 else x / bias

    f = convert(rates)
    x = np.ones(3, np.float32)
    for t in (1, 2, 3, 4, 5):
        got, wanted = f(x, t), rates(x, t)
        assert got[:3] == wanted[:3] and [*map(type, got[:3])] == [*map(type, wanted[:3])]
        assert np.array_equal(got[3], wanted[3])


def test_numbers_within_loops_are_computed_in_double():
    def adam(x, g, t):
        for _ in range(3):
            x = x - 0.1 * g / (1 - 0.999 ** t)
        return x

    f = convert(adam)
    x, g = np.ones(3, np.float32), np.full(3, 0.25, np.float32)
    for t in (1, 2, 3, 4, 1):
        np.testing.assert_allclose(f(x, g, t), adam(x, g, t), rtol=8 * np.finfo(np.float32).eps)


def test_integers_beyond_24_bits_are_not_rounded_in_float32():
    x, k = np.arange(8, dtype=np.float32), np.arange(5000) * 331

    def place(x, k):
        return x[np.cumsum(k)[-5:] // 7 % 8]

    def counted(x, k):
        n = 0
        for i in range(20):
            n += (x > i).sum()
        return x[k % 8] * 2, np.eye(8, dtype=np.float32)[k[:8] % 3] @ x, n

    f, g = convert(place), convert(counted)
    np.testing.assert_array_equal(f(x, k), place(x, k))
    assert f(x, k).dtype == np.float32 and f.statements(x, k).engine.endswith("float64")
    assert g.verify(x, k) and g.statements(x, k).engine.endswith("float32")
    with pytest.warns(NotationWarning, match=r"beyond 2\^24") as warned:
        convert(place, precision=32)(x, k)
    assert warned[0].lineno == place.__code__.co_firstlineno + 1


@pytest.mark.parametrize("real, wider", [(np.float32, np.float64), (np.float64, np.longdouble)])
def test_verify_allows_only_what_rounding_makes(real, wider):
    f = convert(lambda x: x * 1.0)
    x = np.full(3, 1000, real)
    got, wanted = (x * real(1 + 100 * np.finfo(real).eps), {}, {}), (x, {}, {})
    from rewriter._report import Verification
    conversion = f._conversion((x,), {})
    others = [(x.astype(wider), {}), (x * real(1 + np.finfo(real).eps), {})]
    assert Verification.of_numpy(conversion, (x, {}, {}), wanted, {}, {}, lambda: others)
    assert not Verification.of_numpy(conversion, got, wanted, {}, {}, lambda: others)


def with_numpy_multiplied(monkeypatch, factor):
    """NumPy's np.sin, which the statements do not call, becomes another."""
    sin = np.sin
    monkeypatch.setattr(np, "sin", lambda x: sin(x) * np.asarray(x).dtype.type(factor))


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_verify_finds_what_is_wrong_by_many_roundings(real, monkeypatch):
    def draws(x):
        return np.sin(x) * np.random.rand(4)

    x = np.linspace(0.5, 1, 4).astype(real)
    plain, drawing = convert(lambda x: np.sin(x) + 1), convert(draws)
    solving = convert(lambda x: np.linalg.solve(np.diag(x), np.sin(x)))  # not of long doubles
    assert plain.verify(x) and drawing.verify(x) and solving.verify(x)
    with_numpy_multiplied(monkeypatch, 1 + 1000 * np.finfo(real).eps)
    assert not plain.verify(x) and not drawing.verify(x) and not solving.verify(x)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_verify_knows_how_ill_conditioned_a_sum_is(real):
    x = np.random.default_rng(0).normal(size=10_000).astype(real) * real(1e4)
    assert convert(lambda x: (x - x.mean()).sum()).verify(x)
    assert convert(lambda x: np.exp(x / 1e4).sum()).verify(x)
    assert convert(lambda x: (np.random.randn(10_000) * x).sum()).verify(x)
    assert convert(lambda x: x.sum() + np.sin(np.arange(1000)).sum()).verify(x)
    assert convert(lambda x: (x[0], np.linspace(0, 1, 101).sum() - 50.5)).verify(x)


def test_an_int_that_leaves_the_exact_ones_is_an_error():
    f = convert(lambda k, x: (k * k, x * k))
    x = np.ones(2)
    for k in (1, 2, 3, 4):
        assert f(k, x)[0] == k * k
    with pytest.raises(ValueError, match="beyond 2\\*\\*53"):
        f(10**15, x)


@pytest.mark.parametrize("s", scalars, ids=repr)
@pytest.mark.parametrize("f", [lambda s: -s, lambda s: s + s, lambda s: s * 2, lambda s: s, lambda s: (s, [s + 1])],
                         ids=["-s", "s+s", "s*2", "s", "nested"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_numpy_scalars_keep_their_type(f, s):
    def flat(value):
        return [part for item in value for part in flat(item)] if isinstance(value, (tuple, list)) else [value]

    converted = convert(f)
    for _ in range(4):
        for got, wanted in zip(flat(converted(s)), flat(f(s)), strict=True):
            assert type(got) is type(wanted) and got == wanted


def test_types_of_numbers_have_statements_of_their_own():
    f = convert(lambda s: s + s)
    assert type(f(100)) is int and type(f(np.int8(100))) is np.int8 and type(f(np.int64(100))) is np.int64
    assert type(f(True)) is int and type(f(np.bool_(True))) is np.bool_


def test_traced_arrays_are_arrays():
    def chosen(x, s):
        return x * 2 if isinstance(x, np.ndarray) and not isinstance(x.sum(), np.ndarray) else x * 3

    x = np.ones(3)
    assert np.array_equal(convert(chosen, trace=True)(x, 1.0), chosen(x, 1.0))


def test_lambdas_that_are_a_conditional():
    f = convert(lambda v: v * 2 if v.sum() > 0 else v)
    g = convert(lambda v, n=3: (v + n) if v.sum() > 0 else (-v))
    for x in (np.array([1.0, 2]), np.array([1.0, -2])):
        assert np.array_equal(f(x), x * 2 if x.sum() > 0 else x)
        assert np.array_equal(g(x), x + 3 if x.sum() > 0 else -x)


def test_conditional_lambdas_called_elsewhere():
    def ap(g, x):
        return g(x)

    f = convert(lambda w: ap(lambda v: v * 2 if v.sum() > 0 else v, w))
    for x in (np.array([1.0, 2]), np.array([1.0, -2])):
        assert np.array_equal(f(x), x * 2 if x.sum() > 0 else x)


def test_nan_to_num_has_the_largest_number_of_the_type():
    f = convert(lambda x: np.nan_to_num(x / np.array([0, 0, 1], np.float32)))
    for x in (np.array([1, -1, 2], np.float32), np.array([1.0, -1, 2])):
        with np.errstate(all="ignore"):
            assert np.array_equal(f(x), np.nan_to_num(x / np.array([0, 0, 1], np.float32)))


def test_numbers_of_a_call_leave_the_random_stream_of_others_alone():
    gnumpy = pytest.importorskip("gnumpy")
    f = convert(lambda x, t: x * (1 - 0.5 ** t))
    x = np.ones(3)
    for t in (1, 2, 3):
        f(x, t)
    gnumpy.seed_rand(7)
    wanted = [gnumpy.rand(4).as_numpy_array() for _ in range(2)]
    gnumpy.seed_rand(7)
    got = [gnumpy.rand(4).as_numpy_array(), f(x, 5) is None or gnumpy.rand(4).as_numpy_array()]
    assert np.array_equal(got, wanted)


MIXED = [
    lambda x32, x64, u8, i8: x32 * np.float64(2),
    lambda x32, x64, u8, i8: x32 * x64[0],
    lambda x32, x64, u8, i8: x32[0] * 2.0,
    lambda x32, x64, u8, i8: x32 * 2.0,
    lambda x32, x64, u8, i8: x32 / x32.mean(),
    lambda x32, x64, u8, i8: x32 + np.arange(3),
    lambda x32, x64, u8, i8: np.float32(3) + 3.0,
    lambda x32, x64, u8, i8: np.where(x32 > 0, x32, 0.5),
    lambda x32, x64, u8, i8: u8 + np.int64(1),
    lambda x32, x64, u8, i8: u8 * u8.sum(),
    lambda x32, x64, u8, i8: u8 + 100,
    lambda x32, x64, u8, i8: u8.max() + 100,
    lambda x32, x64, u8, i8: i8 - 1,
    lambda x32, x64, u8, i8: np.maximum(u8, 3),
]


@pytest.mark.parametrize("function", MIXED)
def test_types_are_those_of_the_installed_numpy(function):
    """NumPy 1 looks at the value of a number beside an array, NumPy 2 at its type."""
    arguments = (np.array([1, -2, 3], np.float32), np.array([0.5, 1, 2]), np.array([1, 2, 3], np.uint8),
                 np.array([-5, 3, 7], np.int8))
    wanted = np.asarray(function(*arguments))
    try:
        got = np.asarray(convert(function)(*arguments))
    except NotationError as error:  # NumPy 1's type depends on a number of the run
        assert "known only at run time" in str(error)
        return
    assert got.dtype == wanted.dtype
    assert np.allclose(got, wanted)


def test_ints_that_a_type_does_not_hold():
    f = convert(lambda u: u + 300)
    u = np.array([1, 200], np.uint8)
    if np.__version__.startswith("1."):
        assert f(u).dtype == np.uint16
    else:
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
            f(u)


def test_a_loop_that_is_unrolled_is_a_warning():
    def f(x, v, w):
        both = [v, w]
        for k in range(2000):
            x = x + both[k % 2]
        return x

    v = np.ones(3)
    with pytest.warns(NotationWarning, match="this loop is unrolled") as told:
        assert np.array_equal(convert(f)(v, v, 2 * v), f(v, v, 2 * v))
    line = f.__code__.co_firstlineno + 2
    assert [(each.filename, each.lineno) for each in told] == [(__file__, line)]


@pytest.mark.parametrize("k", [10 ** 10, 10 ** 15])
def test_ints_of_a_call_do_not_overflow_unnoticed(k):
    for function in (lambda x, k: x * (k * k), lambda x, k: k * k):
        with pytest.raises((ValueError, NotationError), match="beyond 2|exceeds 64 bits"):
            convert(function)(np.ones(3), k)
    assert convert(lambda x, k: k * k)(np.ones(3), 10 ** 7) == 10 ** 14


@pytest.mark.skipif(np.__version__.startswith("1."), reason="NumPy 1 has int64 beside Python's ints")
def test_the_largest_of_a_python_int_and_integers_of_one_type():
    def one(h):
        return max(0, h[0] + 1)

    def several(h, s):
        for i in range(1, len(h)):
            h[i] = max(0, h[i - 1] + s[i], h[i] - 1, s[i - 1] - 7)
        return h, min(h[1], 100) + 100, 3 * max(h[2], 2, s[0])

    rng = np.random.default_rng(5)
    for t in (np.int8, np.uint8, np.int16, np.int32, np.uint32):
        h, s = (rng.integers(7, 90, 12).astype(t) for _ in range(2))
        got, wanted = convert(one)(h), one(h)
        assert got == wanted and type(got) is type(wanted)
        with np.errstate(over="ignore"):
            got, wanted = convert(several)(h.copy(), s), several(h.copy(), s)
        for mine, theirs in zip(got, wanted):
            assert np.array_equal(mine, theirs)
            assert isinstance(theirs, int) or mine.dtype == theirs.dtype


def test_a_real_operand_has_a_zero_imaginary_part():
    def f(x, y):
        z = x + 1j * y
        return np.angle(z), z * -2.0, x - z, z - x, x * z

    x, y = np.array([-1.0, -1.0, 2.0, -0.0, np.inf]), np.array([-0.0, 0.0, -0.0, -0.0, 1.0])
    with np.errstate(invalid="ignore"):
        both = [*zip(convert(f)(x, y), f(x, y))]
    for got, wanted in both:
        for part in (np.real, np.imag):
            assert np.array_equal(part(got), part(wanted), equal_nan=True)
            assert np.array_equal(np.signbit(part(got))[part(wanted) == 0], np.signbit(part(wanted))[part(wanted) == 0])


def test_the_error_is_that_of_the_reading_that_came_farthest():
    def reversed_bits(n):
        bits = int(np.round(np.log2(n)))
        places = np.zeros(n, dtype=int)
        for i in range(bits):
            places |= int(np.base_repr(i), 2) << (bits - 1 - i)
        return places

    with pytest.raises(NotationError, match="np.base_repr is not supported") as info:
        convert(reversed_bits)(16)
    assert info.value.lineno == reversed_bits.__code__.co_firstlineno + 4


def arrays_of_python_numbers(x):
    return np.array([float(x[0])]), np.array(x.tolist()), np.array([x[0], 1.5]), np.array([[x[0], 2], [x[1], x[1]]]), x * [0.1, 0.2]


def numbers_of_python_numbers(x):
    return np.mean(x.tolist()), np.mean([float(v) for v in x]), np.array([x[0], 2.0]).sum() * 3, np.dot(x, [0.1, 0.3])


def a_list_that_grows(x):
    losses = []
    for i in range(40):
        losses.append(float(x[1]) * i)
    return np.array(losses), losses[3]


def arrays_of_numpy_numbers(x):
    y = [x[:1].item()]
    return np.array([x[0], x[1]]), np.array([x, x * 2]), x[:1] * 3, np.array(y), np.mean([x[0], x[1]]), x + [1, 2][1], np.array([x[0], True])


def numbers_that_are_known(x):
    return x[0], np.float32(3) * 2, np.float32(1) / 3, np.float32(2) * np.float64(3), np.float32(5) ** 2, np.float32(2) + np.float32(1)


@pytest.mark.parametrize("function", [
    arrays_of_python_numbers, numbers_of_python_numbers, a_list_that_grows, arrays_of_numpy_numbers, numbers_that_are_known])
def test_python_numbers_among_float32_are_doubles_where_numpy_has_them(function):
    x = np.array([0.1, 0.7], np.float32)
    got, wanted = convert(function)(x), function(x)
    for a, b in zip(got, wanted):
        tight = getattr(b, "dtype", np.dtype(float)) != np.float32
        agree(a, b, 1e-12 if tight else 1e-6)


def test_numbers_of_operators_have_the_width_of_the_run():
    def total(x):
        s = 0
        for v in x:
            s += v
        return s, x.mean() * 2, x.sum() / 2

    assert {type(each) for each in convert(total)(np.array([0.1, 0.7], np.float32))} == {np.float32}


def named(x):
    return "good" if x.sum() > 0 else "bad"


def named_in_a_text(x):
    return {"state": f"it is {named(x)}", "n": len(x)}


def best_of(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return f"{best:.2f}"


@pytest.mark.parametrize("function", [named, named_in_a_text, best_of])
def test_strings_chosen_by_what_arrays_hold_are_returned(function):
    converted = convert(function)
    for x in ([1.0, 2.0], [0.5, 0.25], [-0.5, 0.25], [0.1, -3.7, 1 / 3], [np.inf, 1.0]):
        assert converted(np.array(x)) == function(np.array(x))


class Labels:
    def __init__(self):
        self.labels = [9]

    def assign(self, x):
        new = np.flatnonzero(x > 0).tolist()
        changed = new != self.labels
        self.labels = new
        return changed


def test_lists_of_data_dependent_length_are_compared():
    def chosen(x):
        idx = np.where(x > 0)[0].tolist()
        if idx == [0, 2]:
            return x * 2
        return -x

    converted, ours, theirs = convert(chosen), convert(Labels)(), Labels()
    for x in ([1.0, -2, 3], [1.0, 2, 3], [1.0, -5, 3], [-1.0, -1, -1], [-2.0, -1, -1], [0.0, 1, 1], [0.0, 2, 2]):
        x = np.array(x)
        np.testing.assert_array_equal(converted(x), chosen(x))
        assert bool(ours.assign(x)) == theirs.assign(x) and list(ours.labels) == theirs.labels


ONE_DRAW = {
    "rand": lambda: np.random.rand(),  # pylint: disable=unnecessary-lambda
    "normal": lambda: np.random.normal(2, 3),
    "uniform": lambda: np.random.uniform(1, 2),
    "lognormal": lambda: np.random.lognormal(),  # pylint: disable=unnecessary-lambda
    "exponential": lambda: np.random.exponential(2.0),
    "randint": lambda: np.random.randint(5),
    "randint of a type": lambda: np.random.randint(5, dtype=np.int64),
    "binomial": lambda: np.random.binomial(10, 0.5),
    "one trial": lambda: np.random.binomial(1, 0.5),
    "choice": lambda: np.random.choice(5),
    "weighed": lambda: np.random.choice(3, p=[0.2, 0.5, 0.3]),
    "of an array": lambda: np.random.choice(np.arange(3)),
    "integers": lambda: np.random.default_rng(0).integers(5),
    "random": lambda: np.random.default_rng(0).random(),
    "old": lambda: np.random.RandomState(0).random_sample(),
    "one of one": lambda: np.random.rand(1),
    "sized": lambda: np.random.normal(size=3),
}


@pytest.mark.parametrize("name", ONE_DRAW)
def test_one_draw_has_the_type_of_numpys(name):
    draw = ONE_DRAW[name]
    assert type(convert(draw)()) is type(draw())
    for x in (np.ones(3, np.float32), np.ones(3, np.int8)):
        assert convert(lambda x: x * draw())(x).dtype == (x * draw()).dtype
        assert convert(lambda x: x + draw()).verify(x)


@pytest.mark.parametrize("function", [
    lambda x: np.mean(x[x > 0], dtype=np.float32),
    lambda x: np.sum(x[x > 0], dtype="f4"),
    lambda x: x[x < 0].prod(dtype=np.float32),
    lambda x: np.cumsum(x[x > 0], dtype=np.float32),
    lambda x: np.std(x[x > 0], dtype=np.float32),
    lambda x: np.add.reduce(x[x > 0], dtype=np.float32),
])
def test_reductions_of_selections_have_the_floats_that_they_ask_for(function):
    x = np.array([1.5, -2, 0.3, 3, -0.5])
    got, wanted = convert(function)(x), function(x)
    assert got.dtype == wanted.dtype == np.float32 and np.allclose(got, wanted, rtol=1e-6, atol=0)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_nan_to_num_keeps_the_type(real):
    x = np.array([np.nan, np.inf, -np.inf, 1], real)
    for function in (np.nan_to_num, lambda x: np.nan_to_num(x, posinf=3), lambda x: np.nan_to_num(x[x > 0])):
        got, wanted = convert(lambda x: function(x))(x), function(x)  # pylint: disable=unnecessary-lambda
        assert got.dtype == wanted.dtype == real and np.array_equal(got, wanted)


def copies(x):
    arrays, named, chosen = [x, x + 1], {"x": x}, x[x > 0]
    own, shallow, deep = copy.copy(x), copy.copy(arrays), copy.deepcopy(arrays)
    own[0], deep[0][0], shallow[0][1], chosen_too = 9, 7, 5, copy.copy(chosen)
    shallow.append(3)
    again = copy.copy(named)
    again["y"] = 1
    chosen_too[0] = 8
    complex_one = copy.copy(x + 1j)
    return own, arrays, shallow, deep, named, again, chosen_too, complex_one, copy.copy((x, "text")), copy.copy(x[0])


def test_copies_of_arrays_and_containers():
    x = np.array([1.5, -2, 3])
    agree(convert(copies)(x.copy()), copies(x.copy()))


FLOATS = np.array([1.5, 7, 3, 100], np.float32)
BYTES = np.array([1, 2, 30], np.uint8)


@pytest.mark.parametrize("function, x", [
    (lambda x: np.convolve(x, [1, 2, 3]), FLOATS / 7),
    (lambda x: np.polymul(x, [1, 2]), FLOATS / 7),
    (lambda x: np.polyval([1.5, 2], x), FLOATS),
    (lambda x: np.polyval([100, 2], x), BYTES),
    (lambda x: np.vander(x), FLOATS / 7),
    (lambda x: np.intersect1d(x, [7, 3]), FLOATS),
    (lambda x: np.float_power(x, 2), FLOATS / 7),
    (lambda x: np.asarray(x, np.result_type(x, int)) / 7, FLOATS),
    (lambda x: np.full(2, x[0]), FLOATS),
    (lambda x: np.linspace(x[0], x[1], 3), FLOATS),
    (lambda x: np.select([x > 50, x > 5], [x, 1]), FLOATS),
    pytest.param(lambda x: np.select([x > 5, x > 1], [x, 1]), np.array([1, 9, 3], np.int32), marks=pytest.mark.skipif(
        np.__version__ < "2", reason="int64 here with NumPy 1, which promotes by the number's value")),
])
def test_functions_of_the_library_have_the_types_of_numpys(function, x):
    got, wanted = convert(function)(x), function(x)
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=4 * np.finfo(wanted.dtype).eps if wanted.dtype.kind == "f" else 0)
