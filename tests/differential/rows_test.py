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


class Rows(SamePrograms):
    inputs = {"A": A, "B": B}

    def test_rows(self):
        self.each(PROGRAMS)


if __name__ == "__main__":
    sys.exit(main())
