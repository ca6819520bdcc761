"""Sets NumPy, NumExpr, Numba, PyTorch and JAX, those that are installed, beside fused statements: each workload in turn
on all, in rounds, so that what else the machine does meets each of them. Ours are the programs that NumPy runs, as
`symdump --time` runs them on npmat: all statements of a run, allocations, the runner's own work and two looks at the
clock a statement (some 30 ns) included, reading the program and the data not. Of the others, too, what happens once,
compilation above all, does not count. The data are written anew before each run of each. A result that is not NumPy's
in float64 is an error.
"""

import importlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fused_workloads import workloads

PEERS = ("numpy", "numexpr", "numba", "torch", "jax")
WAYS = {"fused": "fast", "tiles": "fast", "unfused": "all"}  # by the passes; tiles: nothing is compiled
ENOUGH = 0.5  # seconds of a contestant's turn, about; of tests of this far less
TOLERANCE = 5e-4  # of results, to their size: the root of what is rounded to float32 near 0
GOALS = {
    "ahead": "the best peer / fused",
    "ahead of Numba": "Numba / fused",
    "fraction": "of the floor",
    "gain": "unfused / fused",
}


class Wrong(Exception):
    """A result that is not right."""


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- who takes part ----


class Peer:
    """A library with the workload ready to run."""

    def __init__(self, module, workload, enough):
        self.name, self.times, self.enough = module.NAME, [], enough
        self.given, self.arrays = workload.arrays, workload.copies()
        self.run = module.prepare(workload, self.arrays)

    def first(self):
        """The results of the first run; what compiles in the second does so, too."""
        results = {name: np.array(array) for name, array in self.run().items()}
        self.run()
        return results

    def load(self):
        """The data anew, as symdump has them: what the caches hold decides much, and is to be the same for all."""
        for name, array in self.given.items():
            np.copyto(self.arrays[name], array)
        getattr(self.run, "load", lambda: None)()

    def sample(self):
        times = []
        while not times or sum(times) < self.enough:
            self.load()
            start = time.perf_counter()
            self.run()
            times.append(time.perf_counter() - start)
        self.times.append(statistics.median(times))


