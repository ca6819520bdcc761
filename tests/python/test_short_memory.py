"""Short memory: whatever address space there is, a program ends with the right result or a MemoryError."""

import resource
import subprocess
import sys

import pytest

GNUMPY = """
import gnumpy as gpu
a = gpu.ones((300, 300))
assert float(gpu.dot(a, a)[0, 0]) == 300
"""
CUDAMAT = """
import cudamat as cm
cm.cublas_init()
a, t = cm.empty((300, 300)), cm.empty((300, 300))
a.assign(1)
cm.dot(a, a, target=t)
assert t.asarray()[0, 0] == 300
"""
CONVERT = """
from rewriter import convert
import numpy as np
@convert
def f(A):
    return np.linalg.inv(A @ A + 3 * np.eye(2)) + np.sort(A, axis=0)
assert abs(f(np.ones((2, 2)))[0, 0] - (5 / 21 + 1)) < 1e-5
"""
SECONDS = 120  # a program takes less than one; one that hangs takes for ever


def file(folder, program):
    path = folder / "program.py"
    path.write_text(program)
    return path


@pytest.mark.parametrize("megabytes", [100, 250, 300, 340, 400, 440, 480, 560, 700])
@pytest.mark.parametrize("program", [GNUMPY, CUDAMAT, CONVERT], ids=["gnumpy", "cudamat", "convert"])
def test_ends_with_the_result_or_says_what_is_missing(program, megabytes, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6,) * 2)

    run = subprocess.run([sys.executable, file(tmp_path, program)], preexec_fn=limit, capture_output=True, text=True,
                         timeout=SECONDS)
    if run.returncode != 0:
        assert run.returncode == 1, run.stderr
        assert "MemoryError" in run.stderr or "OutOfMemory" in run.stderr or "failed to map" in run.stderr


@pytest.mark.parametrize("program", [GNUMPY, CUDAMAT, CONVERT], ids=["gnumpy", "cudamat", "convert"])
def test_runs_where_there_is_memory(program, tmp_path):
    subprocess.run([sys.executable, file(tmp_path, program)], check=True)
