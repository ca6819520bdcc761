"""rewriter.convert of functions that use what is not the program's, beside Python, which is right."""
import cmath
import collections
import collections.abc
import datetime
import decimal
import fractions
import functools
import json
import numbers
import os
import pathlib
import random
import re
import string
import sys
import textwrap

import numpy as np
import pytest

from rewriter import NotationError, NotationWarning, _convert, convert

X = np.arange(6.0).reshape(2, 3)
NAME = re.compile(r"(\w+)-(\d+)")


def same(got, wanted):
    assert type(got) is type(wanted)
    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted):
            same(a, b)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        for key in wanted:
            same(got[key], wanted[key])
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(got, wanted, rtol=1e-9)
    else:
        assert got == wanted


def check(function, *calls):
    """What the converted function returns and writes in each call is what Python does."""
    converted = convert(function)
    for args in calls:
        ours, theirs = ([arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args] for _ in range(2))
        same(converted(*ours), function(*theirs))
        same(ours, theirs)
    return converted


# ---- modules that are not the program's

def of_json(x, text):
    settings = json.loads(text)
    return x * settings["scale"], json.dumps({"n": x.shape[0], "names": settings["names"]}, sort_keys=True)


def of_re(x, name):
    found = NAME.match(name)
    if found is None:
        return x, re.sub(r"\s+", "_", name)
    kind, size = found.groups()
    return x[:, :int(size)], kind.upper(), found.span(2)


def of_paths(x, path):
    base, extension = os.path.splitext(os.path.basename(path))
    return x + len(base), os.path.join("out", f"{base}.npy"), extension, pathlib.PurePosixPath(path).parent.name


def of_dates(x, day):
    start = datetime.date.fromisoformat(day)
    end = start + datetime.timedelta(days=x.shape[1])
    return x * (end - start).days, end, end.strftime("%d.%m.%Y"), start < end, f"{end:%Y}", str(start)


def of_decimals(x, number):
    size = int(decimal.Decimal(number).quantize(decimal.Decimal("1"), rounding=decimal.ROUND_HALF_UP))
    half = fractions.Fraction(1, 2) + fractions.Fraction(1, 3)
    return x[:, :size], float(half), half.denominator, -decimal.Decimal(number)


def of_texts(x, text):
    letters = [letter for letter in text if letter in string.ascii_lowercase]
    return x.sum() * len(letters), textwrap.shorten(text, 12), sys.maxsize, sys.float_info.epsilon


@pytest.mark.parametrize("function, texts", [
    (of_json, ['{"scale": 2.5, "names": ["a", null]}', '{"scale": 3, "names": []}']),
    (of_re, ["rows-2", "cols-1", "no match"]), (of_paths, ["/data/run.tar", "x"]),
    (of_dates, ["2024-02-27", "2023-12-30"]), (of_decimals, ["1.5", "2.4"]), (of_texts, ["Some words of a text", ""])])
def test_what_depends_on_its_arguments_is_computed_by_python(function, texts):
    check(function, *((X, text) for text in texts))


def in_a_loop(x, names):
    total = np.zeros(3)
    for i, name in enumerate(names):
        total += x[i] * len(re.findall(r"[aeiou]", name))
    return total


def caught(x, text):
    try:
        return x * json.loads(text)
    except ValueError as error:
        return x, str(error)


def test_results_are_known_in_loops_and_errors_are_pythons():
    check(in_a_loop, (X, ["alpha", "beta"]), (X, ("x", "oooo")))
    check(caught, (X, "2"), (X, "{"))
    with pytest.raises(ZeroDivisionError):
        convert(lambda x: x * fractions.Fraction(1, 0))(X)
    with pytest.raises(json.JSONDecodeError, match="Expecting value"):
        convert(lambda x, text: x * json.loads(text))(X, "?")
    with pytest.raises(np.linalg.LinAlgError):
        convert(lambda x: np.linalg.eigvals(x))(X)


def of_time(x):
    return x * datetime.datetime.now().year


def of_chance(x):
    return x * random.random()


def of_files(x, path):
    return x if pathlib.Path(path).exists() else -x


def of_folders(x, path):
    os.makedirs(path, exist_ok=True)
    return x


def of_arrays(x):
    return json.dumps(x.sum())


def test_what_depends_on_more_is_refused(large):
    for function, args, part in [(of_time, (X,), "datetime.datetime.now"), (of_chance, (X,), "random"),
                                 (of_files, (X, "/"), "exists"), (of_folders, (X, "made"), "os.makedirs"),
                                 (of_arrays, (X,), "known then")]:
        with pytest.raises(NotationError, match=part):
            convert(function)(*args)


