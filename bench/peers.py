"""Sets others beside npmat, each workload in turn on all in one run, so that their ratios mean something: NumPy's calls
beside npmat's, then what is installed of NumPy, NumExpr, Numba, PyTorch and JAX beside fused statements; or these beside
rewriter.convert.
"""

import argparse
import json
import re
import subprocess
import sys
import time

import numpy as np

import fused_peers
import python_peers
from models import numpy_peer, rbm_step

FLOAT = np.float32
ELEMENTS = 16 << 20
REPEATS = 7


def best(work):
    work()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def elementwise(function):
    """function(a, b, c) on three arrays of 16M elements, written into existing memory as NumPy's users can."""

    def run():
        a, b, c = (np.random.rand(ELEMENTS).astype(FLOAT) for _ in range(3))
        return best(lambda: function(a, b, c))

    return run


def in_place(function):
    def run():
        source = np.random.rand(ELEMENTS).astype(FLOAT)
        work = source.copy()
        times = []
        for _ in range(REPEATS):
            work[:] = source
            start = time.perf_counter()
            function(work)
            times.append(time.perf_counter() - start)
        return min(times)

    return run


def sigmoid(x):
    np.negative(x, out=x)
    np.exp(x, out=x)
    np.add(x, 1, out=x)
    np.reciprocal(x, out=x)


def matrix(function):
    """function(a, t): a square matrix in Fortran order, as npmat has it."""

    def run():
        a = np.asfortranarray(np.random.rand(4096, 4096).astype(FLOAT))
        t = np.empty_like(a)
        return best(lambda: function(a, t))

    return run


def product(m, n, k, kind=FLOAT, trans_a=False, trans_b=False):
    def run():
        a = np.asfortranarray(np.random.rand(*((k, m) if trans_a else (m, k))).astype(kind))
        b = np.asfortranarray(np.random.rand(*((n, k) if trans_b else (k, n))).astype(kind))
        a, b = (a.T if trans_a else a), (b.T if trans_b else b)
        c = np.empty((m, n), kind, order="F")
        return best(lambda: np.matmul(a, b, out=c))

    return run


HALF = FLOAT(0.5)
WORKLOADS = {
    "add": elementwise(lambda a, b, c: np.add(a, b, out=c)),
    "add_in_place": elementwise(lambda a, b, c: np.add(a, b, out=a)),
    "mult": elementwise(lambda a, b, c: np.multiply(a, b, out=c)),
    "add_scalar": elementwise(lambda a, b, c: np.add(a, FLOAT(2), out=c)),
    "less_than": elementwise(lambda a, b, c: np.less(a, b, out=c)),
    "less_than_scalar": elementwise(lambda a, b, c: np.less(a, HALF, out=c)),
    "where": elementwise(lambda a, b, c: np.where(c, a, b)),
    "sigmoid": in_place(sigmoid),
    "exp": in_place(lambda a: np.exp(a, out=a)),
    "log": in_place(lambda a: np.log(a, out=a)),
    "tanh": in_place(lambda a: np.tanh(a, out=a)),
    "sqrt": in_place(lambda a: np.sqrt(a, out=a)),
    "sum_axis0": matrix(lambda a, t: a.sum(0)),
    "sum_axis1": matrix(lambda a, t: a.sum(1)),
    "max_axis0": matrix(lambda a, t: a.max(0)),
    "max_axis1": matrix(lambda a, t: a.max(1)),
    "add_col_vec": matrix(lambda a, t: np.add(a, a[:, :1], out=t)),
    "add_row_vec": matrix(lambda a, t: np.add(a, a[:1], out=t)),
    "mult_by_col": matrix(lambda a, t: np.multiply(a, a[:, :1], out=t)),
    "mult_by_row": matrix(lambda a, t: np.multiply(a, a[:1], out=t)),
    "transpose": matrix(lambda a, t: np.copyto(t, a.T)),
    "dot/128x4096x784": product(128, 4096, 784),
    "dot_aT/784x4096x128": product(784, 4096, 128, trans_a=True),
    "dot_bT/128x784x4096": product(128, 784, 4096, trans_b=True),
    "dot/2048x2048x2048": product(2048, 2048, 2048),
    "rbm_step": lambda: best(rbm_step(numpy_peer())),
}


def ours(binary, workload):
    name, _, size = workload.partition("/")
    pattern = f"^{name}/cudamat/npmat-float32/{size}"
    report = json.loads(
        subprocess.run(
            [binary, f"--benchmark_filter={pattern}", "--benchmark_format=json"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    return report["benchmarks"][0]["real_time"] * 1e-6


def calls(binary, chosen):
    """Prints the table of calls."""
    print("## Calls\n")
    print(f"NumPy {np.__version__} beside npmat, float32, best of {REPEATS}\n")
    print("| workload | npmat, ms | NumPy, ms | NumPy / npmat |\n| --- | --- | --- | --- |")
    for workload, numpy_time in WORKLOADS.items():
        if chosen.search(workload):
            mine, theirs = ours(binary, workload), numpy_time()
            print(f"| {workload} | {mine * 1e3:.3f} | {theirs * 1e3:.3f} | {theirs / mine:.2f} |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(prog="tools/bench-peers", description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="a regular expression on the workloads' names")
    parser.add_argument("--build", default="build", help="the folder with npmat_bench and symdump (build)")
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--calls", action="store_true", help="the table of calls alone")
    tables.add_argument("--fused", action="store_true", help="the table of fused statements alone")
    tables.add_argument("--python", action="store_true", help="the tables of rewriter.convert alone")
    parser.add_argument("--rounds", type=int, default=5, help="of which the medians count, but for calls (5)")
    parser.add_argument("--peers", default=",".join(fused_peers.PEERS), help="of fused statements (all: %(default)s)")
    parser.add_argument("--tiny", action="store_true", help="fused statements on a few elements, for tests of this")
    options = parser.parse_args()
    chosen, peers = re.compile(options.filter), options.peers.split(",")
    if options.python:
        return python_peers.run(chosen, options.rounds, options.tiny, ["convert", *peers])
    if not options.fused:
        calls(f"{options.build}/bench/npmat_bench", chosen)
    if options.calls:
        return 0
    symdump = f"{options.build}/tools/symdump"
    return fused_peers.run(symdump, chosen, options.rounds, options.tiny, peers)


if __name__ == "__main__":
    sys.exit(main())
