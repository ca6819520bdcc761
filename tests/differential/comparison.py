"""One program through symdump, compared with what NumPy makes of it."""

import ast
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from programs import judge
from tracing import REFUSALS

TIMEOUT = 120

# What the notation refuses although NumPy computes it, and the generators cannot avoid: where the layout of an array in
# memory decides whether names share it, and what depends on integers being integers. With each stands the share of the
# programs of programs.py, and of nightly.py, in which a statement was refused for it: more is a regression.
DOCUMENTED_REFUSALS = {
    "in a loop the shape of an array must stay the same": (0.033, 0.031),
    "can choose between": (0.05, 0.13),  # of a run-time condition: types, shapes
    "depending on the condition above": (0.05, 0.05),
    "indexing by a boolean is not supported": (0.003, 0.003),  # the mask of a scalar
    "depends on its layout in memory": (0.008, 0.045),
    "share their memory when an iteration starts": (0.009, 0.010),
    "NumPy's reciprocal of an integer": (0.004, 0.012),
    "shares its memory with another name when the first iteration starts": (0.001, 0.001),
    "may share its memory with an array of the loop": (0.001, 0.001),
    "in a loop a name must refer to": (0.001, 0.001),
    "is for Python numbers; for arrays use": (0, 0.001),
    "a slice must lie within the axis in every iteration": (0, 0.001),
    "NumPy reads this array while it writes to it": (0.001, 0.001),
    "NumPy's result of an integer divided by 0": (0.001, 0.001),
    "NumPy raises an error for negative integer powers": (0.001, 0.001),  # which the run may have or not
    "round copies these integers depends on its version": (0.001, 0.001),
    "is an int or a float; write the base as a float": (0, 0.001),
    "a check at run time fails: lengths differ": (0, 0.001),  # the largest of no elements: of other draws than NumPy's
    "got the function": (0, 0.001),  # whose name an array had until its statement was left out
    "object does not support item assignment": (0, 0.0005),  # x.rand() of no dimension is one
    "of a masked selection is not supported": (0, 0.002),
    "'float' object is not subscriptable": (0, 0.001),  # a NumPy scalar in NumPy, where rounding made it one
    "'bool' object is not subscriptable": (0, 0.001),
    "Cannot cast ufunc": (0, 0.0005),  # what the run takes from a list with ints and floats is a float
}
# What NumPy and Python would say, too, if they came to the statement: under a run-time condition some do not.
ERRORS = re.compile(r"is not defined|has no value:|is out of bounds for|has no attribute|too many indices|broadcast|"
                    r"cannot be indexed|is not subscriptable|numpy boolean|zero-size array|does not match its subscripts|not aligned|"
                    r"selects an element or a row")
NOT_REACHED = "an error where NumPy does not come by"
DOCUMENTED_REFUSALS[NOT_REACHED] = (0, 0.004)
PROGRAMS, NIGHTLY = 0, 1  # which share
# Functions with jumps, beside which a rounding makes all the difference.
JUMPS = re.compile(r"\b(fix|floor|ceil|trunc|rint|round|round_|around|divmod|mod|fmod|remainder|astype|int)\b|//|%")


def too_many(refused, programs, which):
    """What was refused in significantly more of the programs than its share, with its count and that share."""
    def bound(share):
        return programs * share + 4 * np.sqrt(programs * share) + 1
    return [(text, count, DOCUMENTED_REFUSALS[text][which]) for text, count in refused.items()
            if count > bound(DOCUMENTED_REFUSALS[text][which])]


def refusals_report(refused, programs):
    """A line for each reason: in how many programs a statement was left out for it."""
    return "".join(f"  a statement refused in {100 * count / max(programs, 1):.2f} %: {text}\n"
                   for text, count in refused.most_common())


@dataclass
class Failure:
    kind: str
    detail: str


