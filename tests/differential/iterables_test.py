"""Loops over zip, enumerate and islice of generators and of generator expressions, and modules of Python's that are
written in the notation: what programs compute and print with them is Python's.

    iterables_test.py SYMDUMP SYMDUMP_BATCH
"""

import contextlib
import io
import re
import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])
V = np.array([1.5, -2.0, 0.25, 3.0, -0.5])

GENERATORS = '''
def rows(X, size):
    for s in range(0, len(X), size):
        yield X[s:s + size]
def newton(x, tol):
    while abs(x * x - 2) > tol:
        x = 0.5 * (x + 2 / x)
        yield x
def forever(x):
    while True:
        x = x * 0.5 + 1
        yield x
class Counted:
    def __init__(self):
        self.asked = 0
    def items(self, n):
        for i in range(n):
            self.asked += 1
            yield i * 2.0
c = Counted()
w = V * 0
'''

LOOPS = {
    "zip with a range before": "for i, x in zip(range(3), rows(V, 2)):\n    w[:len(x)] += x * i",
    "zip with a range after": "for x, i in zip(rows(V[:4], 2), range(9)):\n    w[:2] = w[:2] * 0.5 + x * i",
    "a shorter array after": "for x, a in zip(c.items(9), V):\n    w += x * a\nr = c.asked * A",
    "a shorter array before": "for a, x in zip(V, c.items(9)):\n    w += x * a\nr = c.asked * A",
    "as long as the range before": "for i, x in zip(range(5), c.items(5)):\n    w += x * i\nr = c.asked * A",
    "nothing before": "for i, x in zip(range(0), c.items(5)):\n    w += x * i\nr = c.asked * A",
    "nothing after": "for x, i in zip(c.items(5), []):\n    w += x * i\nr = c.asked * A",
    "data-dependent": "last = 0.0\nfor i, x in zip(range(4), newton(V[3], 1e-9)):\n    last = last + x * i\nr = last * A",
    "data-dependent, and ends first": "n = 0\nfor x, i in zip(newton(V[3], 1e-2), range(50)):\n    n = n + i\nr = n * A",
    "islice": "import itertools\ns = 0.0\nfor x in itertools.islice(newton(V[0] + 9, 1e-9), 3):\n    s = s * 2 + x\nr = s * A",
    "islice of one without end": "from itertools import islice\ns = 0.0\nfor x in islice(forever(V[0]), 7):\n    s = s * 2 + x\nr = s * A",
    "zip of one without end": "s = 0.0\nfor a, x in zip(V, forever(V[0])):\n    s = s * a + x\nr = s * A",
    "enumerate of zip": "for k, (a, x) in enumerate(zip(V, c.items(5)), start=2):\n    w += k * a * x",
    "zip of enumerate": "for (k, x), a in zip(enumerate(c.items(5), 1), V):\n    w += k * a * x",
    "zip of two generators": "for x, y in zip(rows(V[:4], 2), rows(A[0], 1)):\n    w[:2] += x * y",
    "break and continue": "for i, x in zip(range(9), c.items(9)):\n    if i == 1:\n        continue\n    if x > 7:\n        break\n    w += x\nr = c.asked * A",
    "a break that depends on data": "for a, x in zip(V, c.items(9)):\n    if a * x > 5:\n        break\n    w += x * a",
    "else": "for i, x in zip(range(3), c.items(2)):\n    w += x\nelse:\n    w = w * 3",
    "a generator that has begun": "g = c.items(5)\nnext(g)\nfor i, x in zip(range(3), g):\n    w += x * i\nr = next(g) * A",
    "a list and a generator": "for name, x in zip(['a', 'b', 'a'], c.items(3)):\n    w += x * (2 if name == 'a' else 3)",
    "strict": "for i, x in zip(range(3), c.items(3), strict=True):\n    w += x * i",
    "an __iter__ with effects": "class L:\n    def __init__(self):\n        self.begun, self.at = 0, 0\n    def __iter__(self):\n        self.begun += 1\n        self.at = 0\n        return self\n"
                                "    def __next__(self):\n        if self.at == 3:\n            raise StopIteration\n        self.at += 1\n        return V[self.at] * self.begun\nl = L()\nfor k in range(2):\n    for x in l:\n        w += x\n"
                                "for k, x in zip(range(2), l):\n    w = w * 0.5 + x\nr = l.begun * A",
    "an expression": "for x in (np.tanh(v) for v in V):\n    w += x",
    "an expression of two clauses": "s = 0.0\nfor x in (v * k for v in V for k in range(3) if k != 1):\n    s = s * 0.5 + x\nr = s * A",
    "an expression that filters by values": "s = 0.0\nfor x in (v * 2 for v in V if v > 0):\n    s = s * 0.5 + x\nr = s * A",
    "enumerate of an expression": "for i, x in enumerate(np.tanh(v) for v in V):\n    w = w * 0.5 + i * x",
    "zip of expressions": "s = 0.0\nfor x, y in zip((v + 1 for v in V), (v * v for v in V)):\n    s = s * 0.5 + x * y\nr = s * A",
    "an expression's names": "v = 7.0\nfor x in (v * 2 for v in V):\n    w += x\nr = v * A",
    "what an expression refers to changes": "k = 1.0\nfor x in (k * v for v in V):\n    k = k + x\nr = k * A",
    "an expression in a function": "def f(X):\n    t = 0.0\n    for i, x in enumerate(r @ r for r in X):\n        t = t * 2 + i * x\n    return t\nr = f(A) * A",
    "an expression in a generator": "def g(X):\n    for x in (r.sum() for r in X):\n        yield x\nfor i, x in zip(range(2), g(A)):\n    w += x * (i + 1)",
}

