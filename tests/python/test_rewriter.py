"""rewriter.convert beside NumPy, which is right."""
import collections
import copy
import functools
import gc
import math
import signal
import sys
import threading
import types
import warnings
import weakref

import numpy as np
import pytest

from checks import agree
from rewriter import Converted, NotationError, NotationWarning, convert


def check(function, *args, tolerance=1e-9, **kwargs):
    """Converted and plain, on copies: what they return, and what they leave in their arguments."""
    ours, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    converted = function if isinstance(function, Converted) else convert(function)
    got = converted(*ours[0], **ours[1])
    wanted = converted.__wrapped__(*theirs[0], **theirs[1])
    agree(got, wanted, tolerance)
    agree(ours, theirs, tolerance)
    return got


rng = np.random.default_rng(7)
A = rng.normal(size=(6, 4))
B = rng.normal(size=(4, 5))
v = rng.normal(size=4)


# ---- what scripts hold

def k_means(X, centres, steps=5):
    for _ in range(steps):
        distances = ((X[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        labels = np.argmin(distances, axis=1)
        for k in range(len(centres)):
            if np.sum(labels == k) > 0:
                centres[k] = X[labels == k].mean(axis=0)
    return centres, labels


def adam(w, g, m, s, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m = b1 * m + (1 - b1) * g
    s = b2 * s + (1 - b2) * g ** 2
    m_hat = m / (1 - b1 ** t)
    s_hat = s / (1 - b2 ** t)
    return w - lr * m_hat / (np.sqrt(s_hat) + eps), m, s


def pca(X, k):
    X = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(X.T @ X / (len(X) - 1))
    order = np.argsort(values)[::-1][:k]
    return values[order], np.abs(vectors[:, order])


def life(grid, steps):
    for _ in range(steps):
        neighbours = sum(np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)
                         if (i, j) != (0, 0))
        grid = ((neighbours == 3) | ((grid == 1) & (neighbours == 2))).astype(int)
    return grid


def heat(u, alpha, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] += alpha * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])


def kalman(x, P, F, H, Q, R, z):
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ (z - H @ x)
    P = (np.eye(len(x)) - K @ H) @ P
    return x, P


def lu(A):
    n = A.shape[0]
    L = np.eye(n)
    U = A.copy()
    for i in range(n):
        for j in range(i + 1, n):
            L[j, i] = U[j, i] / U[i, i]
            U[j] = U[j] - L[j, i] * U[i]
    return L, U


def attacks(queens):
    count = 0
    for i in range(len(queens)):
        for j in range(i + 1, len(queens)):
            if queens[i] == queens[j] or np.abs(queens[i] - queens[j]) == j - i:
                count += 1
    return count


def newton(x, tolerance, most):
    k = 0
    while np.abs(x * x - 2) > tolerance and k < most:
        x = x - (x * x - 2) / (2 * x)
        k += 1
    return x, k


def layers(x, parameters):
    for W, b in parameters:
        x = np.maximum(x @ W + b, 0)
    return x


def sgd(params, grads, lr):
    for name in params:
        params[name] -= lr * grads[name]


def replaces(params, lr):
    for name in list(params):
        params[name] = params[name] * (1 - lr)
    params["steps"] = params["steps"] + 1


def statistics(x):
    return {"mean": x.mean(), "std": x.std(axis=0), "n": len(x), "name": "x", "both": [x.min(), x.max()]}


def best_row(x, least):
    best = None
    for i in range(len(x)):
        if x[i].sum() > least:
            best = x[i].sum()
    return best


def softmax_loss(X, W, y):
    scores = X @ W
    scores -= scores.max(axis=1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(axis=1, keepdims=True)
    n = X.shape[0]
    loss = -np.log(p[np.arange(n), y]).mean()
    p[np.arange(n), y] -= 1
    return loss, X.T @ p / n


@pytest.mark.parametrize("function, args", [
    (k_means, (rng.normal(size=(30, 3)), rng.normal(size=(4, 3)))),
    (adam, (A, A * 0.5, A * 0, A * A, 3)),
    (pca, (rng.normal(size=(20, 4)), 2)),
    (life, (rng.integers(0, 2, (8, 9)), 3)),
    (heat, (rng.normal(size=(9, 8)), 0.1, 4)),
    (kalman, (rng.normal(size=3), np.eye(3), rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), np.eye(3) * 0.1,
              np.eye(2), rng.normal(size=2))),
    (lu, (rng.normal(size=(5, 5)) + 5 * np.eye(5),)),
    (attacks, (np.array([0, 4, 7, 5, 2, 6, 1, 3]),)),
    (attacks, (np.array([0, 1, 2, 2]),)),
    (newton, (1.5, 1e-10, 50)),
    (layers, (A, [(B, rng.normal(size=5)), (rng.normal(size=(5, 2)), np.zeros(2))])),
    (sgd, ({"W": B, "b": v}, {"W": B * 0.1, "b": v * 2}, 0.5)),
    (replaces, ({"W": B, "steps": 3}, 0.5)),
    (statistics, (A,)),
    (best_row, (A, -100.0)),
    (best_row, (A, 100.0)),
    (softmax_loss, (A, B, rng.integers(0, 5, 6))),
], ids=lambda value: getattr(value, "__name__", None))
def test_scripts(function, args):
    check(function, *args, tolerance=1e-7)


# ---- arguments

@convert
def affine(x, w=2.0, *, b=1.0):
    return x * w + b


def test_positions_keywords_and_defaults():
    check(affine, A)
    check(affine, A, 3.0, b=-1.0)
    check(affine, w=A, x=2.0)
    with pytest.raises(TypeError, match="missing"):
        affine()
    with pytest.raises(TypeError, match="unexpected|multiple"):
        affine(A, c=1)
    with pytest.raises(TypeError):
        convert(lambda x: x)(A, A)


def test_varying_numbers_of_arguments():
    def total(*arrays, **named):
        result = 0.0
        for array in arrays:
            result = result + array.sum()
        for name in named:
            result = result + named[name].mean()
        return result
    check(total, A, B, c=v)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.longdouble])
def test_precision_follows_the_arguments(dtype):
    function = convert(lambda x: np.tanh(x) @ x.T)
    check(function, A.astype(dtype), tolerance=1e-5 if dtype is np.float32 else 1e-12)


def test_precision_is_chosen():
    single = convert(lambda x: x * 2, precision=32)
    assert single(A).dtype == np.float32
    assert convert(lambda x: x * 2, precision=64)(A.astype(np.float32)).dtype == np.float64


