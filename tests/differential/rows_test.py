"""Loops over arrays: what runs over their rows and writes to them, as NumPy has it.

    rows_test.py SYMDUMP
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])
B = np.array([[0.25, -1.0, 2.0], [7.0, 3.0, 1.5]])

PROGRAMS = {
    "rows in place": "x = A * 1\nfor row in x:\n    row *= 2\n    row[0] = 7",
    "enumerate": "x = A * 1\nfor i, row in enumerate(x):\n    row += i\n    row[i] = 50",
    "zip": "x = A * 1\ny = B * 1\nfor a, b in zip(x, y):\n    a += b\n    b *= 2",
    "of a view": "x = A * 1\nv = x[:, 1:]\nfor row in v:\n    row -= 3\ns = x.sum()",
    "columns": "x = A * 1\nfor column in x.T:\n    column[0] = 5\n    column[1] += column[0]",
    "the array itself is read": "x = A * 1\nfor row in x:\n    row += x[0]",
    "reversed": "x = A * 1\nfor row in reversed(x):\n    row += x[1]\n    x[0] += 1",
    "a name that is bound anew": "x = A * 1\nfor row in x:\n    row = row * 2\n    row += 1\ny = row",
    "another name for the row": "x = A * 1\nfor row in x:\n    r = row\n    r += 1\nr[0] = 9",
    "another name for the array": "x = A * 1\ny = x\nfor row in y:\n    row *= 3\nz = x + y",
    "in a function": "def scale(m, k):\n    for row in m:\n        row *= k\n        k = k + 1\n    return m\n"
                     "x = A * 1\ny = scale(x, 2)\nz = scale(x[1:], 5)",
    "loops in a loop": "x = A * 1\nfor row in x:\n    for i in range(3):\n        row[i] += i\n    for v in row:\n        v += 1",
    "elements": "x = A[0] * 1\nd = np.zeros(3)\nprev = 0.0\nfor i, v in enumerate(x):\n    d[i] = v - prev\n    prev = v\n    x[i] = 0",
    "a row that is kept": "x = A * 1\nlast = x[0]\nfor row in x:\n    last = row\nx += 1\ny = last * 2",
    "a copy's rows, while the array changes": "x = A * 1\nt = x.copy()\nfor row in t:\n    row *= 2\n    x = x + row",
    "the name of the array is bound anew": "x = A * 1\ny = x\nfor row in x:\n    x = x + 1\n    row += 10",
}


Y = "y = np.array([2.0, 0.5, 2.0, 1.0, 0.5, 2.0]) * A[0, 0]\nm = y > 1.5\nX = y.reshape(3, 2)\n"
# Loops over what a mask selects, and what else is done with it.
SELECTED = {
    "elements": Y + "t = 0.0\nq = np.zeros(6)\nfor e in y[m]:\n    t += e * 2\n    q[0] = e\n    if e > 3:\n        q[1] = e",
    "places, left early": Y + "z = np.zeros(3)\nfor i in np.where(m)[0]:\n    z[0] += i\n    if i == 3:\n        break\nelse:\n    z[1] = 1",
    "rows": Y + "r = np.zeros(2)\nfor row in X[X[:, 0] > 1]:\n    r = r + row\n    if row[0] > 1.9:\n        continue\n    r = r + 100",
    "none": Y + "t = 1.0\nfor e in y[y > 99]:\n    t += e\nelse:\n    t = t * 2",
    "different elements": Y + "u = np.unique(y)\nn = len(u)\ns = u.sum() + u[1] + u[-1] + u[n - 1] + u[0]\nt = 0.0\nfor e in np.unique(A):\n    t = t * 2 + e",
    "counts": Y + "c, k = np.unique(y, return_counts=True)\nbest = c[np.argmax(k)]\nmost = k.max()\nv, inv = np.unique(y, return_inverse=True)",
    "counts and places with NaN": "y = np.concatenate([A.ravel(), A.ravel() * 2, np.array([0.0, -0.0])])\ny = np.where(y > 1, np.nan, y)\n"
                                  "u, f, p, k = np.unique(y, True, True, True)\nn = len(u)\nw = p * 2\ns = k.sum() + (k * k).max()\ng = f.max()",
    "NaN once": "y = np.array([1.0, 0.0, 2.0, 0.0]) * np.array([1, np.nan, 1, np.nan])\nn = np.unique(y).size\nk = np.unique(y)[-1] * A",
    "of integers": "u = np.unique(np.array([3, 1, 3, 2]))\nn = u.max() * 2\nq = np.zeros(4)\nq[u[1]] = 1",
    "products": Y + "M = X[X[:, 0] > 0.9]\nw = np.array([0.5, -1.0])\nG = M.T @ M\nh = M.T @ (M @ w)\np = (M @ w).sum()\nD = np.dot(M.T, M)\n"
                    "q = (w @ M.T).max()\nr = (M @ np.ones((2, 3))).sum(axis=0)\nN = (M - M.mean(axis=0)) / (M.std(axis=0) + 1)\nc = N.T @ N",
    "in order": Y + "d = np.median(y[m])\ne = np.sort(y[m])[0]\nf = y[m].argmax() + np.argmin(y[m] * 2)\ng = X[X[:, 0] > 0.9][0] * 2\n"
                    "h = X[X[:, 0] > 0.9][:, 1].sum()\nX[:, X[0] > 1] /= X.sum(axis=0)[X[0] > 1]",
}


class Rows(SamePrograms):
    inputs = {"A": A, "B": B}

    def test_rows(self):
        self.each(PROGRAMS)

    def test_selected(self):
        self.each(SELECTED)


if __name__ == "__main__":
    sys.exit(main())