STAYING = {
    "zip of a generator": "X: (N, 3)\nw = np.zeros(3)\ndef g(X):\n    for i in range(len(X)):\n        yield X[i]\nfor i, x in zip(range(len(X)), g(X)):\n    w = w * 0.5 + i * x",
    "zip of two generators": "X: (N, 3)\nw = np.zeros(3)\ndef g(X):\n    for i in range(len(X)):\n        yield X[i]\nfor x, y in zip(g(X), g(X * 2)):\n    w = w * 0.5 + y * x",
    "enumerate of an expression": "X: (N, 3)\nw = np.zeros(3)\nfor i, x in enumerate(np.tanh(r) for r in X):\n    w = w * 0.5 + i * x",
    "a seed that counts": "seed = 3\nw = np.zeros(3)\nfor i in range(N):\n    seed += 2\n    np.random.seed(seed)\n    w = w + np.random.rand(3)",
    "a seed under a dictionary that changes": "X: (3,)\ndef f(v):\n    for k in v:\n        v[k] = v[k] * 0.5 + X\n    return v\nv = {'a': np.zeros(3)}\nfor i in range(N):\n    np.random.seed(i)\n    v = f(v)\n    v['a'] = v['a'] * np.random.rand()",
    "a generator that a name holds": "X: (N, 3)\nw = np.zeros(3)\ndef g(X):\n    for i in range(len(X)):\n        yield X[i]\nit = g(X)\nfor x in it:\n    w = w * 0.5 + x",
}

ENUMS = '''
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto
class Color(str, Enum):
    RED = "red"
    BLUE = "blue"
    CRIMSON = "red"
class Level(IntEnum):
    LOW = 1
    HIGH = 3
class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
class Bits(IntFlag):
    A = 1
    B = 2
class Unit(StrEnum):
    KG = auto()
class Size(int, Enum):
    S = 1
'''

