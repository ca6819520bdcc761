"""The modules that symdump --emit numpy, cupy and torch prints, run under plain Python beside the original programs
under NumPy.

    array_modules_test.py SYMDUMP [--library numpy,cupy,torch] [--precision 64,32] [--passes none,default,all]
                          [--only TEXT] [--random COUNT] [--part N] [--verbose]

The programs: all of tests/corpus and tests/programs, the examples, and random ones (programs.py). tools/numpy_check.py
runs the original; its random numbers are those that the module draws. Values, types, shapes, what is printed and what
is raised must agree, as for --verify=numpy. A program that --verify=numpy does not accept is not judged: rounding
decides everything in some at 32 bits, and the order of equal elements in others, which NumPy does not promise. CuPy is
a stand-in over NumPy; PyTorch is run where it is installed.

A module must not need anything of ours, and must refuse by name, with a line, what it cannot print. Exit status: 0;
1 where something is wrong.
"""

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import types
import zlib
from collections import Counter
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np

from comparison import inputs_read
from numpy_server import folder_of_python3
from programs import generate

ROOT = Path(__file__).resolve().parent.parent.parent
# By how much results may differ, relative to the largest number: 4096 units of float64. Of float32 32,768 units: NumPy
# does not sum pairwise along the first axis, and the iterations until something has converged depend on it.
UNITS = {32: 32768 * 2.0**-23, 64: 4096 * 2.0**-52}
REALS = {32: "float32", 64: "float64", 128: "longdouble"}
TIMEOUT = 120


def loaded(path, name):
    loader = SourceFileLoader(name, str(path))
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


corpus = loaded(ROOT / "tools/corpus", "tools_corpus")


@dataclass
class Case:
    """A program and its data."""
    name: str
    path: Path
    function: str = ""
    arguments: dict = field(default_factory=dict)  # arrays and numbers
    rounding: float = 1e-12


def corpus_cases():
    folder = ROOT / "tests/corpus"
    for program in corpus.programs_of(folder, []):
        yield Case(program.name, program.path, program.function, program.arguments, program.rounding)


def script_cases(folder):
    """Programs whose inputs are declared: X: (3, 4)."""
    for path in sorted(folder.glob("*.py")):
        rng = np.random.default_rng(zlib.crc32(path.name.encode()))
        inputs = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and node.value is None:
                data = rng.standard_normal(ast.literal_eval(node.annotation))
                inputs[node.target.id] = data.astype(np.float32).astype(float)
        yield Case(f"{folder.name}/{path.stem}", path, arguments=inputs)


# ---- the module ----


class StandIn(types.ModuleType):
    """cupy over NumPy: its functions, but none of NumPy's that CuPy lacks."""
    LACKS = ("errstate", "frompyfunc", "vectorize", "longdouble", "float_")

    def __getattr__(self, name):
        if name.startswith("__") or name in self.LACKS:
            raise AttributeError(name)
        return getattr(np, name)