def decayed(x, lr, n=200):
    t = 1.0
    for _ in range(n):
        x = x - lr * x
        lr *= 0.95
        t = t * 0.999
    return x / (1 - t), lr, t


def summed(x, b, k):
    s = 0.0
    while s < 20:
        s += 0.1 * b
        k = k * 48271 % 2147483647
        if k > 10 ** 9:
            b = b * 1.01
        print(s, k)
        x = x * (1 - 1e-4 * s)
    return x, s, k


def grown(x, k):
    while k < 10 ** 12:
        k = k * 7 + 1
    return x + k % 1000, k


@pytest.mark.parametrize("passes", ["none", "default", "all", "fast"])
@pytest.mark.parametrize("function, numbers", [(decayed, (0.1,)), (summed, (1.0, 3)), (grown, (3,))])
def test_numbers_that_loops_carry_are_pythons_in_32_bits(function, numbers, passes, capsys):
    x = np.float32([1.5, 2.25, 3])
    in_32_bits = convert(function, precision=32, passes=passes)
    for by in (1, 2, 3, 4, 5):  # from the third value on numbers are read at run time
        given = [number * by for number in numbers]
        wanted = function(x, *given)
        printed = capsys.readouterr().out
        got = in_32_bits(x, *given)
        assert capsys.readouterr().out == printed
        assert got[1:] == wanted[1:] and [type(a) for a in got] == [type(a) for a in wanted]
        np.testing.assert_allclose(got[0], wanted[0], rtol=1e-6 if function is not decayed else 5e-5)


def test_names_of_numpy_2():
    def of_vectors(x, y):
        return np.vecdot(x, y), np.vecdot(x[0], y), np.vecdot(x, y, axis=0)
    agree(convert(of_vectors)(A, 2 * A), ((2 * A * A).sum(-1), (2 * A * A[0]).sum(-1), (2 * A * A).sum(0)))

    def running(x, n):
        return (np.cumulative_sum(x, axis=1), np.cumulative_sum(n), np.cumulative_sum(x, axis=0, include_initial=True),
                np.cumulative_prod(n, include_initial=True), np.trapezoid(x, axis=0))
    n = np.array([3, 1, 2])
    agree(convert(running)(A, n), (np.cumsum(A, axis=1), np.cumsum(n), np.cumsum(np.vstack([A[:1] * 0, A]), axis=0),
                                   np.array([1, 3, 3, 6]), np.trapz(A, axis=0)))


def traced_back(D, a, b):
    i = len(a)
    j = len(b)
    path = []
    while i > 0 and j > 0:
        path.append((i, j))
        if a[i - 1] == b[j - 1]:
            i -= 1
            j -= 1
        elif D[i - 1, j] < D[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return np.array(path).sum(axis=0), len(path)


def least_path(D):
    i, j = D.shape[0] - 1, D.shape[1] - 1
    path = []
    while i > 0 and j > 0:
        path.append(D[i, j])
        if D[i - 1, j] < D[i, j - 1]:
            i = i - 1
        else:
            i, j = i - 1, j - 1
    return sum(path), len(path)


def never_falls(D):
    i, j = D.shape[0] - 1, D.shape[1] - 1
    path = []
    while i > 0 and j > 0:
        path.append(D[i, j])
        if D[i - 1, j] < D[i, j - 1]:
            i -= 1
        elif D[i, j] > 0:
            j -= 1
    return len(path)


def leaves_out(D):
    i, j = D.shape[0] - 1, D.shape[1] - 1
    path = []
    while i > 0 and j > 0:
        path.append(D[i, j])
        if D[i, j] < 0.6:
            i -= 1
            continue
        j -= 1
    return len(path), sum(path)


def test_lists_along_counters_that_fall_by_turns():
    for seed in range(3):
        given = np.random.default_rng(seed)
        D = given.normal(size=(6, 7))
        check(traced_back, D, given.integers(0, 3, 5), given.integers(0, 3, 6))
        check(least_path, D)
        check(leaves_out, D)
    with pytest.raises(NotationError):
        convert(never_falls)(A)


def test_lists_of_several_types():
    check(lambda x: [np.array_equal(x, x), x.any()], A)
    check(lambda x: [np.array_equal(x, x), x.any(), 2, x.sum(), 1.5, len(x)], A)
    check(lambda x: [2, x.sum()], A)
    check(lambda x: [x[0, 0] > 0, x.sum()], A)
    check(lambda x: [x[0], x.sum()], A.astype(np.int8))


def positive(x):
    if x.sum() > 0:
        return x * 2
    return None


def early(x):
    if x.sum() < 0:
        return
    x[0] = 7


def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i, x[i]


def used(x):
    found = positive(x)
    if found is None:
        return x - 1
    return found + 1


def none_last(x, y):
    if x.sum() > 0:
        return x, y
    elif y.sum() > 0:
        return None
    return y, x


@pytest.mark.parametrize("sign", [1, -1])
def test_none_is_returned_where_the_run_decides(sign):
    x = sign * np.array([1.0, 2.0, 3.0])
    check(positive, x)
    check(early, x)
    check(used, x)
    for limit in (0.5, 2.5, 9.0):
        check(first_above, x, limit)
    check(none_last, x, np.ones(3))
    check(none_last, x, -np.ones(3))


def test_what_is_returned_where_the_run_decides_has_its_place(large):
    def texts(x):
        if x.sum() > 0:
            return "above"
        return "below"
    with pytest.raises(NotationError, match="arrays and numbers") as refused:
        convert(texts)(A)
    assert "return" in str(refused.value)


def asked(x, y):
    eps = 0.0
    if x.dtype.kind == "f":
        eps = np.finfo(x.dtype).eps
    return [x.dtype == float, x.dtype == np.float64, x.dtype == np.float32, x.dtype == "float32", x.dtype != "float64",
            x.dtype == bool, x.dtype == "int64", x.dtype == y.dtype, x.dtype in (float, np.int64), isinstance(x[0], float),
            isinstance(x[0], np.floating), isinstance(x[0], np.float32), type(x[0]) == np.float64, x.itemsize, x.nbytes,
            float(eps), x.dtype.name, np.issubdtype(x.dtype, np.floating), x.dtype == np.longdouble]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, bool, np.int64, np.uint8])
def test_types_asked_for(dtype):
    x = np.arange(4).astype(dtype)
    check(asked, x, x + x)
    check(asked, x, x > 1)
    check(lambda x, t: [x.dtype == t, t == x.dtype, t == "float64"], x, np.dtype(np.float64))
    check(lambda x, t: [x.dtype == t, t == np.float64, t == "float64"], x, np.float64)


