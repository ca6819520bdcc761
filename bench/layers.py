"""Sets the layers side by side, with NumPy (and PyTorch, on a GPU CuPy too, where they are installed) in the same run.

usage: layers.py LAYERS_BENCH [FILE.json]     (FILE.json: of Google Benchmark, kept)
"""

import json
import subprocess
import sys
import tempfile
import time

from models import cupy_peer, network_step, numpy_peer, rbm_step, torch_peer

REPEATS, SECONDS = 40, 2  # of a peer's steps, at least
BY_HAND = "cudamat"
LAYERS = {
    BY_HAND: "by hand, Cudamat",
    "gnumpy-default": "gnumpy",
    "gnumpy-all": "gnumpy, passes `all`",
    "rewriter-none": "rewriter, `none`",
    "rewriter-default": "rewriter, `default`",
    "rewriter-all": "rewriter, `all`",
    "rewriter-fast": "rewriter, `fast`",
}
MODELS = {"rbm_step": "RBM", "network_step": "network"}
STEPS = {"rbm_step": rbm_step, "network_step": network_step}


def peers(on_gpu):
    """Those that can be imported."""
    for make in (numpy_peer, *([cupy_peer] if on_gpu else []), lambda: torch_peer("cuda" if on_gpu else "cpu")):
        try:
            yield make()
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)


def best(peer, step):
    """The best seconds of a step, on the clock and of the processor."""
    for _ in range(2):
        step()
    clock, processor = [], []
    end = time.perf_counter() + SECONDS
    while len(clock) < REPEATS or time.perf_counter() < end:
        peer.wait()
        start = time.perf_counter(), time.process_time()
        step()
        peer.wait()
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return min(clock), min(processor)


def run(binary, file):
    subprocess.run(
        [binary, f"--benchmark_out={file}", "--benchmark_out_format=json"], check=True, stdout=sys.stderr.fileno()
    )
    with open(file, encoding="utf-8") as report:
        return [benchmark["name"].split("/") + [benchmark] for benchmark in json.load(report)["benchmarks"]]


def model_table(model, benchmarks, peer_times):
    rows = {layer: counters for workload, layer, _, _, *_, counters in benchmarks if workload == model}
    size = next(size for workload, _, _, size, *_ in benchmarks if workload == model)
    hand = rows[BY_HAND]
    lines = [
        f"{MODELS[model]} {size}",
        "",
        "| | time, ms | ratio | processor, ms | ratio | statements | launches | allocations | peak, MB | ratio |",
        "| --- " * 10 + "|",
    ]
    for layer, name in LAYERS.items():
        row = rows[layer]
        lines.append(
            f"| {name} | {row['real_time'] * 1e-3:.2f} | {row['ratio']:.2f} | {row['processor_us'] * 1e-3:.2f} "
            f"| {row['processor_ratio']:.2f} | {row['statements']:.0f} | {row['launches']:.0f} "
            f"| {row['allocations']:.0f} | {row['peak_bytes'] * 1e-6:.2f} | {row['peak_ratio']:.2f} |"
        )
    for name, (clock, processor) in peer_times.items():
        lines.append(
            f"| {name} | {clock * 1e3:.2f} | {clock * 1e6 / hand['real_time']:.2f} | {processor * 1e3:.2f} "
            f"| {processor * 1e6 / hand['processor_us']:.2f} | | | | | |"
        )
    return rows, lines


def small_table(benchmarks):
    rows = [(name, row["overhead_us"]) for name, _, _, size, *_, row in benchmarks if size == "8x8"]
    lines = ["| on 8x8 arrays | µs an operation |", "| --- | --- |"]
    return rows, lines + [f"| `{name}` | {time:.2f} |" for name, time in rows]


def target_table(rbm, small, on_gpu):
    ratio = "ratio" if on_gpu else "processor_ratio"
    targets = [("gnumpy's cost of an operation on 8x8 arrays, the largest, µs", max(time for _, time in small), 3)]
    for layer in ("gnumpy-default", "gnumpy-all"):
        targets.append((f"{LAYERS[layer]}: RBM step / by hand", rbm[layer][ratio], 1.05))
        targets.append((f"{LAYERS[layer]}: peak memory / by hand", rbm[layer]["peak_ratio"], 1.1))
    targets.append(("rewriter, `all`: RBM step / by hand", rbm["rewriter-all"][ratio], 1))
    lines = ["| target | measured | at most | |", "| --- | --- | --- | --- |"]
    for name, value, most in targets:
        lines.append(f"| {name} | {value:.3f} | {most:.2f} | {'met' if value <= most else 'missed'} |")
    return lines


def main():
    binary = sys.argv[1]
    with tempfile.NamedTemporaryFile(suffix=".json") as scratch:
        benchmarks = run(binary, sys.argv[2] if len(sys.argv) > 2 else scratch.name)
    engine = benchmarks[0][2]
    on_gpu = engine.startswith("cuda")
    print(f"{engine}; times are the best of many steps\n")
    here, rbm = list(peers(on_gpu)), None
    for model, make in STEPS.items():
        rows, lines = model_table(model, benchmarks, {peer.name: best(peer, make(peer)) for peer in here})
        rbm = rbm or rows
        print("\n".join(lines) + "\n")
    small, lines = small_table(benchmarks)
    print("\n".join([*lines, "", *target_table(rbm, small, on_gpu)]))


if __name__ == "__main__":
    main()
