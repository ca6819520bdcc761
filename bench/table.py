"""Prints a Google Benchmark JSON file of npmat_bench as a Markdown table."""

import json
import sys


def rows(report):
    for run in report["benchmarks"]:
        yield run["name"].split("/iterations")[0], run


def table(report):
    lines = ["| workload | time, µs | fraction of the floor | asked |", "| --- | --- | --- | --- |"]
    overheads = []
    for name, run in rows(report):
        if "fraction" in run:
            mark = "" if run["fraction"] >= run["target"] else " (short)"
            lines.append(f"| {name} | {run['real_time']:,.0f} | {run['fraction']:.2f}{mark} | {run['target']:.2f} |")
        else:
            overheads.append(f"| {name} | {run['real_time']:.3f} | {run['overhead_us']:.3f} | {run['target']:.0f} |")
    if overheads:
        lines += ["", "| small call | time, µs | beyond the arithmetic, µs | asked, below |", "| --- | --- | --- | --- |"]
    return "\n".join(lines + overheads)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(table(json.load(file)))
