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
