"""How much longer work takes on cores that others use: the sum of it, beside one thread each.

Several processes of rbm at once, and beside busy processes that belong to nobody. Every setting runs with the
threads that npmat chooses and with OMP_NUM_THREADS=1, in turns, and the medians of the time until the last process
is done, and of the processor time of all, are compared. What the machine does besides is in both.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

WORKLOADS = [("64 hidden, batches of 16", ["--hidden", "64", "--batch", "16", "--epochs", "8"]),
             ("256 hidden, batches of 32", ["--hidden", "256", "--batch", "32", "--epochs", "5"]),
             ("1024 hidden, batches of 128", ["--hidden", "1024", "--epochs", "4"])]
SETTINGS = [("alone", 1, 0), ("beside 2 busy processes", 1, 2), ("4 at once", 4, 0)]


def run(command, copies, threads):
    """Seconds until all copies are done, and their processor seconds."""
    environment = dict(os.environ, OMP_NUM_THREADS=threads) if threads else dict(os.environ)
    begin = time.monotonic()
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(copies)]
    processor = 0.0
    for process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"busy: {' '.join(command)} failed with {process.returncode}")
        processor += usage.ru_utime + usage.ru_stime
    return time.monotonic() - begin, processor


def compare(command, copies, runs):
    """The ratios to one thread each: of the time, and of the processor time."""
    chosen, single = [], []
    for _ in range(runs):
        single.append(run(command, copies, "1"))
        chosen.append(run(command, copies, None))
    return [statistics.median(one[k] for one in chosen) / statistics.median(one[k] for one in single) for k in (0, 1)]


def main():
    parser = argparse.ArgumentParser(prog="tools/bench-busy", description=__doc__)
    parser.add_argument("rbm", help="the program")
    parser.add_argument("--runs", type=int, default=5, help="of each, of which the median counts (5)")
    options = parser.parse_args()
    print(f"{'ratio to one thread each':28}" + "".join(f"{name:>30}" for name, _, _ in SETTINGS))
    for name, arguments in WORKLOADS:
        line = f"{name:28}"
        for _, copies, busy in SETTINGS:
            others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
            try:
                elapsed, processor = compare([options.rbm, "--cases", "1024", *arguments], copies, options.runs)
            finally:
                for other in others:
                    other.kill()
                    other.wait()
            line += f"{f'time {elapsed:.2f}, cores {processor:.2f}':>30}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