PRINTED = {
    "enums of strings": ENUMS + "print(Color.RED == 'red', Color.RED, f'{Color.RED}', repr(Color.RED), Color.RED.value, Color.RED + 'x', Color.RED.upper(), len(Color.BLUE))\n"
                        "print([c.name for c in Color], Color('blue') is Color.BLUE, Color.CRIMSON is Color.RED, isinstance(Color.RED, str), {Color.RED: 1}[Color.RED])\n"
                        "print(Unit.KG, f'{Unit.KG:>4}', repr(Unit.KG), Size.S, Size.S + 1)\n",
    "enums of ints": ENUMS + "print(Level.LOW + 1, Level.LOW < Level.HIGH, max(Level), [10, 20, 30, 40][Level.HIGH], f'{Level.LOW}', [p.name for p in Level], Level(3).name)\n",
    "flags": ENUMS + "p = Perm.R | Perm.W\nprint(p, repr(p), p.value, p == Perm.RW, p is Perm.RW, Perm.R in p, Perm.X in p, bool(p & Perm.X), (p ^ Perm.R).name, ~Perm.X == p, [x.name for x in Perm])\n"
             "print(Perm.R & Perm.X, repr(Perm(0)), Perm(5), Perm.X.value, Bits.A | Bits.B, (Bits.A | Bits.B) + 1, isinstance(p, Flag))\n",
    "singledispatch": "from functools import singledispatch, reduce\nimport functools\n@singledispatch\ndef f(x, k=1):\n    return f'other {k}'\n@f.register\ndef _(x: int, k=1):\n    return x + k\n"
                      "@f.register(list)\ndef g(x, k=1):\n    return len(x) * k\nclass B:\n    pass\nclass C(B):\n    pass\nf.register(B, lambda x, k=1: 'B')\n@f.register\ndef _(x: np.ndarray, k=1):\n    return x.shape\n"
                      "print(f(3), f(3, k=4), f([1, 2], 3), f(C()), f(np.eye(2)), f('a', 2), g([1]), reduce(lambda a, b: a * b, [2, 3]), functools.reduce(max, [2, 3]))\n",
    "fractions": "from fractions import Fraction\na, b = Fraction(1, 3), Fraction(3, 4)\nprint(a + b, a * b, a - b, a / b, float(a + b), a < b, (a + b).numerator, repr(a), abs(a - b), a ** 2, a ** -2, a + 1, 1 - a, 2 / b)\n"
                 "print(Fraction('3/8'), Fraction(0.125), Fraction(6, -4), Fraction(2.5), Fraction(22, 7).limit_denominator(5), sum([a, b, a]), max(a, b), b // a, b % a, a == Fraction(2, 6), b > 0.5, int(Fraction(-7, 2)))\n"
                 "try:\n    Fraction(1, 0)\nexcept ZeroDivisionError as e:\n    print(e)\n",
    "re": "import re\nt = 'x=3.5, y=-2, z=10'\nprint(re.findall(r'-?\\d+\\.?\\d*', t), re.findall(r'(\\w)=(\\S+?),', t), re.sub(r'\\d', '#', t), re.split(r',\\s*', t), re.split('(,)', t, maxsplit=1))\n"
          "m = re.match(r'(?P<k>\\w+)=(?P<v>[\\d.]+)', t)\nprint(m.group(), m.group(1, 2), m['v'], m.groups(), m.groupdict(), m.span('v'), m.start(), m.end(), m)\n"
          "p = re.compile(r'(?P<k>\\w)=(?P<v>-?[\\d.]+)')\nprint({m['k']: float(m['v']) for m in p.finditer(t)}, p.sub(r'\\g<v>:\\1', t), p.search('none'), p.sub(lambda m: m['k'].upper(), t, count=2), p.fullmatch('a=1')['v'])\n"
          "print(re.findall(r'a|', 'aab'), re.findall(r'|a', 'aa'), re.split(r'x*', 'axbc'), re.sub(r'x*', '-', 'abxd'), re.sub(r'(a)|b', r'[\\1]', 'ab'))\n"
          "print(re.findall(r'(?i)the\\b', 'The THEN the'), re.findall(r'^\\w', 'ab\\ncd', re.M), re.findall(r'(?<=\\$)\\d+(?!\\d|\\.)', '$12 $3.5 7'), re.findall(r'(\\w)\\1', 'aabccd'), re.findall(r'<.+?>', '<a><b>'), re.findall(r'a.c', 'a\\nc', re.DOTALL))\n"
          "print(re.findall(r'[^a-c\\s]{2,3}', 'xyzw abc de'), re.findall(r'(?:ab){2,}', 'ababab ab'), re.findall(r'[]-]', 'a-]'), re.escape('a.b*c'), re.findall(r'x{,2}y', 'xxxy'), re.findall(r'(a*)*b', 'aab'), re.subn('a', 'b', 'aca'))\n",
    "names of types": "import math\nprint(type(np.float64(1)).__name__, type(3).__name__, type([]).__name__, np.tanh.__name__, np.abs.__name__, math.sqrt.__name__, int.__name__)\n",
    "keys of one item": "d = {('a',): 1, 'a': 2, ('a', 'b'): 3}\nd['c',] = 4\nprint(d[('a',)], d['a'], d['a', 'b'], d[('c',)], list(d))\nx = np.arange(3.0)\nx[(1,)] = 7\nx[2,] += 1\nprint(x[(1,)], x[2,])\n",
    "counters by tuples": "from collections import Counter, defaultdict\nclass M:\n    def __init__(self):\n        self.t = defaultdict(Counter)\nm = M()\nfor a, b in ['xy', 'xz', 'xy', 'yx']:\n    m.t[(a,)][b] += 1\nprint(m.t[('x',)].most_common(1), dict(m.t['y',]), len(m.t))\n",
}


class Iterables(SamePrograms):
    inputs = {"A": A, "V": V}

    def test_loops(self):
        self.each({name: GENERATORS + program for name, program in LOOPS.items()})

    def test_a_list_that_changes_in_the_loop_over_it(self):
        self.each({"a list that grows": GENERATORS + "l = [1.0]\nfor v, x in zip(l, c.items(5)):\n    w += v * x\n    l.append(x)\nn = len(l)"})

    def test_a_loop_stays_a_loop(self):
        """Of two lengths the list has as many statements."""
        def count(program, n):
            text = "import numpy as np\n" + program.replace("N", str(n))
            return re.search(rb"# ([\d,]+) statements", self.symdump(self.file(text + "\n")).stdout).group(1)

        for name, program in STAYING.items():
            self.assertEqual(count(program, 40), count(program, 400), name)

    def test_what_is_printed(self):
        for name, program in PRINTED.items():
            text = "import numpy as np\n" + program
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(text, {"__name__": "__main__"})  # pylint: disable=exec-used
            ran = self.symdump("--run=npmat", "--precision", "64", self.file(text)).stdout.decode()
            self.assertTrue(ran.startswith(printed.getvalue()), f"{name}: {ran}\n{printed.getvalue()}")


if __name__ == "__main__":
    sys.exit(main())
