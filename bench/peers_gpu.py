"""Sets CuPy and PyTorch, where they are installed, beside cudamat on the GPU: the report's RBM step in one run.

usage: peers_gpu.py CUDA_BENCH
"""

import json
import statistics
import subprocess
import sys
import time

from models import cupy_peer, rbm_step, torch_peer

REPEATS = 25


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
