"""Each name of the original's module, with its meaning."""

import math

import cudamat as cm
import numpy as np
import pytest
from cudamat import learn

UNARY = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log_1_plus_exp": lambda x: np.log1p(np.exp(x)),
    "sqrt": np.sqrt,
    "gamma": np.vectorize(math.gamma),
    "lgamma": np.vectorize(math.lgamma),
    "gammaln": np.vectorize(math.lgamma),
    "reciprocal": lambda x: 1 / x,
    "sign": np.sign,
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "mult": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "less_than": np.less,
    "greater_than": np.greater,
    "equals": np.equal,
    "pow": np.power,
}
COLUMN = {"add_col_vec": np.add, "mult_by_col": np.multiply, "div_by_col": np.divide}
ROW = {"add_row_vec": np.add, "mult_by_row": np.multiply, "div_by_row": np.divide}
REDUCTIONS = ("sum", "mean", "max", "min", "argmax", "argmin")

TYPES = [("float32", 4e-6), ("float64", 1e-14)]


@pytest.fixture(params=TYPES, ids=lambda each: each[0])
def precision(request):
    cm.use("auto", request.param[0])
    yield request.param[1]
    cm.use("auto", "float32")


def numbers(random, *shape):
    return random.uniform(0.5, 3, shape).astype(cm.empty((0, 0)).dtype)


def close(matrix, expected, tolerance):
    got = matrix.asarray() if isinstance(matrix, cm.CUDAMatrix) else matrix
    assert np.shape(got) == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_work_in_place_or_into_a_target(name, precision, random):
    x = numbers(random, 5, 3)
    expected = UNARY[name](x.astype("float64"))
    a, target = cm.CUDAMatrix(x), cm.empty((5, 3))
    assert getattr(cm, name)(a, target=target) is target
    close(target, expected, precision)
    close(a, x, 0)
    result = getattr(a, name)()
    assert (result is a) == (name != "sign")
    close(result, expected, precision)


@pytest.mark.parametrize("name", BINARY)
def test_binary_methods_take_matrices_and_numbers(name, precision, random):
    x, y = numbers(random, 4, 6), numbers(random, 4, 6)
    y[0] = x[0]
    target = cm.empty((4, 6))
    assert getattr(cm.CUDAMatrix(x), name)(cm.CUDAMatrix(y), target=target) is target
    close(target, BINARY[name](x, y), precision)
    for number in (2, 2.0, np.float32(2), np.array(2)):
        a = cm.CUDAMatrix(x)
        assert getattr(a, name)(number) is a
        close(a, BINARY[name](x, np.float32(2)), precision)


@pytest.mark.parametrize("name", [*COLUMN, *ROW])
def test_vectors_are_broadcast(name, precision, random):
    x = numbers(random, 4, 6)
    vec = numbers(random, *((4, 1) if name in COLUMN else (1, 6)))
    a = cm.CUDAMatrix(x)
    assert getattr(a, name)(cm.CUDAMatrix(vec)) is a
    close(a, (COLUMN | ROW)[name](x, vec), precision)
    with pytest.raises(cm.CUDAMatException, match=rf"\[{name}\] vec must be"):
        getattr(a, name)(cm.CUDAMatrix(vec.T))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, axis, precision, random):
    x = numbers(random, 7, 5)
    a, shape = cm.CUDAMatrix(x), (1, 5) if axis == 0 else (7, 1)
    expected = getattr(x.astype("float64"), name)(axis).reshape(shape)
    close(getattr(a, name)(axis=axis), expected, precision * 10)
    target = cm.empty(shape)
    assert getattr(cm, name)(a, axis, target=target) is target
    close(target, expected, precision * 10)
    close(getattr(a.T, name)(1 - axis), expected.T, precision * 10)


def test_sums_with_factors(precision, random):
    x, s = numbers(random, 7, 5), numbers(random, 7, 1)
    a, sums = cm.CUDAMatrix(x), cm.CUDAMatrix(s)
    close(a.sum(axis=1, mult=-2.0), -2 * x.sum(1, keepdims=True), precision * 10)
    assert sums.add_sums(a, axis=1, mult=0.5, beta=3) is sums
    close(sums, 3 * s + 0.5 * x.sum(1, keepdims=True), precision * 10)
    close(a.sum(), x.sum(dtype="float64"), precision * 100)


def test_numbers_from_a_matrix(precision, random):
    x, y = numbers(random, 7, 5) - 2, numbers(random, 7, 5)
    a, b = cm.CUDAMatrix(x), cm.CUDAMatrix(y)
    close(a.euclid_norm(), np.linalg.norm(x.astype("float64")), precision * 10)
    close(a.manhattan_norm(), np.abs(x).sum(dtype="float64"), precision * 100)
    close(cm.vdot(a, b), np.vdot(x.astype("float64"), y), precision * 100)
    assert a.allfinite() is True
    a.divide(0)
    assert a.allfinite() is False


