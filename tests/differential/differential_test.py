"""Random programs: symdump against NumPy, statements against direct evaluation.

    differential_test.py SYMDUMP [--count N] [--seed S] [--first K]

Program K of seed S is always the same; a failure prints both, the program cut down to what still fails, and the
first difference. CUDAMAT_TEST_SEED in the environment chooses another seed.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

from comparison import (PROGRAMS, Failure, Symdump, Tally, compare, describe, documented_refusal, minimised,
                        refusals_report, too_many, without_refused_statement)
from emitted import check_list, check_module
from programs import generate
from tracing import REFUSALS, Reject

MAX_REPORTED = 5
LISTS_EVERY = 4  # programs
PASSES = ("none", "default", "all")


def examine(symdump, program, tally=None):
    """A failure of the program, or None: its values, those of the module printed for the original package, and of
    some programs what their printed list says when it is read."""
    failure = compare(symdump, program, tally)
    if failure is None and program.precision == 32 and program.flavour != "random":
        failure, ran = check_module(symdump, program)
        if tally is not None:
            tally.modules += ran
    if failure is None and program.index % LISTS_EVERY == 0:
        passes = PASSES[program.index // LISTS_EVERY % len(PASSES)]
        failure = check_list(symdump, program, passes)
    return failure


def check(executable, seed, index):
    """(tally, report of a failure or None) of one program."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="cudamat-differential-") as folder:
        symdump = Symdump(executable, folder)
        program = generate(seed, index)
        try:
            try:
                failure = examine(symdump, program, tally)
            except Reject:  # disturbed otherwise than when it was made, rounding decides
                return tally, None
            while reason := documented_refusal(failure):
                tally.refused = tally.refused or Counter([reason])
                program = without_refused_statement(program, failure)
                if program is None:
                    failure = Failure("refused", failure.detail + "\n(no statement of the program is at that place)")
                    break
                try:
                    failure = examine(symdump, program, tally)
                except (*REFUSALS, NameError):  # without the statement NumPy refuses the others
                    return tally, None
            if failure is None:
                return tally, None
            program, failure = minimised(symdump, program, failure, examine)
        except subprocess.TimeoutExpired as timeout:
            failure = Failure("timeout", str(timeout))
    return tally, f"{failure.kind}: {failure.detail.rstrip()}\n{describe(program)}"


def _check(job):
    return check(*job)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symdump")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUDAMAT_TEST_SEED", "1")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()

    print(f"seed {options.seed}, programs {options.first} to {options.first + options.count - 1}", flush=True)
    start = time.monotonic()
    total, failures = Tally(), []
    jobs = [(options.symdump, options.seed, options.first + k) for k in range(options.count)]
    with multiprocessing.Pool(options.processes) as pool:
        for done, (tally, report) in enumerate(pool.imap(_check, jobs, chunksize=4), 1):
            total.add(tally)
            if report:
                failures.append(report)
                print(f"\nFAILED\n{report}", flush=True)
                if len(failures) == MAX_REPORTED:
                    pool.terminate()
                    break
            if done % 100 == 0 and (sys.stdout.isatty() or done % 500 == 0):
                print(f"  {done} programs, {time.monotonic() - start:.0f} s", flush=True)
    differences = ", ".join(f"{value:.2g} at {precision} bits" for precision, value in sorted(total.largest.items()))
    print(f"{total.programs} programs agree: {total.statements} statements, {total.arrays} arrays compared "
          f"({total.not_compared} random ones by shape), {total.refused.total()} programs with a refused statement left out, "
          f"{total.modules} run as modules of the original package; "
          f"largest relative difference {differences}; {time.monotonic() - start:.0f} s")
    print(refusals_report(total.refused, options.count), end="")
    excess = too_many(total.refused, options.count, PROGRAMS)
    for text, count, share in excess:
        print(f"FAILED: {count} programs have a statement refused, where {share:.1%} of them had: {text}")
    if excess:
        return 1
    if not failures and total.programs == 0:
        print("FAILED: nothing was compared")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
