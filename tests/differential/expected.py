"""What NumPy's runs of a program say that its names hold, and how far another correct implementation may be from it."""

from dataclasses import dataclass, replace

import numpy as np

from parts import with_parts


@dataclass
class Expectation:
    """The value that NumPy gives a name, and how far another correct implementation may be from it."""

    value: np.ndarray
    tolerance: np.ndarray
    sign_known: np.ndarray  # of zeros
    compared: bool = True
    is_array: bool = True  # or a Python number, which symdump need not save
    kind: str = "f"  # NumPy's letter for the type: b, i or f

    def widened(self, slack):
        """The same but for signs of zeros, and with so much more tolerance."""
        return replace(self, tolerance=np.maximum(self.tolerance, slack), sign_known=np.zeros(self.value.shape, bool))

    def worst(self):
        """The tolerance, relative to the largest magnitude."""
        size = np.abs(self.value[np.isfinite(self.value)]).max(initial=0)
        slack = self.tolerance.max(initial=0)
        return 0 if slack == 0 else float(slack / size) if size > 0 else np.inf


# Beyond these, relative to the largest element, rounding decides the value and it is not compared.
ILL_CONDITIONED = {32: 2e-3, 64: 1e-10, 128: 1e-13}
_BASE = {32: 2.0**-21, 64: 1e-10, 128: 1e-16}


def expectation(values, precision):
    """`values`: what the name holds after each of the runs, NumPy's own first."""
    reference = np.asarray(values[0])
    kind = reference.dtype.kind
    floats = [np.asarray(v, dtype=np.longdouble if precision == 128 else np.float64) for v in values]
    first = floats[0]
    finite = np.isfinite(first)
    compared = True
    spread = np.zeros(first.shape, dtype=first.dtype)
    sign_known = np.ones(first.shape, dtype=bool)
    for other in floats[1:]:
        same_kind = np.where(finite, np.isfinite(other), (np.isnan(first) & np.isnan(other)) | (first == other))
        compared = compared and bool(same_kind.all())
        both = finite & np.isfinite(other)
        spread = np.maximum(spread, np.where(both, np.abs(np.where(both, other - first, 0)), 0))
        sign_known &= np.signbit(first) == np.signbit(other)
    if kind in "ib":
        return Expectation(first, spread, first != 0, compared and not spread.any(), kind=kind)
    base = _BASE[precision] * np.where(finite, np.abs(first), 0)
    if precision == 32:
        tolerance = 6 * spread + base
    else:
        tolerance = 8 * spread + base if spread.any() else np.zeros(first.shape)
    result = Expectation(first, tolerance, sign_known, compared)
    result.compared = compared and (8 * spread).max(initial=0) <= \
        ILL_CONDITIONED[precision] * np.abs(first[finite]).max(initial=0)
    return result


def is_array(value):
    return isinstance(value, (np.ndarray, np.generic))


def is_list_of_numbers(value):
    """Of which symdump makes one array where they are known at run time."""
    return isinstance(value, list) and len(value) > 0 and \
        all(isinstance(item, (bool, int, float, np.generic)) for item in value) and np.asarray(value).dtype.kind in "bif"


def expectations(runs, drawn, precision):
    """Of all names that the runs hold. The values of the names `drawn` are random."""
    names = [{name: value for name, value in with_parts(run.names).items() if is_array(value)} for run in runs]
    expected = {}
    for name in dict.fromkeys(name for each in names for name in each):
        values = [each[name] for each in names if name in each]
        expected[name] = expectation(values, precision)
        expected[name].compared &= len(values) == len(names)  # else draws decide whether it has one
    numbers = [{name: value for name, value in with_parts(run.names).items()
                if type(value) in (bool, int, float) or is_list_of_numbers(value)} for run in runs]
    for name in numbers[0]:
        if all(name in other and np.shape(other[name]) == np.shape(numbers[0][name]) for other in numbers):
            kind = np.asarray(numbers[0][name]).dtype.kind
            expected[name] = replace(expectation([np.float64(n[name]) for n in numbers], precision), is_array=False,
                                     kind=kind)
    for name in drawn & set(expected):
        expected[name].compared = False
    return expected
