"""The programs that symdump --emit cpp and cuda print, built and run, beside the runs of symdump itself.

    cpp_programs_test.py SYMDUMP [--precision 64,32,128] [--passes none,all] [--only TEXT] [--random COUNT]
                         [--part N] [--no-blas] [--cuda HOST] [--verbose]

The programs: those of array_modules_test.py. A printed program must be one file that C++17 compiles without a warning,
with no header of ours. It must give the bits of symdump --run in every result, print and raise the same. Where it calls
a CBLAS, LAPACK, or functions of the C library that our engine has as vector functions, results may differ by rounding.

--cuda: those of --emit cuda. Without a GPU they are compiled as C++ against the stand-ins of cudamat/simt, and HOST
(cuda_program_host) runs them. They must give the results of the run on the CPU within rounding.
Exit status: 0; 1 where something is wrong.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from array_modules_test import add_choices, chosen_cases, magnitude
from numpy_server import folder_of_python3

EPS = {32: 2.0**-23, 64: 2.0**-52, 128: 2.0**-63}
TIMEOUT = 300
WITH_ROUNDING = re.compile(r"cm::(dot|solver)\(|std::(a?sinh?|a?cosh?|a?tan|atanh|cbrt|log2|log10|pow|atan2)\(")
MOST = 200_000  # characters of a program: those that are unrolled take a compiler minutes
REFUSED, RIGHT, WRONG, NO_LIST, OPEN, LARGE = "refused", "right", "WRONG", "no list", "not judged", "too large"


ROOT = Path(__file__).parents[2]
SHARED_MEMORY = "extern __shared__ __align__(16) unsigned char of_the_block[];"
OF_SIMT = "auto* const of_the_block = static_cast<unsigned char*>(simt::shared_memory());"


class Cpp:
    """How a printed C++ program is built, and run."""
    form, warnings = "cpp", ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]

    def __init__(self, options):
        self.without = ["-DNO_BLAS"] if options.no_blas else []

    def build(self, text, folder, precision):
        source = folder / "program.cpp"
        source.write_text(text, encoding="utf-8")
        libraries = ["-lopenblas"] if "NO_BLAS" in text and not self.without and precision != 128 else []
        return [[folder / "program"], ["g++", "-std=c++17", "-O1", "-ffp-contract=off", *self.warnings, *self.without,
                                       source, "-o", folder / "program", *libraries]]

    has_bits = True  # those of the run


class Cuda(Cpp):
    form, has_bits = "cuda", False

    def __init__(self, options):
        super().__init__(options)
        self.host = options.cuda

    def build(self, text, folder, precision):
        source, library = folder / "program.cpp", folder / "program.so"
        source.write_text(text.replace(SHARED_MEMORY, OF_SIMT), encoding="utf-8")
        found = [["-isystem", ROOT / "cudamat" / "simt" / name] for name in ("include", "device")]
        return [[self.host, library], ["g++", "-std=c++20", "-O1", "-fPIC", "-shared", "-fno-gnu-unique",
                                       "-ffp-contract=off", *self.warnings, "-Dmain=cuda_program", *sum(found, []),
                                       "-isystem", ROOT, source, "-o", library]]


class Judge:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        self.language = Cuda(options) if options.cuda else Cpp(options)

    def given(self, case, folder):
        """The arguments for symdump, and those for the printed program."""
        ours, theirs = (["--function", case.function] if case.function else []), []
        for name, value in case.arguments.items():
            if not isinstance(value, np.ndarray):
                ours += ["--set", f"{name}={value!r}"]
                continue
            np.save(folder / f"{name}.npy", value)
            ours += ["--input", f"{name}={folder / name}.npy"]
            parts = {f"{name}_real": value.real, f"{name}_imag": value.imag} if value.dtype.kind == "c" else {name: value}
            for part, array in parts.items():
                file = folder / f"in-{part}.npy"
                np.save(file, array.astype(float) if array.dtype.kind == "f" else array)
                theirs.append(f"{part}={file}")
        return ours, theirs

    def judged(self, case, precision, passes):
        """(kind, detail)"""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return self.judged_in(Path(folder), case, precision, passes)

    def judged_in(self, folder, case, precision, passes):
        ours, theirs = self.given(case, folder)
        how = ["--precision", str(precision), "--passes", passes, *ours, str(case.path)]

        def symdump(*arguments):
            return subprocess.run([self.options.symdump, *arguments, *how], check=False, capture_output=True,
                                  timeout=TIMEOUT, encoding="utf-8", errors="replace")
        emitted = symdump("--emit", self.language.form)
        if emitted.returncode != 0:
            if symdump("--emit", "statements").returncode != 0:
                return NO_LIST, emitted.stderr.strip()
            return (REFUSED if f"[{self.language.form}]" in emitted.stderr else WRONG), emitted.stderr.strip()
        if re.search(r'#include "', emitted.stdout):
            return WRONG, "it includes a file that is not the system's"
        if len(emitted.stdout) > MOST:
            return LARGE, f"{len(emitted.stdout)} characters"
        run_it, build = self.language.build(emitted.stdout, folder, precision)
        built = subprocess.run(build, check=False, capture_output=True, timeout=TIMEOUT, encoding="utf-8")
        if built.returncode != 0:
            return WRONG, built.stderr[:3000]
        (folder / "ours").mkdir()
        (folder / "theirs").mkdir()
        run = symdump("--run", "--save-all", folder / "ours")
        done = subprocess.run([*run_it, *theirs, folder / "theirs"], check=False, capture_output=True, timeout=TIMEOUT,
                              encoding="utf-8", errors="replace")
        if run.returncode != 0 or done.returncode != 0:
            if run.returncode == 0 or done.returncode != 1:
                return WRONG, f"status {done.returncode}: {done.stderr.strip()}; symdump: {run.returncode}"
            words = done.stderr.strip().split(":")[0]
            return (RIGHT if done.returncode == 1 and words in run.stderr else WRONG,
                    f"it fails with {done.stderr!r}, symdump with {run.stderr!r}")
        return self.compared(folder, precision, not WITH_ROUNDING.search(emitted.stdout))

    def compared(self, folder, precision, defined):
        exact = defined and self.language.has_bits
        largest = 0.0
        for file in sorted((folder / "ours").glob("*.npy")):
            got_file = folder / "theirs" / file.name
            if not got_file.exists():
                return WRONG, f"no {file.name}"
            want, got = np.load(file), np.load(got_file)
            if (got.shape, got.dtype) != (want.shape, want.dtype):
                return WRONG, f"{file.stem}: {want.shape} of {want.dtype}, got {got.shape} of {got.dtype}"
            if got.dtype.kind != "f":
                want, got = want.astype(float), got.astype(float)
            with np.errstate(all="ignore"):
                same = (got == want) | ((got != got) & (want != want))
                if got.dtype.kind == "f" and exact:
                    same &= (np.signbit(got) == np.signbit(want)) | (got != got)
                largest = max(largest, magnitude(want))
                if not exact:
                    same |= np.abs(got - want) <= 4096 * EPS[precision] * max(largest, 1)
            if not np.all(same):
                return (WRONG if defined else OPEN), f"{file.stem}:\n{want!r}\ngot\n{got!r}"
        return RIGHT, ""


def main():
    parser = argparse.ArgumentParser()
    add_choices(parser, precision="64", passes="none")
    parser.add_argument("--no-blas", action="store_true")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    if shutil.which("g++") is None:
        print("skipped: there is no g++")
        return 77
    failed = False
    with tempfile.TemporaryDirectory(prefix="cpp-programs-") as folder, ThreadPoolExecutor(2) as workers:
        judge = Judge(options, folder)
        cases = chosen_cases(options, folder)
        for precision in map(int, options.precision.split(",")):
            for passes in options.passes.split(","):
                counts = Counter()
                judged = workers.map(lambda case, p=precision, q=passes: judge.judged(case, p, q), cases)
                for case, (kind, detail) in zip(cases, judged):
                    counts[kind] += 1
                    if kind == WRONG or (options.verbose and kind != RIGHT):
                        print(f"{kind} {case.name} ({precision} bits, {passes}): {detail}", flush=True)
                    failed = failed or kind == WRONG
                print(f"{precision} bits, passes {passes}: " +
                      ", ".join(f"{count} {kind}" for kind, count in counts.most_common()), flush=True)
    return failed


if __name__ == "__main__":
    os.environ["PATH"] = folder_of_python3() + ":" + os.environ.get("PATH", "")
    sys.exit(main())
