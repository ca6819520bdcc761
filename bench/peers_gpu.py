"""Sets what is installed of CuPy, PyTorch and JAX beside cudamat on the GPU: the report's RBM step in one run.

usage: peers_gpu.py CUDA_BENCH           prints a table
       peers_gpu.py --peers-on-the-cpu   the peers alone, on the CPU: that they run
"""

import json
import statistics
import subprocess
import sys
import time

from models import cupy_peer, jax_compiled, jax_peer, rbm_step, torch_peer

REPEATS = 25


def median(peer, compiled, repeats):
    work = rbm_step(peer, compiled)
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        peer.wait()
        start = time.perf_counter()
        work()
        peer.wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def torch_compiled(**options):
    import torch

    return lambda update: torch.compile(update, dynamic=False, **options)


def jax_on(device):
    import jax

    if device == "cuda" and jax.default_backend() != "gpu":
        raise ImportError("JAX has no GPU")
    return jax_peer()


def ours(binary):
    command = [binary, "--benchmark_filter=rbm_step", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["benchmarks"][0]["real_time"] * 1e-6


def peers(device):
    """Names, and what makes a peer and what makes one function of its step, if anything does."""
    yield "CuPy", lambda: (cupy_peer(), None)
    yield "PyTorch", lambda: (torch_peer(device), None)
    yield "PyTorch, compiled", lambda: (torch_peer(device), torch_compiled())
    yield "PyTorch, compiled, with graphs", lambda: (torch_peer(device), torch_compiled(mode="reduce-overhead"))

    def jitted():
        peer = jax_on(device)
        return peer, jax_compiled(peer)

    yield "JAX, jit", jitted


def main():
    on_cpu = sys.argv[1:] == ["--peers-on-the-cpu"]
    mine = None if on_cpu else ours(sys.argv[1])
    print("| RBM step 784x4096, batch 128, float32 | ms | ratio to cudamat |\n| --- | --- | --- |")
    if mine is not None:
        print(f"| cudamat | {mine * 1e3:.3f} | 1.00 |")
    for name, make in peers("cpu" if on_cpu else "cuda"):
        try:
            peer, compiled = make()
            seconds = median(peer, compiled, 3 if on_cpu else REPEATS)
            ratio = "-" if mine is None else f"{seconds / mine:.2f}"
            print(f"| {name} ({peer.name}) | {seconds * 1e3:.3f} | {ratio} |", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            # One that is missing, or cannot do this, is no reason to lose the others.
            print(f"| {name}: {str(error).splitlines()[0] if str(error) else type(error).__name__} | - | - |", flush=True)


if __name__ == "__main__":
    main()
