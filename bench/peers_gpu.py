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


class Peer:
    """A library with NumPy's notation: its name and the functions in whose spelling they differ."""

    def __init__(self, name, randn, rand, zeros, logistic, draw, total, norm, wait):
        self.name, self.randn, self.rand, self.zeros = name, randn, rand, zeros
        self.logistic, self.draw, self.total, self.norm, self.wait = logistic, draw, total, norm, wait


def cupy_peer():
    import cupy as cp

    return Peer(
        f"CuPy {cp.__version__}",
        lambda *shape: cp.random.standard_normal(shape, dtype=cp.float32),
        lambda *shape: cp.random.random(shape, dtype=cp.float32),
        lambda *shape: cp.zeros(shape, dtype=cp.float32),
        lambda x: 1 / (1 + cp.exp(-x)),
        lambda h: (cp.random.random(h.shape, dtype=cp.float32) < h).astype(cp.float32),
        lambda x: x.sum(0),
        lambda x: float(cp.linalg.norm(x)),
        cp.cuda.Device().synchronize,
    )


def torch_peer(device):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_grad_enabled(False)
    return Peer(
        f"PyTorch {torch.__version__}",
        lambda *shape: torch.randn(*shape, device=device),
        lambda *shape: torch.rand(*shape, device=device),
        lambda *shape: torch.zeros(*shape, device=device),
        torch.sigmoid,
        lambda h: (torch.rand_like(h) < h).float(),
        lambda x: x.sum(0),
        lambda x: float(torch.linalg.norm(x)),
        torch.cuda.synchronize if device == "cuda" else lambda: None,
    )


def rbm_step(peer):
    """The report's listing 2.2, ready to run."""
    w = {"vh": 0.1 * peer.randn(NUM_VIS, NUM_HID), "v": peer.zeros(NUM_VIS), "h": peer.zeros(NUM_HID) - 4}
    wu = {"vh": peer.zeros(NUM_VIS, NUM_HID), "v": peer.zeros(NUM_VIS), "h": peer.zeros(NUM_HID)}
    v1 = peer.rand(BATCH, NUM_VIS)

    def step():
        h1 = peer.logistic(v1 @ w["vh"] + w["h"])
        sampled = peer.draw(h1)
        v2 = peer.logistic(sampled @ w["vh"].T + w["v"])
        h2 = peer.logistic(v2 @ w["vh"] + w["h"])
        wu["vh"] = wu["vh"] * MOMENTUM + v1.T @ h1 - v2.T @ h2
        wu["v"] = wu["v"] * MOMENTUM + peer.total(v1) - peer.total(v2)
        wu["h"] = wu["h"] * MOMENTUM + peer.total(h1) - peer.total(h2)
        for name in w:
            w[name] += wu[name] * RATE
        return peer.norm(v2 - v1) ** 2 / (NUM_VIS * BATCH)

    return step


def median(peer):
    work = rbm_step(peer)
    for _ in range(3):
        work()
    times = []
    for _ in range(REPEATS):
        peer.wait()
        start = time.perf_counter()
        work()
        peer.wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def ours(binary):
    command = [binary, "--benchmark_filter=rbm_step", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["benchmarks"][0]["real_time"] * 1e-6


def main():
    mine = ours(sys.argv[1])
    print("| RBM step 784x4096, batch 128, float32 | ms | ratio to cudamat |\n| --- | --- | --- |")
    print(f"| cudamat | {mine * 1e3:.3f} | 1.00 |")
    for make in (cupy_peer, lambda: torch_peer("cuda")):
        try:
            peer = make()
            seconds = median(peer)
            print(f"| {peer.name} | {seconds * 1e3:.3f} | {seconds / mine:.2f} |")
        except ImportError as error:
            print(f"| {error} | - | - |")


if __name__ == "__main__":
    main()
