"""Lists, tuples and dictionaries without an end are an error of convert(), and nothing crashes."""

import numpy as np
import pytest
from rewriter import NotationError, convert

LEVELS = 50000
HELD = []


def nested(wrap, levels=LEVELS):
    value = 1.0
    for _ in range(levels):
        value = wrap(value)
    return value


def itself():
    value = []
    value.append(value)
    return value


def doubled(x, _):
    return x * 2


def with_global(x):
    return x * len(HELD)


def returned(x):
    made = x
    for _ in range(50000):
        made = [made]
    return made


WRAPS = [lambda value: [value], lambda value: (value,), lambda value: {"k": value}]


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("wrap", WRAPS, ids=["list", "tuple", "dict"])
def test_arguments(wrap, trace):
    converted = convert(doubled, trace=trace)
    for value in (nested(wrap), nested(wrap, 101), itself()):
        with pytest.raises(ValueError, match="lists, tuples and dictionaries of an argument are nested more than 100 deep"):
            converted(np.ones(2), value)
    assert converted(np.ones(2), nested(wrap, 100)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("wrap", WRAPS, ids=["list", "tuple", "dict"])
def test_globals(wrap, monkeypatch):
    monkeypatch.setitem(globals(), "HELD", nested(wrap))
    with pytest.raises(NotationError, match="HELD is not supported: .*nested more than 100 deep"):
        convert(with_global)(np.ones(2))


def test_results():
    with pytest.raises(NotationError, match="nested more than 100 deep"):
        convert(returned)(np.ones(2))


def test_results_of_traces():
    with pytest.raises((NotationError, ValueError), match="nested more than 100 deep"):
        convert(returned, trace=True)(np.ones(2))


def test_a_list_of_an_array_that_is_written_out():
    def sized(x, k):
        total = x
        for i in k.tolist():
            total = total + np.ones(i).sum()
        return total + np.arange(5).tolist()[2]

    converted = convert(sized)
    for k in (np.arange(5), np.arange(5) + 1):
        np.testing.assert_allclose(converted(np.ones(3), k), sized(np.ones(3), k))
