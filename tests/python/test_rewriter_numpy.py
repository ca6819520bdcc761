"""rewriter.convert: functions as people write them with NumPy's rarer names and Python's, beside NumPy and Python."""
import copy
import functools
from collections import deque

import numpy as np
import pytest

import checks
from rewriter import NotationError, convert

CASES = []
X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
A = np.arange(12.0).reshape(3, 4)
K = np.array([3, 1, 2, 1, 3, 3])
RNG = np.random.default_rng(5)
agree = functools.partial(checks.agree, tolerance=1e-12)


def case(*arguments):
    def add(function):
        CASES.append(pytest.param(function, arguments, id=f"{function.__name__}_{len(CASES)}"))
        return function
    return add


def outcome(function, arguments):
    try:
        return function(*arguments), None
    except NotationError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        return None, (type(error), error.args)


@pytest.mark.parametrize("function, arguments", CASES)
def test_function(function, arguments):
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    converted = convert(function)
    wanted, error = outcome(function, theirs)
    for _ in range(2):  # the second one finds its statements
        given = copy.deepcopy(ours)
        got, raised = outcome(converted, given)
        assert raised == error
        agree(got, wanted)
        if error is None:  # else they may have been written or not
            agree([a for a in given if not callable(a)], [a for a in theirs if not callable(a)])


# ---- powers of integers


@case(np.array([1, 2, -1]))
@case(np.array([1, 2, 3]))
@case(np.array([], dtype=int))
def powers_of_two(k):
    return 2 ** k


@case(np.array([1, 2, 3]), np.array([1, 2, -1]))
@case(np.array([1, 2, 3]), np.array([1, 2, 0]))
def powers_in_place(a, b):
    a **= b
    return a, np.power(a, 2), a.astype(float) ** -1


@case(np.array([1, 2, -3]))
@case(np.array([1, 2, 3]))
def power_of_an_element(a):
    if a[0] > 0:
        return np.power(a[1], a[2])
    return a[0]


# ---- places, choices and writes


@case(A)
def argwhere(a):
    total = 0.0
    for i, j in np.argwhere(a > 4):
        total += a[i, j] * i
    places = np.argwhere(a > 4)
    return places, len(places), places.mean(axis=0), places[0, 1], np.argwhere(a[0] > 1).flatten(), total


@case(np.array([1, 0, 1, 0, 1]), X)
def lexsort(a, b):
    return np.lexsort((b, a)), np.lexsort([a, b, a])


@case(np.array([0, 1, 1, 0]), np.arange(4.0), np.array([2, 1, 0, 1]), A)
def choose(i, a, j, rows):
    return np.choose(i, [a, a * 10]), np.choose(j, rows), i.choose((1, a)), np.extract(a > 1, a)


@case(X, A)
def written(x, a):
    y = x.copy()
    z = x.copy()
    np.put(x, [0, 2], [-44, -55])
    np.put(a, [0, 5, -1], 9.0)
    np.putmask(y, y > 2, y ** 2)
    np.putmask(a, a > 8, [0.5, -0.5])
    np.place(z, z > 2, [44.0, 55.0])
    return y, z


@case(X)
def view_without_dimensions(a):
    first = a[..., 0]
    return first + a[..., 1], a[..., 2].shape


@case(A)
def flat(a):
    a.flat[::5] += 1
    a.flat[2] = 7
    total = 0.0
    for v in a.flat:
        total += v
    for v in np.nditer(a):
        total += v * 2
    return a.flat[3], total


# ---- sets


@case(K, np.array([1, 3, 5, 5]))
@case(K * 1.0, np.array([1, 3, 5, 5]) * 1.0)
def sets(a, b):
    return (np.setdiff1d(a, b), np.intersect1d(a, b), np.union1d(a, b), np.setxor1d(a, b),
            np.setdiff1d(a, b, assume_unique=True), np.unique(a, return_index=True))


def test_sets_of_what_is_known_have_lengths():
    def split(n):
        order = np.arange(n)
        test = order[::3]
        train = np.setdiff1d(order, test)
        return train, np.zeros(len(train)), np.zeros(np.union1d(test, [1]).size)
    agree(convert(split)(10), split(10))


# ---- along an axis


