"""Loops of small statements (loop_programs.py), the same functions: NumPy, Numba where it is installed, and rewriter.convert,
its loops one by one (CUDAMAT_COMPILE=off) and compiled (now). One thread, float64; the least time of many calls,
compilation not counted. A result that differs from NumPy's is an error.

    loop_peers.py [FILTER]
"""

import os
import re
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from loop_programs import DATA

ENOUGH = 0.7  # seconds of calls
PEERS = {"NumPy": None, "Numba": None, "one by one": "off", "compiled": "now"}


def prepared(peer, function):
    if peer == "NumPy":
        return function
    if peer == "Numba":
        from numba import njit
        return njit(function)
    from rewriter import convert
    return convert(function)


def measure(peer, function):
    """(least seconds, result) of a call"""
    call, data = prepared(peer, function), DATA[function](np.random.default_rng(0))
    copies = [array.copy() for array in data]
    result = np.array(call(*copies))
    least, spent = float("inf"), 0.0
    while spent < ENOUGH:
        copies = [array.copy() for array in data]
        begun = time.thread_time()
        call(*copies)
        took = time.thread_time() - begun
        least, spent = min(least, took), spent + took
    return least, result


def child(peer, name):
    function = next(each for each in DATA if each.__name__ == name)
    least, result = measure(peer, function)
    sys.stdout.buffer.write(np.concatenate([[least], result.ravel()]).tobytes())


def asked(peer, name):
    """The same in a process of its own; nothing if the peer cannot."""
    environment = dict(os.environ, **({"CUDAMAT_COMPILE": PEERS[peer]} if PEERS[peer] else {}))
    done = subprocess.run([sys.executable, __file__, "--child", peer, name], capture_output=True, check=False,
                          env=environment)
    if done.returncode:
        print(f"loop_peers: {peer}, {name}: {done.stderr.decode().strip().splitlines()[-1]}", file=sys.stderr)
        return None
    numbers = np.frombuffer(done.stdout)
    return numbers[0], numbers[1:]


def main(pattern=""):
    print("| ms a call | " + " | ".join(PEERS) + " | compiled, times NumPy's speed | times Numba's |")
    print("| --- " * (len(PEERS) + 3) + "|")
    wrong, ratios = 0, {"NumPy": [], "Numba": []}
    for name in (function.__name__ for function in DATA):
        if not re.search(pattern, name):
            continue
        all_ = {peer: asked(peer, name) for peer in PEERS}
        expected = all_["NumPy"][1]
        for peer, got in all_.items():
            if got and not np.allclose(got[1], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()):
                print(f"loop_peers: {peer} is wrong in {name}", file=sys.stderr)
                wrong = 1
        cells = [f"{1e3 * got[0]:.4f}" if got else "" for got in all_.values()]
        for peer, found in ratios.items():
            ratio = all_[peer][0] / all_["compiled"][0] if all_[peer] and all_["compiled"] else None
            cells.append(f"{ratio:.2f}" if ratio else "")
            found += [ratio] if ratio else []
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    means = [f"{np.exp(np.mean(np.log(found))):.2f}" if found else "" for found in ratios.values()]
    print("| geometric mean |" + " |" * len(PEERS) + " " + " | ".join(means) + " |")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
