"""Programs as users of these packages write them, beside the same in NumPy."""

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture
def digits(random):
    """300 cases of 3 classes, one a row, and one-of-3 targets."""
    centres = random.normal(0, 1, (3, 20))
    labels = random.integers(0, 3, 300)
    return (
        (centres[labels] + random.normal(0, 0.5, (300, 20))).astype("float32"),
        np.eye(3, dtype="float32")[labels],
        labels,
    )


def test_network_with_momentum_in_gnumpy(digits, random):
    inputs, targets, labels = digits
    start = [random.normal(0, 0.1, shape).astype("float32") for shape in ((20, 16), (16,), (16, 3), (3,))]

    def train(xp, array):
        w1, b1, w2, b2 = (array(each.copy()) for each in start)
        speeds = [xp.zeros(each.shape) for each in start]
        data, wanted = array(inputs), array(targets)
        errors = []
        for epoch in range(15):
            error = 0
            for first in range(0, 300, 50):
                x, t = data[first : first + 50], wanted[first : first + 50]
                h = xp.tanh(xp.dot(x, w1) + b1)
                out = xp.exp(xp.dot(h, w2) + b2)
                out /= out.sum(axis=1).reshape((-1, 1))
                error += -xp.sum(t * xp.log(out + 1e-30))
                delta = (out - t) / 50
                back = xp.dot(delta, w2.T) * (1 - h * h)
                gradients = [xp.dot(x.T, back), back.sum(0), xp.dot(h.T, delta), delta.sum(0)]
                for weight, speed, gradient in zip((w1, b1, w2, b2), speeds, gradients):
                    speed *= 0.9
                    speed -= 0.1 * gradient
                    weight += speed
            errors.append(float(error))
        guessed = (xp.dot(xp.tanh(xp.dot(data, w1) + b1), w2) + b2).argmax(axis=1)
        return errors, np.asarray(guessed)

    errors, guessed = train(gpu, gpu.garray)
    expected, _ = train(np, np.array)
    np.testing.assert_allclose(errors, expected, rtol=2e-3)
    assert (guessed == labels).mean() > 0.95 and errors[-1] < errors[0] / 4