@case(np.array([0.0, 1, 2, 6, 7, -3, 9]), RNG.normal(size=(3, 6)) * 9)
def unwrap(p, q):
    return np.unwrap(p), np.unwrap(q), np.unwrap(q, axis=0), np.unwrap(q, period=4.0), np.unwrap(p, discont=4.0)


@case(RNG.normal(size=9), RNG.normal(size=(5, 4)))
def windows(x, y):
    view = np.lib.stride_tricks.sliding_window_view
    return (view(x, 3).mean(axis=-1), view(y, (2, 3)).sum(axis=(2, 3)), view(y, 2, axis=0), view(y, 3, axis=1).shape,
            np.bartlett(9) * x)


@case(RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 4, 5)), RNG.normal(size=4), RNG.normal(size=(2, 3, 3)))
def einsum_with_ellipses(a, b, c, d):
    return (np.einsum('...ij,...jk->...ik', a, b), np.einsum('...j,j->...', a, c), np.einsum('...ii->...i', d),
            np.einsum('...ij,...jk', a, b), np.einsum('i...->...', a))


# ---- calls of Python's functions


def step_at(t, k):
    if t > k:
        return 1.0
    return 0.0


@case(X, A)
def vectorized(x, a):
    cut = np.vectorize(step_at)
    both = np.vectorize(lambda t: (t * 2, t > 2))
    return cut(x, 2.5), cut(a, x[:4]), np.vectorize(lambda t: t * t if t > 2 else -t)(x), both(x)[1], float(cut(3.0, 2.0))


