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
    "None as a default": "def f(x, b=None):\n    if b is None:\n        return x * 2\n    return x + b\n"
                         "r = f(A)\ns = f(A, 3.0)\nt = f(A, b=A) * (1 if A is not None else 2)",
    "None compared": "n = None\nr = A * (n is None) + (n == None) + (n != None) + (3 == None) + ((1,) != None) + ('a' is None)",
    "None beside numbers of the run": "x = float(A.sum())\nr = A * (1 if x == None else 2) + (x is not None)\nfor i in range(2):\n"
                                      "    s = A * (i != None) + (i is None)",
    "a chain": "a = 0.5\nr = A * (0 < a < 1) + (0 < a <= 0.5 < 3) + (3 > a > 1 > 0) + (A.shape[0] == 2 == len(A))\n"
               "s = A * 2 if 0 < 2 > 1 else A",
    "a chain of a loop's numbers": "for t in range(1, 3):\n    r = A * (2 if 0 < t <= 2 < 3 else 5)",
    "a chain that is decided early": "r = A * (2 > 3 > undefined)",
    "tuples": "r = A * 2 if A.shape == (2, 2) else A\ns = A * (A.shape != (2, 3)) + (A[0].shape == (2, 2)) + (() == ())\n"
              "t = A + ([1, 2.0] == [True, 2]) + ((1, (2, 'a')) == (1, (2, 'b'))) + ((1, 2) == [1, 2])",
    "texts and None": "n = None\nr = A * (n or 2)\ns = A * (n and 3 or 4)\nk = '' or 'a'\nt = A * (k == 'a')",
}
# An assignment unpacks into parts of arrays, one after the other.
UNPACKED = {
    "rows swapped as views": "x = A * 1\nx[0], x[1] = x[1], x[0]",
    "elements swapped": "v = A[0] * 1\nv[0], v[1] = v[1], v[0]",
    "with names": "x = A * 1\ni, x[i], y = 1, 3, A * 2\n"
                  "[x[0, 1], z] = 7, y",
    "in a loop": "x = A * 1\nv = np.ones(3)\nfor i in range(2):\n    v[i], v[i + 1] = v[i + 1] * 2, v[i] + i\n"
                 "    x[i], k = x[i] + 1, x[1 - i] * 3",
    "through a view": "x = A * 1\ny = x.T\nfor i in range(2):\n    y[0], x[1] = y[1], x[0] * 2",
}
# A function's own names. A name that a function assigns is its own.
SCOPES = {
    "assigned before it is read": "k = 5.0\ndef f(x):\n    k = 2\n    for i in range(2):\n        k = k + i\n    return x * k\nr = f(A)\ns = A * k",
    "a parameter that is assigned": "k = 5.0\ndef f(k):\n    k = k * 2\n    return k\nr = f(A)",
    "written, not assigned": "v = np.ones(2)\ndef f(x):\n    v[0] = 3\n    return x * v\nr = f(A)",
    "read only": "k = 5.0\ndef f(x):\n    y = x * k\n    return y\nr = f(A)",
}
PARAMETER = "take the module's k as a parameter"
REFUSED_SCOPES = {
    "def f(x):\n    y = x * k\n    k = 2\n    return y\nr = f(A)": "cannot access local variable 'k' where it is not associated "
                                                           "with a value: the function assigns it in line 5.*" + PARAMETER,
    "def f(x):\n    k += 1\n    return x * k\nr = f(A)": PARAMETER,
    "def f(x):\n    k, m = k + 1, 2\n    return x * k\nr = f(A)": PARAMETER,
    "def f(x):\n    for i in range(2):\n        k = k + x\n    return k\nr = f(A)": PARAMETER,
    "def f(x):\n    for k in range(0):\n        x = x + 1\n    return x * k\nr = f(A)": PARAMETER,
    "def f(x):\n    if 1 > 2:\n        k = 3\n    return x * k\nr = f(A)": PARAMETER,
    "def f(x):\n    y = x * k[0]\n    import numpy as k\n    return y\nr = f(A)": PARAMETER,
    "def f(x):\n    y = abs(x)\n    abs = 3\n    return y\nr = f(A)": "cannot access local variable 'abs'",
    "def g(x):\n    return f(x)\ndef f(x):\n    k *= x\n    return k\nr = g(A)": PARAMETER,
}
# A choice made at run time: both sides are computed, and neither has an effect.
AT_RUN_TIME = {
    "numbers": "r = A * (2.0 if A.sum() > 1 else 3.0)\nfor t in range(3):\n    s = A * (2 if t > 1 else 3)",
    "a function with arrays of its own": G + "r = A * (g(A) if A.sum() > 1 else g(A.T))",
    "within a choice": "r = A * ((1.0 if A.sum() > 9 else 2.0) if A.sum() > 1 else 3.0 if 1 else undefined)",
}
# Of a choice that the run makes, only the side that is taken writes, draws and prints.
EFFECTS = {
    "writes": F + "d = f(x)[0, 0] if A.sum() > 1 else 2.5",
    "would write": F + "d = 2.5 if A.sum() > 1 else f(x)[0, 0]",
    "writes into a view": "v = A[0]\ndef f(x):\n    v[0] = x\n    return x\nd = f(1.0) if A.sum() > 1 else 2.0",
    "writes into a tuple's array":
        "v = (A * 1, 2)\ndef f(x):\n    w = v[0]\n    w += x\n    return x\nd = f(1.0) if A.sum() > 1 else 2.0\nr = v[0] * d",
    "draws": "def f(x):\n    for i in range(2):\n        z = np.random.randn(2)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0",
    "prints": "def f(x):\n    print(x)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0",
    "seeds": "def f(x):\n    np.random.seed(3)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0",
}
REFUSED = {
    "h = []\ndef f(x):\n    h.append(x)\n    return x\nr = f(1.0) if A.sum() > 1 else 2.0": "this one appends to a list",
    "def f(h):\n    h.append(1.0)\n    return 1.0\ng = []\nr = 2.0 if A.sum() > 1 else f(g)": "this one appends to a list",
    "r = A.sum() > 1 and A[0, 0]": "between values of one type",

    "if 3 is not 4:\n    r = A * 1": "'is not' is supported only with None",
    "r = A * 2 if A == None else A": "the truth of an array of shape",
    "r = A * (0 < A < 1)": "np.logical_and",


    "d = 1 if A.sum() > 1 else 2.5\nr = A * d": "one of these is an int and the other a float",
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
    "powers of one exponent": B + "e = np.array(2.0)\nr = (B * 1.0) ** e + A ** e + I ** e + b[0] ** e\n"
                              "for t in range(3, 5):\n    s = (B ** t) * 0.5\nt = np.power(B, e) + B ** np.array([2.0])",
    "dot with a number": "r = np.dot(2, A) + np.dot(A, 0.5) + np.dot(0, 3) + np.dot(0, np.array([1, 2])) + np.dot(A.sum() * 0, A) * A",
    "clip": "r = np.clip(A, -1, 2) + np.clip(A, None, 1)",
}
REFUSED_TYPES = {
    "s[:] += np.ones((1, 3))": r"output operand with shape \(3,\) doesn't match the broadcast shape \(1, ?3\)",
    "M[0] += np.ones((1, 3))": "non-broadcastable output operand", "s[...] += np.ones((1, 3))": "non-broadcastable",
    "s[0:1] += np.ones((1, 1))": "non-broadcastable output operand", "s[0:1] += s": "non-broadcastable",
    "e = np.array(2.0)\nr = B ** e": "depends on whether the exponent is 2.*multiply them by 1.0",
    "r = B ** A[0, 0]": "whether the exponent is 2", "r = B ** np.array(3)": "whether the exponent is 2",
    "r = B ** float(A.sum())": "whether the exponent is 2",
    "r = np.dot(0, A)": "depends on its BLAS; 0 . array", "r = np.dot(A, 0.0)": "BLAS", "r = A.dot(np.sqrt(0.0))": "BLAS",
    "B[:] += A": "Cannot cast .* from dtype.'float64'. to dtype.'bool", "B[:] += 1": "Cannot cast .* from dtype.'int64'. to dtype.'bool",
    "B[:] **= 2": "Cannot cast", "B **= 2": "Cannot cast", "I[:] += 0.5": "Cannot cast .* from dtype.'float64'. to dtype.'int64",
    "I[0:1] /= 2": "Cannot cast",
    "for i in range(-2, 0):\n    r = I ** i": "negative integer powers",
    "for i in range(2):\n    r = A * (1 / i)": "division by zero",
    "for i in range(3):\n    for j in range(3):\n        r = A * (2 / (i - j))": "division by zero",
    "for i in range(3):\n    x = 2.0\n    x /= 2 * i - 4\n    r = A * x": "division by zero",
    "for i in range(-1, 2):\n    r = A * (i ** -1.0)": "0 cannot be raised to a negative power",
    "for i in range(-1, 2):\n    r = A * (i ** 0.5)": "is complex",
    "r = np.linalg.norm(3, axis=0)": "axis 0 is out of bounds for array of dimension 0",
    "r = np.clip(A, -1, np.nan)": "NaN",
    "r = ~s": "expects arrays of booleans", "r = s | s": "expects arrays of booleans",
}


