"""Parts of axes with a step, read, written and changed, against NumPy; and that x[1::2] = y is one statement.

    steps_test.py SYMDUMP SYMDUMP_BATCH
"""

import random
import re

import numpy as np

from cli import main
from same_programs import SamePrograms

RNG = np.random.default_rng(3)


def steps(chance):
    step = chance.choice((1, 2, 3, -1, -2))
    first, last = (("", "1", "2"), ("", "-1", "-2")) if step > 0 else (("", "-2"), ("", "1"))
    return f"{chance.choice(first)}:{chance.choice(last)}:{step}"


def program(chance):
    """Some writes to parts of x, y and A, of 12 elements and 12 x 12, and readings of them."""
    text = ["x, y, A = X * 1, Y * 1, M * 1"]
    for _ in range(chance.randint(2, 6)):
        s, t = steps(chance), steps(chance)
        text += chance.choice((
            f"x[{s}] = y[{s}] * 2", f"x[{s}] += y[{s}]", f"v = x[{s}]\nv[:] = v[::-1] + 1\nw = x.sum()", f"x[{s}] = 0",
            f"A[{s}, {t}] = 1.5", f"A[{s}] = x", f"A[:, {s}] += 1", f"z = x[{s}] + 1\nx[{s}] = z\nx[0] = z[0]",
            f"y[{s}] = x[{s}]\nx[1::2] = y[1::2]", "q = x[1:10]\nq[::2] = q[::2] * 3\nu = x * 1",
            f"for i in range(3):\n    x[i::3] = y[i::3] + x[i::3].sum()\n    y[{s}] = x[{s}] * i",
            f"x[1::2] = x[::2]\nk = x[{s}] * 1", "A.reshape(-1)[::13] = x", "x[::2] = x[::-2]",
            "c = x[1:]\nfor k in np.argsort(Y[:9]):\n    c[k] = x[k] + 1\n    x[3] = c[k] * 2\n    y[k] = c.max()",
            "c = x[2:]\nk = np.argmax(y[:9])\nc[k] = x[k + 1] + 1\nd = c * 1\nx[k] = 9\nz = c[k] + d",
            "B = A[1:, 2:]\nk = np.argsort(Y[:9])\nB[k[0], k[1]] = 7\nB[k[:3]] += x[:10]\nA[k[3]] = B.max()",
            "c = x[1:]\nk = np.argmax(y[:9])\nif x.sum() > 0:\n    c[k] = y[k]\nelse:\n    x[k] = c[k] * 2")).split("\n")
    return "\n".join(text)


class Steps(SamePrograms):
    inputs = {"X": RNG.standard_normal(12), "Y": RNG.standard_normal(12), "M": RNG.standard_normal((12, 12))}

    def test_programs(self):
        chance = random.Random(5)
        self.each({f"program {k}": program(chance) for k in range(150)})

    def calls_of(self, line, program):
        """The calls of the list of a program from this line of it on, but those that make views and matrices."""
        listed = self.symdump("--passes", "none", self.file("import numpy as np\n" + program)).out
        return re.findall(r"^ *(\w+\.(?!view|slice|free)\w+\(.*?\))  ", listed[listed.index(line):], re.M)

    def test_one_statement(self):
        self.assertEqual(self.calls_of("x[1::2] = y", "x = np.zeros(10)\ny = np.ones(5)\nx[1::2] = y\n"),
                         ["t1.set_row_slice(1, 2, y)"])

    def test_elements_are_written_through_views(self):
        program = "x = np.random.rand(9)\nk = np.argmax(x[:5])\ny = x[1:]\ny[k] = 3\nz = y[k] + x.sum()\n"
        writes = [call for call in self.calls_of("y[k] = 3", program) if ".set_" in call or ".assign(t" in call]
        self.assertEqual(writes, ["y.set_selected_columns(k, t2)"])


if __name__ == "__main__":
    main()