@dataclass
class Tally:
    programs: int = 0
    statements: int = 0
    arrays: int = 0
    not_compared: int = 0
    refused: Counter = field(default_factory=Counter)  # programs by the reason of their first refusal
    modules: int = 0  # printed for the original package and run
    largest: Counter = field(default_factory=Counter)  # relative difference by precision

    def add(self, other):
        self.programs += other.programs
        self.statements += other.statements
        self.arrays += other.arrays
        self.not_compared += other.not_compared
        self.refused += other.refused
        self.modules += other.modules
        for precision, value in other.largest.items():
            self.largest[precision] = max(self.largest[precision], value)


def _outside_functions(tree):
    """The nodes of a tree, but for what stands in functions."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef):
            yield node
            yield from _outside_functions(node)


def assigned_names(text):
    """Names that a program's assignments bind."""
    names = set()
    for node in _outside_functions(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def inputs_read(program):
    """The inputs that the program declares, or reads before it assigns to them."""
    read, assigned = set(program.annotated), set()

    def visit(node):
        if isinstance(node, ast.For):
            visit(node.iter)
            assigned.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
            for statement in node.body:  # as its first iteration reads and assigns
                visit(statement)
            return
        if isinstance(node, (ast.If, ast.While)):  # what it assigns may stay what it was
            read.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id not in assigned)
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        loaded = {n.id for n in names if isinstance(n.ctx, ast.Load)}
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            loaded.add(node.target.id)
        read.update(loaded - assigned)
        if not isinstance(node, ast.AnnAssign):
            assigned.update(n.id for n in names if isinstance(n.ctx, ast.Store))

    for statement in ast.parse(program.text).body:
        visit(statement)
    return [name for name in program.inputs if name in read]


class Symdump:
    """Runs symdump in a folder of its own."""

    def __init__(self, executable, folder):
        self.executable, self.folder = executable, Path(folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GNUMPY_")}
        self.environment["OMP_NUM_THREADS"] = "1"

    def arguments(self, program):
        """Writes the program and its data; the options that give them to symdump."""
        (self.folder / "prog.py").write_text(program.text, encoding="utf-8")
        options = []
        for k, name in enumerate(inputs_read(program)):
            data = program.inputs[name]
            path = self.folder / f"input{k}.npy"
            stored = np.asarray(data, dtype=np.float64) if data.dtype.kind == "f" else data
            if data.dtype.kind == "f" and program.precision == 32 and k % 2 == 0:
                stored = stored.astype(np.float32)
            np.save(path, np.asfortranarray(stored) if (program.index + k) % 3 == 0 and stored.ndim == 2 else stored)
            options += ["--input", f"{name}={path}"]
        return options

    def run(self, *arguments):
        command = [self.executable, *map(str, arguments)]
        return subprocess.run(command, env=self.environment, capture_output=True, timeout=TIMEOUT, check=False)

    def save_all(self, program, folder="out", extra=()):
        """Verifies the program and saves all names: the finished process and the folder."""
        out = self.folder / folder
        shutil.rmtree(out, ignore_errors=True)
        done = self.run("--precision", program.precision, "--verify", "--save-all", out, "--seed", program.index,
                        *self.arguments(program), *extra, self.folder / "prog.py")
        return done, out


def describe(program):
    lines = [f"# seed {program.seed}, program {program.index}, {program.precision} bits, {program.flavour}"]
    for name, data in program.inputs.items():
        text = np.array2string(data, threshold=60, separator=", ", floatmode="unique").replace("\n", "\n#     ")
        lines.append(f"# {name} {data.shape} = {text}")
    return "\n".join(lines) + "\n" + program.text


REALS = {32: np.float32, 64: np.float64, 128: np.longdouble}


def compare_array(name, expected, got, precision, zero_signs=True):
    """None, or what is wrong with the array that symdump saved."""
    dtype = REALS[precision]
    if got.dtype != dtype:
        return Failure("type", f"{name}: saved as {got.dtype}, not {np.dtype(dtype)}")
    want = expected.value
    if got.shape != want.shape:
        return Failure("shape", f"{name}: NumPy has shape {want.shape}, got {got.shape}")
    if not expected.compared:
        return None
    got = got.astype(want.dtype)
    with np.errstate(all="ignore"):
        if precision == 32:  # one rounding of what float32 cannot hold
            exact = expected.tolerance == 0
            want = np.where(exact, want.astype(np.float32), want)
        finite = np.isfinite(want)
        same = np.where(finite, np.abs(got - np.where(finite, want, 0)) <= expected.tolerance,
                        (got == want) | (np.isnan(got) & np.isnan(want)))
        if zero_signs:  # of what may not be another number, too
            exact_zero = (want == 0) & (expected.tolerance == 0) & expected.sign_known
            same &= ~(exact_zero & (got == 0) & (np.signbit(got) != np.signbit(want)))
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return Failure("value", f"{name}{list(at) if at else ''}: NumPy {want[at]!r}, got {got[at]!r}, difference "
                            f"{got[at] - want[at]!r}, permitted {expected.tolerance[at]!r}; {int((~same).sum())} of "
                            f"{want.size} elements differ")


def relative_difference(expected, got):
    finite = np.isfinite(expected.value)
    if not expected.compared or not finite.any():
        return 0.0
    size = np.abs(expected.value[finite]).max()
    difference = np.abs(got.astype(expected.value.dtype)[finite] - expected.value[finite]).max()
    return float(difference / size) if size else 0.0


def complaints(done):
    """What a run of symdump says on stderr, but for warnings of unrolled loops."""
    lines = done.stderr.decode(errors="replace").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("symdump: warning: "))


