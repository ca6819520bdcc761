"""How far from NumPy's results those of other correct roundings may be: the tolerance of symdump --verify=numpy, and of
convert's verify(). NumPy's own results show it: those of the same call in wider floats, and of floats that are one
rounding off."""

import contextlib
import copy
import functools
import itertools
import re
import signal
import unicodedata

import numpy as np

WIDER = {"f": np.float64, "F": np.complex128, "d": np.longdouble, "D": np.clongdouble}
CHANGES = range(3)  # in wider floats, and two patterns of signs
IN_WIDER = CHANGES[0]
FEW = 32  # roundings, or times as far: products in another order, as of a cumprod, and quotients of these differ by a dozen


def magnitude(array):
    """Of the largest element that is finite."""
    if array.dtype.kind not in "fiubc":
        return 0.0
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def can_change(value):
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c") and value.size > 0


def changed(value, change, eps):
    """A copy of the value; of floats in wider ones, or each one rounding off, of the precision `eps` or its own."""
    kind = getattr(getattr(value, "dtype", None), "char", "")
    if change == IN_WIDER:
        is_narrow = kind in WIDER and isinstance(value, (np.ndarray, np.generic))
        return value.astype(WIDER[kind]) if is_narrow else copy.deepcopy(value)
    if not isinstance(value, np.ndarray) or not can_change(value):
        return copy.deepcopy(value)
    signs = np.where((np.arange(value.size).reshape(value.shape) + change - 1) * 2654435761 >> 7 & 1, 1, -1)
    return (value * (1 + signs * max(np.finfo(value.dtype).eps, value.real.dtype.type(eps)))).astype(value.dtype)


class Roundings:
    """A few units in the last place of the largest element, and a few times as far as NumPy's own other results are.
    Where these are the same it is a few of the arguments' largest element; where there are none, or
    none wider, 4096 of them."""

    def __init__(self, others, eps, scale):
        """`others()`: functions that return an array, or None, by name, if anything was changed; it is called where
        the first few units are not enough. eps: of the precision of the run; scale: the arguments' largest element."""
        self.others, self.eps, self.scale = functools.cache(others), eps, max(scale, 1.0)

    def agrees(self, name, wanted, largest):
        """Whether a result may be this far from NumPy's."""
        return largest <= self.least(wanted) or largest <= self.of(name, wanted)

    def eps_of(self, wanted):
        return max(float(np.finfo(wanted.dtype).eps), self.eps) if wanted.dtype.kind in "fc" else self.eps

    def least(self, wanted):
        return FEW * self.eps_of(wanted) * magnitude(wanted)

    def of(self, name, wanted):
        """The tolerance."""
        apart, known = 0.0, False
        for find in self.others():
            other = find(name)
            if other is None or other.shape != wanted.shape or other.dtype.kind not in "fiubc":
                continue
            known = known or wanted.dtype.char in WIDER
            with np.errstate(all="ignore"):
                apart = max(apart, magnitude(np.abs(np.asarray(other, np.result_type(other, np.float64)) - wanted)))
        if apart > 0:
            return FEW * (apart + self.eps_of(wanted) * magnitude(wanted))
        return (FEW if known else 4096) * self.eps_of(wanted) * max(self.scale, magnitude(wanted))


# ---- of a program that symdump runs ----


NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]\d\d+)?")


def around(line):
    """What is around a line's numbers; of spaces it does not matter how many."""
    return [re.sub(" +", " ", text) for text in NUMBER.split(line.rstrip(" "))]


def unit(number):
    """Of the last place of a float's text; 0 of an int."""
    mantissa, _, exponent = number.partition("e")
    if mantissa == number and "." not in number:
        return 0
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def floats(line):
    return np.array([float(number) for number in NUMBER.findall(line) if unit(number)])


def line_agrees(got, wanted, at, roundings):
    ours, theirs = NUMBER.findall(got), NUMBER.findall(wanted)
    if around(got) != around(wanted) or any(a != b and not (unit(a) and unit(b)) for a, b in zip(ours, theirs)):
        return False
    apart = [abs(float(a) - float(b)) - 1.01 * max(unit(a), unit(b)) for a, b in zip(ours, theirs)]
    return roundings.agrees(at, floats(wanted), max(apart, default=0))


def difference_of_printed(got, wanted, roundings):
    """The first line in which the texts differ, in words; None if they agree. Ints are compared as they are, floats up to
    their roundings, and up to a unit in their last place."""
    for at, (ours, theirs) in enumerate(itertools.zip_longest(got.splitlines(), wanted.splitlines())):
        if ours is None or theirs is None or not line_agrees(ours, theirs, at, roundings):
            said = ["nothing" if line is None else f"'{line}'" for line in (ours, theirs)]
            return f"line {at + 1} is {said[0]}, in NumPy {said[1]}"
    return None


def floats_of_lines(text):
    """By a line's place."""
    lines = text.splitlines()
    return lambda at: floats(lines[at]) if at < len(lines) else None


class TooLong(Exception):
    pass


@contextlib.contextmanager
def most_seconds(seconds):
    def stop(*_):
        raise TooLong
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def other_runs(check, eps):
    """What the program leaves and prints in wider floats, and of floats that are one rounding off. What these runs raise
    says nothing, nor do those that take many times as long."""
    found, has_wider = [], np.dtype(check.real).char in WIDER
    if not (check.draws.given or check.made and has_wider or any(map(can_change, check.inputs.values()))):
        return found
    for kind in CHANGES:
        real = WIDER.get(np.dtype(check.real).char, check.real) if kind == IN_WIDER else check.real
        change = functools.partial(changed, change=kind, eps=eps)
        with contextlib.suppress(Exception), most_seconds(5 + 10 * check.seconds):
            found.append(check.other(real, change))
    return found


def array_of(results, name):
    """An output as an array, which need not be one of numbers."""
    name = unicodedata.normalize("NFKC", name)  # as Python reads it
    try:
        return np.asarray(results[name]) if name in results else None
    except ValueError:
        return None


KINDS = {"bool": (bool, np.bool_), "int": (int, np.integer), "float": (float, np.floating), "text": str,
         "None": type(None)}


def is_known(results, name, kind, text, eps):
    """Whether the value is the one that symdump knows."""
    value = results.get(name, NotImplemented)
    if not isinstance(value, KINDS[kind]) or kind == "int" and isinstance(value, bool):
        return False
    if kind != "float":
        return str(value) == text
    known = float(text)
    return bool(value == known or np.isnan(value) and np.isnan(known) or abs(value - known) <= 16 * eps * abs(value))


def judged(check, asked, results, printed):
    """The answer to what symdump asks."""
    scale = max(map(magnitude, check.inputs.values()), default=0)
    eps = float(np.finfo(check.real).eps)
    others = functools.cache(lambda: other_runs(check, eps))
    of_results = Roundings(lambda: [functools.partial(array_of, found) for found, _ in others()], eps, scale)
    of_lines = Roundings(lambda: [floats_of_lines(text) for _, text in others()], eps, scale)
    agree = []
    for name, difference in zip(check.task["outputs"], asked["differences"]):
        wanted = array_of(results, name)
        agree.append(difference == 0 or wanted is not None and difference is not None
                     and bool(of_results.agrees(name, wanted, difference)))
    known = [(name, repr(results.get(name, "nothing"))) for name, (kind, text) in check.task["known"]
             if not is_known(results, name, kind, text, eps)]
    return {"agree": agree, "printed": difference_of_printed(asked["printed"], printed, of_lines), "known": known}


