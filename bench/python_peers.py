"""Sets rewriter.convert beside NumPy, Numba, PyTorch and JAX, those that are installed, as a Python program meets them:
how long until the first result, what a call costs on arrays of 8 x 8 (small_call.py), and the workloads of fused
statements with all that a call does, arrays for new results included.
"""

import statistics
import subprocess
import sys
from pathlib import Path

from fused_peers import ENOUGH, PEERS, Peer, Result, Wrong, check_first, import_peers, milliseconds, say
from fused_workloads import workloads

PROCESSES = 5


def small_call(name):
    """Medians of (seconds to the first result, seconds of a later call)."""
    command = [sys.executable, Path(__file__).with_name("small_call.py"), name]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(PROCESSES)]
    return [statistics.median(times) for times in zip(*(map(float, run.split()) for run in runs))]


def small_calls(peers):
    print("| a layer of 8x8 | " + " | ".join(peers) + " |")
    print("| --- " * (len(peers) + 1) + "|")
    say("small calls ...")
    first, later = zip(*map(small_call, peers))
    print("| the first result, ms | " + " | ".join(f"{1e3 * t:.1f}" for t in first) + " |")
    print("| a later call, us | " + " | ".join(f"{1e6 * t:.1f}" for t in later) + " |\n", flush=True)


def measure(workload, modules, rounds, enough):
    result = Result(workload.title, workload.steps, workload.goals)
    ready = [Peer(module, workload, enough) for module in modules]
    contestants = check_first([peer for peer in ready if peer.run is not None], workload, result)
    for _ in range(rounds):
        for contestant in contestants:
            contestant.sample()
    for contestant in contestants:
        result.times[contestant.name] = statistics.median(contestant.times) / workload.steps
    return result


def run(chosen, rounds, tiny, peers=("convert", *PEERS)):
    """Prints the tables of the workloads whose names match; 1 if a result was wrong."""
    print("## From Python\n")
    modules = import_peers(peers)
    small_calls([module.__name__.removeprefix("peer_") for module in modules if module.__name__ != "peer_numexpr"])
    names = [module.NAME for module in modules]
    print(f"float32, ms a step, medians of {rounds} rounds\n")
    print("| ms | " + " | ".join([*names, "best peer / convert"]) + " |")
    print("| --- " * (len(names) + 2) + "|", flush=True)
    status = 0
    for make in workloads(tiny):
        if not chosen.search(make.__name__):
            continue
        say(f"{make.__name__} ...")
        try:
            result = measure(make(), modules, rounds, 0.02 if tiny else ENOUGH)
        except Wrong as error:
            say(f"error: {error}")
            status = 1
            continue
        others = {name: time for name, time in result.times.items() if name != "convert"}
        best = min(others, key=others.get)
        ratio = f"{others[best] / result.times['convert']:.2f} ({best.split()[0]})"
        cells = [milliseconds(result.times.get(name)) for name in names]
        print("| " + " | ".join([result.title, *cells, ratio]) + " |", flush=True)
    return status