def test_types_of_the_callers_arrays_are_asked_for():
    """Not those of the run's precision."""
    def is_double(x):
        return x.dtype == float
    assert convert(is_double, precision=64)(np.ones(3, np.float32)) is False
    assert convert(is_double, precision=32)(np.ones(3)) is True
    assert convert(lambda x: x.dtype == np.longdouble)(np.ones(3, np.longdouble)) is True
    both = np.ones(3), np.ones(3, np.float32)
    check(lambda x, y: [x.dtype == np.float32, x.dtype == y.dtype, (y * 2).dtype == np.float32], *both)
    with pytest.raises(NotationError, match="float32 and float64 in one call"):
        convert(lambda x, y: isinstance(x[0], float))(*both)
    check(lambda x, y: x * np.finfo(y.dtype).eps, *both)
    assert convert(lambda x, y: [x.dtype == int, np.issubdtype(y.dtype, np.floating)])(*both) == [False, True]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_arrays_of_integers(dtype):
    x = (rng.integers(0, 2, (3, 4))).astype(dtype)
    check(lambda x: (x == 1).sum(), x)
    check(lambda x: x * 2.5, x)
    check(lambda x: x.sum(axis=0), x)
    check(lambda x: x[::-1], x)


def test_results_that_may_have_been_rounded_are_refused():
    large = np.array([2**40 + 1, -3])
    check(lambda x: (x[0], 2**60 + 3), large)
    check(lambda x: (x * x) % 1009, np.array([2**31 - 1, -3]))
    with np.errstate(invalid="ignore"):
        check(lambda x: np.where(x > 0, x, np.nan).astype(int), np.array([-3.0, 2.0]))  # of NaN the least int64
    for f in (lambda x: x * x, lambda x: (x * x)[0], lambda x: [int(x[0] * x[0])], lambda x: np.prod(x * x)):
        with pytest.raises(ValueError, match=r"a result has an integer beyond 2\^53"):
            convert(f)(large)
        check(f, np.array([2**20 + 1, -3]))
    with pytest.warns(NotationWarning, match=r"beyond 2\^24"), \
            pytest.raises(ValueError, match=r"a result has an integer beyond 2\^24"):
        convert(lambda x: x * x, precision=32)(np.array([2**13 + 1]))


def test_results_beyond_the_integers_of_64_bits_are_refused_in_128_bits():
    largest = np.array([2**63 - 1, -3])
    check(convert(lambda x: (x - 1, x // 2, -x), precision=128), largest)
    check(convert(lambda x: x + x, precision=128), np.array([2**62, 2**63 - 1], np.uint64))
    for f in (lambda x: x * x, lambda x: x + x, lambda x: [int(x[0]) + 7], lambda x: np.sum(x * 4), lambda x: np.cumprod(x)):
        with pytest.raises(ValueError, match=r"a result has an integer beyond 2\^63"):
            convert(f, precision=128)(largest)
    with pytest.raises(ValueError, match=r"a result has an integer beyond 2\^63"):
        convert(lambda x: x * x, precision=128)(np.array([2**63], np.uint64))


def test_integers_that_are_not_exact_are_refused():
    check(lambda x: x + 1, np.array([2**53 - 2, -2**53]))
    for large in ([0, 2**53 + 1], [-2**60, 1], [2**63 - 1, 0]):
        with pytest.raises(ValueError, match=r"beyond 2\^53"):
            convert(lambda x: x + 1)(np.array(large))
    with pytest.raises(ValueError, match=r"beyond 2\^24"):
        convert(lambda x, y: x + y, precision=32)(np.array([2**24 + 1], np.int32), np.ones(1, np.float32))
    with pytest.raises(ValueError, match=r"beyond 2\^53"):
        convert(lambda x: x * 1)(np.array([[2**64 - 1]], np.uint64)[::-1])


@pytest.mark.parametrize("make", [lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], np.asfortranarray,
                                  lambda a: np.broadcast_to(a[0], (3, 8)), lambda a: a[:0], lambda a: a[1, 2]])
def test_any_memory(make):
    x = make(rng.normal(size=(6, 8)))
    check(lambda x: x + 1, x)
    check(lambda x: np.exp(x).sum(), x)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (2, 3, 4), (2, 1, 3, 2)])
def test_any_dimensions(shape):
    check(lambda x: x * 2 - 1, rng.normal(size=shape))
    check(lambda x: x.reshape(-1), rng.normal(size=shape))


def test_numbers_types_and_texts():
    def choose(x, how, power, on=None, flag=True):
        if how == "sum" and flag:
            return x.sum(axis=on) ** power
        return None
    check(choose, A, "sum", 2)
    check(choose, A, "sum", 2, on=1)
    check(choose, A, "mean", 2)
    check(choose, A, "sum", 2, flag=False)
    check(choose, A, "sum", np.int64(3))
    check(choose, A, "sum", np.float64(2))
    check(lambda x, s: x * s, A, np.float32(0.5), tolerance=1e-6)


def test_functions_are_arguments():
    def layer(x, activation):
        return activation(x @ x.T)

    def square(x):
        return x * x
    check(layer, A, np.tanh)
    check(layer, A, square)
    check(layer, A, np.abs)


def test_arrays_of_complex_numbers():
    def update(a, b):
        a += b
        a[0] *= 2j
        return a, b.real, a.imag
    z = np.array([[1 + 1j, 2], [3j, -4]])
    for dtype in (complex, np.complex64):
        for x in (z.astype(dtype), z.astype(dtype).T, z.astype(dtype)[::-1]):
            for f in (lambda a: a + 1, lambda a: a.real, lambda a: a.imag, lambda a: a.conj().T, lambda a: a[0] * 1j,
                      lambda a: (a.imag + 1j * a.real, a.shape)):
                check(f, x)
            check(update, x, x * 3)
    assert convert(lambda a: a)(z) is z


def test_complex_numbers():
    check(lambda z: z * 2j + z.conj(), A + 1j * A)
    check(lambda z: np.abs(z), A + 1j)


def test_what_a_mask_selects_is_returned():
    check(lambda x: x[x > 0], A)
    check(lambda x: x[x > 9], A)
    check(lambda x: (x[x[:, 0] > 0], x[:, x[0] > 0] * 2, np.abs(x[x < 0]) + 1, x[x > 0] > 1), A)
    check(lambda x: {"kept": x[x > 0].copy(), "where": np.nonzero(x > 0), "rows": np.where(x[:, 1] > 0)[0]}, A)
    check(lambda z: z[z.real > 0], A + 1j * A[::-1])
    check(lambda x: x[x > 0], np.arange(-3, 5))
    check(lambda x: x[x > 0], np.zeros((0, 4)))

    def kept_before_a_write(x):
        kept = x[x > 0]
        x[:] = 0
        return kept, x[x == 0]
    check(kept_before_a_write, A)
    assert np.array_equal(convert(lambda x: x[x > 0] * 2, trace=True)(A), A[A > 0] * 2)


