"""Measures CuPy, PyTorch, JAX and Triton, those that are installed, beside cudamat on a GPU: the report's RBM step, the
workloads of fused statements and a power iteration, float32. Each library runs in a process of its own. A result that
differs from NumPy's in float64 is not timed; the RBM step, which draws, has no such check.

A sample is the time of as many calls as take about 20 ms, which are enqueued before one synchronisation; the time of a
workload is the median of the samples of a second, after half a second of the same work.
"""

import argparse
import contextlib
import importlib
import json
import math
import os
import pickle
import queue
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from fused_peers import TOLERANCE, error_of, reference, say
from fused_workloads import FLOAT, Workload, workloads
from models import BATCH, NUM_HID, NUM_VIS, STILL
from table import read

LIBRARIES = ("cupy", "torch", "jax", "triton")
ON_THE_CPU = ("torch", "jax")
RBM = "rbm_step"
ORDER = f"{RBM} softmax layer_norm chain adam black_scholes stencil slope kmeans lstm power small".split()
START_LIMIT = 90  # seconds
SAMPLE, SAMPLES, WARM_UP = 0.02, 1.0, 0.5  # seconds
TINY = 0.05  # of these, on the CPU
LEAST, USUAL = 5, 20  # seconds: less than LEAST starts no measurement; USUAL a library gets before others have theirs


# ---- the workloads ----


def rbm_workload():
    return Workload(RBM, {}, (), 0, ())


def power_steps(matrix, v):
    """How many steps a power iteration takes."""
    steps, change = 0, 1.0
    while change > STILL:
        w = matrix @ v
        w = w / np.linalg.norm(w)
        steps, change, v = steps + 1, np.abs(w - v).max(), w
    return steps


def power_workload():
    """A symmetric matrix whose second eigenvalue is nine tenths of the first."""
    rng = np.random.default_rng(2)
    vectors, _ = np.linalg.qr(rng.standard_normal((200, 200)))
    matrix = (vectors * np.linspace(0.9, 0, 200)) @ vectors.T + 0.1 * np.outer(vectors[:, 0], vectors[:, 0])
    arrays = {"A": matrix.astype(FLOAT), "v": np.full(200, 200**-0.5, FLOAT)}
    return Workload("power", arrays, ("v",), arrays["A"].nbytes, (), steps=power_steps(*arrays.values()))


def makers(tiny):
    """What makes the workloads, by name, the most valuable first."""
    made = {make.__name__: make for make in workloads(tiny)} | {RBM: rbm_workload, "power": power_workload}
    return {name: made[name] for name in ORDER}


def expected_of(workload):
    """NumPy's results in float64; None where there is nothing to compare with."""
    return None if workload.name == RBM else reference(workload)


def title_of(workload):
    return f"{RBM} {NUM_VIS}x{NUM_HID}, batch {BATCH}" if workload.name == RBM else workload.title


def elements_of(workload):
    """What the size in the name of our benchmark multiplies to."""
    return NUM_VIS * NUM_HID * BATCH if workload.name == RBM else next(iter(workload.arrays.values())).size


def save(workload, folder):
    with open(folder / f"{workload.name}.pickle", "wb") as file:
        pickle.dump((workload, expected_of(workload)), file, pickle.HIGHEST_PROTOCOL)


# ---- a library, in a process of its own ----


def sample(run, wait, calls):
    """The seconds of so many calls."""
    start = time.perf_counter()
    for _ in range(calls):
        results = run()
    wait(results)
    return time.perf_counter() - start


def seconds_per_call(run, wait, scale):
    """The median; `scale` shortens all of it."""
    calls, spent, last = 1, 0.0, 0.0
    while spent < scale * WARM_UP or last < scale * SAMPLE / 2:
        if 0 < last < scale * SAMPLE / 2:
            calls *= 2
        last = sample(run, wait, calls)
        spent += last
    calls = max(1, round(calls * scale * SAMPLE / last))
    times = []
    while len(times) < 3 or sum(times) < scale * SAMPLES:
        times.append(sample(run, wait, calls))
    return statistics.median(times) / calls


def arrays_of(module, results):
    return {name: module.read(result) for name, result in results.items()}


def measure(module, make, workload, expected, scale):
    """What is to be said of one contestant: its seconds a step, or that it is wrong."""
    run, note = make()
    results = arrays_of(module, run())
    error = None if expected is None else error_of(results, expected)
    if error is not None and not error <= TOLERANCE:
        return {"wrong": error}
    seconds = seconds_per_call(run, module.wait, scale) / workload.steps
    if not all(np.isfinite(result).all() for result in arrays_of(module, run()).values()):
        note = f"not finite: {note}"
    return {"seconds": seconds, "error": error, "note": note}


