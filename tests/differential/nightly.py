"""Many random programs in one process each for symdump and NumPy: values, types and shapes against NumPy's, statements
against direct evaluation, random passes in random order on random outputs against no passes.

    nightly.py SYMDUMP_BATCH [--programs N] [--seed S] [--first K] [--jobs J] [--save FOLDER]

Program K of seed S is always the same. What fails is cut down to what still fails, printed, and saved in the folder
as a program with its inputs. Interrupted, it says how to go on.
"""

import argparse
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from batch import Batch, Ended
from comparison import (JUMPS, NIGHTLY, Failure, Tally, compare_results, describe, documented_refusal, inputs_read, minimised,
                        refusals_report, required_names, same_bits, too_many, without_refused_statement)
from habits import Habitual
from programs import CAREFUL, Generator, judge
from registry import known_passes
from tracing import REFUSALS

MAX_FAILURES = 25
CHUNK = 16


def runs_of(program, names, known):
    """What symdump_batch, whose passes are `known`, is to do with the program: (how, names) each."""
    rng = np.random.default_rng([program.seed, program.index, 1])
    runs = [("none", None), ("tree", None), ("all", None)]
    for prefix in ("", "", "text:"):
        passes = [str(p) for p in rng.permutation(known)[:rng.integers(1, len(known) + 1)]]
        if rng.random() < 0.2:
            passes += [str(p) for p in rng.choice(known, 3)]
        some = [name for name in names if rng.random() < rng.choice([0.3, 0.7, 1.0])]
        runs.append((prefix + ",".join(passes), some or None))
    return runs


def examine(batch, program, tally=None, expected=None):
    """A failure of the program, or None. NumPy's own errors pass through."""
    expected = judge(program, CAREFUL) if expected is None else expected
    names = sorted(required_names(program, expected))
    runs = runs_of(program, names, known_passes(batch.command[0]))
    inputs = {name: program.inputs[name] for name in inputs_read(program)}
    try:
        replies = batch.ask(program.text, inputs, program.precision, program.index, runs)
    except Ended as ended:
        return Failure("crash", str(ended))
    literal = replies[0]
    if literal.failure:
        return Failure(literal.failure, literal.detail)
    failure = compare_results(program, expected, literal.arrays, literal.kinds)
    for (how, some), reply in zip(runs[1:], replies[1:]):
        failure = failure or check_run(program, expected, literal, how, some, reply)
    if failure is None and tally is not None:
        tally.programs += 1
        tally.statements += len(program.statements)
        tally.arrays += len(literal.arrays)
        tally.not_compared += sum(name not in expected or not expected[name].compared for name in literal.arrays)
    return failure


def check_run(program, expected, literal, how, some, reply):
    """A failure of a run with passes, or of the evaluation, or None."""
    what = f"--passes {how}" + (f" --outputs {','.join(some)}" if some else "")
    number = re.match(r"\[lower\] the program assigns no array to '(.*?)'", reply.detail)
    if number and number[1] not in literal.arrays and number[1] in expected and \
            (expected[number[1]].value.ndim == 0 or ".append(" in program.text):
        return None  # known when the program was read, as np.abs(0), or of a length known only at run time
    if reply.failure:
        return Failure(reply.failure if reply.failure == "internal" else "passes", f"{what}: {reply.detail}")
    wanted = set(some or literal.arrays)
    if set(reply.arrays) != wanted:
        return Failure("passes", f"{what}: gave {sorted(reply.arrays)} of {sorted(wanted)}")
    if how == "all":
        failure = check_rounding(program, expected, reply)
        return failure and check_rounding(program, judge(program, CAREFUL, opens_signs=True), reply)
    for name, got in reply.arrays.items():
        if same_bits(got, literal.arrays[name]):
            continue
        if how == "tree" and (close(got, literal.arrays[name]) or agrees(program, expected, name, got)):
            continue
        return Failure("tree" if how == "tree" else "bits",
                       f"{what}: {name} is\n{got!r}\nwithout\n{literal.arrays[name]!r}")
    return None


def agrees(program, expected, name, got):
    """Whether this is as close to NumPy's value as a correct one may be; where rounding decides that, anything is."""
    wanted = expected.get(name)
    return wanted is not None and compare_results(program, {name: wanted}, {name: got}, None) is None


def close(a, b):
    """As close as --verify wants statements and direct evaluation."""
    with np.errstate(all="ignore"):
        a = np.where(np.isinf(b) & (a == -b), b, a)  # divided by a zero whose sign is open
        finite = np.isfinite(a) & np.isfinite(b)
        same = np.where(finite, np.abs(a - b) <= 16 * np.finfo(a.dtype).eps * np.abs(b).max(initial=0, where=finite),
                        (a == b) | (np.isnan(a) & np.isnan(b)))
    return bool(same.all())