def test_products(precision, random):
    x, y, z = numbers(random, 4, 6), numbers(random, 4, 5), numbers(random, 6, 5)
    a, b, c = cm.CUDAMatrix(x), cm.CUDAMatrix(y), cm.CUDAMatrix(z)
    close(cm.dot(a.T, b), x.T @ y, precision * 20)
    assert cm.dot(a.T, b, target=c, beta=2.0, alpha=0.5) is c
    close(c, 2 * z + 0.5 * (x.T @ y), precision * 40)
    assert c.add_dot(a.T, b, mult=3.0) is c
    close(c, 2 * z + 3.5 * (x.T @ y), precision * 200)
    assert c.subtract_dot(a.T, b, mult=3.5) is c
    close(c, 2 * z, precision * 200)
    close(b.dot(b.T), y @ y.T, precision * 20)


def test_scaled_updates(precision, random):
    x, y, v = numbers(random, 4, 6), numbers(random, 4, 6), numbers(random, 4, 1)
    a = cm.CUDAMatrix(x)
    assert a.add_mult(cm.CUDAMatrix(y), 2.0) is a
    close(a, x + 2 * y, precision)
    a.subtract_mult(cm.CUDAMatrix(y), alpha=2.0)
    close(a, x, precision)
    a.add_col_mult(cm.CUDAMatrix(v), -0.5)
    close(a, x - 0.5 * v, precision)


def test_soft_threshold_where_correlate_and_learn(precision, random):
    x = numbers(random, 6, 7) - 1.5
    a, target = cm.CUDAMatrix(x), cm.empty((6, 7))
    for call in (lambda: cm.soft_threshold(a, 0.5, target=target), lambda: a.apply_soft_threshold(0.5, target)):
        close(call(), np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), precision)
    close(cm.where(cm.CUDAMatrix(x > 0), a, cm.CUDAMatrix(-x)), np.abs(x), 0)
    kernel = numbers(random, 3, 5)
    padded = np.pad(x, ((1, 1), (2, 2)))
    expected = sum(padded[p : p + 6, q : q + 7] * kernel[p, q] for p in range(3) for q in range(5))
    close(cm.correlate(a, cm.CUDAMatrix(kernel)), expected, precision * 20)
    acts = numbers(random, 6, 7)
    assert learn.mult_by_sigmoid_deriv(a, cm.CUDAMatrix(acts)) is a
    close(a, x * acts * (1 - acts), precision * 4)


def test_apply_forms_are_the_functions(precision, random):
    x = numbers(random, 3, 3)
    close(cm.CUDAMatrix(x).apply_sigmoid(), 1 / (1 + np.exp(-x)), precision)
    close(cm.CUDAMatrix(x).apply_tanh(), np.tanh(x), precision)


def test_slices(random):
    x, y = numbers(random, 5, 8), numbers(random, 5, 3)
    a = cm.CUDAMatrix(x)
    view = a.slice(2, 5)
    close(view, x[:, 2:5], 0)
    view.assign(7)
    x[:, 2:5] = 7
    close(a, x, 0)
    close(a.get_col_slice(0, 2), x[:, :2], 0)
    column = cm.CUDAMatrix(np.arange(5.0).reshape(5, 1))  # of which the original's slices are elements
    part = column.slice(1, 3)
    part.mult(10)
    close(column, [[0], [10], [20], [3], [4]], 0)
    close(column.get_col_slice(4, 5), [[4]], 0)
    close(column.get_col_slice(0, 2, target=cm.empty((2, 1))), [[0], [10]], 0)
    with pytest.raises(cm.CUDAMatException, match="4:6"):
        column.slice(4, 6)
    assert a.set_col_slice(1, 4, cm.CUDAMatrix(y)) is a
    x[:, 1:4] = y
    close(a, x, 0)
    rows = cm.empty((2, 8))
    assert a.get_row_slice(1, 3, target=rows) is rows
    close(rows, x[1:3], 0)
    a.set_row_slice(3, 5, rows)
    x[3:5] = x[1:3]
    close(a, x, 0)
    close(a.transpose(), x.T, 0)
    at = cm.CUDAMatrix(np.array([[7, -1, 0, 9]]))
    expected = np.column_stack([x[:, 7], x[:, -1], x[:, 0], np.full(5, np.nan)])
    close(a.select_columns(at, target=cm.empty((5, 4))), expected, 0)
    a.set_selected_columns(cm.CUDAMatrix(np.array([[0, -1, 2]])), cm.CUDAMatrix(y))
    x[:, [0, -1, 2]] = y
    close(a, x, 0)


