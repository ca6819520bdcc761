"""Each name of the original's interface, with its meaning; where NumPy has it, NumPy judges."""

import copy
import pickle

import gnumpy as gpu
import numpy as np
import pytest
from checks import close, numbers

garray = gpu.garray


def same(got, expected):
    assert isinstance(got, garray)
    close(got, expected, 0)


def same_places(got, expected):
    """Integers of NumPy's, which index its arrays."""
    assert type(got) is type(expected) and got.dtype == expected.dtype
    assert np.array_equal(got, expected)


# ---- making and reading ----


def test_garray_takes_what_numpy_takes(random):
    x = numbers(random, 3, 4)
    for data in (
        x,
        x.T,
        x[::2],
        x.astype("float64"),
        (x * 10).astype("int8"),
        x > 1,
        x.tolist(),
        3,
        2.5,
        True,
        [],
        np.float32(3),
        np.zeros((2, 0)),
    ):
        same(garray(data), np.asarray(data, "float32"))
    same(garray(x, ndmin=4), x[None, None])
    same(garray([garray([1, 2]), garray([3, 4])]), [[1, 2], [3, 4]])
    a = garray(x)
    b, alias = garray(a), garray(a, copy=False)
    a[0, 0] = 7
    assert b[0, 0] == x[0, 0] and alias[0, 0] == 7


def test_creation():
    same(gpu.zeros((2, 3)), np.zeros((2, 3)))
    same(gpu.zeros(3, dtype="float32"), np.zeros(3))
    same(gpu.ones((2, 3)), np.ones((2, 3)))
    same(gpu.full((2, 2), 7), np.full((2, 2), 7))
    assert gpu.empty((2, 0, 3)).shape == (2, 0, 3) and gpu.empty(4).shape == (4,)
    same(gpu.eye(3), np.eye(3))
    same(gpu.eye(3, 4, 1), np.eye(3, 4, 1))
    same(gpu.zeros_like(gpu.ones(3)), np.zeros(3))
    same(gpu.arange(5), np.arange(5))
    same(gpu.arange(1, 10, 3), np.arange(1, 10, 3))
    close(gpu.linspace(0, 1, 7), np.linspace(0, 1, 7))


def test_random_numbers():
    gpu.seed_rand(3)
    first = gpu.rand(100, 30)
    assert isinstance(gpu.rand(), float) and isinstance(gpu.randn(), float)
    assert gpu.rand((2, 3)).shape == (2, 3) and gpu.rand((4,)).shape == (4,) and gpu.randn(2, 3, 4).shape == (2, 3, 4)
    gpu.seed_rand(seed=3)
    assert gpu.rand((100, 30)).eq2(first)
    assert abs(first.mean() - 0.5) < 0.02 and first.min() > 0
    normal = first.rand("normal")
    assert normal.shape == first.shape and abs(normal.std() - 1) < 0.05 and not first.rand().eq2(first)
    with pytest.raises(ValueError, match="'uniform' or 'normal'"):
        first.rand("cauchy")


def test_to_and_from_numpy(random):
    x = numbers(random, 2, 3)
    a = garray(x)
    assert gpu.as_garray(a) is a and isinstance(gpu.as_garray(x), garray)
    assert gpu.as_garray_or_scalar(3.5) == 3.5 and isinstance(gpu.as_garray_or_scalar(3.5), float)
    assert gpu.is_garray(a) and not gpu.is_garray(x) and gpu.is_array(a) and gpu.is_array(x) and not gpu.is_array(3)
    for array in (
        a.as_numpy_array(),
        a.asarray(),
        gpu.as_numpy_array(a),
        gpu.as_numpy_array(x).astype("float64"),
        a.astype("float64"),
    ):
        assert isinstance(array, np.ndarray) and array.dtype == np.float64
        assert np.array_equal(array, x)
    assert a.as_numpy_array("float32").dtype == np.float32 and np.asarray(a).dtype == np.float32
    assert a.tolist() == x.tolist() and a[0, 0].item() == x[0, 0] and a.item(1, 2) == x[1, 2] and a.item(4) == x[1, 1]


def test_what_an_array_tells_of_itself():
    a = gpu.zeros((2, 3, 4))
    assert (a.shape, a.size, a.ndim, a.nbytes, len(a), a.dtype) == ((2, 3, 4), 24, 3, 96, 2, np.float32)
    assert a.nMBytes == 96 / 2**20
    assert gpu.newaxis is None


# ---- element-wise ----

