"""Sets CuPy and PyTorch, where they are installed, beside cudamat on the GPU: the report's RBM step in one run.

usage: peers_gpu.py CUDA_BENCH
"""

import json
import statistics
import subprocess
import sys
import time

NUM_VIS, NUM_HID, BATCH = 784, 4096, 128
MOMENTUM, RATE = 0.9, 0.1 / BATCH
REPEATS = 25


def median(work, wait):
    for _ in range(3):
        work()
    times = []
    for _ in range(REPEATS):
        wait()
        start = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def step(state, logistic, draw, total, norm):
    """The report's listing 2.2; `state` holds the data, the weights and their updates."""
    v1, w_vh, w_v, w_h = state["dat"], state["w_vh"], state["w_v"], state["w_h"]
    h1 = logistic(v1 @ w_vh + w_h)
    sampled = draw(h1)
    v2 = logistic(sampled @ w_vh.T + w_v)
    h2 = logistic(v2 @ w_vh + w_h)
    state["wu_vh"] = state["wu_vh"] * MOMENTUM + v1.T @ h1 - v2.T @ h2
    state["wu_v"] = state["wu_v"] * MOMENTUM + total(v1) - total(v2)
    state["wu_h"] = state["wu_h"] * MOMENTUM + total(h1) - total(h2)
    for name in ("vh", "v", "h"):
        state["w_" + name] += state["wu_" + name] * RATE
    return norm(v2 - v1) ** 2 / (NUM_VIS * BATCH)


def start(randn, rand, zeros):
    return {
        "dat": rand(BATCH, NUM_VIS),
        "w_vh": 0.1 * randn(NUM_VIS, NUM_HID),
        "w_v": zeros(NUM_VIS),
        "w_h": zeros(NUM_HID) - 4,
        "wu_vh": zeros(NUM_VIS, NUM_HID),
        "wu_v": zeros(NUM_VIS),
        "wu_h": zeros(NUM_HID),
    }


def cupy_time():
    import cupy as cp

    state = start(
        lambda *shape: cp.random.standard_normal(shape, dtype=cp.float32),
        lambda *shape: cp.random.random(shape, dtype=cp.float32),
        lambda *shape: cp.zeros(shape, dtype=cp.float32),
    )
    work = lambda: step(
        state,
        lambda x: 1 / (1 + cp.exp(-x)),
        lambda h: (cp.random.random(h.shape, dtype=cp.float32) < h).astype(cp.float32),
        lambda x: x.sum(0),
        lambda x: float(cp.linalg.norm(x)),
    )
    return f"CuPy {cp.__version__}", median(work, cp.cuda.Device().synchronize)


def torch_time():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.device("cuda"), torch.no_grad():
        state = start(torch.randn, torch.rand, torch.zeros)
        work = lambda: step(
            state,
            torch.sigmoid,
            lambda h: (torch.rand_like(h) < h).float(),
            lambda x: x.sum(0),
            lambda x: float(torch.linalg.norm(x)),
        )
        return f"PyTorch {torch.__version__}", median(work, torch.cuda.synchronize)


def ours(binary):
    command = [binary, "--benchmark_filter=rbm_step", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["benchmarks"][0]["real_time"] * 1e-6


def main():
    mine = ours(sys.argv[1])
    print("| RBM step 784x4096, batch 128, float32 | ms | ratio to cudamat |\n| --- | --- | --- |")
    print(f"| cudamat | {mine * 1e3:.3f} | 1.00 |")
    for peer in (cupy_time, torch_time):
        try:
            name, seconds = peer()
            print(f"| {name} | {seconds * 1e3:.3f} | {seconds / mine:.2f} |")
        except ImportError as error:
            print(f"| {error} | - | - |")


if __name__ == "__main__":
    main()