def test_softmax_regression_in_cudamat(digits):
    inputs, targets, labels = digits
    x, t = cm.CUDAMatrix(inputs.T), cm.CUDAMatrix(targets.T)  # one case a column
    w, b = cm.CUDAMatrix(np.zeros((20, 3))), cm.CUDAMatrix(np.zeros((3, 1)))
    out, norms = cm.empty((3, 300)), cm.empty((1, 300))
    weights, biases = np.zeros((20, 3)), np.zeros((3, 1))
    for _ in range(60):
        cm.dot(w.T, x, target=out)
        out.add_col_vec(b)
        cm.exp(out)
        out.sum(axis=0, target=norms)
        norms.reciprocal()
        out.mult_by_row(norms)
        out.subtract(t)
        w.subtract_dot(x, out.T, mult=0.1 / 300)
        b.add_sums(out, axis=1, mult=-0.1 / 300)

        y = np.exp(weights.T @ inputs.T + biases)
        y = y / y.sum(0) - targets.T
        weights -= 0.1 / 300 * (inputs.T @ y.T)
        biases -= 0.1 / 300 * y.sum(1, keepdims=True)
    np.testing.assert_allclose(w.asarray(), weights, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(b.asarray(), biases, rtol=1e-3, atol=1e-4)
    guessed = cm.dot(w.T, x).argmax(0).asarray().astype(int)[0]
    assert (guessed == labels).mean() > 0.9


def test_k_means_in_both(digits):
    inputs, _, _ = digits
    centres = inputs[:3].astype("float64").copy()
    on_gpu, data = gpu.garray(inputs[:3]), gpu.garray(inputs)
    mat, points = cm.CUDAMatrix(inputs[:3].T), cm.CUDAMatrix(inputs.T)
    for _ in range(5):
        nearest = ((inputs[:, None] - centres[None]) ** 2).sum(2).argmin(1)
        centres = np.array([inputs[nearest == k].mean(0) for k in range(3)])

        closest = ((data[:, gpu.newaxis, :] - on_gpu) ** 2).sum(2).argmin(1)
        for k in range(3):
            members = data[closest == k]
            on_gpu[k] = members.mean(0)

        distances = cm.dot(mat.T, points).mult(-2.0)
        squares = cm.empty(mat.shape)
        mat.mult(mat, target=squares)
        distances.add_col_vec(squares.sum(axis=0).reshape((3, 1)))
        assigned = distances.argmin(axis=0)
        for k in range(3):
            is_k = cm.empty((1, 300))
            assigned.equals(k, target=is_k)
            total = cm.dot(points, is_k.T)
            total.divide(is_k.sum())
            mat.set_col_slice(k, k + 1, total)
    np.testing.assert_allclose(on_gpu.as_numpy_array(), centres, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(mat.asarray().T, centres, rtol=1e-4, atol=1e-4)


def test_autoencoder_layers_in_lists(random):
    sizes = [12, 8, 12]
    start = [
        (random.normal(0, 0.3, (m, n)).astype("float32"), np.zeros(n, "float32")) for m, n in zip(sizes, sizes[1:])
    ]
    x = random.uniform(0, 1, (40, 12)).astype("float32")

    def run(array, logistic):
        layers = [[array(w.copy()), array(b.copy())] for w, b in start]
        data, losses = array(x), []
        for _ in range(20):
            states = [data]
            for w, b in layers:
                states.append(logistic(states[-1].dot(w) + b))
            losses.append(((states[-1] - data) ** 2).mean())
            delta = (states[-1] - data) * states[-1] * (1 - states[-1])
            for i in range(len(layers) - 1, -1, -1):
                below = states[i]
                next_delta = delta.dot(layers[i][0].T) * below * (1 - below)
                layers[i][0] -= 0.05 * below.T.dot(delta)
                layers[i][1] -= 0.05 * delta.sum(axis=0)
                delta = next_delta
        return [float(each) for each in losses]

    losses = run(gpu.garray, gpu.logistic)
    np.testing.assert_allclose(losses, run(np.array, sigmoid), rtol=1e-3)
    assert losses[-1] < losses[0]


def test_gradient_check_by_finite_differences():
    import subprocess
    import sys

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            """
import os
os.environ["GNUMPY_USE_GPU"] = "no"
os.environ["GNUMPY_CPU_PRECISION"] = "64"
import gnumpy as gpu
gpu.seed_rand(1)
w, x = gpu.randn(5, 3), gpu.randn(7, 5)
def loss(w):
    return ((gpu.dot(x, w).logistic() - 0.3) ** 2).sum()
h = gpu.dot(x, w).logistic()
gradient = gpu.dot(x.T, 2 * (h - 0.3) * h * (1 - h))
worst = 0
for i in range(5):
    for j in range(3):
        up, down = w.copy(), w.copy()
        up[i, j] += 1e-5
        down[i, j] -= 1e-5
        worst = max(worst, abs(float((loss(up) - loss(down)) / 2e-5 - gradient[i, j])))
print(worst < 1e-8, worst)
""",
        ],
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("True"), done.stdout + done.stderr


def test_dropout_one_hot_and_logs(random):
    """Bits of programs: masks, dictionaries of parameters, formatted logs, minibatches of permuted indices."""
    gpu.seed_rand(0)
    x = gpu.garray(random.normal(0, 1, (64, 10)))
    mask = gpu.rand(64, 10) < 0.5
    dropped = x * mask * 2
    assert abs(float(mask.mean()) - 0.5) < 0.1 and dropped.shape == x.shape
    order = np.random.default_rng(1).permutation(64)
    assert x[order[:16]].eq2(gpu.garray(x.as_numpy_array()[order[:16]]))
    params = {"W": gpu.randn(10, 2), "b": gpu.zeros(2)}
    for name in params:
        params[name] = params[name] * 0.99
    log = "cost %.4f, norm %g" % ((x**2).mean(), params["W"].euclid_norm())
    assert log.startswith("cost 1.0") or log.startswith("cost 0.9")
    z = x.dot(params["W"])
    z -= z.max(axis=1).reshape(64, 1)
    p = gpu.exp(z) / gpu.exp(z).sum(axis=1)[:, gpu.newaxis]
    np.testing.assert_allclose(p.sum(1).as_numpy_array(), 1, rtol=1e-6)
    best = -np.inf
    for k in range(3):
        score = -(z * (k + 1)).euclid_norm()
        if score > best:
            best = score
    assert best < 0


@pytest.mark.parametrize("kind", [float, int, bool, np.float64, np.float32, np.int64, np.bool_, np.array, gpu.garray])
def test_elements_are_assigned_numbers_of_every_kind(kind):
    vector, matrix = gpu.zeros(4), gpu.zeros((3, 2))
    for i in range(4):
        vector[i] = kind(i + 10)
    for i in range(3):
        matrix[i, 1] = kind(i * 5)
        matrix[i][0] = kind(i % 2)
    expected = [float(kind(i + 10)) for i in range(4)]
    np.testing.assert_array_equal(vector.as_numpy_array(), expected)
    np.testing.assert_array_equal(matrix.as_numpy_array(), [[float(kind(i % 2)), float(kind(i * 5))] for i in range(3)])


# ---- what NumPy refuses ----


@pytest.mark.parametrize("make", [gpu.zeros, gpu.ones, gpu.empty])
def test_a_second_extent_is_no_dtype(make):
    with pytest.raises(TypeError, match="Cannot interpret '3' as a data type"):
        make(2, 3)
    with pytest.raises(TypeError, match="nonsense"):
        make((2,), "nonsense")
    assert make((2, 3), "float64").shape == make((2, 3), dtype=np.float32).shape == (2, 3)


@pytest.mark.parametrize("axis", [2**31, 2**40, -(2**40)])
def test_an_axis_of_more_than_32_bits_is_out_of_bounds(axis):
    a, m = gpu.ones((2, 2)), cm.CUDAMatrix(np.ones((2, 2)))
    for f in (
        lambda: a.sum(axis),
        lambda: a.argmax(axis),
        lambda: gpu.transpose(a, (axis, 1)),
        lambda: gpu.sort(a, axis),
    ):
        with pytest.raises(ValueError, match=f"axis {axis} is out of bounds"):
            f()
    for f in (lambda: m.sum(axis=axis), lambda: m.argmax(axis)):
        with pytest.raises(cm.CUDAMatException, match=f"axis must be 0 or 1; got {axis}"):
            f()


def test_numbers_do_not_change():
    a = gpu.garray([1, 2, 3])
    for number in (a.sum(), a.max(), a[0] + 5):
        value, key = float(number), hash(number)
        for alias in (
            number.reshape(1),
            number.ravel(),
            number[None],
            number[..., None],
            gpu.expand_dims(number, 0),
            gpu.reshape(number, (1, 1)),
            gpu.garray(number, copy=False).reshape(1),
            number.reshape_2d(0),
        ):
            assert float(alias) == value
            alias += 93
            alias[...] = 99
            assert float(number) == value and hash(number) == key
        np.asarray(number.reshape(1))[0] = 99
        for f in (lambda: number.__setitem__(..., 5), lambda: number.__setitem__((), 5), lambda: number.fill(5)):
            with pytest.raises(TypeError, match="does not support item assignment"):
                f()
        assert float(number) == value
    whole = gpu.garray(3.0)  # an array without dimensions is none
    whole[...] = 5
    whole.reshape(1)[0] += 1
    assert float(whole) == 6


# ---- the originals' names ----


def test_names_of_the_originals():
    a = cm.CUDAMatrix(np.arange(6).reshape(2, 3))
    a.set_shape((3, 2))
    assert a.shape == (3, 2)
    assert cm.get_last_cuda_error() == "no error" and cm.MAX_ONES == 262144
    assert isinstance(cm.generate_exception(-1), cm.IncompatibleDimensionsException)
    assert str(cm.generate_exception(-8)) == "Matrix is not in device memory."
    cm.check_ones_matrix(10**9)
    for name in ("mat", "p_mat"):
        with pytest.raises(AttributeError, match=f"has no {name}, which was the original library's structure"):
            getattr(a, name)
    assert gpu.usingGpu() == (gpu.garray([1]).__dlpack_device__()[0] != 1)


def test_what_calls_take():
    a = cm.CUDAMatrix(np.ones((2, 3)))
    with pytest.raises(TypeError, match="first_col must be an integer; got float"):
        a.slice(0.0, 2)
    assert a.slice(np.int32(1), 3).shape == (2, 2)
    with pytest.raises(TypeError, match="takes no argument: it fills the matrix"):
        a.fill_with_rand(3)
    assert 0 < a.fill_with_rand().asarray().min() <= 1
    with pytest.raises(ValueError, match="an extent must fit 64 bits; got 1180591620717411303424"):
        cm.empty((2**70, 1))


def test_index_arrays_of_several_dimensions_are_broadcast(random):
    x = random.integers(0, 99, (4, 5, 3)).astype("float32")
    a, i, j = gpu.garray(x), np.array([0, 2, 3]), np.array([4, 1])
    for one, two in (
        (i[:, None], j[None, :]),
        (i[:, None], j),
        (i.reshape(3, 1, 1), j.reshape(1, 2)),
        (i[:, None], np.array([[4, 1], [0, 0], [2, 3]])),
        (np.zeros((0, 1), int), j),
    ):
        np.testing.assert_array_equal(a[one, two].as_numpy_array(), x[one, two])
        np.testing.assert_array_equal(a[:, two, one - one].as_numpy_array(), x[:, two, one - one])
    np.testing.assert_array_equal(a[gpu.garray(i)[:, None], gpu.garray(j)[None, :]].as_numpy_array(), x[np.ix_(i, j)])
    a[i[:, None], j] = 7
    a[i[:, None], j, 1] += 1
    x[i[:, None], j] = 7
    x[i[:, None], j, 1] += 1
    np.testing.assert_array_equal(a.as_numpy_array(), x)
    with pytest.raises((ValueError, IndexError)):
        a[i[:, None], np.zeros((2, 2), int)]