UNARY = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log_1_plus_exp": lambda x: np.log1p(np.exp(x)),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "negative": np.negative,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "log10": np.log10,
    "log2": np.log2,
    "cos": np.cos,
    "sin": np.sin,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isreal": np.isfinite,
    "isnumber": lambda x: ~np.isnan(x),
    "as_bool": lambda x: x != 0,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_and_methods(name, random):
    x = numbers(random, 3, 4) - (0.5 if name not in ("log", "log2", "log10", "sqrt") else 0)
    if name.startswith(("is", "as_")):
        x[0] = [np.nan, np.inf, -np.inf, 0]
    a, expected = garray(x), UNARY[name](x)
    close(getattr(gpu, name)(a), expected, 1e-6)
    close(getattr(a, name)(), expected, 1e-6)


OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="]


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_broadcast_and_take_numbers_and_arrays(operator, random):
    x, y = numbers(random, 3, 4), numbers(random, 4)
    x[0] = y
    for left, right in (
        (x, y),
        (y, x),
        (x, 2),
        (2, x),
        (x, 2.5),
        (1.5, x),
        (x, np.float32(2)),
        (np.float64(2), x),
        (x[:, :1], y),
    ):
        expected = eval(f"l {operator} r", {"l": left, "r": right})
        on = [garray(each) if isinstance(each, np.ndarray) else each for each in (left, right)]
        close(eval(f"l {operator} r", {"l": on[0], "r": on[1]}), expected, 1e-5)
        for mixed in ((on[0], right), (left, on[1])):
            if isinstance(mixed[0], garray) or isinstance(mixed[1], garray):
                result = eval(f"l {operator} r", {"l": mixed[0], "r": mixed[1]})
                assert isinstance(result, garray)
                close(result, expected, 1e-5)


def test_logical_operators(random):
    x = random.integers(0, 2, (4, 5)) > 0
    y = random.integers(0, 2, (4, 5)) > 0
    a, b = garray(x), garray(y)
    for f in (lambda p, q: p & q, lambda p, q: p | q, lambda p, q: p ^ q, lambda p, q: ~p):
        same(f(a, b), f(x, y))
    assert np.array_equal((-garray([1.0, 2])).tolist(), [-1, -2]) and (+a).eq2(a) and abs(garray([-1.0])).item() == 1
    assert divmod(garray([7.0]), 2)[1].item() == 1 and a.logical_not().eq2(~a)


def test_in_place_operators_write_through_aliases(random):
    for operator in ["+=", "-=", "*=", "/=", "//=", "%=", "**="]:
        x = numbers(random, 4, 3)
        a = garray(x)
        names = {"a": a, "x": x, "row": a[1], "flat": a.ravel()}
        exec(f"a {operator} 2; x {operator} 2", names)
        assert names["a"] is a
        close(a, x, 1e-6)
        close(names["row"], x[1], 1e-6)
        close(names["flat"], x.ravel(), 1e-6)


# ---- reductions ----


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "all", "any", "std", "var"])
def test_reductions(name, axis, random):
    x = numbers(random, 3, 4, 2)
    x[0, 1] = 0
    for keepdims in (False, True):
        expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        close(getattr(gpu, name)(garray(x), axis=axis, keepdims=keepdims), expected, 1e-5)
        close(getattr(garray(x), name)(axis=axis, keepdims=keepdims), expected, 1e-5)


def test_positions_scans_and_norms(random):
    x = numbers(random, 4, 5)
    a = garray(x)
    for axis in (None, 0, 1):
        same_places(a.argmax(axis), x.argmax(axis))
        same_places(gpu.argmin(a, axis), x.argmin(axis))
        close(a.cumsum(axis), x.cumsum(axis), 1e-6)
    assert list("abcde")[a[0].argmax()] == "abcde"[x[0].argmax()]
    assert isinstance(a.euclid_norm(), float) and abs(a.euclid_norm() - np.linalg.norm(x)) < 1e-5
    assert a.all_real() and not (a / 0).all_real()
    same(gpu.sort(a), np.sort(x))
    a.sort(0)
    same(a, np.sort(x, 0))
    same_places(gpu.argsort(garray(x)), np.argsort(x))
    same_places(np.argmax(garray(x), axis=1), x.argmax(axis=1))
    assert np.array_equal(np.eye(5)[garray(x).argmax(1)], np.eye(5)[x.argmax(1)])
    assert np.array_equal(np.bincount(garray(x).argmax(1)), np.bincount(x.argmax(1)))
    same(garray(x)[garray(x).argmax(0)], x[x.argmax(0)])
    truths = garray(x > 1.5)
    assert truths.any2() == (x > 1.5).any() and truths.all2() == (x > 1.5).all()
    for found in (gpu.nonzero(truths), truths.nonzero(), truths.where(), gpu.where(truths)):
        assert isinstance(found, tuple) and len(found) == 2
        for got, expected in zip(found, np.nonzero(x > 1.5)):
            same_places(got, expected)
    assert np.array_equal(x[gpu.where(truths)], x[x > 1.5])
    same(truths.where(garray(x), 0), np.where(x > 1.5, x, np.float32(0)))


