"""Operators, in-place operators, out= and where= of ufuncs, subscripts that read and write, and calls with two keywords or
with arguments by position, of arrays of every kind, against NumPy.

    forms_test.py SYMDUMP_BATCH [--part N] [--only TEXT] [--all] [--precision BITS] [--groups NAMES]

As keywords_test.py, whose functions and keywords these are; an error is no difference.
"""

import argparse
import fnmatch
import itertools
import sys

from keywords_test import KINDS, VALUES, Keywords

# Lengths that are known only at run time, on either side.
OPERANDS = KINDS | {"ints": "K[K > 0]", "bytes": "U[V > 0]", "complex ones": "C[V > 0]", "truths": "B[V > 0]", "a part": "V[:K[4]]",
                    "none": "V[V > 100]", "strided": "V[::-1]", "row": "X[1]", "column": "X[:, :1]", "one": "V[2]", "an int": "K[0]",
                    "a byte": "U[1]", "a truth": "B[0]"}
NUMBERS = ["2", "-1", "0", "300", "2.5", "True", "1j", "np.float64(1.5)", "np.int8(7)", "np.nan"]
OPERATORS = "+ - * / // % ** @ & | ^ << >> == != < <= > >=".split()
IN_PLACE = "+= -= *= /= //= %= **= &= |= ^= <<= >>=".split()
UNARY = "+ - ~ abs not".split()
UNARY_UFUNCS = """absolute negative positive square sqrt exp log sin tanh floor ceil rint trunc sign isnan isfinite logical_not
invert conjugate reciprocal""".split()
BINARY_UFUNCS = """add subtract multiply divide floor_divide remainder power maximum minimum fmod arctan2 equal less logical_and
bitwise_or left_shift hypot copysign""".split()
OUT = ["np.zeros(5)", "np.ones(5, int)", "np.ones(5, np.int8)", "np.zeros(5, bool)", "np.zeros(5, complex)", "np.zeros((2, 5))"]
WHERE = ["B", "V > 0", "True", "np.array([True, False, False, True, True])", "K"]
AXIS = ["0", "-1", "1:", ":2", "::-1", "::2", "3:0:-2", "None", "...", "[0, 2]", "[-1, 0, 0]", "[]", "np.array([1, 0])", "True",
        "K[3]", "K[3]:", ":K[4]", "np.array([[0, 1], [2, 0]])", "[True, False, True]"]
WHOLE = ["B", "~B", "V > 0", "K > 2", "K % 5", "np.where(V > 0)", "np.where(V > 0)[0]", "np.argsort(V)", "np.argmax(V)", "4", "5",
         "-6", "1.0", "I8", "U > 3", "()", "(0,)", "np.array(2)", "5:", "-3:-1", "V > 100", "slice(1, 3)"]
OF_MATRIX = ["X > 0", "X[0] > 0", "np.where(X > 0)", "np.triu_indices(3)", "np.ix_([0, 2], [1])", "np.argwhere(X > 0)[0]",
             "..., 0", "0, ...", "None, 0", "0, None, 1", "[0, 1], [1, 2]", "[0, 1], :, None", "X[:, 0] > 0, 1", "1, X[0] > 0",
             "X[:, 0] > 0, 1:", "np.argmax(X, axis=0), [0, 1, 2]"]
WRITTEN = ["7", "-3", "2.5", "True", "1j", "np.nan", "300", "V[1]", "K[0]", "np.sqrt(V[0])", "V[0] > 1", "[1, 2]", "W[:2]",
           "I8[:2]", "C[:2]", "[[1], [2]]", "np.zeros(0)"]
MAKES = {"float": "V", "int": "K", "int8": "I8", "uint8": "U", "bool": "B", "complex": "C", "matrix": "X", "empty": "E"}


def operators():
    sides = [*OPERANDS.values(), *NUMBERS]
    for op, left, right in itertools.product(OPERATORS, sides, sides):
        if (op, right) == ("**", "300"):  # products that 32 bits round before they wrap
            continue
        if left in OPERANDS.values() or right in OPERANDS.values():
            yield f"r = {left} {op} {right}"
    for op, of in itertools.product(UNARY, OPERANDS.values()):
        yield f"r = {op}({of})"


