"""Symbolic arrays and traced functions beside NumPy."""
import copy

import numpy as np
import pytest
from numpy import ones as numpys_ones

from rewriter import NotationError, convert, sym

rng = np.random.default_rng(3)
A = rng.normal(size=(6, 4))
B = rng.normal(size=(4, 5))


def test_the_usage_case_of_the_question():
    num_visible, num_hidden, cases = 24, 8, 16
    W_data, x_data = rng.random((num_visible, num_hidden)), rng.random((cases, num_visible))
    z_data, h_data, X_data = rng.random((cases, num_visible)), rng.random((cases, num_hidden)), rng.random((cases, 24))
    x, z, h, X = map(sym.array, (x_data, z_data, h_data, X_data))

    W = sym.array(W_data)
    delta_o = -(x - z)
    delta_h = sym.dot(delta_o, W)*h*(1.0-h)
    grad_W = sym.dot(X.T, delta_h)

    npGrad_W = grad_W.asNumpy()
    cudaGrad_W = grad_W.asCUDA()
    assert (grad_W.asNumpy() == grad_W.asCUDA()).all()
    assert (grad_W.as_numpy() == grad_W.as_cuda()).all()
    wanted = X_data.T @ ((-(x_data - z_data) @ W_data) * h_data * (1 - h_data))
    for got in (npGrad_W, cudaGrad_W):
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert grad_W.shape == (num_visible, num_hidden) and W.shape[0] == num_visible

    listing = str(grad_W.statements())
    assert "input W: (24, 8)" in listing and "cm.dot(delta_o, W, target=" in listing
    assert "delta_o = -(x - z)" in listing  # the source's line
    assert "output grad_W: (24, 8)" in listing
    assert len(grad_W.statements(passes="all")) < len(grad_W.statements())


def test_numpys_functions():
    a, b = sym.array(A), sym.array(B)
    for got, wanted in [
        (np.exp(a), np.exp(A)), (np.maximum(a, 0), np.maximum(A, 0)), (np.dot(a, b), A @ B), (a @ B, A @ B),
        (A @ b, A @ B), (np.sum(a, axis=0), A.sum(0)), (a.mean(), A.mean()), (np.where(a > 0, a, -1), np.where(A > 0, A, -1)),
        (np.concatenate([a, A]), np.concatenate([A, A])), (a[1:, ::2], A[1:, ::2]), (a.T, A.T), (2 - a, 2 - A),
        (np.add.reduce(a), np.add.reduce(A)), (a.reshape(3, 8), A.reshape(3, 8)), (abs(a) if False else np.abs(a), np.abs(A)),
        (np.linalg.norm(a), np.linalg.norm(A)), (a ** 2, A ** 2), (A * a, A * A), (np.sort(a, axis=0), np.sort(A, axis=0)),
        (a.astype(int), A.astype(int)), (a > 0.5, A > 0.5), (np.float32(2) * a, np.float32(2) * A),
        (sym.linalg.inv(b[:, :4]), np.linalg.inv(B[:, :4])), (a[np.array([0, 2])], A[[0, 2]]),
    ]:
        assert got.shape == wanted.shape
        for value in (got.as_numpy(), got.as_cuda()):
            assert value.dtype == wanted.dtype
            np.testing.assert_allclose(value, wanted, rtol=1e-10, atol=1e-12)


def test_writing_in_place():
    a, data = sym.array(A), A.copy()
    view, held = a[1:3], data[1:3]
    a += 1
    data += 1
    a[0] = 5
    data[0] = 5
    view *= 2
    held *= 2
    np.testing.assert_array_equal(a.as_cuda(), data)
    np.testing.assert_array_equal(view.as_numpy(), held)


def test_arrays_are_read_when_they_are_evaluated():
    data = np.ones(3)
    doubled = sym.array(data) * 2
    data[0] = 7
    assert doubled.as_cuda().tolist() == [14, 2, 2]


def test_what_is_not_known():
    a = sym.array(A)
    for refused in (lambda: bool(a > 0), lambda: float(a), lambda: np.asarray(a), lambda: np.zeros(4).__iadd__(a[0])):
        with pytest.raises(NotationError):
            refused()
    with pytest.raises(NotationError, match="np.where"):
        if (a > 0).any():
            pass
    with pytest.raises(ValueError, match="not aligned"):
        a @ a
    with pytest.raises(AttributeError):
        a.nonsense
    with pytest.raises(AttributeError):
        sym.nonsense
    with pytest.raises(TypeError):
        sym.array(["a"])


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return np.tanh(x @ self.W + self.b)


def network(X, parameters):
    layers = [Layer(**each) for each in parameters]
    for layer in layers:
        X = layer(X)
    return {"out": X, "norms": [np.sqrt(np.sum(each["W"] ** 2)) for each in parameters]}


def test_trace_of_classes_and_dictionaries():
    parameters = [{"W": B, "b": np.ones(5)}, {"W": rng.normal(size=(5, 2)), "b": np.zeros(2)}]
    traced = convert(network, trace=True)
    got, wanted = traced(A, parameters), network(A, parameters)
    np.testing.assert_allclose(got["out"], wanted["out"])
    np.testing.assert_allclose(got["norms"], wanted["norms"])
    assert type(got["norms"][0]) is np.float64
    assert traced.verify(A, parameters)
    assert "statements" in str(traced.statements(A, parameters))


def test_trace_writes_to_arguments():
    def scale(x, k):
        for _ in range(3):
            x *= k
        return x
    x, y = A.copy(), A.copy()
    assert convert(scale, trace=True)(x, 2.0) is x
    scale(y, 2.0)
    np.testing.assert_array_equal(x, y)


def test_trace_refuses_ifs_with_their_place():
    def chooses(x):
        if x.sum() > 0:
            return x
        return -x
    with pytest.raises(NotationError) as caught:
        convert(chooses, trace=True)(A)
    assert caught.value.filename == __file__ and caught.value.lineno == chooses.__code__.co_firstlineno + 1
    assert "np.where" in caught.value.msg


def test_trace_uses_arrays_outside():
    outside = np.arange(4.0)
    traced = convert(lambda x: x + outside, trace=True)
    np.testing.assert_array_equal(traced(A), A + outside)
    outside[:] = 1
    np.testing.assert_array_equal(traced(A), A + 1)


def rows_and_sums(x):
    assert isinstance(x, np.ndarray) and len(x) == 6
    made = np.zeros(x.shape)
    made[0] = x[1] * 2
    made[:, 1] += 1
    few = numpys_ones(3)
    few[1:] = x[0, 1:3]
    f"{x} {x.sum():.3f} {x.sum():>8}"
    other = copy.deepcopy(x)
    other += np.eye(6)[0, 0]
    return made, few, np.array([row.sum() for row in x]), other, np.linspace(0, 1, 4) * copy.copy(x), np.asarray(x).T


def test_numpys_makers_of_arrays_are_symbolic_while_a_function_is_traced():
    for got, wanted in zip(convert(rows_and_sums, trace=True)(A), rows_and_sums(A)):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    drawn = convert(lambda x: x * np.random.rand(4), trace=True)
    assert (drawn(A) != drawn(A)).all()
    assert type(np.zeros(2)) is type(numpys_ones(2)) is np.ndarray  # afterwards they are NumPy's again
    with pytest.raises(NotationError):
        convert(lambda x: np.zeros(2) if x.sum() > 0 else x, trace=True)(A)
    assert type(np.zeros(2)) is np.ndarray
