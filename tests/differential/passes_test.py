"""Random programs through the passes: what they compute, and what they need, against the literal list.

    passes_test.py SYMDUMP [--count N] [--seed S] [--first K] [FOLDER of fixed programs]

Of each program: every single pass and `default` give every bit that the literal list gives (NaN is NaN), and print the
same, also when the pipeline stops early; `all` is as close to NumPy as the literal list must be; a pass that runs
again changes nothing; dead, order, inplace and reuse need no more memory than the list before them; what a run
measures as its peak and takes for its arena is what --memory says, to the byte.
"""

import argparse
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from comparison import Failure, Symdump, compare_array, describe, minimised, same_bits
from fixed_programs_test import load
from programs import generate, judge
from registry import known_passes
from tracing import REFUSALS

MAX_REPORTED = 5


def number(pattern, text):
    return int(re.search(pattern, text).group(1).replace(",", ""))


def run(symdump, program, passes, extra=(), names=None):
    """(failure or None, arrays by name, peak, what it printed): a run of the program after the passes."""
    if names is not None:
        extra = [*extra, "--outputs", ",".join(names)]
    out = symdump.folder / "out"
    for old in out.glob("*.npy"):
        old.unlink()
    done = symdump.run("--precision", program.precision, "--run", "--save-all", out, "--seed", program.index,
                       "--memory", "--passes", passes, *extra, *symdump.arguments(program), symdump.folder / "prog.py")
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0 or done.stderr:
        kind = "refused" if done.returncode == 2 else "passes"
        return Failure(kind, f"--passes {passes}: {done.stderr.decode(errors='replace')}"), {}, 0, ""
    planned, measured = number(r"# peak ([\d,]+) bytes", text), number(r"# ran .* peak (\d+) bytes", text)
    bound = number(r"# lower bound ([\d,]+) bytes", text)
    arena, taken = number(r"# arena ([\d,]+) bytes", text), number(r"# ran .* in an arena of (\d+)", text)
    if planned != measured or bound > planned or arena != taken or planned > arena:
        return Failure("plan", f"--passes {passes}: measured {measured} bytes; {text}"), {}, 0, ""
    printed = re.search(r"# arena .*\n((?:.*\n)*?)# ran ", text).group(1)
    return None, {path.stem: np.load(path) for path in out.glob("*.npy")}, measured, printed


def statements(symdump, program, passes, names):
    done = symdump.run("--passes", passes, "--outputs", ",".join(names), *symdump.arguments(program),
                       symdump.folder / "prog.py")
    return done.stdout


def examine(symdump, program, _tally=None):
    """A failure of the program, or None."""
    failure, literal, peak, printed = run(symdump, program, "none")
    if failure or not literal:  # differential_test judges what is refused
        return None if failure is None or failure.kind == "refused" else failure
    names, known = list(literal), known_passes(symdump.executable)
    rng = np.random.default_rng([program.seed, program.index])
    stop = ["--stop-after", str(rng.choice(known))]
    some = ",".join(rng.permutation(known)[:3])
    tries = [("default", (), names), ("default", (), None), ("default", stop, names), (some, (), names)]
    for passes, extra, wanted in tries + [(name, (), names) for name in known]:
        failure, arrays, needed, prints = run(symdump, program, passes, extra, wanted)
        if failure:
            return Failure("passes", failure.detail)
        if wanted is not None and set(arrays) != set(literal) or not arrays:
            return Failure("passes", f"--passes {passes}: saved {sorted(arrays)} of {sorted(literal)}")
        if prints != printed:
            return Failure("prints", f"--passes {passes}: {prints}\nwithout: {printed}")
        for name, got in arrays.items():
            if not same_bits(got, literal[name]):
                return Failure("bits", f"--passes {passes} {' '.join(extra)}: {name} is\n{got}\n"
                                       f"without\n{literal[name]}")
        if needed > peak and passes in ("dead", "order", "inplace", "reuse"):
            return Failure("peak", f"--passes {passes}: {needed} bytes; without {peak}")
    for name in known:
        if statements(symdump, program, name, names) != statements(symdump, program, f"{name},{name}", names):
            return Failure("idempotence", f"{name} changes what {name} left")
    return rounding(symdump, program, literal)


def rounding(symdump, program, literal):
    """`all` against NumPy, where its values are compared and the literal list agrees with it."""
    failure, arrays, _, _ = run(symdump, program, "all", (), list(literal))
    if failure or program.flavour == "random":
        return failure
    expected = judge(program)
    for name, got in arrays.items():
        if name not in expected:  # what a condition that does not hold would assign
            continue
        finite = np.where(np.isfinite(expected[name].value), expected[name].value, 0)
        expected[name].tolerance = np.maximum(expected[name].tolerance, np.abs(finite) * 1e-10)
        failure = compare_array(name, expected[name], got, program.precision, zero_signs=False)
        if failure and not compare_array(name, expected[name], literal[name], program.precision, zero_signs=False):
            return Failure("all", failure.detail)
    return None


def check(executable, seed, index):
    """(1 if the program was compared, report of a failure or None)."""
    with tempfile.TemporaryDirectory(prefix="cudamat-passes-") as folder:
        symdump = Symdump(executable, folder)
        program = generate(seed, index)
        try:
            failure = examine(symdump, program)
            if failure is None:
                return 1, None
            program, failure = minimised(symdump, program, failure, examine)
        except subprocess.TimeoutExpired as timeout:
            failure = Failure("timeout", str(timeout))
        except REFUSALS:
            return 0, None
    return 0, f"{failure.kind}: {failure.detail.rstrip()}\n{describe(program)}"


def check_fixed(executable, path):
    with tempfile.TemporaryDirectory(prefix="cudamat-passes-") as folder:
        program = load(path, 64)
        program.precision = 64
        failure = examine(Symdump(executable, folder), program)
    return 1, failure and f"{path.name}: {failure.kind}: {failure.detail.rstrip()}"


def _check(job):
    return check_fixed(*job) if len(job) == 2 else check(*job)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symdump")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUDAMAT_TEST_SEED", "1")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    jobs = [(options.symdump, path) for path in sorted(options.folder.glob("*.py"))] if options.folder else []
    jobs += [(options.symdump, options.seed, options.first + k) for k in range(options.count)]
    start, compared, failures = time.monotonic(), 0, 0
    with multiprocessing.Pool(options.processes) as pool:
        for done, report in pool.imap(_check, jobs, chunksize=2):
            compared += done
            if report:
                failures += 1
                print(f"\nFAILED\n{report}", flush=True)
                if failures == MAX_REPORTED:
                    pool.terminate()
                    break
    print(f"seed {options.seed}: {compared} of {len(jobs)} programs give the same with passes; "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failures or compared < 0.9 * len(jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
