"""Loops of small statements (loop_programs.py) and, with --suite, programs whose work NumPy keeps small (suite_programs.py),
each at two sizes; the same functions: NumPy, Numba where it is installed, and rewriter.convert, its loops one by one
(CUDAMAT_COMPILE=off) and compiled (now). One thread, float64; the least time of many calls, compilation not counted. A
result that differs from NumPy's is an error. Programs that take more than twice NumPy's time are listed at the end.

    loop_peers.py [--loops | --suite] [FILTER]
"""

import os
import re
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

import loop_programs
import suite_programs

ENOUGH = 0.7  # seconds of calls
MOST = 2.0  # times NumPy's time
PEERS = {"NumPy": None, "Numba": None, "one by one": "off", "compiled": "now"}


def prepared(peer, function):
    if peer == "NumPy":
        return function
    if peer == "Numba":
        from numba import njit
        return njit(function)
    from rewriter import convert
    return convert(function)


def programs(suite):
    """by the name that is printed: the function, and what makes its arguments"""
    if not suite:
        return {function.__name__: (function, data) for function, data in loop_programs.DATA.items()}
    return {f"{function.__name__} {size}": (function, lambda r, data=data, size=size: data(r, size))
            for function, (sizes, data) in suite_programs.DATA.items() for size in sizes}


def measure(peer, function, arguments):
    """(least seconds, result) of a call"""
    call, data = prepared(peer, function), arguments(np.random.default_rng(0))
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


def child(peer, suite, name):
    least, result = measure(peer, *programs(suite == "suite")[name])
    sys.stdout.buffer.write(np.concatenate([[least], result.ravel()]).tobytes())


def asked(peer, suite, name):
    """The same in a process of its own; nothing if the peer cannot."""
    environment = dict(os.environ, **({"CUDAMAT_COMPILE": PEERS[peer]} if PEERS[peer] else {}))
    done = subprocess.run([sys.executable, __file__, "--child", peer, "suite" if suite else "loops", name],
                          capture_output=True, check=False, env=environment)
    if done.returncode:
        print(f"loop_peers: {peer}, {name}: {done.stderr.decode().strip().splitlines()[-1]}", file=sys.stderr)
        return None
    numbers = np.frombuffer(done.stdout)
    return numbers[0], numbers[1:]


def main(*arguments):
    suite = "--suite" in arguments
    pattern = next((each for each in arguments if not each.startswith("--")), "")
    print("| ms a call | " + " | ".join(PEERS) + " | compiled, times NumPy's speed | times Numba's |")
    print("| --- " * (len(PEERS) + 3) + "|")
    wrong, ratios, slow = 0, {"NumPy": [], "Numba": []}, []
    for name in programs(suite):
        if not re.search(pattern, name):
            continue
        all_ = {peer: asked(peer, suite, name) for peer in PEERS}
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
            if peer == "NumPy" and (ratio is None or ratio * MOST < 1):
                slow.append(f"{name} ({f'{1 / ratio:.1f} x' if ratio else 'fails'})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    means = [f"{np.exp(np.mean(np.log(found))):.2f}" if found else "" for found in ratios.values()]
    print("| geometric mean |" + " |" * len(PEERS) + " " + " | ".join(means) + " |")
    print(f"\nmore than {MOST:g} times NumPy's time: {', '.join(slow) or 'none'}")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
