"""The workloads of fused statements: programs of bench/programs with their data, what the machine must move and compute
at least, and what the project asks of them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


def exchanging(step):
    """Makes a peer's stencil of step(A, B), which writes into B: they change places after each."""

    def make(steps, A, B):
        def run():
            nonlocal A, B
            for _ in range(steps):
                step(A, B)
                A, B = B, A
            return {"A": A}

        return run

    return make

PROGRAMS = Path(__file__).resolve().parent / "programs"
FLOAT = np.float32


@dataclass
class Workload:
    """A program, run on arrays by name; it takes `steps` steps, whose number it knows by this name."""

    name: str
    arrays: dict
    outputs: tuple
    moved: int  # bytes a step, each array once
    goals: tuple  # (what of a Result, at least)
    flops: int = 0  # a step, of products
    steps: int = 1

    @property
    def file(self):
        return PROGRAMS / f"{self.name}.py"

    @property
    def title(self):
        shape = "x".join(str(n) for n in next(iter(self.arrays.values())).shape)
        return f"{self.name} {shape}"

    def copies(self, kind=FLOAT):
        return {name: array.astype(kind) for name, array in self.arrays.items()}


def uniform(rng, shape, *names, low=0.0, high=1.0):
    return {name: rng.uniform(low, high, shape).astype(FLOAT) for name in names}


def bytes_of(arrays):
    return sum(array.nbytes for array in arrays)


def workloads(tiny):
    """All of them, in the order of the table, made when their turn comes; with few elements for tests of this."""
    rng = np.random.default_rng(1)
    square = (37, 41) if tiny else (4096, 4096)
    elements = 4 * square[0] * square[1]  # their bytes
    ahead = (("ahead", 1.0),)

    def chain():
        return Workload("chain", uniform(rng, square, "a", "b"), ("r",), 3 * elements, (("ahead", 2.0),))

    def slope():
        return Workload("slope", uniform(rng, square, "d", "h"), ("r",), 3 * elements, (("fraction", 0.85),))

    def stencil():
        arrays = uniform(rng, square, "A", "B")
        goals = (("fraction", 0.7), ("ahead of Numba", 1.0))
        return Workload("stencil", arrays, ("A",), 2 * elements, goals, steps=3 if tiny else 10)

    def softmax():
        arrays = uniform(rng, square, "x", low=-4, high=4)
        return Workload("softmax", arrays, ("y",), 2 * elements, (("fraction", 0.5), ("gain", 1.5)))

    def black_scholes():
        size = 1000 if tiny else 4 << 20
        arrays = uniform(rng, size, "price", "strike", low=10, high=50) | uniform(rng, size, "years", low=0.1, high=2)
        return Workload("black_scholes", arrays, ("call", "put"), 5 * 4 * size, ahead)

    def adam():
        size = 1000 if tiny else 16 << 20
        arrays = {**uniform(rng, size, "p", "g", "m", low=-1, high=1), **uniform(rng, size, "v")}
        return Workload("adam", arrays, ("p", "m", "v"), 7 * 4 * size, ahead)

    def layer_norm():
        rows, cols = square if tiny else (16384, 1024)
        arrays = {**uniform(rng, (rows, cols), "x"), **uniform(rng, cols, "gain", "bias", low=0.5)}
        return Workload("layer_norm", arrays, ("y",), 2 * elements, ahead)

    def kmeans():
        count, size, groups = (300, 5, 4) if tiny else (65536, 32, 64)
        centres = rng.standard_normal((groups, size))
        points = centres[rng.integers(0, groups, count)] + 0.05 * rng.standard_normal((count, size))
        arrays = {"points": points.astype(FLOAT), "centres": centres.astype(FLOAT)}
        moved = bytes_of(arrays.values()) + 4 * count
        return Workload("kmeans", arrays, ("nearest",), moved, ahead, flops=2 * count * size * groups)

    def lstm():
        batch, hidden = (9, 6) if tiny else (256, 512)
        arrays = uniform(rng, (batch, hidden), "x", "h", "c", low=-1, high=1)
        arrays |= uniform(rng, (hidden, 4 * hidden), "W", "U", low=-0.05, high=0.05)
        arrays |= uniform(rng, 4 * hidden, "b", low=-0.1, high=0.1)
        moved = bytes_of(arrays.values()) + 2 * 4 * batch * hidden
        flops = 2 * 2 * batch * hidden * 4 * hidden
        return Workload("lstm", arrays, ("c_next", "h_next"), moved, ahead, flops=flops)

    def small():
        arrays = uniform(rng, (8, 8), "a", "b")
        return Workload("small", arrays, ("a",), 3 * 4 * 64, (("gain", 1.0),), steps=20 if tiny else 10000)

    return (chain, slope, stencil, softmax, black_scholes, adam, layer_norm, kmeans, lstm, small)