class Ours:
    """The program's statements after passes, run by symdump."""

    def __init__(self, symdump, way, workload, folder, enough):
        self.name, self.times, self.enough, self.repeat = way, [], enough, 3
        self.compiles = "off" if way == "tiles" else "now"
        self.limits = []  # seconds a byte copied and an operation of a product
        self.outputs, self.results = workload.outputs, Path(folder) / way
        self.command = [symdump, "--passes", WAYS[way], "--outputs", ",".join(workload.outputs), "--time"]
        for name in workload.arrays:
            self.command += ["--input", f"{name}={folder}/{name}.npy"]
        if workload.steps > 1:
            self.command += ["--set", f"steps={workload.steps}"]
        self.command.append(str(workload.file))

    def first(self):
        seconds = self.measure("--save-all", str(self.results))
        # Each run begins with its data, which takes longer than it: five are enough of one that takes long.
        self.repeat = int(min(max(0.2 * self.enough / seconds, 5), 200))
        return {name: np.load(self.results / f"{name}.npy") for name in self.outputs}

    def sample(self):
        self.times.append(self.measure())

    def measure(self, *options):
        environment = dict(os.environ, GNUMPY_USE_GPU="no", GNUMPY_CPU_PRECISION="32", CUDAMAT_COMPILE=self.compiles)
        command = [*self.command, "--repeat", str(self.repeat), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            raise Wrong(f"{' '.join(command)}:\n{done.stderr}")

        def number(pattern):
            found = re.search(pattern, done.stdout, re.M)
            return float(found[1].replace(",", "")) if found else float("inf")

        self.limits.append((1e-9 / number(r"copy ([\d.]+) GB/s"), 1e-9 / number(r"product ([\d.]+) GFLOP/s")))
        return 1e-3 * number(r"^a run +([\d.,]+)")


def import_peers(names):
    """The modules of the peers that are installed."""
    modules = []
    for name in names:
        try:
            modules.append(importlib.import_module(f"peer_{name}"))
        except ImportError as error:
            say(f"left out: {name}: {error} (tools/bench-peers --install)")
    return modules


# ---- a workload ----


@dataclass
class Result:
    """A step's seconds by contestant, medians of the rounds, and the errors of the results."""

    title: str
    steps: int
    goals: tuple
    times: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    floor: float = 0.0

    def best(self):
        """The fastest peer."""
        return min((name for name in self.times if name not in WAYS), key=self.times.get)

    def value(self, what):
        """That which a goal asks for; None where the peer is not there."""
        ours = self.times["fused"]
        if what == "fraction":
            return self.floor / ours
        if what == "gain":
            return self.times["unfused"] / ours
        peers = [name for name in self.times if name.startswith("Numba")] if what == "ahead of Numba" else [self.best()]
        return self.times[peers[0]] / ours if peers else None


def reference(workload):
    """What NumPy computes in float64."""
    return importlib.import_module("peer_numpy").prepare(workload, workload.copies(np.float64))()


def error_of(results, expected):
    """The largest difference, relative to the number, or to the numbers' usual size where it is small."""
    most = 0.0
    for name, right in expected.items():
        if results[name].shape != right.shape:
            raise Wrong(f"{name} has the shape {results[name].shape}, not {right.shape}")
        size = np.maximum(np.abs(right), np.abs(right).mean())
        most = max(most, float((np.abs(results[name] - right) / size).max()))
    return most


def prepare(workload, symdump, modules, folder, enough):
    """Who takes part in this workload."""
    for name, array in workload.arrays.items():
        np.save(f"{folder}/{name}.npy", array)
    contestants = [Ours(symdump, way, workload, folder, enough) for way in WAYS]
    for module in modules:
        peer = Peer(module, workload, enough)
        if peer.run is not None:
            contestants.append(peer)
    return contestants


def check_first(contestants, workload, result):
    """Those whose first run did not fail."""
    expected, here = reference(workload), []
    for contestant in contestants:
        try:
            error = error_of(contestant.first(), expected)
        except Wrong:
            raise
        except Exception as failure:  # pylint: disable=broad-except
            say(f"{workload.name}: {contestant.name} failed: {type(failure).__name__}: {failure}")
            continue
        if not error <= TOLERANCE:
            raise Wrong(f"{workload.name}: {contestant.name} is wrong: its relative error is {error:.2g}")
        result.errors[contestant.name] = error
        here.append(contestant)
    return here


def measure(workload, symdump, modules, rounds, enough):
    result = Result(workload.title, workload.steps, workload.goals)
    with tempfile.TemporaryDirectory() as folder:
        contestants = check_first(prepare(workload, symdump, modules, folder, enough), workload, result)
        for _ in range(rounds):
            for contestant in contestants:
                contestant.sample()
    for contestant in contestants:
        result.times[contestant.name] = statistics.median(contestant.times) / workload.steps
    limits = [limit for contestant in contestants[: len(WAYS)] for limit in contestant.limits]
    byte, flop = (statistics.median(limit[k] for limit in limits) for k in (0, 1))
    result.floor = max(workload.moved * byte, workload.flops * flop)
    return result


# ---- the tables ----


def milliseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e3:.{2 if seconds > 1e-3 else 5}f}"


def goal_text(result):
    texts = []
    for what, wanted in result.goals:
        value = result.value(what)
        if value is not None:
            texts.append(f"{GOALS[what]} {value:.2f}, {wanted:g} asked: {'met' if value >= wanted else 'MISSED'}")
    return "; ".join(texts)


def row(result, names):
    best = result.best()
    cells = [result.title, *(milliseconds(result.times.get(name)) for name in names), milliseconds(result.floor)]
    cells += [f"{result.value('fraction'):.2f}", f"{result.value('gain'):.2f}"]
    cells += [f"{result.value('ahead'):.2f} ({best.split()[0]})", goal_text(result)]
    return "| " + " | ".join(cells) + " |"


def run(symdump, chosen, rounds, tiny, peers=PEERS):
    """Prints the tables of the workloads whose names match; 1 if a result was wrong."""
    modules = import_peers(peers)
    names = [*WAYS, *(module.NAME for module in modules)]
    print("## Fused statements\n")
    print(f"float32, ms a step, medians of {rounds} rounds; ours are `fused` and `tiles`, passes `fast`, compiled and not,")
    print("and `unfused`, passes `all`; the floor is each array moved once at the speed of a copy, or the best library's products\n")
    columns = [*names, "floor", "of the floor", "unfused / fused", "best peer / fused", "goal"]
    print("| ms | " + " | ".join(columns) + " |")
    print("| --- " * (len(columns) + 1) + "|", flush=True)
    results, status = [], 0
    for make in workloads(tiny):
        if not chosen.search(make.__name__):
            continue
        say(f"{make.__name__} ...")
        try:
            results.append(measure(make(), symdump, modules, rounds, 0.02 if tiny else ENOUGH))
        except Wrong as error:
            say(f"error: {error}")
            status = 1
            continue
        print(row(results[-1], names), flush=True)
    print("\n| the largest error, relative to float64 | " + " | ".join(names) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for result in results:
        cells = [f"{result.errors[name]:.1e}" if name in result.errors else "" for name in names]
        print(f"| {result.title} | " + " | ".join(cells) + " |")
    return status
