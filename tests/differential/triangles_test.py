"""Loops whose ranges, slices and shapes depend on loops around them: NumPy's values, and loops in the list.

    triangles_test.py SYMDUMP SYMDUMP_BATCH [--count RANDOM-PROGRAMS] [unittest arguments]
"""

import re
import sys

import numpy as np

from cli import main
from same_programs import SamePrograms
from triangles import SIZE, Triangles

COUNT = 120
if sys.argv[2:3] == ["--count"]:  # same_programs took SYMDUMP_BATCH
    COUNT = int(sys.argv[3])
    del sys.argv[2:4]
KERNELS = {  # of linear algebra, as people write them; A is positive definite
    "cholesky": "L = A * 1\nfor i in range(n):\n    for j in range(i):\n        L[i, j] -= np.dot(L[i, :j], L[j, :j])\n"
                "        L[i, j] /= L[j, j]\n    L[i, i] -= np.dot(L[i, :i], L[i, :i])\n    L[i, i] = np.sqrt(L[i, i])",
    "lu": "L = A * 1\nfor i in range(n):\n    for j in range(i):\n        L[i, j] -= L[i, :j] @ L[:j, j]\n"
          "        L[i, j] /= L[j, j]\n    for j in range(i, n):\n        L[i, j] -= L[i, :i] @ L[:i, j]",
    "Gauss": "U = A * 1\nb = x * 1\nfor k in range(n - 1):\n    f = U[k + 1:, k] / U[k, k]\n"
             "    U[k + 1:, k:] -= np.outer(f, U[k, k:])\n    b[k + 1:] -= f * b[k]\nz = np.zeros(n)\n"
             "for i in range(n - 1, -1, -1):\n    z[i] = (b[i] - U[i, i + 1:] @ z[i + 1:]) / U[i, i]",
    "Gram-Schmidt": "Q = np.zeros((n, n))\nR = np.zeros((n, n))\nV = A * 1\nfor k in range(n):\n"
                    "    R[k, k] = np.sqrt(V[:, k] @ V[:, k])\n    Q[:, k] = V[:, k] / R[k, k]\n"
                    "    for j in range(k + 1, n):\n        R[k, j] = Q[:, k] @ V[:, j]\n"
                    "        V[:, j] -= Q[:, k] * R[k, j]",
    "covariance": "C = np.zeros((n, n))\nD = A - A.mean(axis=0)\nfor i in range(n):\n"
                  "    C[i:, i] = C[i, i:] = D[:, i] @ D[:, i:] / (n - 1.0)",
    "pairs": "s = 0.0\nfor i in range(n):\n    for j in range(i + 1, n):\n        s += np.sqrt(((A[i] - A[j]) ** 2).sum())",
    "bubble sort": "z = x * 1\nfor i in range(n):\n    for j in range(n - i - 1):\n        if z[j] > z[j + 1]:\n"
                   "            z[j], z[j + 1] = z[j + 1], z[j]",
    "ragged batches": "s = np.zeros(n)\nfor i in range(0, n, 4):\n    s = 0.9 * s + A[i:i + 4].mean(axis=0)",
    "an alias where a loop does not run": "R = np.zeros((n, n))\nfor i in range(n):\n    v = A[i] * 2\n    y = v\n"
                                          "    for j in range(i):\n        y = y + A[j, :j].sum()\n    v[0] = 9\n    R[i] = y",
    "a view of it": "R = np.zeros((n, n))\nfor i in range(n):\n    v = A[i] * 2\n    y = v\n    z = y[:]\n"
                    "    for j in range(n - i, n):\n        y = y + A[j, :j].sum()\n    z *= 2\n    R[i] = y",
    "what fails where a loop does not run": "R = np.zeros((n, n))\nD = np.zeros((2, 2))\nfor i in range(n):\n"
                                            "    D[:, :] = np.diag(R[0, :2] + R[max(i - 1, 0), :2])\n    y = A[i] * 2\n"
                                            "    for j in range(i):\n        y = y + np.linalg.inv(D)[0, 0] * A[j, :j].sum()\n    R[i] = y",
    "what is left": "w = x * 1\nfor i in range(n):\n    w = w * 0.5\n    for j in range(i, n):\n        w = w + A[i, j] * x\n"
                    "    u = w * 2 + i",
}
LOOPS = re.compile(r"^ *for \w+ in range", re.M)


class TrianglesTest(SamePrograms):
    rng = np.random.default_rng(5)
    inputs = {"A": np.cov(rng.normal(size=(12, 12))) + np.eye(12), "x": rng.normal(size=12)}
    rtol, zeros = 1e-11, False

    def test_kernels(self):
        self.each({name: "n = 12\n" + text for name, text in KERNELS.items()})

    def test_they_stay_loops(self):
        """The list is as long for 30 rows as for 12."""
        for name, text in KERNELS.items():
            if name in ("ragged batches", "a view of it"):  # whose iterations are of several kinds
                continue
            lines = []
            for n in (12, 30):
                program = self.file(f"import numpy as np\nA: ({n}, {n})\nx: ({n},)\nn = {n}\n{text}\n")
                lines.append(self.symdump(program).out.splitlines())
            with self.subTest(name):
                self.assertRegex("\n".join(lines[0]), LOOPS)
                self.assertEqual(len(lines[0]), len(lines[1]))


class RandomTriangles(SamePrograms):
    rng = np.random.default_rng(6)
    inputs = {"A": rng.normal(size=(SIZE, SIZE)), "x": rng.normal(size=SIZE), "y": rng.normal(size=SIZE)}
    rtol, atol, zeros = 1e-9, 1e-12, False

    def test_random_programs(self):
        self.each({f"seed {seed}": Triangles(seed).text for seed in range(COUNT)})


if __name__ == "__main__":
    main()