def test_the_host_copy_is_written_and_read(random):
    x = numbers(random, 3, 4)
    a = cm.CUDAMatrix(x)
    a.numpy_array[1, 2] = 9
    assert a.asarray()[1, 2] == x[1, 2]  # the device's
    a.numpy_array[1, 2] = 9
    a.copy_to_device()
    x[1, 2] = 9
    close(a, x, 0)
    host = a.numpy_array
    a.mult(2.0)
    assert host[1, 2] == 9
    a.copy_to_host()
    assert host[1, 2] == 18 and a.numpy_array is host
    assert cm.empty((2, 3)).numpy_array.shape == (2, 3)
    close(a.copy(), 2 * x, 0)
    host[0, 0] = 5
    assert np.asarray(a)[0, 0] == 2 * x[0, 0] and host[0, 0] == 5 and np.asarray(a.T, "float64").shape == (4, 3)


def test_arrays_of_any_order_and_type_become_matrices(random):
    x = (numbers(random, 4, 3) * 10).astype(int)
    for array in (
        x,
        x.T.copy().T,
        np.asfortranarray(x, dtype="float32"),
        x.astype(bool),
        x[::2, ::-1],
        x.astype("float16"),
        x.tolist(),
        np.zeros((0, 3)),
    ):
        a = cm.CUDAMatrix(array)
        assert a.dtype == np.float32 and a.numpy_array.flags.f_contiguous
        close(a, np.asarray(array), 0)
    assert cm.reformat(x).dtype == np.float32 and cm.reformat(x).flags.f_contiguous
    array = np.zeros((2, 2), "float32", order="F")
    assert cm.CUDAMatrix(array, copy_on_host=False).numpy_array is array
    assert cm.CUDAMatrix(array).numpy_array is not array


def test_reshape_and_flags(random):
    x = numbers(random, 4, 6)
    a = cm.CUDAMatrix(x)
    assert a.reshape((8, 3)) is a and a.shape == (8, 3)
    close(a, x.reshape((8, 3), order="F"), 0)
    a.reshape((4, -1))
    assert a.T.shape == (6, 4) and a.T.is_transposed
    assert a.set_trans(True).shape == (6, 4)
    close(a, x.T, 0)


def test_random_numbers_start_anew_with_a_seed():
    a, b = cm.empty((100, 50)), cm.empty((100, 50))
    cm.CUDAMatrix.init_random(7)
    first = a.fill_with_rand().asarray().copy()
    assert b.fill_with_rand() is b and not np.array_equal(first, b.asarray())
    cm.CUDAMatrix.init_random(seed=7)
    close(b.fill_with_rand(), first, 0)
    assert 0 < first.min() and first.max() <= 1 and abs(first.mean() - 0.5) < 0.02
    a.fill_with_randn()
    assert abs(a.asarray().mean()) < 0.06 and abs(a.asarray().std() - 1) < 0.04


def test_deprecated_names_warn_and_work(random):
    x = numbers(random, 2, 3)
    for name, same in (
        ("assign_scalar", np.full_like(x, 2)),
        ("mult_by_scalar", x * 2),
        ("div_by_scalar", x / 2),
        ("add_scalar", x + 2),
    ):
        a = cm.CUDAMatrix(x)
        with pytest.warns(DeprecationWarning, match=f"{name} is deprecated; use"):
            getattr(a, name)(2)
        close(a, same, 0)


def test_life():
    for start, stop in ((cm.cublas_init, cm.cublas_shutdown), (cm.init, cm.shutdown)):
        start()
        stop()
    cm.cublas_init(1000)
    cm.cuda_set_device(0)
    cm.cuda_sync_threads()
    a = cm.CUDAMatrix(np.ones((2, 2)))
    cm.shutdown()
    a.free_device_memory()
    with pytest.raises(cm.CUDAMatException, match="not on the device"):
        a.mult(2)
    a.copy_to_device()
    close(a.mult(2), 2 * np.ones((2, 2)), 0)
    a.free_device_memory()
    a.free_device_memory()


def test_npmats_additions(random):
    x = numbers(random, 5, 4)
    a = cm.CUDAMatrix(x)
    close(a.cumsum(), x.cumsum(1), 1e-6)
    close(a.softmax(1, target=cm.empty((5, 4))), np.exp(x) / np.exp(x).sum(1, keepdims=True), 1e-6)
    at = np.array([[1], [0], [3], [-1], [2]])
    rows = np.arange(5)
    close(a.get_item_from_each_row(cm.CUDAMatrix(at)), x[rows, at[:, 0]][:, None], 0)
    a.set_item_to_each_row(cm.CUDAMatrix(at), 5)
    x[rows, at[:, 0]] = 5
    close(a, x, 0)
    close(cm.ind_incr(cm.zeros((5, 4)), cm.CUDAMatrix(at), 1), (np.arange(4) == at % 4) * 1.0, 0)
    assert cm.sample_multinomial(cm.CUDAMatrix(x)).sum(1).asarray().tolist() == [[1]] * 5
    close(
        cm.multi_transpose(cm.CUDAMatrix(np.arange(12).reshape(2, 6)), cm.empty((2, 6)), 3, 2, 2),
        np.arange(12).reshape(2, 2, 3).transpose(0, 2, 1).reshape(2, 6),
        0,
    )
    assert cm.randn(3, 4).shape == (3, 4)


