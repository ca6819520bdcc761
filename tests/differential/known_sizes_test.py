"""Sizes that follow from the numbers in a program, and those known only at run time, against NumPy.

    known_sizes_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

PROGRAMS = {
    "classes": "y = np.repeat(np.arange(3), 4)\nk = len(np.unique(y))\nm = np.zeros((k, 2))\nfor c in range(k):\n    m[c] = A[y == c].mean(axis=0)\nb = np.bincount(y)\no = np.eye(y.max() + 1)[y]",
    "remainders": "y = np.arange(12) % 3\nn = np.bincount(y)\nu, c = np.unique(y, return_counts=True)\nv, i = np.unique(y, return_inverse=True)\nw = np.zeros(len(u)) + c",
    "joined": "y = np.concatenate([np.zeros(6), np.ones(6)]).astype(int)\nn = np.bincount(y)\nz = np.zeros((int(y.max()) + 1, 3))",
    "lists": "y = np.array([0] * 5 + [1] * 7)\nk = y.max() + 1\nz = np.zeros(k)\nfor i in range(k):\n    z[i] = np.sum(y == i)",
    "written": "y = np.zeros(12, dtype=int)\ny[4:8] = 1\ny[8:] = 2\nk = np.max(y) + 1\nz = np.zeros((k, k))\nt = [np.mean(A[y == c]) for c in np.unique(y)]\ns = np.array(t)",
    "of places": "y = np.where(np.arange(12) < 5, 0, 1)\nn = np.bincount(y)\nz = np.zeros(len(np.unique(y)))\ng = np.meshgrid(np.arange(3), np.arange(2))[1]\nh = np.zeros(g.max() + 1)",
    "of parts": "y = np.tile([0, 1, 2], 4)\nz = np.bincount(y, weights=A[:, 0])\nq = np.unique(y[::2])\nr = np.unique(y.reshape(3, 4)[1])\ns = np.zeros(abs(y[1:] - y[:-1]).max())\n"
                "t = np.zeros(y.reshape(3, 4).T[1].sum())\nu = np.zeros(int((y > 0).sum()))\nv = np.zeros(y[np.array([0, 2, 5])].max())\nw = np.zeros(np.minimum(y, 1).sum() // 2)",
    "of the run": "b = np.bincount(U)\nn = len(b)\nk = b.argmax()\ns = b.sum()\nm = b.max()\nx = np.bincount(U[1:] % 4).argmax()\ny = np.bincount((A[:, 0] > 0).astype(int))[1]",
}
REFUSED = {
    "r = np.bincount(L)": "the number of counts is known only at run time; give minlength=",
    "y = np.arange(3)\nfor i in range(2):\n    y = y + L[0]\nr = np.zeros(y.max())": "must be an int known",
    "r = np.bincount(np.arange(3) - 1)": "negative|not below|whole",
}


class KnownSizes(SamePrograms):
    inputs = {"A": np.random.default_rng(1).standard_normal((12, 2)), "U": np.array([3, 1, 3, 200], np.uint8), "L": np.array([2, 0, 2])}

    def test_programs(self):
        self.each(PROGRAMS)

    def test_refusals(self):
        self.each_refused(REFUSED)


if __name__ == "__main__":
    sys.exit(main())
