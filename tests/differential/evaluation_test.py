"""What is evaluated, and in which types: NumPy runs the same programs, and symdump gives the same or refuses.

    evaluation_test.py SYMDUMP
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.5, -2.0], [0.25, 3.0]])
F = "def f(v):\n    v += 1\n    return v * 2\nx = A * 1\n"
G = "def g(v):\n    w = v * 3\n    w += 1\n    return w.sum()\n"

# Of a choice that is known when the program is read only one side is evaluated.
KNOWN = {
    "the value": F + "y = x * 3 if 1 > 0 else f(x)",
    "the other value": F + "y = f(x) if 1 < 0 else x * 3",
    "the side with the write": F + "y = f(x) if 1 > 0 else x * 3",
    "before a write": F + "y = (1 if 2 > 1 else f(x)) * f(x)",
    "or": F + "if 1 > 0 or f(x) > 1:\n    x *= 5",
    "and": F + "z = (0 > 1) and f(x)\nr = x * 2",
    "and, taken": F + "z = 1 > 0 and f(x)\nr = x * 2",
    "or, taken": F + "z = 0 or f(x)\nr = x * 2",
    "a division": "r = A * (1 if 3 else 1 / 0)",
    "a name": "r = A * (undefined if 1 < 0 else 1)",
    "a shape": "r = A @ np.ones(7) if 1 < 0 else A",
    "in each other": F + "r = (f(x) if 0 else x * 2) if 1 else (f(x) if 1 else f(x))\ns = 0 if 0 else f(x) if 0 and f(x) else 3\nt = x + s",
    "in an iteration": F + "for t in range(1, 4):\n    y = x * t if t > 0 else f(x)\n    z = t and 2\nr = y * z",
    "in arguments": F + "r = np.maximum(f(x) if 0 else x, 0 and f(x))\ns = x[(1 if 1 else f(x)), 0 or 1:2]",
    "texts and None": "n = None\nr = A * (n or 2)\ns = A * (n and 3 or 4)\nk = '' or 'a'\nt = A * (k == 'a')",
}
# A choice that is made when the program runs: both sides are computed, and neither has an effect.
AT_RUN_TIME = {
    "numbers": "r = A * (2.0 if A.sum() > 1 else 3.0)\nfor t in range(3):\n    s = A * (2 if t > 1 else 3)",
    "a function with arrays of its own": G + "r = A * (g(A) if A.sum() > 1 else g(A.T))",
    "within a choice": "r = A * ((1.0 if A.sum() > 9 else 2.0) if A.sum() > 1 else 3.0 if 1 else undefined)",
}
REFUSED = {
    F + "d = f(x)[0, 0] if A.sum() > 1 else 2.5": "this one writes into an array; compute it before",
    F + "d = 2.5 if A.sum() > 1 else f(x)[0, 0]": "this one writes into an array; compute it before",
    F + "for t in range(3):\n    d = f(x).sum() if t > 1 else x.sum()": "this one writes into an array",
    "v = A[0]\ndef f(x):\n    v[0] = x\n    return x\nd = f(1.0) if A.sum() > 1 else 2.0": "writes into an array",
    "v = (A * 1, 2)\ndef f(x):\n    w = v[0]\n    w += x\n    return x\nd = f(1.0) if A.sum() > 1 else 2.0": "writes into",
    "r = np.random.rand(3).sum() if A.sum() > 1 else 2.0": "this one draws random numbers; compute it before",
    "h = []\ndef f(x):\n    h.append(x)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0": "this one appends to a list",
    "def f(h):\n    h.append(1.0)\n    return 1.0\ng = []\nr = 2.0 if A.sum() > 1 else f(g)": "this one appends to a list",
    "def f(x):\n    for i in range(2):\n        z = np.random.randn(2)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0":
        "draws random numbers",
    "def f(x):\n    print(x)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0": "this one prints; compute it before",
    "def f(x):\n    np.random.seed(3)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0": "draws random numbers",
    "r = A.sum() > 1 and A[0, 0]": "np.logical_and",
    "for t in range(3):\n    r = A * (t > 1 or 2)": "np.logical_or",
    "d = 1 if A.sum() > 1 else 2.5\nr = A * d": "one of these is an int and the other a float",
    "for t in range(3):\n    r = A * (t if t > 1 else 0.5)": "one of these is an int and the other a float",
}

B = "B = A > 0\nb = np.array([True, False])\nI = np.array([2, 3])\ns = np.ones(3)\nM = np.ones((2, 3))\n"
# Powers of truth values are int8 in NumPy; what has an int64 beside them is not.
TYPES = {
    "powers of truth values": B + "r = (B ** 2) * 0.5\nt = (B ** b).astype(float) + (B ** 3).sum() + (B ** I) + 2 ** B",
    "scalars": B + "r = A * (b[0] ** 2) + np.power(b[0], 3) + True ** 2 + A ** (True ** True)",
    "compared": B + "r = (np.square(B) > 0) + (np.power(B, b) == B)",
    "norms of truth values": B + "r = np.linalg.norm(B, axis=0) + np.linalg.norm(b)\nt = np.linalg.norm(I, axis=0)",
    "in place": B + "s[:] += np.ones(3)\nM[0] += np.ones(3)\ns[0:1] += np.ones(1)\nM[:] += s\nB[:] += True\nB[0] *= b\n"
                    "I[:] **= b\nI[0:1] *= 3\ns[0] += 2\nB[0, 0] += 1.5\nM[:, 1] -= I",
    "quotients": "for i in range(1, 3):\n    r = A / i * (1 / i)\n    for j in range(2):\n        t = A * (1 / (2 * j - 2 * i + 1))",
    "of many iterations": "for i in range(-6, 7):\n    t = A * (1 / (2 * i + 1))",
    "not taken": "for i in range(3):\n    r = A * (1.0 / i if i > 0 else 0.0) + A * (i ** -1.0 if i > 0 else 0.0)",
    "powers": "I = np.array([2, 3])\nfor i in range(0, 2):\n    r = I ** i\n    t = A * (i ** 0.5) + A * (i - 3) ** 2.0",
    "arrays": "for i in range(2):\n    r = A / i",
    "clip": "r = np.clip(A, -1, 2) + np.clip(A, None, 1)",
}
REFUSED_TYPES = {
    "r = B ** 2 + 100": "fewer bits", "r = B ** b + B ** b": "fewer bits", "r = B ** 2.0 * 100": "fewer bits",
    "r = np.square(B).sum()": "fewer bits", "r = np.power(B, b) - 1": "fewer bits", "r = -(True ** b)": "fewer bits",
    "r = B @ (b ** 2)": "fewer bits",
    "s[:] += np.ones((1, 3))": r"output operand with shape \(3,\) doesn't match the broadcast shape \(1, ?3\)",
    "M[0] += np.ones((1, 3))": "non-broadcastable output operand", "s[...] += np.ones((1, 3))": "non-broadcastable",
    "s[0:1] += np.ones((1, 1))": "non-broadcastable output operand", "s[0:1] += s": "non-broadcastable",
    "B[:] += A": "Cannot cast .* from float64 to bool", "B[:] += 1": "Cannot cast .* from int64 to bool",
    "B[:] **= 2": "Cannot cast", "B **= 2": "Cannot cast", "I[:] += 0.5": "Cannot cast .* from float64 to int64",
    "I[0:1] /= 2": "Cannot cast", "I[0] += 0.5": "truncates",
    "for i in range(-2, 0):\n    r = I ** i": "negative integer powers",
    "for i in range(2):\n    r = A * (1 / i)": "division by zero: i is 0 in an iteration",
    "for i in range(3):\n    for j in range(3):\n        r = A * (2 / (i - j))": "division by zero",
    "for i in range(3):\n    x = 2.0\n    x /= 2 * i - 4\n    r = A * x": "division by zero",
    "for i in range(-1, 2):\n    r = A * (i ** -1.0)": "0 cannot be raised to a negative power",
    "for i in range(-1, 2):\n    r = A * (i ** 0.5)": "complex number",
    "r = np.linalg.norm(3, axis=0)": "axis 0 is out of bounds for array of dimension 0",
    "r = np.clip(A, -1, np.nan)": "NaN", "r = ~I": "of integers works on their bits", "r = I & 1": "of integers works on",
    "r = ~s": "expects arrays of truth values", "r = s | s": "expects arrays of truth values",
}


class Evaluation(SamePrograms):
    inputs = {"A": A}
    passes = ("none", "all")

    def test_the_side_that_is_not_taken_is_not_evaluated(self):
        self.each(KNOWN)

    def test_choices_at_run_time(self):
        self.each(AT_RUN_TIME)

    def test_a_choice_draws_once(self):
        text = "import numpy as np\nnp.random.seed(3)\n{}\nr = np.random.rand(4)\n"
        drawn = []
        for number, first in enumerate(["e = np.random.rand(3)",
                                        "e = np.random.rand(3) if 0 > 1 else np.random.rand(3)"]):
            out = self.folder / f"out{number}"
            self.symdump("--run=npmat", "--save-all", out, self.file(text.format(first)))
            drawn.append({name: np.load(out / f"{name}.npy") for name in "er"})
        for name in "er":
            np.testing.assert_array_equal(drawn[0][name], drawn[1][name])

    def test_types(self):
        self.each(TYPES)

    def test_refusals(self):
        self.each_refused(REFUSED | {B + text: says for text, says in REFUSED_TYPES.items()})


if __name__ == "__main__":
    sys.exit(main())
