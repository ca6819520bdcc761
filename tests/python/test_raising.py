"""Calls of converted functions that end with an exception, or catch one at run time, beside Python, which is right."""
import contextlib
import copy
import io
import linecache
import pathlib
import re
import sys
import warnings

import numpy as np
import pytest

from checks import agree
from rewriter import NotationWarning, convert

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "differential"))
import wrong_calls  # noqa: E402  pylint: disable=wrong-import-position


def outcome(function, args):
    """What the call returns, raises and prints, and what it leaves in its arguments."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = "returns", function(*args)
        except Exception as error:  # pylint: disable=broad-exception-caught
            result = "raises", type(error), str(error), getattr(error, "need", None)
    return result, printed.getvalue(), args


def check(function, *args, calls=2):
    """Several calls of the converted function leave and raise what Python does."""
    converted = convert(function)
    for _ in range(calls):
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotationWarning)
            got = outcome(converted, ours)
        agree(got, outcome(function, theirs), tolerance=1e-12, objects=True)


class Short(Exception):
    def __init__(self, need):
        super().__init__(f"need {need:.2f} more")
        self.need = need


class Account:
    def __init__(self, balance):
        self.balance, self.log, self.totals = balance, [], np.zeros(3)

    def draw(self, amounts):
        for i in range(len(amounts)):
            self.totals[i] += amounts[i]
            self.log.append("draw")
            if amounts[i] > self.balance:
                raise Short(float(amounts[i] - self.balance))
            self.balance -= float(amounts[i])
        return self.balance


A = np.array([1.0, 2.0, 30.0])


def writes_then_raises(x, y, found):
    x[0] = 5
    y *= 2
    found["sum"] = 1
    if x.sum() > 3:
        raise ValueError("too large after {} writes, {:.1f}".format(len(x), x.sum()))
    return y


def writes_then_raises_always(x, found):
    x[1] = 7
    found.append(3)
    print("so far", len(found))
    raise KeyError("k")


def prints_then_raises(x):
    for i in range(3):
        print("step", i, f"{x[i]:.1f}")
        if x[i] > 1:
            print("bad", end=" ")
            raise ArithmeticError("above")
    return x


def shapes_that_do_not_match(x):
    x += 1
    return x @ np.ones((5, 2))


def divides(x, n):
    x[0] = 9
    return x / (1 / n)


@pytest.mark.parametrize("function, args", [
    (writes_then_raises, (A, np.arange(4), {})),
    (writes_then_raises, (np.zeros(6)[::2], np.ones((4, 2)).T, {"sum": 0})),
    (writes_then_raises, (A * 0 - 9, np.arange(4.0), {})),
    (writes_then_raises_always, (A, [1])),
    (prints_then_raises, (A,)),
    (shapes_that_do_not_match, (A,)),
    (divides, (A, 0)),
])
def test_what_is_written_before_an_exception(function, args):
    check(function, *args)


@pytest.mark.parametrize("balance", [100.0, 10.0, 2.5, 0.0])
def test_attributes_and_exceptions_of_the_program(balance):
    check(Account.draw, Account(balance), A)


def is_positive(a):
    try:
        np.linalg.cholesky(a)
        return True
    except np.linalg.LinAlgError:
        return False


def jittered(a):
    jitter = 0.0
    for k in range(6):
        try:
            lower = np.linalg.cholesky(a + jitter * np.eye(len(a)))
        except np.linalg.LinAlgError:
            jitter = 10.0 ** (k - 4)
        else:
            return lower, jitter
    raise RuntimeError("gave up")


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return x ** 0.5


def roots_in_a_loop(x):
    total, failed = 0.0, 0
    for i in range(len(x)):
        try:
            total += 2 * checked(x[i]) + 1
        except ValueError:
            failed += 1
    return total, failed


def at_run_time(x, i):
    try:
        return x[i[0]] * 2
    except Exception:
        return -1.0


def out_of_bounds(x, i):
    total = x[0] * 0
    for k in range(len(i)):
        try:
            total = total + x[i[k]] * 2
        except IndexError:
            total = total - 1
    return total


def asserted(x):
    try:
        assert x.sum() > 0, "sum"
        return "good"
    except AssertionError:
        return "bad"


def within_with(x):
    with contextlib.suppress(ValueError):
        x[0] = 4
        if x[1] > 1:
            raise ValueError
        x[1] = 8
    return x.sum()


def known_after_one_that_is_not(x):
    try:
        if x[0] > 2:
            raise ValueError("first")
        return {}["k"]
    except (ValueError, KeyError) as error:
        return type(error).__name__


@pytest.mark.parametrize("function, args", [
    (is_positive, (np.eye(3),)), (is_positive, (-np.eye(3),)),
    (jittered, (np.eye(2),)), (jittered, (np.array([[1.0, 1.0], [1.0, 0.9]]),)), (jittered, (-9e9 * np.eye(2),)),
    (roots_in_a_loop, (A,)), (roots_in_a_loop, (A - 2,)),
    (at_run_time, (A, np.array([2]))), (at_run_time, (A, np.array([7]))),
    (asserted, (A,)), (asserted, (-A,)),
    (within_with, (A,)), (within_with, (-A,)),
    (known_after_one_that_is_not, (A,)), (known_after_one_that_is_not, (A + 4,)),
])
def test_what_is_caught_at_run_time(function, args):
    check(function, *args)


def test_a_warning_says_that_an_exception_was_caught():
    converted = convert(at_run_time)
    with pytest.warns(NotationWarning, match="ran in Python"):
        converted(A, np.array([7]))


def test_an_index_that_is_out_of_bounds_is_caught_in_the_list():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for indices in ([2], [7], [0, 3, -3, -4, 1]):
            check(out_of_bounds, A, np.array(indices))


def test_a_matrix_that_is_not_definite_is_caught_in_the_list():
    converted = convert(jittered)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(jittered, np.array([[1.0, 1.0], [1.0, 0.9]]))
        assert converted(np.array([[1.0, 1.0], [1.0, 0.9]]))[1] == jittered(np.array([[1.0, 1.0], [1.0, 0.9]]))[1]


def test_numbers_that_were_drawn_are_drawn_again():
    seen = []

    def drawing(n, limit):
        x = np.random.rand(n)
        if x.sum() > limit:
            raise ValueError(f"{x.sum():.6f}")
        return x

    converted = convert(drawing, seed=3)
    total = converted(5, 9.0).sum()
    converted.seed = 3
    with pytest.raises(ValueError) as raised:
        converted(5, 0.0)
    seen.append(float(str(raised.value)))
    assert seen == [pytest.approx(total, abs=1e-6)]


@pytest.mark.parametrize("call", wrong_calls.CALLS)
def test_wrong_calls_raise_what_python_raises(call):
    used = [name for name in wrong_calls.NAMES if re.search(rf"\b{name}\b", call)]
    text = f"import numpy as np\n{wrong_calls.FUNCTIONS}\ndef wrong({', '.join(used)}):\n    {call}\n"
    name = f"<{call}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(text, name, "exec"), names)  # pylint: disable=exec-used
    check(names["wrong"], *(wrong_calls.NAMES[each] for each in used), calls=1)


def raises_in_a_branch(x):
    y = x * 2
    if x[0] > 2:
        y = x.reshape(7)
    return y


def caught_in_a_branch(x):
    found = 0.0
    try:
        if x[0] > 2:
            found = x.reshape(7).sum()
        found = found + 1
    except ValueError:
        found = found + 10
    return found


def caught_after_a_part_of_a_loop(x):
    seen = 0.0
    try:
        for i in range(5):
            seen = seen + x[i]
    except IndexError:
        seen = seen + 100
    return seen


def caught_in_a_loop(x):
    seen = []
    for key in ("a", "b", "c"):
        try:
            seen.append({"a": 1, "c": 3}[key] * x[0])
        except KeyError as error:
            seen.append(str(error))
    return seen


@pytest.mark.parametrize("function", [raises_in_a_branch, caught_in_a_branch, caught_after_a_part_of_a_loop,
                                      caught_in_a_loop])
@pytest.mark.parametrize("x", [A, A + 4])
def test_what_raises_only_if_the_run_comes_there(function, x):
    check(function, x)