def cupy_stand_in():
    cupy, cupyx, scipy, special = (StandIn(name) for name in ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.special"))

    def into(function):
        def called(x, out):
            out[:] = np.vectorize(function, otypes=[float])(x)
        return called

    def at_poles(function, value):
        def called(x):
            try:
                return function(x)
            except ValueError:
                return value(x)
        return called
    special.erf = into(math.erf)
    special.gamma = into(at_poles(math.gamma, lambda x: math.copysign(math.inf, x) if x == 0 else math.nan))
    special.gammaln = into(at_poles(math.lgamma, lambda x: math.inf))
    cupyx.scipy, scipy.special = scipy, special
    cupy.asnumpy = np.asarray
    return {module.__name__: module for module in (cupy, cupyx, scipy, special)}


def run_module(text, arguments, other_draws=None):
    """(results as NumPy arrays, what was printed, what was raised, the numbers drawn) of the module's program(); with
    `other_draws` it draws from this generator."""
    scope = {"__name__": "emitted"}
    printed, drawn = io.StringIO(), {"rand": [], "randn": []}
    before = {name: np.array(value) for name, value in arguments.items()}
    exec(compile(text, "<emitted>", "exec"), scope)  # pylint: disable=exec-used

    def recorded(kind):
        draw = scope["_" + kind]

        def recording(rng, out):
            draw(other_draws or rng, out=out)
            drawn[kind] += np.asarray(out).ravel(order="F").tolist()
        return recording
    for kind in drawn:
        if "_" + kind in scope:
            scope["_" + kind] = recorded(kind)
    try:
        with contextlib.redirect_stdout(printed):
            results = scope["program"](**arguments)
    except Exception as error:  # pylint: disable=broad-exception-caught
        return None, printed.getvalue(), error, drawn
    for name, value in before.items():
        if not np.array_equal(value, arguments[name], equal_nan=value.dtype.kind in "fc"):
            raise AssertionError(f"the module writes to its input {name}")
    return {name: np.asarray(value) for name, value in results.items()}, printed.getvalue(), None, drawn


# ---- the original ----


def original(case, folder, precision, names, drawn):
    """(outputs by name: arrays, or a text that says what is there instead; what it printed; what it raised)."""
    real = np.dtype(REALS[precision])
    task = {"precision": REALS[precision], "name": case.path.name, "function": case.function, "values": {},
            "inputs": {}, "complex": [], "outputs": names, "left_out": [], "folders": [], "files": {}}
    for k, (name, value) in enumerate(case.arguments.items()):
        if not isinstance(value, np.ndarray):
            task["values"][name] = repr(value)
            continue
        files = {name: value}
        if value.dtype.kind == "c":
            task["complex"].append(name)
            files = {f"{name}_real": value.real, f"{name}_imag": value.imag}
        for part, (key, array) in enumerate(files.items()):
            task["inputs"][key] = f"input-{k}-{part}.npy"
            np.save(folder / task["inputs"][key], array.astype(real) if array.dtype.kind == "f" else array)
    (folder / "task.json").write_text(json.dumps(task))
    (folder / "program.py").write_text(case.path.read_text(encoding="utf-8"), encoding="utf-8")
    for old in {*folder.glob("output-*"), *folder.glob("*.txt")}:
        old.unlink()
    ours, theirs = socket.socketpair()
    with subprocess.Popen([sys.executable, "-B", ROOT / "tools/numpy_check.py", folder], stdin=theirs,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        theirs.close()
        drawn = {kind: iter(numbers) for kind, numbers in drawn.items()}
        with ours.makefile("rb") as lines:
            for line in lines:
                words = line.split()
                if words[0] in (b"rand", b"randn"):
                    numbers = drawn[words[0].decode()]
                    answer = [next(numbers, np.nan) for _ in range(int(words[1]) * int(words[2]))]
                    ours.sendall(np.array(answer, real).tobytes())
                elif words[0] == b"done":
                    ours.shutdown(socket.SHUT_WR)
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
    ours.close()
    if process.returncode != 0:
        raise AssertionError(f"numpy_check.py: {errors}")

    def text(file):
        return (folder / file).read_text() if (folder / file).exists() else ""
    outputs = {}
    for k, name in enumerate(names):
        file = folder / f"output-{k}.npy"
        outputs[name] = np.load(file) if file.exists() else text(f"output-{k}.txt")
    return outputs, text("printed.txt"), text("raised.txt")


# ---- the comparison ----


def kind_of(array):
    return "float" if array.dtype.kind == "f" else str(array.dtype)


def magnitude(array):
    array = np.abs(np.asarray(array, dtype=np.longdouble))
    return float(np.max(array, initial=0, where=np.isfinite(array)))


def differs(case, precision, results, expected):
    """What is wrong with the results, or ""."""
    units = UNITS[precision]
    inputs = [value for value in case.arguments.values() if isinstance(value, np.ndarray) and value.dtype.kind != "c"]
    scale = max([min(max(map(magnitude, results.values()), default=0), 1), *map(magnitude, inputs)])
    for name, got in results.items():
        want = expected[name]
        if isinstance(want, str):  # assigned where NumPy does not come by; a length
            continue
        if got.shape != want.shape:
            return f"{name}: NumPy has shape {want.shape}, got {got.shape}"
        whole = want.ndim == 0 and "int" in kind_of(got) and "int" in kind_of(want)
        if kind_of(got) != kind_of(want) and not whole:
            return f"{name}: NumPy has {want.dtype}, got {got.dtype}"
        if got.dtype.kind != "f":
            if not np.array_equal(got, want):
                return f"{name}: NumPy has\n{want!r}\ngot\n{got!r}"
            continue
        got, want = got.astype(np.longdouble), want.astype(np.longdouble)
        tolerance = max(units * max(magnitude(want), scale), case.rounding if precision == 64 else 0)
        with np.errstate(all="ignore"):
            same = (np.abs(got - want) <= tolerance) | (got == want) | (np.isnan(got) & np.isnan(want))
        if not np.all(same):
            return f"{name}: NumPy has\n{want.astype(float)!r}\ngot\n{got.astype(float)!r}"
    return ""


def text_differs(ours, theirs, precision=64, only_words=False):
    """What is wrong with a printed text, or "". What is left where numbers cancel is rounding."""
    ours, theirs = (corpus.without_arrays(text) for text in (ours, theirs))
    if corpus.NUMBER.sub("#", " ".join(ours.split())) != corpus.NUMBER.sub("#", " ".join(theirs.split())):
        return f"it prints\n{ours}where NumPy prints\n{theirs}"
    for got, want in () if only_words else zip(corpus.NUMBER.findall(ours), corpus.NUMBER.findall(theirs)):
        mantissa, _, exponent = want.lower().partition("e")
        last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) * ("." in want)
        if not np.isclose(float(got), float(want), rtol=max(1e-6, UNITS[precision]),
                          atol=max(1e-9, UNITS[precision], 1.01 * last_digit), equal_nan=True):
            return f"it prints {got} where NumPy prints {want}"
    return ""


REFUSED, RIGHT, WRONG, OPEN, NO_LIST = "refused", "right", "WRONG", "not judged", "no list"


class Judge:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def symdump(self, case, *arguments):
        given = ["--function", case.function] if case.function else []
        for name, value in case.arguments.items():
            if isinstance(value, np.ndarray):
                np.save(self.folder / f"{name}.npy", value)
                given += ["--input", f"{name}={self.folder / name}.npy"]
            else:
                given += ["--set", f"{name}={value!r}"]
        version = np.__version__.split(".", maxsplit=1)[0]
        command = [self.options.symdump, "--numpy", version, *arguments, *given, str(case.path)]
        return subprocess.run(command, check=False, capture_output=True, timeout=TIMEOUT, encoding="utf-8",
                              errors="replace")

    def module_arguments(self, case):
        arguments = {}
        for name, value in case.arguments.items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "c":
                arguments |= {f"{name}_real": value.real.copy(), f"{name}_imag": value.imag.copy()}
            elif isinstance(value, np.ndarray):
                arguments[name] = value.copy()
        return arguments

    def judged(self, case, library, precision, passes):
        """(kind, detail)"""
        done = self.symdump(case, "--emit", library, "--precision", str(precision), "--passes", passes)
        if done.returncode != 0:
            without = self.symdump(case, "--emit", "statements")
            if without.returncode != 0:
                return NO_LIST, done.stderr.strip()
            named = re.search(rf"^symdump: \[{library}\] ", done.stderr, re.M)
            return (REFUSED if named else WRONG), done.stderr.strip()
        text = done.stdout
        if re.search(r"^\s*(import|from) (cudamat|rewriter|gnumpy)", text, re.M):
            return WRONG, "it imports a package of ours"
        needed = set(re.findall(r"def program\((.*)\):", text)[0].replace(",", " ").split())
        declared = set(re.findall(r"_input\(\"(\w+)\"", text))
        arguments = {k: v for k, v in self.module_arguments(case).items() if k in needed | declared}
        # Of equal numbers, and of those that rounding makes equal, one is the largest: other draws have others.
        for draws in (None, 1, 2):
            kind, wrong = self.compared(case, precision, text, arguments, draws and np.random.default_rng(draws))
            if kind == RIGHT or "_rand" not in text:
                break
        if kind == RIGHT:
            return RIGHT, ""
        verified = self.symdump(case, "--verify=numpy", "--precision", str(precision), "--passes", passes)
        return (OPEN if verified.returncode != 0 else WRONG), wrong

    def compared(self, case, precision, text, arguments, draws):
        """(kind, detail) of one run of the module beside NumPy's."""
        arguments = {name: value.copy() for name, value in arguments.items()}
        try:
            results, printed, raised, drawn = run_module(text, arguments, draws)
        except Exception as error:  # pylint: disable=broad-exception-caught
            return WRONG, f"{error!r}\n{text}"
        names = list(results) if results is not None else []
        expected, print_expected, raise_expected = original(case, self.folder, precision, names, drawn)
        if raised is not None or raise_expected:
            what = raise_expected.strip().split("\n")[-1].split(":")[0]
            same = raised is not None and raise_expected and type(raised).__name__ == what.split(".")[-1]
            wrong = "" if same else f"it raises {raised!r}, NumPy {raise_expected!r}"
        else:
            wrong = (differs(case, precision, results, expected) or
                     self.print_differs(case, precision, printed, print_expected))
        return (WRONG if wrong else RIGHT), wrong

    def print_differs(self, case, precision, ours, theirs):
        """Lists do not print what contains whole arrays, times and the like; symdump says so, and NumPy prints it."""
        wrong = text_differs(ours, theirs, precision)
        if not wrong:
            return ""
        printed = self.symdump(case, "--run", "--precision", str(precision)).stdout.split("# ran ")[0]
        printed = re.sub("(?m)^# without data.*\n", "", printed)
        random = "random" in case.path.read_text(encoding="utf-8")
        return wrong if text_differs(ours, printed, precision, only_words=random) else ""


def random_cases(count, folder):
    """Random programs of the differential tests."""
    for index in range(count):
        program = generate(20261, index)
        path = Path(folder) / f"random_{index}.py"
        path.write_text(program.text, encoding="utf-8")
        inputs = {name: program.inputs[name] for name in inputs_read(program)}
        yield Case(f"random/{index}", path, arguments=inputs)


def chosen_cases(options, folder):
    """The programs that --only, --part and --random choose; random ones are written into the folder."""
    cases = [*corpus_cases(), *script_cases(ROOT / "tests/programs"), *script_cases(ROOT / "tools/examples"),
             *random_cases(options.random, folder)]
    return [case for case in cases if options.only in case.name][::options.part]


def add_choices(parser, **defaults):
    """The options that the tests of printed programs have in common, with these defaults."""
    parser.add_argument("symdump")
    for name in ("precision", "passes"):
        parser.add_argument(f"--{name}", default=defaults[name])
    parser.add_argument("--only", default="")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--part", type=int, default=1, help="of the programs every so many")
    parser.add_argument("--verbose", action="store_true")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="numpy,cupy,torch")
    add_choices(parser, precision="64,32", passes="none")
    options = parser.parse_args()
    sys.modules.update(cupy_stand_in())
    libraries = options.library.split(",")
    if "torch" in libraries and importlib.util.find_spec("torch") is None:
        print("skipped: the modules for PyTorch, which this Python does not have")
        libraries.remove("torch")
    failed = False
    print("python", sys.version.split()[0], "numpy", np.__version__)
    with tempfile.TemporaryDirectory(prefix="array-modules-") as folder:
        judge = Judge(options, folder)
        cases = chosen_cases(options, folder)
        for library in libraries:
            for precision in map(int, options.precision.split(",")):
                for passes in options.passes.split(","):
                    counts = Counter()
                    for case in cases:
                        kind, detail = judge.judged(case, library, precision, passes)
                        counts[kind] += 1
                        if kind == WRONG or (options.verbose and kind != RIGHT):
                            print(f"{kind} {case.name} ({library}, {precision} bits, {passes}): {detail}", flush=True)
                        failed = failed or kind == WRONG
                    print(f"{library}, {precision} bits, passes {passes}: " +
                          ", ".join(f"{count} {kind}" for kind, count in counts.most_common()), flush=True)
    return failed


if __name__ == "__main__":
    os.environ["PATH"] = folder_of_python3() + ":" + os.environ.get("PATH", "")
    sys.exit(main())