def compare(symdump, program, tally=None):
    """None if symdump agrees with NumPy on the program, else the failure. NumPy's own errors pass through."""
    expected = judge(program)
    done, out = symdump.save_all(program)
    errors = complaints(done)
    if done.returncode == 1:
        return Failure("verify", done.stdout.decode(errors="replace"))
    if done.returncode != 0:
        kind = "refused" if done.returncode == 2 else f"exit status {done.returncode}"
        return Failure(kind, errors)
    if errors:
        return Failure("stderr", errors)
    saved = {path.stem: np.load(path) for path in out.iterdir()}
    numbers = {name: got if got.dtype.kind == "f" else got.astype(REALS[program.precision]) for name, got in saved.items()}
    failure = compare_results(program, expected, numbers)
    if failure:
        return failure
    missing = required_names(program, expected) - set(saved)
    if missing:
        return Failure("names", f"not saved: {sorted(missing)}")
    if program.flavour == "random":
        failure = _reproducible(symdump, program, saved)
        if failure:
            return failure
    if tally is not None:
        tally.programs += 1
        tally.statements += len(program.statements)
        tally.arrays += len(saved)
        saved = {name: got for name, got in numbers.items() if name in expected}
        tally.not_compared += sum(not expected[name].compared for name in saved)
        tally.largest[program.precision] = max([tally.largest[program.precision]] + [
            relative_difference(expected[name], got) for name, got in saved.items()])
    return None


def required_names(program, expected):
    """The names that are outputs of the program: arrays that it assigns."""
    arrays = {name for name in expected if expected[name].is_array}
    required = assigned_names(program.text) & arrays - set(program.inputs)
    return (required | assigned_names("\n".join(program.statements)) & arrays) - {"_"}