def check_rounding(program, expected, reply):
    """`all`, which rounds otherwise, against NumPy where the literal list agrees with it."""
    unit = 2.0**-24 if program.precision == 32 else 0
    sizes = [np.abs(np.asarray(data, dtype=float)) for data in program.inputs.values()]
    if any(((size > 0) & (size < 1e-290)).any() for size in sizes):
        return None  # what is rounded to 0 in one order is not in another
    for name, got in reply.arrays.items():
        wanted = expected.get(name)
        if program.flavour == "random" or wanted is None or not wanted.compared:
            continue
        slack = np.where(np.isfinite(wanted.value), np.maximum(np.abs(wanted.value), 1), 0) * max(1e-10, 16 * unit)
        # The signs of zeros are open there, and so are those of what is divided by one.
        got = np.where(np.isinf(wanted.value) & (got == -wanted.value), wanted.value.astype(got.dtype), got)
        failure = compare_results(program, {name: wanted.widened(slack)}, {name: got}, None)
        if failure and not JUMPS.search(program.text):
            return Failure("all", f"--passes all: {failure.detail}")
    return None


def check(batch, seed, index, tally):
    """The failure and the program, cut down, or None."""
    generator = (Generator if index % 3 == 0 else Habitual)(seed, index)
    program = generator.make()
    first = True
    try:
        expected = generator.expected()
        failure = examine(batch, program, tally, expected)
        while reason := documented_refusal(failure, program):
            tally.refused += Counter([reason] if first else [])
            first = False
            program = without_refused_statement(program, failure)
            if program is None:
                return Failure("refused", failure.detail), generator.program
            failure = examine(batch, program, tally)
    except (*REFUSALS, NameError):  # without a refused statement NumPy refuses the others
        return None
    if failure is None:
        return None
    try:
        failure = examine(batch, program)  # with NumPy's values from runs of their own
        if failure is None:
            return None
        program, failure = minimised(batch, program, failure, examine)
    except (*REFUSALS, NameError):
        pass
    return failure, program


_batch = None


def _work(job):
    """(first, tally, reports) of a chunk of programs."""
    global _batch
    executable, seed, first, count = job
    _batch = _batch or Batch(executable)
    tally, reports = Tally(), []
    for index in range(first, first + count):
        found = check(_batch, seed, index, tally)
        if found:
            reports.append((index, *found))
    return first, tally, reports


def save(folder, index, failure, program):
    """The program and its inputs as files; the path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed{program.seed}-{index}.py"
    path.write_text("# " + f"{failure.kind}: {failure.detail.rstrip()}".replace("\n", "\n# ") + "\n" +
                    describe(program), encoding="utf-8")
    for name, data in program.inputs.items():
        np.save(folder / f"seed{program.seed}-{index}-{name}.npy", data)
    return path


class Progress:
    def __init__(self, total):
        self.total, self.start, self.shown = total, time.monotonic(), 0.0
        self.terminal = sys.stderr.isatty()

    def at(self, done, failures):
        now = time.monotonic() - self.start
        if now - self.shown < (1 if self.terminal else 60):
            return
        self.shown = now
        rate = done / now
        print(f"{chr(13) if self.terminal else ''}{done} of {self.total} programs, {failures} failed; {rate:.0f}/s, "
              f"{(self.total - done) / rate / 60:.0f} min left   ", end="" if self.terminal else "\n",
              file=sys.stderr, flush=True)


def run_all(options):
    """(tally, failures, the number of programs that are done)"""
    jobs = [(options.batch, options.seed, first, min(CHUNK, options.first + options.programs - first))
            for first in range(options.first, options.first + options.programs, CHUNK)]
    total, failures, done = Tally(), 0, 0
    progress = Progress(options.programs)
    with multiprocessing.Pool(options.jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            for job, (_, tally, reports) in zip(jobs, pool.imap(_work, jobs)):
                total.add(tally)
                done += job[3]
                for index, failure, program in reports:
                    failures += 1
                    path = save(options.save, index, failure, program)
                    print(f"\nFAILED {failure.kind}: {failure.detail.rstrip()}\n{describe(program)}({path})", flush=True)
                progress.at(done, failures)
                if failures >= options.most_failures:
                    print(f"{failures} failures are enough")
                    break
        except KeyboardInterrupt:
            print("\ninterrupted")
        pool.terminate()
    return total, failures, done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batch", metavar="SYMDUMP_BATCH")
    parser.add_argument("--programs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUDAMAT_TEST_SEED", "1")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", default="nightly-failures", metavar="FOLDER")
    parser.add_argument("--conditions", action="store_true", help="statements under run-time conditions, too")
    parser.add_argument("--most-failures", type=int, default=MAX_FAILURES)
    options = parser.parse_args()
    start = time.monotonic()
    Generator.CONDITIONS = options.conditions
    print(f"seed {options.seed}, programs {options.first} to {options.first + options.programs - 1}", flush=True)
    total, failures, done = run_all(options)
    seconds = time.monotonic() - start
    print(f"{done} programs in {seconds:.0f} s, {done / seconds:.0f}/s: {total.programs} agree, {failures} failed; "
          f"{total.statements} statements, {total.arrays} arrays, {total.not_compared} of them by shape and type")
    print(refusals_report(total.refused, done), end="")
    excess = too_many(total.refused, done, NIGHTLY)
    for text, count, share in excess:
        print(f"FAILED: {count} programs have a statement refused, where {share:.1%} of them had: {text}")
    if done < options.programs:
        print(f"to go on: --seed {options.seed} --first {options.first + done} --programs {options.programs - done}")
    return 1 if failures or excess or total.programs == 0 or done < options.programs else 0


if __name__ == "__main__":
    sys.exit(main())
