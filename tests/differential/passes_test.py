"""Random programs through the passes: what they compute, and what they need, against the literal list.

    passes_test.py SYMDUMP_BATCH [--count N] [--seed S] [--first K] [FOLDER of fixed programs]

Of each program: every single pass, `default`, fused statements printed and read again, and the calls that they stand
for give every bit that the literal list gives (NaN is NaN), and print the same, also when the pipeline stops early;
`all` is as close to NumPy as the literal list must be, and `fast` has its bits; a pass that runs again changes nothing; dead, order, inplace and reuse need no more memory than the list before them. That a run takes
the memory that is planned, to the byte, symdump_batch looks at.
"""

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np

from batch import Batch, Ended
from comparison import Failure, compare_array, describe, inputs_read, minimised, same_bits
from fixed_programs_test import load
from programs import generate, judge
from registry import known_passes
from tracing import REFUSALS

MAX_REPORTED = 5


def ask(batch, program, runs):
    inputs = {name: program.inputs[name] for name in inputs_read(program)}
    return batch.ask(program.text, inputs, program.precision, program.index, runs)


def examine(batch, program, _tally=None):
    """A failure of the program, or None."""
    try:
        return changed(batch, program)
    except Ended as ended:
        return Failure("crash", str(ended))


def changed(batch, program):
    """What passes change, or None."""
    literal = ask(batch, program, [("none", None)])[0]
    if literal.failure:  # differential_test judges what is refused
        return None if literal.failure == "refused" else Failure(literal.failure, literal.detail)
    if not literal.arrays:
        return None
    names, known = list(literal.arrays), known_passes(batch.command[0])
    rng = np.random.default_rng([program.seed, program.index])
    stopped = f"{','.join(known)}@{rng.choice(known)}"
    some = ",".join(rng.permutation(known)[:3])
    runs = [("default", names), ("default", None), (stopped, names), (some, names), *((name, names) for name in known),
            ("text:fuse", names), ("text:default,fuse", names), ("fuse,unfuse", names), ("default,fuse,unfuse", None)]
    once = [(f"list:{name}", names) for name in known]
    twice = [(f"list:{name},{name}", names) for name in known]
    everything = [*runs, *once, *twice, ("fast", names), ("all", names)]
    replies = ask(batch, program, everything)
    for (how, _), reply in zip(everything, replies):
        if reply.failure:
            return Failure("passes", f"--passes {how}: {reply.detail}")
    for (how, wanted), reply in zip(runs, replies):
        if failure := compare_with(literal, how, wanted, reply):
            return failure
    texts = [reply.text for reply in replies[len(runs):]]
    for name, left, again in zip(known, texts, texts[len(known):]):
        if left != again:
            return Failure("idempotence", f"{name} changes what {name} left")
    return compare_with(replies[-1], "fast", names, replies[-2]) or rounding(program, literal.arrays, replies[-1].arrays)


def compare_with(literal, passes, names, reply):
    """A failure of a run after passes, or None."""
    if names is not None and set(reply.arrays) != set(literal.arrays) or not reply.arrays:
        return Failure("passes", f"--passes {passes}: gave {sorted(reply.arrays)} of {sorted(literal.arrays)}")
    if reply.text != literal.text:
        return Failure("prints", f"--passes {passes}: {reply.text}\nwithout: {literal.text}")
    for name, got in reply.arrays.items():
        if not same_bits(got, literal.arrays[name]):
            return Failure("bits", f"--passes {passes}: {name} is\n{got}\nwithout\n{literal.arrays[name]}")
    if reply.peak > literal.peak and passes in ("dead", "order", "inplace", "reuse"):
        return Failure("peak", f"--passes {passes}: {reply.peak} bytes; without {literal.peak}")
    return None


def rounding(program, literal, arrays):
    """`all` against NumPy, where its values are compared and the literal list agrees with it."""
    if program.flavour == "random":
        return None
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


def check(batch, seed, index):
    """(1 if the program was compared, report of a failure or None)."""
    program = generate(seed, index)
    try:
        failure = examine(batch, program)
        if failure is None:
            return 1, None
        program, failure = minimised(batch, program, failure, examine)
    except REFUSALS:
        return 0, None
    return 0, f"{failure.kind}: {failure.detail.rstrip()}\n{describe(program)}"


def check_fixed(batch, path):
    failure = examine(batch, load(path, 64))
    return 1, failure and f"{path.name}: {failure.kind}: {failure.detail.rstrip()}"


_batch = None


def _check(job):
    global _batch
    executable, *which = job
    _batch = _batch or Batch(executable)
    return check_fixed(_batch, *which) if len(which) == 1 else check(_batch, *which)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batch", metavar="SYMDUMP_BATCH")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUDAMAT_TEST_SEED", "1")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    jobs = [(options.batch, path) for path in sorted(options.folder.glob("*.py"))] if options.folder else []
    jobs += [(options.batch, options.seed, options.first + k) for k in range(options.count)]
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