def in_place():
    places = ["", "[1:3]", "[V > 0]", "[[0, 2]]", "[0]", "[:K[4]]"]
    for op, (left, right) in itertools.product(IN_PLACE, itertools.product(MAKES.values(), [*OPERANDS.values(), *NUMBERS])):
        if (op, right) == ("**=", "300"):  # beyond 64 bits
            continue
        yield f"a = {left} + 0 if {left}.dtype != bool else {left}.copy()\na {op} {right}\nr = a"
        for place in places[1:] if left not in ("X", "E") else []:
            value = right if right in NUMBERS or right in ("V[2]", "K[0]", "U[1]", "B[0]", "Z") else f"({right}){place}"
            yield f"a = {left}.copy()\na{place} {op} {value}\nr = a"


def ufuncs():
    kinds = ["V", "K", "I8", "U", "B", "C", "S"]
    calls = [f"np.{name}({kind}" for name, kind in itertools.product(UNARY_UFUNCS, kinds)]
    calls += [f"np.{name}({a}, {b}" for name, a, b in itertools.product(BINARY_UFUNCS, kinds, [*kinds[:6], "2", "-1.5"])]
    calls = [call for call in calls if call != "np.power(K, U"]  # beyond 64 bits
    for call, out in itertools.product(calls, OUT):
        yield f"a = {out}\nb = {call}, out=a)\nb[0] = 1\nr = a"
        yield f"a = {out}\n{call}, a)\nr = a"
        for where in WHERE[:2]:
            yield f"a = {out}\n{call}, out=a, where={where})\nr = a"
    for call, where in itertools.product(calls, WHERE[2:]):
        yield f"r = {call}, where={where})"
    for call, dtype in itertools.product(calls, ["float", "int", "np.int8", "bool", "complex"]):
        yield f"r = {call}, dtype={dtype})"
        yield f"r = {call}, casting='unsafe', dtype={dtype})"


def subscripts():
    one = [*AXIS, *WHOLE]
    for kind, index in itertools.product(MAKES.values(), [*one, *(OF_MATRIX + [f"{i}, {j}" for i in AXIS for j in AXIS])]):
        if kind == "X" or index in one:
            yield kind, index


def reads():
    for kind, index in subscripts():
        yield f"r = {kind}[{index}]"
        yield f"a = {kind}.copy()\nb = a[{index}]\nb *= b\nr = a"


def writes():
    for (kind, index), value in itertools.product(subscripts(), WRITTEN):
        yield f"a = {kind}.copy()\na[{index}] = {value}\nr = a"


def calls(keywords, by_position):
    """The first form of each function, with two keywords or with what follows its arguments by position."""
    for name in keywords.names:
        for form in keywords.forms(name)[:1]:
            named = keywords.parameters[name][1 if name.startswith(".") else 0:]
            count = form.count(", ") + 1 if "[" not in form else len(named)
            kinds = KINDS if "<x>" in form else ["float"]
            if by_position:
                given = [VALUES[word] for word in itertools.takewhile(VALUES.get, named[count:])]
                more = [", ".join(values) for n in (1, 2) if n <= len(given) for values in itertools.product(*given[:n])]
            else:
                pairs = itertools.combinations([word for word in [*named, "out"] if word in VALUES], 2)
                more = [f"{a}={x}, {b}={y}" for a, b in pairs for x, y in itertools.product(VALUES[a][:3], VALUES[b][:2])]
            for kind, keyword in itertools.product(kinds, dict.fromkeys(more)):
                yield f"r = {keywords.call(name, form, kind, keyword)}"


GROUPS = {"operators": lambda _: operators(), "in_place": lambda _: in_place(), "ufuncs": lambda _: ufuncs(), "reads": lambda _: reads(),
          "writes": lambda _: writes(), "pairs": lambda keywords: calls(keywords, False),
          "positions": lambda keywords: calls(keywords, True)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("batch")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--precision", type=int, default=64)
    parser.add_argument("--groups", default=",".join(GROUPS))
    arguments = parser.parse_args()
    keywords, failures = Keywords(arguments.batch, arguments), []
    for group in arguments.groups.split(","):
        before = keywords.compared, keywords.refused
        for number, program in enumerate(dict.fromkeys(GROUPS[group](keywords))):
            if number % arguments.part or arguments.only not in program:
                continue
            what = keywords.difference(program)
            line = "program " + program.replace("\n", "; ")
            if what and (arguments.all or not any(fnmatch.fnmatchcase(line, known) for known in keywords.expected_programs)):
                failures.append(line + ": " + what)
        print(f"{group}: {keywords.compared - before[0]} compared, {keywords.refused - before[1]} refused", flush=True)
    for line in failures:
        print("DIFFERS", line)
    return 1 if failures or not keywords.compared else 0


if __name__ == "__main__":
    sys.exit(main())