def test_containers_that_are_not_changed_stay_what_they_are():
    def first_of(x, numbers, **more):
        made = x.copy()
        made[0] = numbers[0] + more["z"][1]
        return made
    for precision in (32, 64):
        given = [1, 2.5, 0.1, 2**60 + 3]
        x = np.ones(2, np.float32 if precision == 32 else np.float64)
        check(convert(first_of, precision=precision), x, given, z=(1, 2))
        assert [type(number) for number in given] == [int, float, float, int] and given == [1, 2.5, 0.1, 2**60 + 3]

    def change(x, numbers, *rest, **more):
        numbers[0] = x.sum()
        rest[0].append(3)
        more["table"]["z"] = 2
    check(change, np.ones(2), [1, 2], [5], table={})

    def append(x, pair):
        pair[1].append(len(x))
        return x + 1
    check(append, np.ones(2), ("label" + str(len(A)), [5]))

    def same_value(x, numbers):
        numbers[0] = 1.0
        return x
    given = [1]
    convert(same_value)(np.ones(2), given)
    assert type(given[0]) is float


def scaled(x, by=np.pi, function=np.tanh):
    return function(x) * by


adders = []
for step in range(3):
    def add(x, step=step, most=float("inf")): return np.minimum(x + step, most)
    adders.append(add)
first_adder = adders[0]


def power(x, n=3, s=2.0):
    return x if n == 0 else doubling(x * s, n - 1)


doubling = power


def with_functions(x, functions=(np.tanh, [scaled, 2.0])):
    return functions[1][0](functions[0](x)) * functions[1][1]


def test_defaults_are_values():
    def plain(x, act=np.tanh, scale=np.pi): return act(x) * scale
    check(plain, A)
    check(lambda x: scaled(x), A)
    check(lambda x: scaled(x, function=np.exp), A)
    for k, f in enumerate([convert(lambda x, k=k: x + k) for k in range(3)]):
        assert np.array_equal(f(A), A + k)

    def with_function(x, rhs=scaled, **more):
        x = x.copy()
        x[0] = 1
        return rhs(x) + len(more)
    check(with_function, A, some=[1])
    check(lambda x: first_adder(x), A)
    check(lambda x: with_functions(x), A)
    check(power, A)
    check(lambda x: power(x, 2), A)


def test_a_parameter_may_become_a_view_of_itself():
    def shortened(x, y):
        x = x[1:]
        n = 0
        if x[0] < 2:
            n = 1
            y[0] = 0
        return x.sum(), n

    def reshaped(x, y):
        x = np.asarray(x).reshape(-1)
        n = 0
        if x[0] < 2:
            n = 1
        elif y[0] > 5:
            n = 2
        else:
            y[0] = x[1]
        x[2] = 7
        return x * 2, n
    for f in (shortened, reshaped):
        for passes in ("none", "default", "fast"):
            for x in (np.array([1.0, 1, 2, 3]), np.array([3.0, 4, 5, 6])):
                check(convert(f, passes=passes), x, x + 4)


def test_a_parameter_may_be_called_result():
    def add(result, x):
        result += x
        return (result * 2).sum()

    def both(result, x):
        result += x
        return result * 2, result
    for f in (add, both):
        for passes in ("none", "default", "fast"):
            check(convert(f, passes=passes), np.ones(3), A[0, :3])


def test_writes_to_arguments():
    def scale(x, y):
        x *= 2
        y[1:3] = x[1:3]
    check(scale, A, A.copy())
    check(scale, A.T, A.T.copy())                       # not contiguous
    check(scale, rng.integers(0, 9, (4, 4)), A[:4].copy())

    x = A.copy()
    assert convert(lambda x: x)(x) is x
    frozen = A.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        convert(scale)(frozen, A.copy())
    with pytest.raises(ValueError, match="shares memory"):
        convert(scale)(x, x[:])
    twice, wanted = A[:3].copy(), A[:3].copy()
    convert(scale)(twice, twice)
    scale(wanted, wanted)
    agree(twice, wanted)
    check(convert(lambda a, b: a @ b.T), x, x)


def test_large_arrays_keep_their_memory():
    # results of 1 MiB or more lie in memory that is used again: by none that is still read
    first, second = rng.normal(size=(2, 500, 600))
    f = convert(lambda x, y: (x * y, y.T + 1, (x > 0)))
    kept = f(first, second)
    expected = [np.copy(part) for part in kept]
    for other in (second, first.T.copy().T, first * 2):
        check(f, other, second)
    for part, value in zip(kept, expected):
        assert np.array_equal(part, value)
    kept[0][:] = 0
    assert not np.shares_memory(kept[0], kept[1]) and np.array_equal(kept[1], second.T + 1)
    check(lambda x: np.exp(x.T) @ x, first.T)
    check(lambda x: np.cumsum(x, axis=0), np.asfortranarray(first))

    def update(p, g):
        p -= 0.5 * g
        return p, p * 1
    check(update, first.copy(), second)
    check(update, np.asfortranarray(first), second)
    check(convert(update, passes="fast"), first.copy(), second)


def test_swap_through_memory():
    def swap(a, b):
        t = a.copy()
        a[:] = b
        b[:] = t
    check(swap, A, A * 2)
    check(swap, v, v * 2)


class garray:
    """What of gnumpy's arrays counts here."""

    def __init__(self, data):
        self.data = np.array(data)

    def as_numpy_array(self):
        return self.data

    def __setitem__(self, index, value):
        self.data[index] = value


def test_garrays_give_garrays(monkeypatch):
    module = types.ModuleType("gnumpy")
    module.garray = garray
    monkeypatch.setitem(sys.modules, "gnumpy", module)

    @convert
    def update(x, parameters):
        x += 1
        return x, {"sum": x @ parameters["w"]}, 3
    x, w = garray(A), garray(v)
    got = update(x, {"w": w})
    assert got[0] is x and np.array_equal(x.data, A + 1) and got[2] == 3
    assert type(got[1]["sum"]) is garray
    np.testing.assert_allclose(got[1]["sum"].data, (A + 1) @ v)
    assert update(x, {"w": w}) and update._size == 1
    assert "cm.dot" in str(update.statements(x, {"w": w}))


# ---- outside of the function

rate = 0.5
weights = rng.normal(size=(4, 4))
settings = {"alpha": 0.25, "shift": np.ones(4)}
uses_rate = convert(lambda x: x * rate)


