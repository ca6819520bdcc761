"""Random programs of garrays against NumPy.

    gnumpy_test.py GNUMPY_SCRIPT [--count N] [--seed S] [--first K] [--precision 32|64|128]

Shapes, values, and which statements are refused are compared. Program K of seed S is always the same; a failure
prints both, the program cut down to what still fails, and the first difference. CUDAMAT_TEST_SEED in the
environment chooses another seed. Without --precision most programs run at 64 bits, and a part of them at 32 and at
128. With GNUMPY_USE_GPU=yes in the environment all run at 32 bits, on the GPU; else on the CPU.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from comparison import Failure, compare_array
from expected import expectation
from gnumpy_numpy import ERRORS, REAL, Machine, line_of
from gnumpy_programs import generate

NOISY_RUNS = 4
MAX_REPORTED = 5
USE_GPU = "yes" if os.environ.get("GNUMPY_USE_GPU") == "yes" else "no"
PARTS = {32: 1} if USE_GPU == "yes" else {32: 0.2, 64: 1, 128: 0.2}  # of the programs, by precision


@dataclass
class Outcome:
    """Of a program: for each statement None or the message of its error, and the names' values in the end."""

    errors: list
    names: dict


def judge(statements, precision, seed):
    """What NumPy makes of the program: an Outcome of Expectations; None where rounding decides how many elements a
    mask picks, and so what is refused."""
    runs = [Machine(precision)] + [Machine(precision, seed * 16 + k) for k in range(NOISY_RUNS)]
    errors = []
    for statement in statements:
        refused = []
        for run in runs:
            try:
                run.run(statement)
            except ERRORS as error:
                refused.append(str(error))
        shapes = {tuple((name, value.shape) for name, value in sorted(run.names.items())) for run in runs}
        if len(refused) not in (0, len(runs)) or len(shapes) > 1:
            return None
        errors.append(refused[0] if refused else None)
    return Outcome(errors, {name: expectation([run.names[name] for run in runs], precision)
                            for name in runs[0].names})


class Reader:
    """Takes what gnumpy_script prints apart."""

    def __init__(self, output, precision):
        self.output, self.at, self.real = output, 0, np.dtype(REAL[precision])

    def line(self):
        end = self.output.find(b"\n", self.at)
        if end < 0:
            return None
        text, self.at = self.output[self.at:end].decode(), end + 1
        return text

    def outcome(self, count):
        """None where the output ends too early."""
        errors = []
        for _ in range(count):
            line = self.line()
            if line is None:
                return None
            errors.append(line[6:] if line.startswith("error") else None)
        names = {}
        while (line := self.line()) != "end":
            if line is None:
                return None
            name, *dims = line.split()
            shape = tuple(map(int, dims))
            size = int(np.prod(shape, dtype=np.int64))
            names[name] = np.frombuffer(self.output, self.real, size, self.at).reshape(shape)
            self.at += size * self.real.itemsize
        return Outcome(errors, names)


def run(script, programs, precision):
    """(the Outcome of each program that it came to, what it wrote on standard error)"""
    text = "".join("".join(line_of(s) + "\n" for s in statements) + "end\n" for statements in programs)
    environment = os.environ | {"GNUMPY_CPU_PRECISION": str(precision), "GNUMPY_USE_GPU": USE_GPU,
                                "OMP_NUM_THREADS": "1"}
    done = subprocess.run([script], input=text.encode(), capture_output=True, env=environment, check=False)
    reader, outcomes = Reader(done.stdout, precision), []
    for statements in programs:
        outcome = reader.outcome(len(statements))
        if outcome is None:
            break
        outcomes.append(outcome)
    return outcomes, done.stderr.decode(errors="replace") + (
        f"exit status {done.returncode}" if done.returncode != 0 else "")


def difference(statements, expected, got, precision):
    """A Failure or None."""
    if expected is None:
        return None
    for statement, wanted, error in zip(statements, expected.errors, got.errors):
        if wanted is not None and error is None:
            return Failure("accepted", f"{line_of(statement)}\nNumPy: {wanted}")
        if wanted is None and error is not None:
            return Failure("refused", f"{line_of(statement)}\ngarray: {error}")
    if set(expected.names) != set(got.names):
        return Failure("names", f"NumPy {sorted(expected.names)}, garray {sorted(got.names)}")
    for name, value in expected.names.items():
        failure = compare_array(name, value, got.names[name], precision)
        if failure:
            return failure
    return None


def check(script, statements, precision, seed):
    expected = judge(statements, precision, seed)
    outcomes, errors = run(script, [statements], precision)
    if not outcomes:
        return Failure("crash", errors)
    return difference(statements, expected, outcomes[0], precision)


def minimised(script, statements, failure, precision, seed):
    """The program without what its failure does not need."""
    for k in reversed(range(len(statements))):
        smaller = statements[:k] + statements[k + 1:]
        try:
            found = check(script, smaller, precision, seed)
        except KeyError:  # a name is gone
            continue
        if found and found.kind == failure.kind:
            statements, failure = smaller, found
    return statements, failure


def report(script, statements, failure, precision, options, index):
    statements, failure = minimised(script, statements, failure, precision, index)
    print(f"\nFAILED {failure.kind}: {failure.detail}\n# seed {options.seed}, program {index}, {precision} bits")
    for statement in statements:
        print(line_of(statement))
    sys.stdout.flush()


def compare_all(options, precision, count):
    """(failures, statements, arrays, how many of these were compared, refused statements)"""
    start = time.monotonic()
    indices = range(options.first, options.first + count)
    programs = [generate(options.seed, index, precision) for index in indices]
    outcomes, errors = run(options.script, programs, precision)
    failures = arrays = compared = refused = undecided = 0
    for index, statements, got in zip(indices, programs, outcomes):
        expected = judge(statements, precision, index)
        if expected is None:
            undecided += 1
            continue
        failure = difference(statements, expected, got, precision)
        arrays += len(expected.names)
        compared += sum(value.compared for value in expected.names.values())
        refused += sum(error is not None for error in expected.errors)
        if failure:
            failures += 1
            if failures <= MAX_REPORTED:
                report(options.script, statements, failure, precision, options, index)
    if len(outcomes) < count:
        failures += 1
        report(options.script, programs[len(outcomes)], Failure("crash", errors), precision, options,
               options.first + len(outcomes))
    elif errors:
        failures += 1
        print(f"FAILED: {errors}")
    statements = sum(map(len, programs))
    print(f"{precision} bits: {len(outcomes)} programs, {failures} failures, {undecided} whose shapes "
          f"rounding decides; {statements} statements, {refused} of "
          f"which NumPy refuses, too; {arrays} arrays, {arrays - compared} of which by shape, since rounding decides "
          f"their values; {time.monotonic() - start:.0f} s", flush=True)
    return failures + (compared == 0) + (undecided > 0.02 * count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUDAMAT_TEST_SEED", "1")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--precision", type=int, choices=sorted(PARTS))
    options = parser.parse_args()
    print(f"seed {options.seed}, programs {options.first} to {options.first + options.count - 1}", flush=True)
    parts = {options.precision: 1} if options.precision else PARTS
    failures = 0
    for precision, part in parts.items():
        failures += compare_all(options, precision, int(np.ceil(part * options.count)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