def types_of(x, n):
    return (isinstance(x, (decimal.Decimal, np.ndarray)), isinstance(x, decimal.Decimal), isinstance(n, numbers.Number),
            isinstance(x, collections.abc.Iterable), isinstance(n, collections.abc.Iterable),
            isinstance([x], collections.abc.Sequence), isinstance(x[0, 0], decimal.Decimal))


def test_types_that_are_not_the_programs():
    check(types_of, (X, 3), (X, 2.5))


def of_local_imports(x, text):
    import base64 as coder
    from json import loads
    from os.path import basename as last
    import textwrap
    return x * loads(text)["n"], last("a/b.c"), coder.b64decode("YWI=").decode(), textwrap.dedent("  a")


class Importing:
    def count(self, x):
        import re as expressions
        self.found = len(expressions.findall("an", "banana"))
        return x * self.found


def test_imports_of_a_function_or_a_method_itself():
    check(of_local_imports, (X, '{"n": 3}'), (X, '{"n": 4}'))
    ours, theirs = Importing(), Importing()
    same(convert(ours.count)(X), theirs.count(X))
    assert ours.found == theirs.found


# ---- functions of one name

def make(factor):
    def scaled(x):
        return x * factor
    return scaled


def make_other():
    def scaled(x):
        return x + 1
    return scaled


FIRST, SECOND = make(2), make_other()


def both(x):
    return FIRST(x) - SECOND(x), SECOND(FIRST(x))


def as_arrays(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*[np.asarray(arg, dtype=float) for arg in args], **kwargs)
    return wrapper


@as_arrays
def cross(a, b, *, scale=1.0):
    return np.cross(a, b) * scale


def test_functions_of_one_name_and_wrapped_ones():
    check(both, (X,))
    check(cross, ([1, 2, 3], [4, 5, 6]))
    same(convert(cross)([1, 2, 3], [3, 1, 2], scale=2.0), cross([1, 2, 3], [3, 1, 2], scale=2.0))


# ---- what the contents of arrays decide

def suppressed(boxes, limit):
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    order = boxes[:, 4].argsort()[::-1]
    kept = []
    while order.size > 0:
        i = order[0]
        kept.append(i)
        low = np.maximum(boxes[i, :2], boxes[order[1:], :2])
        high = np.minimum(boxes[i, 2:4], boxes[order[1:], 2:4])
        both = np.prod(np.maximum(high - low, 0.0), axis=1)
        order = order[np.where(both / (areas[i] + areas[order[1:]] - both) <= limit)[0] + 1]
    return kept


def votes(points, labels, at, k):
    nearest = np.argsort([np.sqrt(np.sum((point - at) ** 2)) for point in points])[:k]
    return collections.Counter([labels[i] for i in nearest]).most_common(1)[0][0]


def triangles(rate, count):
    corners = np.floor(3 * np.linspace(0, np.log10(1 + rate / 7), count + 2))
    made = np.zeros((count, 16))
    for m in range(1, count + 1):
        for k in range(int(corners[m - 1]), int(corners[m])):
            made[m - 1, k] = (k - corners[m - 1]) / (corners[m] - corners[m - 1])
    return made


def named(x):
    names = []
    for value in x:
        names.append("high" if value > 0.5 else "low")
    if x[0] > 1:
        return None, "above"
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except ValueError as error:
        names.append(str(error))
    return names, {x.argmax(): x.max()}


def components(x):
    values, vectors = np.linalg.eig(np.cov(x.T))
    order = np.argsort(values)[::-1]
    return values[order], vectors.T[order], np.roots([1.0, x[0, 0], -1.0]), np.linalg.eigvals(np.array([[0.0, 1], [-1, 0]]))


def test_the_contents_of_small_arrays_decide_in_the_end():
    check(named, (np.array([0.2, 0.9]),), (np.array([2.0, 1.0]),), (np.array([0.2, -0.9]),))
    check(components, (np.random.default_rng(4).normal(size=(8, 3)),))
    with pytest.raises(NotationError):
        convert(components)(np.random.default_rng(4).normal(size=(2000, 3)))
    boxes = np.array([[0, 0, 10, 10, 0.9], [1, 1, 10, 10, 0.8], [20, 20, 30, 30, 0.7], [21, 21, 31, 31, 0.95]])
    check(suppressed, (boxes, 0.5), (boxes[::-1].copy(), 0.5), (boxes[:2], 0.9))
    points = np.random.default_rng(3).normal(size=(9, 2))
    labels = np.array([0, 1, 2, 0, 1, 1, 2, 0, 1])
    check(votes, (points, labels, points[0] + 0.1, 3), (points, labels, points[5], 5), (points[::-1], labels, points[0], 3))
    check(triangles, (8000.0, 6), (16000.0, 4))