def helper(x, k=2):
    return x ** k - rate


def test_globals_are_read_at_each_call(monkeypatch):
    check(uses_rate, A)
    for value in (0.25, 3, 7.0, -1.5):
        monkeypatch.setattr(sys.modules[__name__], "rate", value)
        check(uses_rate, A)


def test_global_arrays_and_containers():
    def uses(x):
        return x @ weights + settings["alpha"] * settings["shift"]
    check(uses, A)

    def writes(x):
        weights[0] = x[0]
    before = weights.copy()
    convert(writes)(A)
    assert np.array_equal(weights[0], A[0]) and np.array_equal(weights[1:], before[1:])
    weights[:] = before


def test_helpers_and_closures():
    def outer(scale, table):
        def inner(x):
            return helper(x, 3) * scale + table[1]
        return inner
    check(outer(2.0, v), A)
    check(outer(3.0, v), A)

    import numpy as other
    check(lambda x: other.sqrt(other.abs(x)), A)
    exp = np.exp
    check(lambda x: exp(x) + math.pi, A)


def test_a_helper_that_changes_is_read_again(monkeypatch):
    uses_helper = convert(lambda x: helper(x))
    check(uses_helper, A)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x - 100)
    check(uses_helper, A)


def test_source_in_linecache_only():
    import linecache
    text = "def f(x):\n    return x + np.ones(4)\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    names = {"np": np}
    exec(compile(text, "<cell 1>", "exec"), names)
    check(names["f"], A)
    assert "# 2: return x + np.ones(4)" in str(convert(names["f"]).statements(A))
    exec("def g(x): return x", names)
    with pytest.raises(NotationError, match="source of g is not known"):
        convert(names["g"])(A)


def test_lambdas():
    check(lambda x, y=3.0: (x +
                            y), A)
    pair = (lambda x: x + 1, lambda x: x + 2)
    if sys.version_info >= (3, 11):
        check(pair[0], A)
        check(pair[1], A)
    else:
        with pytest.raises(NotationError, match="several lambdas"):
            convert(pair[0])(A)


# ---- what is refused

def test_functions_of_libraries_are_refused():
    with pytest.raises(TypeError, match="written in Python"):
        convert(np.dot)
    with pytest.raises(ValueError, match="precision"):
        convert(helper, precision=16)


def unknown(x):
    y = x + 1
    return np.linalg.eigvals(y)


def test_errors_have_their_place(large):
    with pytest.raises(NotationError) as caught:
        convert(unknown)(A)
    error = caught.value
    assert isinstance(error, SyntaxError)
    assert error.filename == __file__ and error.text.strip() == "return np.linalg.eigvals(y)"
    assert error.lineno == unknown.__code__.co_firstlineno + 2
    assert error.text[error.offset - 1:].startswith("np.linalg.eigvals")
    assert "eigvalsh" in error.msg

    function = lambda x: lambda: x
    with pytest.raises(NotationError, match="the function returns the function lambda, which a converted function cannot return") as caught:
        convert(function)(A)
    assert caught.value.lineno == function.__code__.co_firstlineno
    for wrong in (lambda x: x @ x, lambda x: x + x[:, :1].T[:, :2]):  # in Python, too
        with pytest.raises(ValueError) as caught:
            convert(wrong)(A)
        with pytest.raises(ValueError) as wanted:
            wrong(A)
        assert str(caught.value) == str(wanted.value)


def test_errors_in_helpers_and_unknown_names(large):
    with pytest.raises(NotationError) as caught:
        convert(lambda x: unknown(x))(A)
    assert caught.value.lineno == unknown.__code__.co_firstlineno + 2
    lock = threading.Lock()
    with pytest.raises(NotationError, match="lock is not supported: it is a .*lock"):
        convert(lambda x: x + lock.w)(A)
    with pytest.raises(NotationError, match="arguments are arrays"):
        convert(lambda x: x)(lock)


def test_run_time_errors_are_numpys():
    with pytest.raises(np.linalg.LinAlgError):
        convert(lambda x: np.linalg.inv(x))(np.zeros((3, 3)))
    with pytest.raises(IndexError):
        convert(lambda x, i: x[i])(A, np.array([99]))


def test_what_the_program_as_a_whole_may_not_do_falls_back_too():
    def stale(a):
        row = a[np.argmax(a[:, 0])]
        a[0] += 1
        return row
    with pytest.raises(NotationError, match="is a view"):
        convert(stale)(A.copy())
    with pytest.warns(NotationWarning, match="is a view"):
        row = convert(stale, fallback=True)(A.copy())
    assert np.array_equal(row, stale(A.copy()))


class OutOfRange(Exception):
    pass


def test_exceptions_are_raised():
    def positive(x):
        assert x.min() > 0, "must be positive"
        if x.max() > 50: raise OutOfRange("too large")
        if x.sum() > 10:
            raise ValueError
        return np.log(x)

    def halved(x):
        if x.sum() > 5: raise np.linalg.LinAlgError("singular")
        return x / 2

    def calls(x):
        y = halved(x)
        return halved(y * 4) if y[0] > 1 else y

    def chosen(x):
        y = halved(np.ones(9))[:3] if x[0] > 2 else x * 2
        return y[:2] if x[1] > 4 and halved(x)[0] > 0 else y[1:3]

    def converges(x):
        for _ in range(8):
            x = x / 2
            if x.sum() < 1: break
        else:
            raise RuntimeError("no convergence")
        return x

    def doubled(x, times):
        for _ in range(times):
            x = x * 2
            if x.max() > 100: raise OverflowError("over 100")
        return x

    def shapes(x):
        if x.ndim != 1 or len(x) != 3: raise TypeError("three elements")
        assert x.shape == (3,)
        return x

    def outcome(f, *args):
        try:
            return f(*map(copy.copy, args))
        except AssertionError as error:  # pytest adds to the message
            return AssertionError, str(error).split("\n")[0]
        except Exception as error:
            return type(error), error.args

    arrays = [np.array(a) for a in ([1., 2, 3], [-1., 2, 3], [4., 5, 6], [60., 1, 1], [2.5, 1, 1], [np.nan, 1, 1],
                                    [1e9, 0, 0])]
    for f, *more in ((positive,), (calls,), (chosen,), (converges,), (doubled, 3), (doubled, 6), (shapes,)):
        for passes in ("default", "fast"):
            converted = convert(f, passes=passes)
            for x in arrays:
                for _ in range(2):
                    agree(outcome(converted, x, *more), outcome(f, x, *more))
    with pytest.raises(TypeError, match="three elements"):
        convert(shapes)(np.ones(4))