def compare_results(program, expected, saved, kinds=None):
    """None, or what is wrong with the arrays and, where they are known, their types (NumPy's letters)."""
    decides = re.search(r"^ *(if|while|else)\b", "\n".join(program.statements), re.MULTILINE)
    grows = ".append(" in program.text
    # What a condition that does not hold would assign is NaN or 0, and of floats where the other side is of integers.
    unset = {name for name, got in saved.items() if decides and name not in expected and
             np.all(np.isnan(got) | (got == 0))}
    if not set(saved) - unset <= set(expected):
        return Failure("names", f"given, but no arrays in NumPy: {sorted(set(saved) - unset - set(expected))}")
    for name, got in saved.items():
        if name in unset:
            continue
        # So are ints in a list that loops grow and that holds floats, too.
        widened = (decides or grows) and kinds and (expected[name].kind, kinds[name]) == ("i", "f")
        if kinds and kinds[name] != expected[name].kind and not widened:
            return Failure("kind", f"{name}: NumPy's type is {expected[name].kind}, here it is {kinds[name]}")
        wanted = expected[name]
        if not wanted.is_array and wanted.kind == "f":  # Python computes such numbers in 64 bits and with its own pow
            if JUMPS.search(program.text):
                continue
            unit = 2.0**-21 if program.precision == 32 else 2.0**-50
            wanted = wanted.widened(unit * np.abs(np.where(np.isfinite(wanted.value), wanted.value, 0)))
        failure = compare_array(name, wanted, got, program.precision)
        if failure:
            return failure
    return None


def same_bits(a, b):
    """The numbers in the bits that the type has; 80-bit numbers stand in more."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    zeros = (a == 0) & (b == 0)
    return bool((((a == b) & (~zeros | (np.signbit(a) == np.signbit(b)))) | (np.isnan(a) & np.isnan(b))).all())


def _reproducible(symdump, program, saved):
    _, out = symdump.save_all(program, "again")
    for name, got in saved.items():
        if np.load(out / f"{name}.npy").tobytes() != got.tobytes():
            return Failure("random", f"{name}: the same seed gave other numbers")
    return None


def documented_refusal(failure, program=None):
    """Which of DOCUMENTED_REFUSALS the failure is, or None."""
    if failure is None or failure.kind != "refused":
        return None
    found = next((text for text in DOCUMENTED_REFUSALS if text in failure.detail), None)
    decides = program is not None and re.search(r"(?m)^ *(if|while)\b", "\n".join(program.statements))
    return found or (NOT_REACHED if decides and ERRORS.search(failure.detail) else None)


def without_refused_statement(program, failure):
    """The program without the statement that the refusal points at."""
    where = re.search(r"prog\.py:(\d+)", failure.detail)
    if not where:
        return None
    line = int(where.group(1))
    first = program.text[: program.text.index("".join(s + "\n" for s in program.statements))].count("\n") + 1
    for k, statement in enumerate(program.statements):
        lines = statement.count("\n") + 1
        if first <= line < first + lines:
            return program.without(k, k + 1)
        first += lines
    return None


def what_is_said(failure):
    """Of a refusal the words that are not the program's: without what it names the program is another."""
    first = failure.detail.split("\n", 1)[0] if failure.kind == "refused" else ""
    return re.sub(r"^prog\.py:\S+ |'\S+'|`.*`|\d+|\S+=\S+", "", first)


def minimised(symdump, program, failure, examine):
    """The program with as few statements as still fail in the same way, and its failure, which
    `examine(symdump, program)` finds."""
    size = max(1, len(program.statements) // 2)
    while size >= 1:
        end = len(program.statements)
        while end > 0:
            begin = max(0, end - size)
            smaller = program.without(begin, end)
            end = begin
            try:
                found = examine(symdump, smaller)
            except (*REFUSALS, NameError, SyntaxError, subprocess.TimeoutExpired):
                continue
            if found and found.kind == failure.kind and what_is_said(found) == what_is_said(failure):
                program, failure = smaller, found
        size //= 2
    used = ast.dump(ast.parse(program.text.split("gpu\n", 1)[1]))
    inputs = {n: d for n, d in program.inputs.items() if f"'{n}'" in used}
    slim = replace(program, inputs=inputs, annotated=[n for n in program.annotated if n in inputs])
    try:
        found = examine(symdump, slim)
        if found and found.kind == failure.kind:
            return slim, found
    except (*REFUSALS, NameError):
        pass
    return program, failure