@pytest.mark.parametrize("of", [gpu, np], ids=["gnumpy", "numpy"])
def test_distinct_elements_and_counts(of, random):
    x = random.choice([0.5, -1, 3, 7, np.nan, -0.0, 0], (6, 7)).astype(np.float32)
    a, k = garray(x), random.integers(0, 9, 500)
    same(of.unique(a), np.unique(x))
    values, counts = of.unique(a, return_counts=True)
    same(values, np.unique(x))
    same_places(counts, np.unique(x, return_counts=True)[1])
    whole = garray(k)
    weights = numbers(random, 500)
    same_places(of.bincount(whole), np.bincount(k))
    same_places(of.bincount(whole, minlength=20), np.bincount(k, minlength=20))
    close(of.bincount(whole, weights=garray(weights)), np.bincount(k, weights), 1e-6)
    close(of.bincount(whole, weights), np.bincount(k, weights), 1e-6)
    with pytest.raises(ValueError, match="must have no negative elements"):
        of.bincount(-whole)
    with pytest.raises(ValueError, match="not a whole number"):
        of.bincount(whole + 0.5)
    for bins in (4, np.int64(3), [0.6, 1, 2.5], garray([0.6, 1, 2.5])):
        plain = bins.as_numpy_array() if isinstance(bins, garray) else bins
        plain = np.float32(plain) if isinstance(plain, list) else plain
        for words in ({}, {"range": (1, 2)}, {"density": True}, {"weights": weights}):
            got, edges = of.histogram(garray(weights), bins, **words)
            expected = np.histogram(weights, plain, **words)
            (same_places if len(words) == 0 or "range" in words else lambda x, y: close(x, y, 1e-5))(got, expected[0])
            same(edges, expected[1])
    with pytest.raises(ValueError, match="increase monotonically"):
        of.histogram(garray(weights), [2, 1])
    with pytest.raises(ValueError, match="must be positive"):
        of.histogram(garray(weights), 0)


def test_what_numpy_alone_has_of_these(random, monkeypatch):
    """With options that gnumpy's functions do not have, NumPy computes."""
    x = random.integers(0, 4, (5, 3)).astype(np.float32)
    values, places = np.unique(garray(x), return_inverse=True)
    assert np.array_equal(values[places.ravel()], x.ravel())
    assert np.array_equal(np.unique(garray(x), axis=0), np.unique(x, axis=0))
    assert np.array_equal(np.histogram(garray(x), "sqrt")[0], np.histogram(x, "sqrt")[0])
    monkeypatch.setenv("GNUMPY_IMPLICIT_CONVERSION", "refuse")
    with pytest.raises(TypeError, match="NumPy's for np.unique"):
        np.unique(garray(x), return_index=True)
    assert isinstance(np.unique(garray(x)), garray)
    with pytest.raises(TypeError, match="by the name of a rule"):
        gpu.histogram(garray(x), "sqrt")


def test_functions_give_what_they_are_given(random):
    """NumPy's arrays NumPy's, in their precision, and Python's numbers floats."""
    x = np.array([1e-300, 1e300, 3.5])
    for name in "abs exp isinf isnan log negative sign sqrt tanh log10 log2 cos sin sum mean max min prod std any all".split():
        with np.errstate(all="ignore"):
            got, expected = getattr(gpu, name)(x), getattr(np, name)(x)
        assert type(got) is type(expected) and np.array_equal(got, expected), name
        assert type(getattr(gpu, name)(0.5)) is float
        assert isinstance(getattr(gpu, name)(garray([0.5])), garray), name
    assert gpu.sum(np.array([1e8, 1.0])) == 1e8 + 1
    assert np.array_equal(gpu.sum(x.reshape(1, 3), 0), x)
    for f, g in ((gpu.logistic, lambda v: 1 / (1 + np.exp(-v))), (gpu.log_1_plus_exp, lambda v: np.log1p(np.exp(v)))):
        v = np.linspace(-20, 20, 9)
        expected = g(v.astype(np.longdouble))
        assert f(v).dtype == np.float64 and np.allclose(f(v), expected.astype(float), rtol=1e-15, atol=0)
        assert f(800.0) in (1.0, 800.0) and type(f(0.0)) is float
        close(f(garray(v)), g(v), 1e-6)
    same_places(gpu.argmax(x), x.argmax())