class Described(ValueError):
    def __init__(self, what):
        super().__init__(f"bad: {what}", 7)


def test_nothing_runs_behind_an_exception():
    def row(x, k):
        j = int(k[0])
        if j >= len(x):
            raise IndexError(f"row {j} of {len(x)}")
        return x[j]

    def inverse(m):
        assert abs(np.linalg.det(m)) > 1e-9, "singular"
        return np.linalg.inv(m)

    def settled(x, most):
        n = 0
        while x.sum() > 1:
            x = x * 0.999
            n += 1
            if n > most:
                raise RuntimeError("no convergence")
        return x, n

    def never(x):
        while x.sum() > 1000:
            raise ValueError("too large")
        return x * 2

    def ordered(x):
        if x.min() < 0: raise ValueError("below 0")
        if x.ndim != 2: raise TypeError("two dimensions")
        return x

    def in_lambda(x):
        checked = lambda y: row(y, y)  # noqa: E731
        return checked(x)

    def told(x):
        if x[0] > 1: raise Described(f"{x[0]:.2f} > {1}")
        return x

    def made(kind):
        def f(x):
            if x.sum() > 1: raise kind("of a closure")
            return x
        return f

    def outcome(f, *args):
        try:
            return f(*map(copy.copy, args))
        except AssertionError as error:
            return AssertionError, str(error).split("\n")[0]
        except Exception as error:
            return type(error), error.args

    x = np.array([2.5, 3, 4])
    for f, *args in ((row, A, np.array([1.0])), (row, A, np.array([99.0])), (inverse, np.eye(2)), (inverse, np.ones((2, 2))),
                     (settled, x, 10), (settled, x, 10000), (never, x), (ordered, -x), (ordered, x), (ordered, A),
                     (in_lambda, x), (in_lambda, np.array([1.0, 2])), (told, x), (told, x * 0),
                     (made(KeyError), x), (made(OutOfRange), x)):
        for passes in ("none", "default", "fast"):
            agree(outcome(convert(f, passes=passes), *args), outcome(f, *args))
    with pytest.raises(ValueError, match="below 0"):
        convert(ordered).verify(-A)
    text = str(convert(told).statements(x))
    assert 'raise Described("{:.2f} > 1", ' in text


def test_what_is_raised_in_any_case_ends_the_reading():
    def told(n):
        assert n > 0, (n, "bad")
        return math.sqrt(n)

    def after(x, n):
        if x.min() < 0: raise ValueError("below 0")
        if n < 0: raise TypeError(f"{n}")
        return math.sqrt(n) * x
    with pytest.raises(AssertionError):
        convert(told)(-1)
    with pytest.raises(TypeError, match="-1"):
        convert(after)(np.ones(2), -1)
    with pytest.raises(ValueError, match="below 0"):
        convert(after)(-np.ones(2), -1)
    check(after, np.ones(2), 4)


def test_functions_of_one_text_with_other_values():
    made = [lambda x, k=k: x ** k for k in range(3)]
    arrays = [lambda x, k=k: x @ k for k in (np.eye(3), 2 * np.eye(3))]

    def multiple(k):
        def times(x):
            return x * k
        return times
    twice, thrice = multiple(2), multiple(np.float64(3.5))
    x = np.array([1.0, 2.0, 3.0])
    check(lambda x: [f(x) for f in made], x)
    check(lambda x: [f(x) for f in arrays], x)
    check(lambda x: (twice(x), thrice(x), twice(x + 1)), x)
    apply = convert(lambda x, f: f(x))
    for k in range(3):
        check(apply, x, lambda x: x * 2)
        check(apply, x, multiple(k))
    check(lambda x, fs: fs[0](x) + fs[1](x), x, [multiple(2.0), multiple(np.arange(3.0))])


def test_what_finally_does_is_not_lost():
    def at_once(x):
        try:
            return x.sum()
        finally:
            x[0] = 5

    def in_a_loop(x):
        for i in range(3):
            try:
                x[i] += 1
                if i == 1: break
            finally:
                x += 10
        return x

    def plain(x):
        try:
            for i in range(3):
                if i == 2: break
                x[i] += 1
        finally:
            x *= 2
        return x
    check(at_once, np.zeros(3))
    check(in_a_loop, np.zeros(3))
    check(plain, np.ones(3))


def test_what_a_try_catches(large):
    def caught(x):
        try:
            if x.ndim != 2:
                raise ValueError("two dimensions")
        except ValueError:
            x = x[None]
        return x * 2
    check(caught, A[0])
    check(caught, A)

    def at_run_time(x):
        try:
            if x.sum() > 0:
                raise ValueError("positive")
        except ValueError:
            x = -x
        return x * 2
    check(at_run_time, A)
    check(at_run_time, -A)


def test_fallback_says_where():
    def spaced(x):
        return np.spacing(x)
    function = convert(spaced, fallback=True)
    with pytest.warns(NotationWarning, match="np.spacing.*line"):
        assert np.array_equal(function(A), np.spacing(A))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(function(A), np.spacing(A))  # it is known by now
    with pytest.raises(NotationError, match="fallback"):
        function.statements(A)


# ---- many calls

def test_shapes_change():
    function = convert(lambda x, y: x @ y)
    for n in (1, 2, 5, 2, 1):
        check(function, rng.normal(size=(n, 3)), rng.normal(size=(3, n)))
    assert function._size == 3


def test_numbers_that_change_are_read_by_the_run():
    @convert
    def decayed(x, rate, t):
        return x * rate ** t
    for t in range(1, 30):
        check(decayed, A, 0.9, t)
    assert decayed._size < 10

    @convert
    def sized(x, n):
        return x[:n].sum()
    for n in range(1, 6):
        check(sized, A, n)


def test_random_numbers_are_seeded():
    def noise(x):
        return x + np.random.randn(3, 2)
    zeros = np.zeros((3, 2))
    first, second = convert(noise, seed=5), convert(noise, seed=5)
    a, b = first(zeros), first(zeros)
    assert not np.array_equal(a, b)
    assert np.array_equal(a, second(zeros)) and np.array_equal(b, second(zeros))
    first.seed = 5
    assert np.array_equal(a, first(zeros))
    assert first.verify(zeros)


def test_prints(capsys):
    def tells(x):
        print("the sum is", x.sum())
    convert(tells)(np.ones(3))
    assert capsys.readouterr().out == "the sum is 3.0\n"