X = "X = np.ones((6, 4)) * np.array([1.0, 2, 3, 4]) + np.array([[0.5], [1], [2], [3], [4], [5]])\n"

class Evaluation(SamePrograms):
    inputs = {"A": A}
    passes = ("none", "all")

    def test_the_side_that_is_not_taken_is_not_evaluated(self):
        self.each(KNOWN)

    def test_choices_at_run_time(self):
        self.each(AT_RUN_TIME)

    def test_unpacking(self):
        self.each(UNPACKED)

    def test_scopes(self):
        self.each(SCOPES)
        self.each_refused({"k = 2\n" + text: says for text, says in REFUSED_SCOPES.items()})

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

    def test_choices_of_which_one_side_does_something(self):
        self.each(EFFECTS)

    def test_refusals(self):
        self.each_refused(REFUSED | {B + text: says for text, says in REFUSED_TYPES.items()})

    def test_were_one_loop(self):
        """Loops that cannot be read once for all iterations, and what they share."""
        self.each({
            "1":
                X + "for i in X:\n"
                "    y = i",
            "2":
                X + "for i in [1, 2]:\n"
                "    y = i",
            "3":
                X + "for i in range(3):\n"
                "    for j in range(i):\n"
                "        y = X",
            "4":
                X + "for i in range(5):\n"
                "    y = X[i:]",
            "5":
                X + "for i in range(3):\n"
                "    y = X[3 * i:3 * i + 3]",
            "6":
                X + "for i in range(-1, 2):\n"
                "    y = X[i]",
            "7":
                X + "for i in range(6):\n"
                "    y = X[i // 2]",
            "8":
                X + "for i in range(6):\n"
                "    y = np.zeros(i)",
            "9":
                X + "for i in range(3):\n"
                "    if i > 1:\n"
                "        y = X",
            "10":
                X + "y = X\n"
                "for i in range(3):\n"
                "    y = y[:, :2]",
            "11":
                X + "y = 'a'\n"
                "for i in range(3):\n"
                "    y = y + 'b'",
            "12":
                X + "for i in range(3):\n"
                "    def f(): pass",
            "13":
                X + "e = []\n"
                "for i in range(3):\n"
                "    e.append(X[0, i])\n"
                "    y = np.mean(e)",
            "14":
                X + "e = []\n"
                "for i in range(3):\n"
                "    e.append(X[i])",
            "15":
                X + "y = X * 1\n"
                "z = y\n"
                "for i in range(3):\n"
                "    z += 1\n"
                "    z = z * 2",
            "16":
                X + "y = X\n"
                "z = y * 1\n"
                "for i in range(2):\n"
                "    for j in range(3):\n"
                "        y[:] = z\n"
                "        y, z = z, y",
            "17":
                X + "y = X * 1\n"
                "z = y\n"
                "w = X * 2\n"
                "for i in range(2):\n"
                "    y, w = w, y\n"
                "for i in range(2):\n"
                "    y[0] = i\n"
                "    y = y * 2",
            "18":
                X + "y = X\n"
                "w = X * 2\n"
                "def f(a, b):\n"
                "    for i in range(3):\n"
                "        a, b = b, a\n"
                "        a += 1\n"
                "    return a\n"
                "z = f(y, w)",
            "19":
                X + "def f(x):\n"
                "    for i in range(2):\n"
                "        return x\n"
                "y = f(X)",
        })

    def test_written_out(self):
        """Loops whose iterations differ, and other Python that is known when the program is read."""
        self.each({
            "0":
                'def f(v):\n'
                '    v += 1\n'
                '    return v * 2\n'
                'x = A * 1\n'
                'for t in range(3):\n'
                '    d = f(x).sum() if t > 1 else x.sum()',
            "1":
                'for t in range(3):\n'
                '    r = A * (t > 1 or 2)',
            "2": 'r = A * (3 if A is A else 4)',
            "3":
                'p = None\n'
                'for t in range(3):\n'
                '    if p is not None:\n'
                '        r = p * 2\n'
                '    p = A',
            "4": 'r = A * (3 in (1, 3))',
            "5":
                'if 3 not in (1, 2):\n'
                '    r = A * 1',
            "6": 'r = A[0] if 3 in (1, 3) else A[1]',
            "7":
                'x = A * 1\n'
                '(x, (x[0], z)) = A, (1, 2)',
            "8":
                'for t in range(3):\n'
                '    r = A * ((t, 1) == (1, 1))',
            "9":
                'for t in range(3):\n'
                '    r = A * (t if t > 1 else 0.5)',
            "10":
                'B = A > 0\n'
                'b = np.array([True, False])\n'
                'I = np.array([2, 3])\n'
                's = np.ones(3)\n'
                'M = np.ones((2, 3))\n'
                'for t in range(1, 4):\n'
                '    r = (B ** t) * 1.0',
            "from both ends":
                'X = np.ones((3, 2))\n'
                'for i in range(3):\n'
                '    y = X[i - 1] * (i + 2)\n'
                '    z = X[i - 1:i]\n'
                '    X[i - 2] += i + y',
        })


if __name__ == "__main__":
    sys.exit(main())