# ---- products and shapes ----


def test_products(random):
    x, y, z = numbers(random, 3, 4), numbers(random, 4, 5), numbers(random, 4)
    close(gpu.dot(garray(x), garray(y)), x @ y)
    close(garray(x).dot(garray(z)), x @ z)
    close(gpu.dot(garray(z), garray(z)), z @ z)
    close(garray(x) @ garray(y), x @ y)
    close(gpu.dot(garray(y).T, garray(x).T), y.T @ x.T)
    close(gpu.outer(garray(x), garray(z)), np.outer(x, z))
    v = numbers(random, 3, 4, 5)
    close(gpu.tensordot(garray(v), garray(v), ([1, 2], [1, 2])), np.tensordot(v, v, ([1, 2], [1, 2])), 1e-5)
    close(gpu.tensordot(garray(x), garray(y), 1), np.tensordot(x, y, 1))
    close(gpu.dot(garray(v), garray(numbers(random, 5, 2) * 0 + 1)), np.dot(v, np.ones((5, 2))), 1e-5)


def test_shapes(random):
    x = numbers(random, 2, 3, 4)
    a = garray(x)
    same(a.reshape(6, 4), x.reshape(6, 4))
    same(a.reshape((4, -1)), x.reshape(4, -1))
    same(a.reshape(-1), x.ravel())
    same(a.reshape_2d(2), x.reshape(6, 4))
    same(a.ravel(), x.ravel())
    same(a.T, x.T)
    same(a.transpose(), x.T)
    same(a.transpose(1, 0, 2), x.transpose(1, 0, 2))
    same(a.transpose((2, 0, 1)), x.transpose(2, 0, 1))
    same(a.transpose_simple((2, 0, 1)), x.transpose(2, 0, 1))
    same(a.transpose_simple(1), x.transpose(1, 2, 0))
    same(a.transpose_simple(2), x.transpose(2, 0, 1))
    same(a.reshape_2d(-1), x.reshape(6, 4))
    same(a.swapaxes(0, 2), x.swapaxes(0, 2))
    same(gpu.tile(a[0], (2, 3)), np.tile(x[0], (2, 3)))
    same(a[0].tile(2), np.tile(x[0], 2))
    same(gpu.concatenate((a, a, x), axis=1), np.concatenate((x, x, x), axis=1))
    same(gpu.vstack([a[0], a[1]]), np.vstack([x[0], x[1]]))
    same(gpu.diagflat(a[0]), np.diagflat(x[0]))
    same(a[0].diag(1), np.diag(x[0], 1))
    same(gpu.diag(a[0, 0]), np.diag(x[0, 0]))
    same(a.diagonal(), x.diagonal())
    same(a[:1].squeeze(), x[0])
    same(gpu.where(a > 1.5, a, 0), np.where(x > 1.5, x, np.float32(0)))
    same(a.take([2, 0], axis=1), x.take([2, 0], axis=1))
    same(a.copy(), x)


def test_what_shares_elements_and_what_is_a_copy():
    a = gpu.zeros((4, 6))
    aliases = [
        a[1:3],
        a[1],
        a[:],
        a[...],
        a.reshape(6, 4),
        a.ravel(),
        a[1:3][0],
        a.reshape(2, 2, 6)[1],
        a[gpu.newaxis][0],
    ]
    copies = [
        a[:, 1:3],
        a[::2],
        a[::-1],
        a.T,
        a.transpose(),
        a[[0, 1]],
        a[a == 0],
        a.copy(),
        a + 0,
        a[1, 2],
        gpu.garray(a),
        a[1:3, 2],
    ]
    a += 1
    assert all((each == 1).all() for each in aliases)
    assert all((each == 0).all() for each in copies)
    for each in aliases:
        each[...] = 5
        assert (each == 5).all() and a.max() == 5
        a[...] = 0
    for each in copies[:-1]:
        if each.ndim:
            each[...] = 9
    assert a.eq2(gpu.zeros((4, 6)))


def test_fill_writes_through_aliases():
    a = gpu.zeros((3, 2))
    a[1:].fill(7)
    assert a.tolist() == [[0, 0], [7, 7], [7, 7]]


def test_rebinding_is_no_writing():
    a = gpu.ones(3)
    b = a
    b = b * 2 + a
    assert a.eq2(gpu.ones(3)) and b.eq2(gpu.full(3, 3))
    b -= a
    a *= 0
    assert b.tolist() == [2, 2, 2]