def test_prints_of_arrays(capsys):
    def tells(x, n):
        print("x is", x, f"{x * 2}", [n])
        for i in range(3):
            x = x / 3
            print(i, x, x > 0.1, n - i)
        if x.sum() > 100:
            print(x)
        return x

    for x in (np.linspace(0, 1, 4), np.outer(np.arange(3), np.ones(2)) * 1e5, np.ones(3, np.float32) / 7):
        tells(x, np.arange(3))
        expected = capsys.readouterr().out
        convert(tells)(x, np.arange(3))
        assert capsys.readouterr().out == expected


def test_prints_before_an_exception_are_in_order(capsys):
    def tells(x, names):
        print("names", names[np.argmax(x)])
        print("second")
        if x.sum() > 0:
            raise ValueError("bad")

    with pytest.warns(NotationWarning), pytest.raises(ValueError):
        convert(tells)(np.ones(3), ["a", "b", "c"])
    assert capsys.readouterr().out == "names a\nsecond\n"


def test_types_of_exceptions_of_casts():
    def adds(x):
        x += 0.5 * np.ones(3)
        return x

    with pytest.raises(TypeError):
        convert(adds)(np.arange(3))


def test_rows_of_a_history_are_a_loop():
    def integrate(y, n):
        history = [y]
        for _ in range(n):
            y = y + 0.01 * np.array([y[1], -y[0]])
            history.append(y)
        return np.array(history), history[-1]

    y = np.array([1.0, 0.5])
    for got, want in zip(convert(integrate)(y, 50), integrate(y, 50)):
        assert np.array_equal(got, want)
    assert len(str(convert(integrate).statements(y, 500)).splitlines()) < 80


def test_single_dispatch():
    x = np.ones(3)
    assert np.array_equal(convert(areas)(x), areas(x))


class Square:
    def __init__(self, side):
        self.side = side


@functools.singledispatch
def area(shape, k):
    return k * 0.5


@area.register
def _(shape: Square, k):
    return shape.side ** 2 * k


@area.register(int)
def _(shape, k):
    return k * shape


def areas(x):
    return area(Square(3.0), x) + area(4, x) + area(2.5, x)


def test_a_lambda_of_each_call_is_converted_once():
    @convert
    def apply(f, x):
        return f(x) * 2

    x = np.ones(3)
    for _ in range(5):
        assert np.array_equal(apply(lambda x: x + 1, x), (x + 1) * 2)
    assert "1 conversions" in repr(apply)


class Counts:
    def __init__(self):
        self.sums = collections.defaultdict(lambda: 0.0)

    def add(self, key, x):
        self.sums[key] += x.sum()
        return self.sums[key]


def test_dictionaries_with_factories_of_the_program_are_written_back():
    counts, expected = Counts(), Counts()
    add = convert(counts.add)
    for key in "aba":
        assert add(key, np.ones(3)) == expected.add(key, np.ones(3))
    assert counts.sums == expected.sums and counts.sums["new"] == 0.0


def test_lists_of_a_dictionary_with_a_factory_are_different_lists():
    def fill(held):
        for _ in range(2):
            for i, name in enumerate("abc"):
                held[name].append(i)

    given, expected = collections.defaultdict(list), collections.defaultdict(list)
    fill(expected)
    convert(fill)(given)
    assert given == expected
    assert len({id(each) for each in given.values()}) == 3


def test_threads():
    function = convert(lambda x, w: np.tanh(x @ w).sum(axis=0))
    inputs = [(rng.normal(size=(50, n)), rng.normal(size=(n, 7))) for n in (3, 4, 5, 6)]
    wanted = [function.__wrapped__(*pair) for pair in inputs]
    failures = []

    def work(i):
        for k in range(200):
            at = (i + k) % len(inputs)
            if not np.allclose(function(*inputs[at]), wanted[at]):
                failures.append((i, k))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_control_c_ends_a_long_run():
    def long(x):
        for _ in range(10 ** 12):  # minutes, also where it is compiled
            x = x * 1.0000001
        return x
    function = convert(long, passes="none")
    function.statements(A)
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function(A)
    timer.join()
    check(convert(lambda x: x + 1), A)


def test_no_leaks():
    function = convert(lambda x, n: (x * n, x.sum(), {"x": x}))
    x = np.ones(3)
    function(x, 2)
    before = sys.getrefcount(x)
    blocks = sys.getallocatedblocks()
    for _ in range(100_000):
        function(x, 2)
    assert sys.getrefcount(x) == before
    assert sys.getallocatedblocks() - blocks < 100


def test_functions_are_collected():
    def make():
        table = np.ones(1000)

        @convert
        def inner(x):
            return (x + table).sum() if x is not None else inner(x)
        inner(np.ones(1000))
        return weakref.ref(inner)
    gone = [make() for _ in range(3)]
    gc.collect()
    assert all(reference() is None for reference in gone)


# ---- what there is to see

@convert
def gradient(X, x, z, h, W):
    delta_o = -(x - z)
    delta_h = np.dot(delta_o, W) * h * (1.0 - h)
    return np.dot(X.T, delta_h)


def test_reports():
    args = [rng.normal(size=shape) for shape in [(8, 6), (8, 6), (8, 6), (8, 3), (6, 3)]]
    listing = gradient.statements(*args)
    assert str(listing).splitlines()[0] == f"# {__file__} as Cudamat statements, float64"
    assert "cm.dot(" in str(listing) and "delta_h" in str(listing)
    assert len(listing) == len(listing.json["statements"])
    page = listing._repr_html_()
    assert "<svg" in page and "delta_o = -(x - z)" in page and page.count("<tr") > len(listing)
    assert listing.memory.peak >= listing.memory.inputs == 8 * (3 * 48 + 24 + 18)
    result = gradient.verify(*args)
    assert result and result.agree and "NumPy" in str(result) and [row[1] for row in result.rows] == [(6, 3)]
    times = gradient.time(*args, repeat=2)
    assert len(times.rows) == len(listing) and times.seconds > 0 and "GFLOP/s" in str(times)
    assert "inplace:" in str(gradient.remarks(*args))


def test_verify_finds_a_difference(monkeypatch):
    function = convert(lambda x: x + 1)
    function(A)
    function.__wrapped__ = lambda x: x + 2
    result = function.verify(A)
    assert not result and "NOT VERIFIED" in str(result) and result.largest == pytest.approx(1)


def test_passes_and_engines():
    args = [rng.normal(size=shape) for shape in [(8, 6), (8, 6), (8, 6), (8, 3), (6, 3)]]
    wanted = gradient.__wrapped__(*args)
    for passes in ("none", "default", "all", "fast", "default,fuse"):
        agree(convert(gradient, passes=passes, engine="npmat")(*args), wanted)
    assert len(convert(gradient, passes="none").statements(*args)) > len(convert(gradient, passes="all").statements(*args))
    with pytest.raises(ValueError, match="nonsense"):
        convert(gradient, passes="nonsense")(*args)