@case(X)
def sorted_by_keys_of_the_run(a):
    ordered = sorted(a)
    n = len(ordered)
    pairs = sorted([(i, a[i] * 2) for i in range(n)], key=lambda pair: -pair[1])
    lists = sorted([[i, [a[i], i]] for i in range(n)], key=lambda item: item[1][0])
    return (ordered, sorted(a, reverse=True), sorted(range(n), key=lambda i: a[i]), pairs, lists[:2],
            0.5 * (ordered[n // 2] + ordered[(n - 1) // 2]), sorted([float(v) for v in a]))


@case(X)
def counters(a):
    count, total = 0, 0.0

    def double(v):
        nonlocal count, total
        count += 1
        total = total + v.sum()
        return v * 2
    for i in range(4):
        a = double(a) if i % 2 else double(a + 1)
    return a, count, total


@case(X)
def filtered(a):
    above = [v for v in a if v > 2]
    places = [i for i, v in enumerate(a) if v > 2 and v < 5]
    pairs = [(i, v) for i, v in enumerate(a) if v > 2]
    return (above, places, pairs, len(above), sum(v * v for v in a if v > 2), max(v for v in a if v < 4.5),
            np.array([v * 2 for v in above]), np.mean([v for v in a if v > 9] + [1.0]) if False else 0,
            a[a > 2].tolist(), list(a[a < 3]), [np.sum(v) for v in a[a > 1]])


@case(A)
def basis(a):
    found = []
    for row in a:
        rest = row - sum(np.dot(row, b) * b for b in found)
        if np.abs(rest).max() > 1e-10:
            found.append(rest / np.linalg.norm(rest))
    return np.array(found)


@case(np.array([2.0, 0.0, 1.0, 2.0]))
def counted(a):
    counts = [0] * 3
    for v in a:
        counts[int(v)] += 1
    last = [-1] * 4
    for i in range(4):
        last[int(a[i])] = i
    return counts, np.array(last)


@case(RNG.normal(size=(9, 2)), RNG.integers(0, 2, 9))
def best_split(rows, y):
    best = {"score": np.inf, "feature": None, "cut": 0.0}
    for f in range(rows.shape[1]):
        for cut in rows[:, f]:
            left = rows[:, f] <= cut
            score = (left * y).sum() + (~left * (1 - y)).sum() - 0.1 * cut
            if score < best["score"]:
                best = {"score": score, "feature": f, "cut": cut}
    return best


@case(np.array([0.0, 7.0]))
def out_of_range(a):
    counts = [0, 0]
    counts[int(a[1])] = 1
    return counts


def test_out_of_range_is_an_index_error():
    with pytest.raises(IndexError):
        convert(out_of_range)(np.array([0.0, 7.0]))


CASES[:] = [each for each in CASES if each.values[0] is not out_of_range]  # whose text is the list's


@case(X)
@case(X - 9)
def told(a):
    if a.sum() > 3:
        raise ValueError("bad", 3, a.shape[0])
    if len(a) > 4:
        raise KeyError("size", len(a))
    return a


# ---- sizes that follow from what arrays of ints hold


@case(np.array([0, 1, 2, 1, 0]), X)
@case(np.array([0, 1, 1, 1, 0]), X)
def classes(y, x):
    names = np.unique(y)
    means = np.zeros(len(names))
    for i, c in enumerate(names):
        means[i] = x[y == c].mean()
    counts = np.bincount(y)
    return (means, names, counts, np.eye(y.max() + 1)[y], [x[y == k].mean() for k in names], {k: x[y == k].sum() for k in names},
            np.bincount(y, weights=x) / counts, len(set(y)), np.split(x, np.flatnonzero(np.diff(y)) + 1))


@case(np.array([0, 0, 1, 1, 0, 1]), np.array([0.1, 0.3, 0.4, 0.9, 0.2, 0.35]))
def rank_sum(y, score):
    pos, neg = score[y == 1], score[y == 0]
    return (pos[:, None] > neg[None, :]).mean(), pos, np.add.reduceat(score, np.flatnonzero(y))


@case(np.array([0, 1, 2, 1, 0]), X)
def runs_of(y, x):
    order = np.argsort(y)
    ordered = y[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.flatnonzero(first)
    return ordered[first], np.diff(np.r_[starts, len(y)]), np.add.reduceat(x[order], starts), x[y == 9].sum(), x[y == 9]


@case(np.array([0, 1, 2, 1, 0]), X, A[:, :3].copy().T.repeat(2, axis=0)[:5])
def written_by_class(y, x, rows):
    sizes = np.zeros(y.max() + 1)
    for k in range(len(sizes)):
        sizes[k] = (y == k).sum()
        x[y == k] = x[y == k] * (k + 1)
        x[y == k] += sizes[k]
        rows[y == k, 0] = k
        rows[y == k] -= rows[y == k].mean(axis=0)
    rows[y == 7] = 5
    return sizes


@case(np.array([2, 0, 1]))
def permuted(p):
    inverse = np.empty_like(p)
    inverse[p] = np.arange(len(p))
    sign = 1
    p = p.copy()
    for i in range(len(p)):
        while p[i] != i:
            j = p[i]
            p[i], p[j] = p[j], p[i]
            sign = -sign
    return inverse, sign


@case((RNG.random((6, 6)) < 0.3).astype(int))
def shortest(grid):
    dist = -np.ones(grid.shape, dtype=int)
    queue = deque([(0, 0)])
    dist[0, 0] = 0
    while queue:
        r, c = queue.popleft()
        for dr, dc in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            nr, nc = r + dr, c + dc
            if 0 <= nr < 6 and 0 <= nc < 6 and grid[nr, nc] == 0 and dist[nr, nc] < 0:
                dist[nr, nc] = dist[r, c] + 1
                queue.append((nr, nc))
    return dist


@case(np.array([3, 1, 2]), X)
def bounds_of_loops(n, x):
    total = 0
    for i in range(n[0]):
        total += i
    n[1] = 2
    return np.zeros(n[0]), np.arange(n.max()), x[:n[1]], total, n


def test_what_a_function_keeps_is_bounded():
    def twice(x):
        return x * 2
    function = convert(twice)
    for n in range(1, 600):
        function(np.ones(n))
        assert len(function._families) <= 256


def test_statements_hold_for_one_content():
    def counts(y):
        return np.bincount(y)
    function = convert(counts, precision=64)  # with which none is left to NumPy
    for y in (np.array([0, 1, 2]), np.array([0, 1, 5]), np.array([0, 1, 2]), np.array([[0, 1, 2]])[0][::-1]):
        agree(function(y), np.bincount(y))
    assert "3 conversions" in repr(function)
    for n in range(80):
        agree(function(np.array([0, n, 2])), np.bincount([0, n, 2]))
    agree(function(np.array([0, 1, 5], dtype=np.int32)), np.bincount([0, 1, 5]))


# ---- sizes known only at run time


def groups_of_floats(g, x):
    names, places, counts = np.unique(g, return_inverse=True, return_counts=True)
    means = np.zeros(len(names))
    for i, c in enumerate(names):
        means[i] = x[g == c].mean()
    starts = np.concatenate([[0], np.flatnonzero(np.diff(x) > 0) + 1, [len(x)]])
    return (means, names[places], np.bincount(places, x) / counts, np.cumsum(x[x > 2]), np.sort(x[x > 2])[::-1], starts,
            [x[g == names[i]].sum() for i in range(len(names))])


def test_statements_hold_for_all_lengths():
    function = convert(groups_of_floats)
    for g in ([2.5, 0.5, 2.5, 1.5, 0.5], [1.0] * 5, [5.0, 4.0, 3.0, 2.0, 1.0], [0.0, np.inf, 0.0, -1.0, np.inf]):
        agree(function(np.array(g), X), groups_of_floats(np.array(g), X))
    assert "1 conversion" in repr(function)


def test_what_is_still_refused(large):
    def chosen(x):
        items = sorted([[v, 1.0] for v in x], key=lambda item: item[0])
        items[0].append(2.0)
        return items
    with pytest.raises(NotationError, match="take a copy of it"):
        convert(chosen)(X)

    def conditional(x):
        n = 0

        def add(v):
            nonlocal n
            if v > 2:
                n += 1
        for v in x:
            add(v)
        return n
    with pytest.raises(NotationError, match="return its value"):
        convert(conditional)(X)
    with pytest.raises(NotationError, match="indices"):
        convert(lambda x: np.nditer(x, flags=["c_index"]))(X)
    with pytest.raises(NotationError, match="view"):
        def write(x):
            w = np.lib.stride_tricks.sliding_window_view(x, 2)
            x[0] = 5
            return w
        convert(write)(X)


@pytest.mark.filterwarnings("ignore")
def test_numbers_of_numpys_types():
    def types(x):
        return np.float64(x[0]), np.float64(x), np.bool_(True), np.int64(x[1]), np.float64(3)
    agree(convert(types)(X), types(X))


# ---- how wide floats are


@case(X)
def asked_for(x):
    a = x.astype(np.float32)
    b = np.zeros(5, dtype=np.float32)
    b[:] = x
    for i in range(5):
        b[i] += a[i]
    c = np.asarray(x, dtype="float32")
    c[0] = 7
    return (a, a / 3, a * x, a.mean(), np.exp(a) + 1, a[a > 2], b, c, np.float32(x), np.float32(x[0]), a @ a, x, a > 1,
            np.where(x > 2, a, 0), np.concatenate([a, x]), np.eye(2, dtype=np.float32), a.astype(np.float64), np.float64(a[0]))


@case(X.astype(np.float32), X)
def of_both_widths(a, b):
    return a * 2, a + b, a.sum(), b.sum(), a + np.ones(5), a * np.arange(5), a[:3].reshape(3, 1), np.zeros_like(a), a * b[0]


@case(X.astype(np.float32))
def doubles_of_singles(a):
    out = np.zeros(5)
    for i in range(5):
        out[i] = a[i] * 2
    return out, a * 2, a * np.pi, a.mean()


@case(X.astype(np.float32))
def singles(a):
    total = 0.0
    for v in a:
        total += v
    return a * 2.5, a / a.sum(), np.sqrt(a), a.mean(), a.std(), np.maximum(a, 0), [float(v) for v in a], a[a > 2].sum()


def agree_to_single(got, wanted):
    for a, b in zip(got, wanted):
        assert type(a) is type(b)
        if not isinstance(b, list):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-6)


WIDTHS = [each for each in CASES if each.values[0] in (asked_for, of_both_widths, doubles_of_singles, singles)]
CASES[:] = [each for each in CASES if each not in WIDTHS]


@pytest.mark.parametrize("function, arguments", WIDTHS)
def test_widths_of_floats(function, arguments):
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    agree_to_single(convert(function)(*ours), function(*theirs))
    agree_to_single(ours, theirs)
    for each in convert(function, precision=64)(*copy.deepcopy(arguments)):
        assert not isinstance(each, np.floating) or each.dtype == np.float64
