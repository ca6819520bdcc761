"""What is decided when a program runs: NumPy runs the same programs, and symdump gives the same or refuses.

    conditions_test.py SYMDUMP
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.5, -2.0], [0.25, 3.0]])
X = np.array([0.3, -1.2, 2.0, 0.7, -0.1, 1.1, -2.5, 0.9])
PASSES = ("none", "default", "all", "hoist,reuse,inplace", "inplace", "cse,simplify,dead,combine", "order,reuse")

IFS = {
    "taken": "y = A * 2\nif A.sum() > 1:\n    y = y + 1\nr = y * y",
    "not taken": "y = A * 2\nif A.sum() > 100:\n    y = y + 1\nr = y * y",
    "else": "if A.sum() > 100:\n    y = A + 1\nelse:\n    y = A - 1\nr = y * y",
    "elif": "r = np.zeros(8)\nfor i in range(8):\n    if X[i] > 1:\n        v = 1.0\n    elif X[i] > 0:\n        v = X[i]\n"
            "    elif X[i] > -1:\n        v = X[i] * 10\n    else:\n        v = -1.0\n    r[i] = v",
    "nested": "r = np.zeros(8)\nfor i in range(8):\n    v = X[i] * 1\n    if v > 0:\n        if v > 1:\n            v = v * 3\n"
              "        else:\n            v = v + 7\n        v = v - 1\n    r[i] = v",
    "in place": "y = A * 2\nz = y\nfor i in range(8):\n    if X[i] > 0:\n        y += X[i]\n        y[0] *= 2\nr = z * 1",
    "a view in place": "y = A * 2\nv = y[0]\nfor i in range(8):\n    if X[i] > 0:\n        v *= X[i]\n    y[1] -= 1\nr = y + v",
    "the largest and where": "best = -np.inf\nat = 0\nn = 0\nfor i in range(8):\n    if X[i] > best:\n        best = X[i]\n"
                             "        at = i\n        n += 1\nr = A * best + at * n",
    "made by one side only": "for i in range(8):\n    if X[i] > 0:\n        last = X[i] * 2\nr = A * last",
    "made in nested loops": "for i in range(2):\n    for j in range(4):\n        if X[4 * i + j] > 1:\n            k = j + 10 * i\n"
                            "            u = X[j]\nr = A * k + u",
    "an array that only sometimes is another's": "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\nr = y * 2 + z",
    "arrays swapped": "y = A * 2\nz = A * 3\nfor i in range(8):\n    if X[i] > 0:\n        y, z = z, y\n    y = y + i\nr = y - z",
    "of integers": "n = (X > 0).sum()\nk = 5\nif n > 3:\n    k = k - 2\nelse:\n    k = 7\nr = A * k",
    "of a truth value": "f = A.sum() > 2\ng = False\nif f:\n    g = A.min() < 0\nr = A * g",
    "of a number that is not a truth value": "s = A.sum() * 0\nr = A * 1\nif s:\n    r = r + 1\nt = A[0]\nif A[0, 1]:\n    t = t * 2",
    "of an array of one element": "v = np.array([[0.5]]) * A.sum()\nr = A * 1\nif v > 1:\n    r = r * v",
    "a number of Python that becomes an element": "best = 1e9\nfor i in range(8):\n    err = X[i] * X[i]\n    if err < best:\n"
                                                  "        best = err\nr = A * best",
    "known and unknown": "y = A * 1\nfor i in range(4):\n    if i > 1 and True:\n        y = y + 1\n    if X[i] > 0:\n        y = y * 2",
    "of the loop's variable": "y = A * 1\nfor i in range(5):\n    if i % 2 == 0:\n        y = y + i\n    else:\n        y = y * 2",
    "parts and remainders of the loop's variable": "r = A * 1\nfor i in range(20, -9, -3):\n    if i % 4 == 2:\n"
        "        r += i // 3\n    elif (2 * i + 1) % 5:\n        r[0] *= 1 + i % 3 / 2\n    r[1] -= (i + 7) // 2 + -i % 4",
    "remainders in nested loops": "r = A * 1\nfor i in range(4):\n    for j in range(5):\n        if (i + j) % 2 == 0:\n"
        "            r = r + i\n        r = r * ((i * 2 + j) % 3 + 0.5)",
    "in a function": "def f(x, y):\n    if x > 0:\n        z = y + x\n    else:\n        z = y - x\n    return z\n"
                     "r = np.zeros(8)\nfor i in range(8):\n    r[i] = f(X[i], X[7 - i])",
    "a temporary that nothing else needs": "y = A * 1\nif A.sum() > 1:\n    t = A.T @ A\n    y = y + t",
    "draws": "r = A * 1\nfor i in range(8):\n    if X[i] > 0:\n        r = r + X[i]\n    s = r.sum()",
    "a condition that becomes what is chosen": "c = A.sum() > 1\nif c:\n    c = A.sum() > 100\nr = A * c",
    "a condition on what it changes": "s = A.sum()\nif s > 1:\n    s = s - 10\nif s > 1:\n    s = s + 100\nr = A * s",
    "NaN": "s = np.sqrt(A[0, 1])\nr = A * 1\nif s > 0:\n    r = r + 1\nelse:\n    r = r - 1\nif s != s:\n    r = r * 2",
}
REFUSED = {
    "y = A\nif A.sum() > 1:\n    y = A[0]\nr = y * 1": "between values of one type and shape",
    "if A > 0:\n    r = A * 2": "ambiguous; use np.any",
    "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\ny += 1": "may share its memory with another array",
    "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\nz += 1": "may share its memory with another array",
    "y = A * 2\nz = y\nif X[0] > 0:\n    y = A * 3\nz += 1": "may share its memory with another array",
    "n = 1\nif A.sum() > 1:\n    n = 2\nr = A[n]": "an index must be known",
}


class Conditions(SamePrograms):
    inputs = {"A": A, "X": X}
    passes = PASSES

    def test_ifs(self):
        self.each(IFS)

    def test_remainders_leave_the_loop_a_loop(self):
        path = self.file("A: (2, 2)\nfor i in range(1000):\n    A = A * 0.5\n    if i % 100 == 0:\n        print(i)\n")
        self.assertIn("for i in range(0, 1000):", self.symdump(path).out)

    def test_refusals(self):
        self.each_refused(REFUSED)


if __name__ == "__main__":
    sys.exit(main())
