"""Prints a Google Benchmark JSON file of npmat_bench and its kin as a Markdown table.

usage: table.py FILE.json     (one that was cut off, too: the benchmarks that it has)
"""

import json
import sys


def read(path):
    """The benchmarks of a report, whole or cut off."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return json.loads(text)["benchmarks"]
    except ValueError:
        whole = text.rfind("\n    }")  # the last benchmark's end
        return json.loads(text[:whole] + "}]}")["benchmarks"] if whole > 0 else []


def table(benchmarks):
    lines = ["| workload | time, µs | fraction of the floor | asked |", "| --- | --- | --- | --- |"]
    overheads = []
    for run in benchmarks:
        name = run["name"].split("/iterations")[0]
        if "fraction" in run:
            mark = "" if run["fraction"] >= run["target"] else " (short)"
            lines.append(f"| {name} | {run['real_time']:,.1f} | {run['fraction']:.2f}{mark} | {run['target']:.2f} |")
        elif "overhead_us" in run:
            overheads.append(f"| {name} | {run['real_time']:.3f} | {run['overhead_us']:.3f} | {run['target']:.1f} |")
    if overheads:
        lines += ["", "| small call | time, µs | beyond the arithmetic, µs | asked, below |", "| --- | --- | --- | --- |"]
    return "\n".join(lines + overheads)


if __name__ == "__main__":
    print(table(read(sys.argv[1])))
