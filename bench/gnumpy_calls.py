"""Sets gnumpy in Python beside gnumpy in C++: the statements of layers_bench on 8x8 arrays, in one run. C++ computes at
an assignment, Python when somebody looks: each statement is followed by __array_interface__, whose own time counts.

usage: gnumpy_calls.py LAYERS_BENCH      with a Python that has gnumpy
"""

import json
import subprocess
import sys
import time

import gnumpy as gpu

a, b, row, c = gpu.rand(8, 8), gpu.rand(8, 8), gpu.rand(8), gpu.zeros((8, 8))

# C++'s statement, how many operations it has, Python's.
STATEMENTS = (
    ("c = a + b", 1, "c = a + b"),
    ("c += b", 1, "c += b"),
    ("c = a > 0.5", 1, "c = a > 0.5"),
    ("c = (a + b) * row - 1", 3, "c = (a + b) * row - 1"),
    ("c = gpu::exp(a)", 1, "c = gpu.exp(a)"),
    ("c = gpu::dot(a, b)", 1, "c = gpu.dot(a, b)"),
    ("c = (gpu::dot(a, b) + row).logistic()", 3, "c = (gpu.dot(a, b) + row).logistic()"),
    ("c += gpu::dot(a.T(), b) * 0.001", 3, "c += gpu.dot(a.T, b) * 0.001"),
    ("c = gpu::where(a > 0.5, a, b)", 2, "c = gpu.where(a > 0.5, a, b)"),
    ("c = a.sum(0)", 1, "c = a.sum(0)"),
    ("c += a.sum().item()", 2, "c += a.sum()"),
    ("c = a[3]", 1, "c = a[3]"),
    ("c = a(gpu::all, 3)", 1, "c = a[:, 3]"),
    ("b[3] = 1.0", 1, "b[3] = 1.0"),
    ("b[gpu::slice(0, 4)] += a[gpu::slice(4, 8)]", 2, "b[0:4] += a[4:8]"),
)
CALLS, ROUNDS = 200, 200


def in_python(statement):
    names = {"gpu": gpu, "a": a, "b": b.copy(), "row": row, "c": c.copy(), "range": range}
    body = f"def run():\n    global c\n    for _ in range({CALLS}):\n        {statement}\n        c.__array_interface__\n"
    exec(compile(body, statement, "exec"), names)  # pylint: disable=exec-used
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        names["run"]()
        best = min(best, time.perf_counter() - start)
    return best / CALLS * 1e6


def main():
    command = [sys.argv[1], "--benchmark_filter=8x8", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    in_cpp = {run["name"].split("/gnumpy/")[0]: run["real_time"] for run in report["benchmarks"]}
    print("| on 8x8 arrays, microseconds an operation | C++ | Python | more |\n| --- | --- | --- | --- |")
    for cpp, operations, python in STATEMENTS:
        theirs = in_python(python) / operations
        print(f"| `{python}` | {in_cpp[cpp]:.2f} | {theirs:.2f} | {theirs - in_cpp[cpp]:+.2f} |", flush=True)


if __name__ == "__main__":
    main()