def test_it_looks_like_the_function():
    assert gradient.__name__ == "gradient" and functools.wraps and "converted function gradient" in repr(gradient)
    assert copy.deepcopy(gradient) is gradient


# ---- what a function finds outside ----


def padded(x, pad=(1, 2), scales=[1, 2.5]):
    return np.pad(x, pad) * scales[1]


def add_to(x, y, by=1):
    return x + y * by


add_three = functools.partial(add_to, 3, by=2)
add_array = functools.partial(add_to, y=np.array([1.0, 2, 3]))
squares = np.vectorize(lambda v: v * v + 1)
mgrid, reduce = np.mgrid, functools.reduce


def test_called_functions_have_defaults_that_are_tuples_and_lists():
    check(lambda x: padded(x) + 1, np.arange(3.0))
    check(lambda x: padded(x, (0, 1)) + 1, np.arange(3.0))


def test_partial_functions_and_vectorized_ones():
    check(lambda x: add_three(x) + add_array(x), np.arange(3.0))
    f = convert(lambda x: add_array(x))
    x = np.arange(3.0)
    add_array.keywords["y"][0] = 7
    agree(f(x), x + add_array.keywords["y"])
    check(lambda x: squares(x), np.arange(3.0))


def test_objects_that_numpy_and_functools_give():
    check(lambda x: mgrid[0:3, 0:2][0] + x, np.zeros((3, 2)))
    check(lambda x: reduce(lambda p, q: p * q, [x, x + 1, x + 2]), np.arange(3.0))


def test_modules_of_the_program(tmp_path, monkeypatch):
    (tmp_path / "of_a_test.py").write_text(
        "import numpy as np\nRATE = 2\nW = np.ones(3)\ndef f(x):\n    return g(x) * RATE + W\n"
        "def g(x, pad=(1, 1)):\n    return x - pad[0]\n"
    )
    (tmp_path / "caller_of_a_test.py").write_text(
        "import of_a_test\nimport of_a_test as other\nRATE = 5\ndef h(x):\n"
        "    return of_a_test.f(x) + other.g(x) * of_a_test.RATE + RATE + other.W\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import caller_of_a_test
    import of_a_test

    x = np.arange(3.0)
    check(caller_of_a_test.h, x)
    f = convert(caller_of_a_test.h)
    agree(f(x), caller_of_a_test.h(x))
    of_a_test.RATE = 10
    of_a_test.W = np.arange(3.0)
    agree(f(x), caller_of_a_test.h(x))
    of_a_test.g = lambda x, pad=(1, 1): x * 7
    agree(f(x), caller_of_a_test.h(x))


def test_copies_under_trace():
    def f(x):
        y, z = copy.copy(x), copy.deepcopy([x, {"a": x}])
        y += 1
        z[0] *= 3
        z[1]["a"] -= 1
        return x + y * z[0] - z[1]["a"]

    x = np.arange(3.0)
    agree(convert(f, trace=True)(x), f(x))
    assert x.tolist() == [0, 1, 2]


def test_verify_leaves_out_untouched_arguments_with_nan():
    verified = convert(lambda x, y: y + 1).verify(np.array([np.nan, 1]), np.arange(3.0))
    assert verified and [row[0] for row in verified.rows] == ["result"]


def test_a_warning_names_the_callers_line():
    def f(x):
        return np.nothing(x) if x.size > 100 else x.tobytes()

    converted = convert(f, fallback=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        converted(np.arange(3.0))
    line = test_a_warning_names_the_callers_line.__code__.co_firstlineno + 7
    assert [(each.filename, each.lineno) for each in caught] == [(__file__, line)]


def test_a_selection_is_combined_with_as_many_elements():
    v, w = np.array([1.0, -1, 2, 3, -4]), np.array([10.0, 20, 30])
    for function in (lambda v, w: v[v > 0] + w, lambda v, w: w * v[v > 0], lambda v, w: v[v > 0] + w[w > 0]):
        converted = convert(function)
        agree(converted(v, w), function(v, w))
        for other in w[:2], np.append(w, 5.0):
            with pytest.raises(ValueError, match="could not be broadcast"):
                converted(v, other)


rng = np.random.default_rng(3)
from_numpy = np.random.standard_normal


def draws_in_many_ways(x, n=3):
    y = x + np.random.normal(1, 2, n) + rng.random(n) + from_numpy(n)
    for _ in range(2):
        y = y + np.random.rand(n) * np.random.randint(0, 5)
    if y.sum() > 0:
        y = y[np.random.permutation(n)]
    return y, np.random.choice(4, n), np.random.binomial(6, 0.5), np.random.default_rng(1).uniform(2, 3, (2, 2, 2))


@pytest.mark.parametrize("options", [{}, {"precision": 32}, {"seed": 7}])
def test_verify_gives_numpy_the_numbers_that_were_drawn(options):
    x, before, at_first = np.arange(3.0), np.random.get_state()[1].tolist(), rng.bit_generator.state
    converted = convert(draws_in_many_ways, **options)
    for _ in range(2):
        verified = converted.verify(x)
        assert verified and verified.against.startswith("NumPy") and len(verified.rows) == 4, verified
    seed = converted.seed
    assert seed == options.get("seed", 0)
    converted(x)
    assert converted.verify(x) and converted.seed == seed + 1
    assert rng.bit_generator.state == at_first and np.random.get_state()[1].tolist() == before


def test_verify_finds_what_differs_from_numpy_with_the_same_numbers(monkeypatch):
    converted = convert(lambda x: x + np.random.rand(3))
    x = np.arange(3.0)
    assert converted.verify(x)
    from rewriter import _draws

    monkeypatch.setattr(_draws.Draws, "of_extents", lambda self, kind: lambda n: self.take(kind, (n,)) + 1e-3)
    assert not converted.verify(x)


def test_statements_in_the_forms_of_symdump():
    @convert
    def f(x):
        return np.tanh(x) * 2

    listing = f.statements(np.ones((3, 2)))
    assert listing.emit("statements") == listing.text
    assert listing.tree == listing.emit("tree")
    assert 'extern "C" int program(const T* x_in' in listing.emit("cpp") and "using T = double;" in listing.emit("cpp")
    assert "__global__ void compute_" in listing.emit("cuda")
    assert "import torch" in listing.emit("torch") and "import rewriter" not in listing.emit("torch")
    with pytest.raises(Exception, match="there is no form 'pascal'; the forms are statements, numpy, cupy"):
        listing.emit("pascal")