def test_numbers_are_values_as_numpys_scalars_are():
    a = garray([1.0, 2, 3])
    total = a.sum()
    history = [total]
    total += 10
    first = a[0]
    a[0] = 7
    assert history[0] == 6 and total == 16 and first == 1
    assert f"{history[0]:.2f} {history[0]}" == "6.00 6.0" and "%.1f %d" % (total, total) == "16.0 16"
    assert float(total) == 16 and int(total) == 16 and bool(total) and hash(total) == hash(16.0) and round(first) == 1
    assert np.mean([a.sum(), a.max()]) == 9.5 and max(a.sum(), 3) == 12 and sum([a.sum(), a.sum()]) == 24
    assert {history[0]: 1}[6.0] == 1 and repr(first) == "1.0" and [10, 20, 30, 40][a.argmin()] == 20


SUBSCRIPTS = [
    "1",
    "-1",
    "1, 2",
    "1:3",
    "::2",
    "::-1",
    ":, 1",
    "..., 0",
    "None",
    "1:3, None, ::2",
    "1, ..., -1",
    ":, 1:3, 2",
    "[2, 0]",
    "[2, 0], [1, 1]",
    ":, [0, 2]",
    "np.array([[0, 1], [2, 3]])",
    "np.array([True, False, True, False])",
    "0:0",
    "5:",
    "-2:",
    ":, :, np.array([0, -1])",
    "np.int64(2)",
    "...",
    "(1,)",
    "slice(None, 2)",
    ":, np.array([[0, 2], [1, 1]])",
]


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
def test_subscripts_read_and_write_as_numpys(subscript, random):
    x = numbers(random, 4, 3, 5)
    a = garray(x)
    names = {"np": np, "x": x, "a": a}
    part = eval(f"x[{subscript}]", names)
    got = eval(f"a[{subscript}]", names)
    same(got, part)
    for value in (2.5, numbers(random, *part.shape), np.array(part) * 0 + 1):
        names["v"] = value
        names["g"] = garray(value)
        exec(f"x[{subscript}] = v; a[{subscript}] = g", names)
        same(a, x)
        exec(f"x[{subscript}] += v; a[{subscript}] += v", names)
        same(a, x)


def test_masks_and_garrays_as_subscripts(random):
    x = numbers(random, 4, 5)
    a = garray(x)
    same(a[a > 1.5], x[x > 1.5])
    a[a > 1.5] *= 2
    x[x > 1.5] *= 2
    same(a, x)
    same(a[garray([3, 0])], x[[3, 0]])
    same(a[garray([[3, 0], [1, 1]])], x[[[3, 0], [1, 1]]])
    same(a[a.sum(1) > 7], x[x.sum(1) > 7])
    a[x < 2] = 0
    x[x < 2] = 0
    same(a, x)


def test_containers(random):
    x = numbers(random, 3, 2)
    a = garray(x)
    assert [row.tolist() for row in a] == x.tolist()
    for row in a:
        row += 1
    same(a, x + 1)
    first, second, third = a
    assert first.shape == (2,) and float(x[0, 0]) + 1 in a and -5 not in a
    assert [float(each) for each in garray([1, 2])] == [1, 2]
    with pytest.raises(TypeError, match="0-d"):
        iter(a.sum())


def test_truth_of_arrays():
    assert garray([1]) and not garray([[0]])
    with pytest.raises(ValueError, match="any\\(\\) or all\\(\\)"):
        bool(garray([1, 2]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(garray([1]))
    assert (garray([1, 2]) == None) is False  # noqa: E711


def test_pickles_and_copies(random):
    x = numbers(random, 3, 4)
    a = garray(x)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same(pickle.loads(pickle.dumps(a, protocol)), x)
    mask = pickle.loads(pickle.dumps(a > 1))
    same(a[mask], x[x > 1])
    for twin in (copy.copy(a), copy.deepcopy(a), copy.deepcopy({"a": a})["a"]):
        twin[0] = 0
        same(a, x)
    same(pickle.loads(pickle.dumps(a[1:3])), x[1:3])


def test_printing(random):
    with np.printoptions():
        for array in (
            np.arange(6.0).reshape(2, 3),
            np.array([0.1, 1e-8, 3]),
            np.zeros((0, 2)),
            np.arange(2000.0),
            np.full((2, 2, 2), np.nan),
        ):
            assert str(garray(array)) == str(array.astype("float32"))
    assert repr(garray([[1, 2], [3, 4]])) == "garray([[1. 2.]\n        [3. 4.]])"