def test_misuse_says_what_would_be_right():
    a = cm.empty((4, 5))
    for call, error, text in (
        (
            lambda: a.add(cm.empty((3, 3))),
            cm.IncompatibleDimensionsException,
            r"\[add\] val must be 4x5 to match mat; got 3x3",
        ),
        (
            lambda: a.add(np.ones((4, 5))),
            TypeError,
            r"\[add\] val must be a CUDAMatrix; got numpy.ndarray, of which CUDAMatrix\(array\)",
        ),
        (lambda: a.add("1"), TypeError, r"\[add\] val must be a number; got str"),
        (lambda: a.add(1, target=3), TypeError, r"\[add\] target must be a CUDAMatrix; got int"),
        (lambda: cm.dot(a, a), cm.CUDAMatException, r"m1 4x5 and m2 4x5: the columns of m1"),
        (lambda: a.sum(2), cm.CUDAMatException, r"\[sum\] axis must be 0 or 1; got 2"),
        (lambda: a.add(cm.empty((4, 5), dtype="float64")), cm.CUDAMatException, "one engine and type"),
        (lambda: cm.CUDAMatrix(np.zeros(3)), cm.CUDAMatException, r"two dimensions; the array's shape is \(3,\)"),
        (lambda: cm.empty(3), TypeError, r"\[empty\] shape must be two numbers"),
        (lambda: cm.empty((2, 2), dtype="int32"), TypeError, "dtype must be one of float32 float64; got int32"),
        (lambda: cm.empty((1 << 40, 1 << 20)), MemoryError, "bytes"),
        (lambda: cm.use("tpu"), cm.CUDAMatException, "engine must be 'auto', 'cpu' or 'gpu'"),
        (lambda: a.slice(3, 9), cm.CUDAMatException, "3:9"),
        (lambda: cm.CUDAMatrix(a), TypeError, "copy"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_distinct_elements_and_counts(precision, random):
    x = random.integers(-3, 9, (7, 11)).astype(cm.empty((0, 0)).dtype)
    x[0, :3] = np.nan, np.nan, -0.0
    values, counts = cm.unique(cm.CUDAMatrix(x), return_counts=True)
    expected = np.unique(x, return_counts=True)
    close(values, expected[0].reshape(1, -1), 0)
    close(counts, expected[1].reshape(1, -1), 0)
    close(cm.unique(cm.CUDAMatrix(x)), expected[0].reshape(1, -1), 0)

    k, w = random.integers(0, 12, (5, 40)), numbers(random, 5, 40)
    keys, weights = cm.CUDAMatrix(k), cm.CUDAMatrix(w)
    close(cm.bincount(keys), np.bincount(k.ravel()).reshape(1, -1), 0)
    close(cm.bincount(keys, minlength=15), np.bincount(k.ravel(), minlength=15).reshape(1, -1), 0)
    close(cm.bincount(keys, weights), np.bincount(k.ravel(), w.ravel()).reshape(1, -1), precision)
    target = cm.empty((1, 20))
    assert cm.bincount(keys, weights, target=target) is target
    close(target, np.bincount(k.ravel(), w.ravel(), 20).reshape(1, -1), precision)
    with pytest.raises(cm.CUDAMatException, match="element 0 is"):
        cm.bincount(cm.CUDAMatrix(k + 20.0), target=target)
    with pytest.raises(cm.CUDAMatException, match="not a whole number"):
        cm.bincount(cm.CUDAMatrix(k + 0.5))
    close(cm.bincount(cm.empty((1, 0)), minlength=2), np.zeros((1, 2)), 0)

    for bins in (10, 3, [0.75, 1, 2.5], cm.CUDAMatrix(np.array([[0.75, 1, 2.5]]))):
        plain = bins.asarray().ravel() if isinstance(bins, cm.CUDAMatrix) else bins
        between = {"range": (1, 2)}
        for words, plainly in (({}, {}), (between, between), ({"weights": weights}, {"weights": w})):
            counts, edges = cm.histogram(weights, bins, **words)
            expected = np.histogram(w, plain, **plainly)
            close(counts, expected[0].reshape(1, -1), 10 * precision if words else 0)
            close(edges, expected[1].reshape(1, -1), 0)
    with pytest.raises(ValueError, match="increase monotonically"):
        cm.histogram(weights, [2, 1])
