"""What symdump prints, put to use: the Cudamat module run on the stand-in package, JSON parsed, the list read again."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np

from comparison import Failure, compare_array, complaints, inputs_read
from programs import judge

STAND_IN = Path(__file__).resolve().parent.parent / "data"
FORMS = ["statements", "numpy", "cupy", "torch", "cudamat-py", "cudamat-cpp", "tree", "dot", "json"]

# What --emit cudamat-py refuses by name: calls that the original package lacks.
LACKING = "the original package has no"


def emit(symdump, program, form, passes="none"):
    """The finished process of symdump --emit."""
    return symdump.run("--emit", form, "--passes", passes, *symdump.arguments(program), symdump.folder / "prog.py")


def allocates_in_loop(module):
    """Whether a line of the module that stands in a loop allocates a matrix."""
    loops = []
    for line in module.splitlines():
        indent = len(line) - len(line.lstrip())
        loops = [loop for loop in loops if loop < indent or not line.strip()]
        if loops and "cm.empty(" in line:
            return True
        if re.match(r" *for \w+ in range\(", line):
            loops.append(indent)
    return False


def looks_right(form, text):
    """What is wrong with a printed form, or None."""
    if not text.strip():
        return "nothing was printed"
    if form == "json":
        json.loads(text)
    elif form == "dot":
        if not text.startswith("digraph") or text.count("{") < 1 or not text.rstrip().endswith("}"):
            return "not a digraph"
    elif form == "cudamat-py":
        compile(text, "<emitted>", "exec")
        if allocates_in_loop(text):
            return "it allocates in a loop"
    return None


def run_module(text, inputs):
    """program(**inputs) of the emitted module, in this process."""
    if str(STAND_IN) not in sys.path:
        sys.path.insert(0, str(STAND_IN))
    module = {"__name__": "emitted"}
    exec(compile(text, "<emitted>", "exec"), module)
    return module["program"](**inputs)


def check_module(symdump, program, passes="none"):
    """(failure or None, whether the module was run): the module's results against NumPy's."""
    done = emit(symdump, program, "cudamat-py", passes)
    errors = done.stderr.decode(errors="replace")
    if done.returncode == 2 and LACKING in errors:
        return None, False
    if done.returncode != 0:
        return Failure("cudamat-py", errors), False
    expected = judge(program)
    text = done.stdout.decode()
    try:
        results = run_module(text, {n: np.array(program.inputs[n], dtype=np.float32) for n in inputs_read(program)})
    except ZeroDivisionError:  # the original's mean over an axis without elements
        return None, False
    except Exception as error:  # whatever the emitted code runs into
        return Failure("cudamat-py", f"the module raises {error!r}\n{text}"), True
    for name, got in results.items():
        if name not in expected:
            if np.all(np.isnan(got) | (got == 0)):  # what a condition that does not hold would assign
                continue
            return Failure("cudamat-py", f"it returns {name}, which is no array in NumPy\n{text}"), True
        failure = compare_array(name, expected[name], np.asarray(got).astype(np.float32), 32, zero_signs=False)
        if failure:
            return Failure("cudamat-py", failure.detail + "\n" + text), True
    return None, True


def check_forms(symdump, program):
    """A failure if a form is not printed, is not what it should be, or differs when printed again."""
    for form in FORMS:
        done = emit(symdump, program, form)
        if done.returncode == 2 and form == "cudamat-py" and LACKING in done.stderr.decode():
            continue
        if done.returncode != 0 or complaints(done):
            return Failure(form, f"exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
        text = done.stdout.decode()
        try:
            wrong = looks_right(form, text)
        except (ValueError, SyntaxError) as error:
            wrong = repr(error)
        if wrong:
            return Failure(form, f"{wrong}\n{text}")
        if emit(symdump, program, form).stdout != done.stdout:
            return Failure(form, "printed twice, it differs")
    return None


def after_list(done):
    """What follows the printed list: what the program prints, the report of the run, of saved files."""
    text = done.stdout[done.stdout.rindex(b"of them inputs\n") :]
    return [line for line in text.splitlines() if b"by-program" not in line and b"by-list" not in line]


def bits_of(array):
    """What an array holds, without what pads a long double."""
    return array.tobytes() if array.dtype != np.longdouble else array.reshape(-1, 1).view(np.uint8)[:, :10].tobytes()


def check_list(symdump, program, passes="none"):
    """A failure unless the printed list, read again, prints the same and computes the same bits as the program."""
    options = [*symdump.arguments(program), "--precision", program.precision, "--seed", program.index]
    path = symdump.folder / "list.txt"
    shutil.rmtree(symdump.folder / "by-program", ignore_errors=True)
    done = symdump.run(*options, "--save-all", symdump.folder / "by-program", "--emit", "statements",
                       "--passes", passes, symdump.folder / "prog.py")
    if done.returncode != 0:
        return Failure("list", done.stderr.decode(errors="replace"))
    text = done.stdout[: done.stdout.rindex(b"of them inputs\n") + len(b"of them inputs\n")]
    path.write_bytes(text)
    again = symdump.run(*options, "--save-all", symdump.folder / "by-list", "--emit", "statements", "--from", path)
    if again.returncode != 0:
        return Failure("list", f"{again.stderr.decode(errors='replace')}\n{text.decode()}")
    if not again.stdout.startswith(text) or after_list(done) != after_list(again):
        return Failure("list", f"{done.stdout.decode()}\nis read as\n{again.stdout.decode()}")
    for saved in (symdump.folder / "by-program").iterdir():
        want, got = np.load(saved), np.load(symdump.folder / "by-list" / saved.name)  # a list knows of floats only
        if bits_of(want.astype(got.dtype)) != bits_of(got):
            return Failure("list", f"{saved.stem} has other bits when the list is read again\n{text.decode()}")
    return None