def attempt(*arguments):
    try:
        return measure(*arguments)
    except Exception as failure:  # pylint: disable=broad-except
        return {"failed": f"{type(failure).__name__}: {failure}"[:2000]}


def work(library, device, folder):
    """Reads names of workloads and writes a line of JSON for each contestant, and one after the last."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no line of these

    def tell(**message):
        print(json.dumps(message), file=lines, flush=True)

    try:
        module = importlib.import_module(f"peer_{library}")
    except Exception as failure:  # pylint: disable=broad-except
        return tell(missing=f"{type(failure).__name__}: {failure}")
    tell(ready=module.NAME, columns=module.COLUMNS)
    for name in map(str.strip, sys.stdin):
        with open(folder / f"{name}.pickle", "rb") as file:
            workload, expected = pickle.load(file)
        for column, make in module.contestants(workload, device):
            tell(column=column, **attempt(module, make, workload, expected, TINY if device == "cpu" else 1))
        tell(done=name)
    return None


# ---- the processes ----


def environment_of(library, device, folder):
    """What keeps a library on the device, and its caches in the folder."""
    made = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false", JAX_PLATFORMS="cpu" if device == "cpu" else "cuda")
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUPY_CACHE_DIR"):
        made[name] = str(folder / library / name.lower())
    if device == "cpu":
        made["CUDA_VISIBLE_DEVICES"] = ""
    else:
        made.setdefault("CUDA_VISIBLE_DEVICES", "0")
    return made


class Lost(Exception):
    """A library's process that ended or takes too long."""


class Library:
    """A library's process. After it is lost it has no further rows."""

    def __init__(self, name, device, folder):
        self.name, self.title, self.columns = name, None, ()
        self.log = folder / f"{name}.log"
        command = [sys.executable, "-B", __file__, "--worker", name, device, str(folder)]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment_of(name, device, folder),
                start_new_session=True,
            )
        self.lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def next(self, end):
        """The next message, before this time."""
        try:
            line = self.lines.get(timeout=max(end - time.monotonic(), 0.01))
        except queue.Empty:
            raise Lost("too long") from None
        if not line:
            raise Lost("crashed")
        return json.loads(line)

    def start(self, end):
        """Waits until it is imported; False if it cannot be."""
        try:
            message = self.next(end)
        except Lost as loss:
            message = {"missing": f"{loss}\n{self.last_words()}"}
        self.title, self.columns = message.get("ready"), message.get("columns", ())
        if self.title is None:
            say(f"left out: {self.name}: {message['missing']}")
            self.stop()
        return self.title is not None

    def measure(self, workload, end):
        """The messages of its contestants."""
        try:
            self.process.stdin.write(f"{workload.name}\n")
            self.process.stdin.flush()
        except OSError:
            raise Lost("crashed") from None
        while "done" not in (message := self.next(end)):
            yield message

    def last_words(self):
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])

    def stop(self):
        """Ends it, and what it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


# ---- ours ----


def ours(files):
    """Our seconds a call, by workload and number of elements, as the benchmarks' reports have them."""
    times = {}
    for file in files:
        try:
            times |= times_of(read(file))
        except (OSError, ValueError, KeyError) as failure:
            say(f"{file}: no times: {type(failure).__name__}: {failure}")
    return times


def times_of(benchmarks):
    """Of names as softmax/fused/cuda-float32/4096x4096."""
    times = {}
    for benchmark in benchmarks:
        name, way, engine, size, *_ = benchmark["name"].split("/")
        if "real_time" in benchmark and engine.endswith("float32") and (name == RBM or way == "fused"):
            elements = math.prod(map(int, re.findall(r"\d+", size)))
            times[name, elements] = benchmark["real_time"] * 1e-6
    return times


# ---- the table ----