def histogram(x, weight=1.0):
    made = np.zeros(x.max() + 1)
    for k in x:
        made[k] += weight
    return made


@pytest.fixture
def in_python(monkeypatch):
    """Counts the calls that a converted function leaves to Python; to convert it takes `seconds`."""
    def count(f, seconds):
        run, plain = [], f._python
        monkeypatch.setattr(f, "_python", lambda *args, **kwargs: run.append(1) or plain(*args, **kwargs))
        monkeypatch.setattr(f._contents, "in_convert", lambda: seconds)
        return run
    return count


def test_contents_that_are_new_each_time_are_left_to_numpy(in_python):
    chance = np.random.default_rng(3)
    f, g = convert(histogram), convert(histogram, precision=64)
    run = in_python(f, 3600.0)
    with pytest.warns(NotationWarning, match="histogram runs on NumPy for new contents of its arrays"):
        for k in range(20):
            x = chance.integers(0, 30, 200 + k % 3)
            same(f(x), histogram(x))
            same(g(x), histogram(x))
    assert len(run) == 12
    for _ in range(5):
        same(f(x), histogram(x))
    assert len(run) == 14  # which are converted in the end
    assert f.verify(chance.integers(0, 30, 100))


def test_contents_are_converted_where_that_is_faster_than_three_calls_in_numpy(in_python):
    chance = np.random.default_rng(3)
    f = convert(histogram)
    run = in_python(f, 0.0)
    with pytest.warns(NotationWarning, match="histogram runs on NumPy"):
        for k in range(14):
            x = chance.integers(0, 30, 200 + k % 3)
            same(f(x), histogram(x))
    assert len(run) == 3


# ---- numbers under conditions of the run

def discounted(r, gamma=0.5):
    made = np.zeros_like(r)
    running = 0
    for t in reversed(range(r.size)):
        if r[t] != 0:
            running = 0
        running = running * gamma + r[t]
        made[t] = running
    return made


def counted(x):
    seen, last = 0, 0
    for i in range(len(x)):
        if x[i] > 0:
            last = 0
        last = last + x[i] * 0.5
        if x[i] > 2:
            seen = 0
        seen += 1
    return last, seen


def test_a_known_number_that_a_condition_binds_again_is_carried():
    check(discounted, (np.array([0.0, 0, 1, 0, 2]),), (np.array([3.0, 0, 0]),))
    check(counted, (np.array([1.0, -1, 3, -2, -4]),), (np.zeros(3),))


# ---- NumPy

def of_tuples(x):
    return x[:, (0, 2)], x[(0, 1), (1, 2)], np.prod(x[:, ()], axis=1)


def of_none(x):
    return x == None, x != None, np.all(x == None)  # noqa: E711


def test_tuples_among_indices_and_elements_beside_none():
    check(of_tuples, (X,))
    check(of_none, (X,))


def prices(s, k):
    from scipy.stats import norm
    d = np.log(s / k) / 0.2
    return s * norm.cdf(d) - k * norm.cdf(d - 0.2), norm.ppf(0.975), norm.pdf(d, 1.0, 2.0), norm.sf(-d)


def systems(a, b):
    from scipy import linalg
    from scipy.linalg import cholesky
    spd = a @ a.T + np.eye(3)
    return (linalg.solve(spd, b), linalg.inv(spd), cholesky(spd), linalg.block_diag(a, [[1.0]]),
            linalg.solve_triangular(spd, b, lower=True), linalg.toeplitz([1.0, 2, 3]), linalg.det(spd))


def filters(x):
    import scipy.signal
    return (scipy.signal.lfilter([1.0], [1.0, -0.9], x[::-1])[::-1], scipy.signal.convolve(x, np.ones(3) / 3, mode="same"),
            scipy.signal.lfilter([0.2, 0.3], [1.0, 0.5, 0.1], x))


def test_scipy():
    pytest.importorskip("scipy")
    check(prices, (np.array([90.0, 100, 400]), 100.0), (100.0, 105.0))
    check(systems, (np.random.default_rng(1).normal(size=(3, 3)), np.arange(3.0)))
    check(filters, (np.random.default_rng(2).normal(size=12),))


# ---- one array in two places

class Holder:
    def __init__(self, x):
        self.x = x

    def add(self, y, day):
        self.x += y
        y[0] = day.day
        return self.x.sum(), day


