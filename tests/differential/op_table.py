"""The rows of the op table, read from the text of cudamat/op_table.hpp: a row there is one here.

    ROWS[name].spelled("np.")   the names that it has in a module
    oracle(row)                 what computes it independently of us, in NumPy

SciPy's functions are SciPy's where Python has it; else those of Python's module math, element by element, which
compute in 64 bits: what is judged at 128 bits leaves these rows out (IS_NARROW).
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HEADER = Path(__file__).resolve().parents[2] / "cudamat" / "op_table.hpp"
SCIPY = "scipy.special."


@dataclass
class Row:
    name: str
    family: str
    spellings: list
    facts: set
    ulps: int
    section: str  # the list of the header that it stands in

    def spelled(self, *modules):
        """Its names in the modules, without these."""
        return [s[len(m):] for s in self.spellings for m in modules if s.startswith(m)]

    @property
    def kind(self):
        """How far from the exact value results are, as tracing.NOISE names it; None of exact ones."""
        if "kRounded" in self.facts:
            return "rounded"
        return {0: None, 16: "pow"}.get(self.ulps, "approximate")


def _rows():
    text = re.sub(r"\\\n|//.*", " ", HEADER.read_text(encoding="utf-8"))
    text = text[text.index("#define CUDAMAT_UNARY_OPS"):text.index("enum class Op ")]
    for section, body in re.findall(r"#define CUDAMAT_(\w+)_OPS\(ROW\)((?:(?!#define).)*)", text, re.DOTALL):
        for op, family, spellings, facts in re.findall(
                r'ROW\(\s*(\w+),\s*(\w+),\s*\w+,\s*\w+,\s*"([^"]*)",\s*((?:[^()]|\(\d+\))*)\)', body):
            words = [fact.strip() for fact in facts.split("|")]
            within = [int(word[7:-1]) for word in words if word.startswith("within(")]
            yield Row(op, family, spellings.split(), set(words) - {"kNone"}, within[0] if within else 0, section)


ROWS = {row.name: row for row in _rows()}
assert len(ROWS) == HEADER.read_text(encoding="utf-8").count("  ROW("), "a row that is written otherwise"

UNARY = [row for row in ROWS.values() if row.family == "Unary" and row.spellings]
BINARY = [row for row in ROWS.values() if row.family == "Binary"]
# What depends on the sign of a NaN, or of a zero that roundings made: no random program has it.
OF_SIGNS = {"copysign"}
BINARY_FUNCTIONS = [row for row in BINARY if row.section == "BINARY_FUNCTION"]
REDUCTIONS = [row for row in ROWS.values() if row.family in ("Reduction", "ArgReduction")]


def logistic(x):
    e = np.exp(-np.abs(x))  # does not overflow
    return np.where(x < 0, e, 1) / (1 + e)


# What NumPy lacks.
_WRITTEN = {"sigmoid": logistic, "log_1_plus_exp": lambda x: np.logaddexp(0, x)}

try:
    from scipy import special as SPECIAL
except ImportError:
    def _elementwise(function):
        """As a ufunc: of a number or a 0-d array a scalar."""
        vector = np.vectorize(function, otypes=[float])
        return lambda x: vector(x)[()]

    class SPECIAL:  # pylint: disable=too-few-public-methods
        """The functions of scipy.special that the op table spells, from Python's module math."""

    for _name in [name for row in UNARY for name in row.spelled(SCIPY)]:
        setattr(SPECIAL, _name, staticmethod(_elementwise(getattr(math, _name))))


def oracle(row):
    if row.name in _WRITTEN:
        return _WRITTEN[row.name]
    if row.spelled("np."):
        return getattr(np, row.spelled("np.")[0])
    return getattr(SPECIAL, row.spelled(SCIPY)[0])


IS_NARROW = {name for row in UNARY if row.spelled(SCIPY) and not row.spelled("np.")
             for name in [row.name] + row.spelled(SCIPY)}
# Names in gnumpy: the row's own, and others that are spelled there.
IN_GNUMPY = {name: row for row in UNARY + BINARY_FUNCTIONS for name in [row.name] + row.spelled("gpu.")}