class Table:
    """Rows, printed when they are complete, and in a file after each measurement."""

    def __init__(self, libraries, device, file):
        self.columns = [column for library in libraries for column in library.columns]
        self.file, self.rows = file, []
        self.report = {"device": device, "libraries": [library.title for library in libraries], "rows": self.rows}
        print(f"{device}; {', '.join(self.report['libraries'])}; float32, ms a step")
        print("PyTorch's compiled functions are replayed from a CUDA graph, unless there is `no graph`\n")
        columns = ["workload", "cudamat", *self.columns, "best peer / cudamat"]
        print("| " + " | ".join(columns) + " |")
        print("| --- " * len(columns) + "|", flush=True)

    def begin(self, workload, seconds):
        self.rows.append({"workload": title_of(workload), "cudamat": seconds, "peers": {}})
        self.save()

    def take(self, column, **measured):
        self.rows[-1]["peers"][column] = measured
        self.save()

    def save(self):
        if self.file:
            part = Path(f"{self.file}.part")
            part.write_text(json.dumps(self.report, indent=1), encoding="utf-8")
            part.replace(self.file)

    def print_row(self):
        row = self.rows[-1]
        cells = [row["workload"], milliseconds(row["cudamat"])]
        cells += [cell(row["peers"].get(column)) for column in self.columns]
        print("| " + " | ".join([*cells, ratio(row)]) + " |", flush=True)


def milliseconds(seconds):
    return "" if seconds is None else f"{1e3 * seconds:.4g}"


def cell(measured):
    if measured is None:
        return ""
    if "wrong" in measured:
        return f"wrong ({measured['wrong']:.1e})"
    if "failed" in measured:
        return measured["failed"].partition(":")[0]
    note = f" ({measured['note'].partition(':')[0]})" if measured["note"] else ""
    return milliseconds(measured["seconds"]) + note


def ratio(row):
    """Of the fastest peer to ours."""
    times = {column: measured["seconds"] for column, measured in row["peers"].items() if "seconds" in measured}
    if not times or not row["cudamat"]:
        return ""
    best = min(times, key=times.get)
    return f"{times[best] / row['cudamat']:.2f} ({best})"


# ---- all of it ----


def measure_row(workload, libraries, table, end):
    """Adds what the libraries make of a workload; takes those that are lost out of the list. Each has an equal share of
    the time that is left, or what a workload usually takes."""
    here = list(libraries)
    for k, library in enumerate(here):
        left = end - time.monotonic()
        if left < LEAST:
            return
        limit = time.monotonic() + max(left / (len(here) - k), min(left, USUAL))
        try:
            for message in library.measure(workload, limit):
                if "failed" in message:
                    say(f"{workload.name}: {message['column']}: {message['failed']}")
                table.take(**message)
        except Lost as loss:
            say(f"{workload.name}: {library.name}: {loss}\n{library.last_words()}")
            table.take(library.columns[0], failed=str(loss))
            libraries.remove(library)
            library.stop()


def device_name(device):
    """The GPU and its driver, as nvidia-smi has them."""
    if device == "cpu":
        return "the CPU, few elements"
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        return "GPU"


def compare(options, device, folder, stack):
    """Prints the table."""
    end = time.monotonic() + options.budget
    mine = ours(options.reports)
    libraries = []
    for name in ON_THE_CPU if device == "cpu" else LIBRARIES:
        libraries.append(Library(name, device, folder))
        stack.callback(libraries[-1].stop)
    chosen = [make() for name, make in makers(device == "cpu").items() if re.search(options.only, name)]
    with ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        list(pool.map(lambda workload: save(workload, folder), chosen))
    start_end = time.monotonic() + min(START_LIMIT, (end - time.monotonic()) / 2)
    libraries = [library for library in libraries if library.start(start_end)]
    table = Table(libraries, device_name(device), options.json)
    for workload in chosen:
        if end - time.monotonic() < LEAST:
            say(f"left out, for want of time: {workload.name}")
            continue
        table.begin(workload, mine.get((workload.name, elements_of(workload))))
        measure_row(workload, libraries, table, end)
        table.print_row()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="*", help="of cuda_bench and programs_bench, in JSON; none: the peers alone")
    parser.add_argument("--json", metavar="FILE", help="rewritten after each measurement")
    parser.add_argument("--budget", type=float, default=240, help="seconds that all of it may take (%(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="a regular expression on the workloads' names")
    parser.add_argument("--peers-on-the-cpu", action="store_true", help="on few elements, to show that they run")
    parser.add_argument("--worker", nargs=3, metavar=("LIBRARY", "DEVICE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        library, device, folder = options.worker
        return work(library, device, Path(folder))
    if options.peers_on_the_cpu:
        say("left out: CuPy and Triton, which need a GPU")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        return compare(options, "cpu" if options.peers_on_the_cpu else "cuda", Path(folder), stack)


if __name__ == "__main__":
    sys.exit(main())