def test_an_array_that_is_an_argument_and_an_attribute():
    day = datetime.date(2024, 5, 6)
    results = []
    for call in (convert(Holder.add), Holder.add):
        x = np.arange(3.0)
        holder = Holder(x)
        results.append((call(holder, x, day), x, holder.x is x, call(holder, np.ones(3), day)))
    same(*results)


# ---- sets and tuples with names

def of_sets(x, labels):
    sums = [x[labels == label].sum() for label in set(labels)]
    few = {6, 0, 3}
    few.add(5)
    return sums, list(few), list(set([15, 3, 9, 12, 1, 0])), len(set(labels)), tuple({True, 4})


def summary(x):
    made = collections.namedtuple("Summary", ["mean", "shape"])
    return made(x.mean(), x.shape)


def test_sets_of_small_ints_and_named_tuples():
    check(of_sets, (np.arange(5.0), np.array([2, 0, 2, 1, 0])), (np.arange(3.0), np.array([7, 5, 6])))
    with pytest.raises(NotationError, match="sorted"):
        convert(lambda x: [x * label for label in {9, 1, 16}])(X)
    got, wanted = convert(summary)(X), summary(X)
    assert got == wanted and got._fields == wanted._fields and type(got).__name__ == "Summary"


def columns_back(image, channels, rows, columns, values):
    np.add.at(image, (slice(None), channels, rows, columns), values)
    np.add.at(image[0, 0], (rows[0], slice(1, 3)), 1.0)
    return image


def test_add_at_with_slices():
    random = np.random.default_rng(0)
    check(columns_back, (np.zeros((2, 2, 4, 4)), np.repeat(np.arange(2), 4)[:, None], random.integers(0, 4, (8, 3)),
                         random.integers(0, 4, (8, 3)), random.normal(size=(2, 8, 3))))


def uses_what_comes_later(x):
    return defined_later(x) + 1  # noqa: F821  pylint: disable=undefined-variable


def test_a_name_may_be_defined_after_the_first_call():
    fast = convert(uses_what_comes_later)
    for _ in range(2):
        with pytest.raises((NotationError, NameError), match="defined_later"):
            fast(X)
    globals()["defined_later"] = np.cos
    try:
        same(fast(X), np.cos(X) + 1)
    finally:
        del globals()["defined_later"]


def of_a_file(x):
    return x.tofile("name")


def of_each(item):
    return os.fspath(item) + "/"


def test_what_cannot_be_converted_is_read_once(monkeypatch):
    reads = []
    read = _convert._Program.read
    monkeypatch.setattr(_convert._Program, "read", lambda *given: reads.append(1) or read(*given))
    fast = convert(of_a_file)
    for _ in range(3):
        with pytest.raises(NotationError, match="tofile"):
            fast(X)
    once = len(reads)
    with pytest.raises(NotationError, match="tofile"):
        fast(X + 1)
    assert len(reads) == 2 * once  # other contents may be another thing
    reads.clear()
    fast = convert(of_each, fallback=True)
    with pytest.warns(NotationWarning, match="of_each runs on NumPy"):
        for k in range(40):
            path = pathlib.Path(str(k))
            assert fast(path) == f"{k}/"
    assert len(reads) <= 16 * len(_convert.WAYS)


def scalar_of(x):
    return np.squeeze(x.sum()), x[:1, :1].squeeze(), x.max().squeeze()


def test_squeeze_of_a_scalar_is_a_scalar():
    same(convert(scalar_of)(X), scalar_of(X))


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_functions_that_keep_their_results():
    fast = convert(fibonacci)
    assert [fast(n) for n in (10, 12, 10)] == [55, 144, 55] and fast.__name__ == "fibonacci"
    same(convert(lambda x: x * fibonacci(7))(X), X * 13)
    assert fast(40) == 102334155  # 41 calls, not 300 million
    same(convert(lambda x: x * fibonacci(41))(X), X * 165580141)


def of_complex_numbers(z):
    return abs(z), np.abs(z), np.exp(z), np.sqrt(z) * 2, cmath.phase(z), cmath.exp(1 + 2j), cmath.sqrt(-1 + 0j).imag


def conjugates(x, k):
    same = x.conj()
    x[0] = 9
    return same, k.conjugate(), same.conj() is x


def test_complex_numbers_of_python_and_conjugates_of_real_arrays():
    check(of_complex_numbers, (3 + 4j,), (-1j,))
    check(conjugates, (np.arange(3.0), np.array([1, 2])))
