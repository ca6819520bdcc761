"""Loops and chains that run compiled (CUDAMAT_COMPILE=now) against the same statement by statement (off): outputs, prints
and messages must be the same, every bit.

    regions_test.py SYMDUMP [--corpus EVERY] [--random COUNT] [--seed S] [--first K] [--save FOLDER]

The programs: every EVERY-th of tests/corpus that has a loop, and random ones (programs.py and habits.py).
Each runs with passes and in a precision that its number chooses. NaN is equal to NaN. With --save, programs that differ
are left in the folder.
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import habits
import programs
from numpy_server import folder_of_python3

ROOT = Path(__file__).resolve().parent.parent.parent
PASSES = ["none", "default", "fast", "all"]
TIMEOUT = 300


def has_loop(text):
    return re.search(r"^\s*(for|while)\b", text, re.MULTILINE) is not None


def corpus(every):
    """(name, path, inputs) each."""
    paths = [path for path in sorted((ROOT / "tests/corpus").glob("*/*.py")) if has_loop(path.read_text())]
    return [(str(path.relative_to(ROOT)), path, {}) for path in paths[::every]] if every else []


def random_programs(count, seed, first, folder):
    path = folder / "random.py"
    for k in range(first, first + count):
        for maker in (programs, habits):
            program = maker.generate(seed, k)
            path.write_text(program.text)
            yield f"{maker.__name__} {k} of seed {seed}", path, program.inputs


def run(symdump, path, options, mode, folder):
    """(status, standard output and error, outputs)"""
    saved = folder / "saved"
    shutil.rmtree(saved, ignore_errors=True)
    environment = dict(os.environ, CUDAMAT_COMPILE=mode, CUDAMAT_CACHE_DIR=str(folder / "cache"),
                       PATH=folder_of_python3() + ":" + os.environ.get("PATH", ""))
    done = subprocess.run([symdump, path, *options, "--run", "--save-all", saved], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT, env=environment)
    arrays = {file.name: np.load(file) for file in saved.glob("*.npy")} if saved.is_dir() else {}
    return done.returncode, done.stdout, done.stderr, arrays


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def difference(one, two):
    """What differs between two runs, or nothing. The peak counts bodies of compiled loops that did not run."""
    if one[0] != two[0]:
        return f"status {one[0]} and {two[0]}: {two[2][-500:]}"
    for what, a, b in zip(("standard output", "standard error"), one[1:3], two[1:3]):
        lines = [re.sub(r"peak \d[\d,]* bytes", "", text).splitlines() for text in (a, b)]
        for left, right in zip(*lines):
            if left != right:
                return f"{what}: {left!r} and {right!r}"
        if len(lines[0]) != len(lines[1]):
            return f"{what}: {len(lines[0])} and {len(lines[1])} lines"
    if set(one[3]) != set(two[3]):
        return f"outputs: {sorted(set(one[3]) ^ set(two[3]))}"
    differing = [name for name in sorted(one[3]) if not same(one[3][name], two[3][name])]
    return f"values of {differing}" if differing else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("symdump")
    parser.add_argument("--corpus", type=int, default=1)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="cudamat-regions-"))
    count = failures = 0
    try:
        for name, path, inputs in itertools.chain(
                corpus(asked.corpus), random_programs(asked.random, asked.seed, asked.first, folder)):
            options = ["--passes", PASSES[count % 4], "--precision", ["64", "32"][count // 4 % 2]]
            for key, value in inputs.items():
                np.save(folder / f"{key}.npy", value)
                options += ["--input", f"{key}={folder / key}.npy"]
            found = difference(run(asked.symdump, path, options, "off", folder),
                               run(asked.symdump, path, options, "now", folder))
            count += 1
            if found:
                failures += 1
                print(f"{name}, {' '.join(options[:4])}: {found}", flush=True)
                if asked.save:
                    asked.save.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, asked.save / f"{count}.py")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{count} programs, {failures} differ")
    assert count, "no program"
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
