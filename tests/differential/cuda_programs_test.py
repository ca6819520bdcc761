"""The programs that symdump --emit cuda prints are compiled by nvcc as their first lines say, without a warning.

    cuda_programs_test.py SYMDUMP NVCC

For devices of the capabilities 7.5, 8.0 and 9.0; there need not be one. A program of every call, which takes nvcc half
a minute, is compiled for the first. cpp_programs_test.py --cuda runs such programs.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SYMDUMP, NVCC = sys.argv[1:3]
ROOT = Path(__file__).parents[2]

EVERY_CALL = """import numpy as np
A: (5, 5)
b: (5, 2)
n: (40,)
M = A @ A.T + 5 * np.eye(5)
x, inverse, L = np.linalg.solve(M, b), np.linalg.inv(M), np.linalg.cholesky(M)
U, s, Vt = np.linalg.svd(A)
q, r = np.linalg.qr(A)
w, v = np.linalg.eigh(M)
d = np.linalg.det(A)
z = np.linalg.lstsq(A, b, rcond=None)[0]
ordered, places, sums = np.sort(A, axis=0), np.argsort(A, axis=0), np.cumsum(A, axis=1)
largest, mean, norm, finite = np.argmax(A, axis=1), A.mean(), np.linalg.norm(A), np.isfinite(A).all()
counts = np.bincount((n * 9).astype(int), minlength=10)
weighed = np.bincount((n * 9).astype(int), weights=n, minlength=10)
drawn = np.random.rand(4, 3) + np.random.randn(4, 3)
chosen = A[:, np.argsort(b[:, 0])]
for i in range(4):
    A[i] = np.tanh(A[i]) ** 2.5 + A[i + 1].max() * i
while s[0] > 1:
    s = s / 2
print(f"{s[0]:.3f} {d}")
"""


class Compiled(unittest.TestCase):
    def compiled(self, capabilities, path, *options):
        devices = [f"-gencode=arch=compute_{n},code=sm_{n}" for n in capabilities]
        text = subprocess.run([SYMDUMP, "--emit", "cuda", *options, path], check=True, capture_output=True,
                              text=True).stdout
        command = re.search(r"^//   (nvcc .*) -arch=native FILE\.cu(.*)$", text, re.MULTILINE)
        with tempfile.TemporaryDirectory(prefix="cuda-programs-") as folder:
            source = Path(folder) / "FILE.cu"
            source.write_text(text, encoding="utf-8")
            done = subprocess.run([NVCC, *command[1].split()[1:], *devices, "-Werror", "all-warnings", "-c", source,
                                   "-o", Path(folder) / "program.o"], check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return command[2].split()

    def test_every_call(self):
        with tempfile.TemporaryDirectory(prefix="cuda-programs-") as folder:
            path = Path(folder) / "calls.py"
            path.write_text(EVERY_CALL, encoding="utf-8")
            self.assertEqual(self.compiled([75], path, "--precision", "64"), ["-lcublas", "-lcusolver"])

    def test_fused_statements(self):
        self.assertEqual(self.compiled([75, 80, 90], ROOT / "tools/examples/layer.py", "--passes", "fast"), ["-lcublas"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
