"""Classes, objects, generators and exceptions, as Python has them: what programs compute with them has NumPy's values.

    classes_test.py SYMDUMP SYMDUMP_BATCH
"""

import re
import sys
import time

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])
V = np.array([1.5, -2.0, 0.25, 3.0, -0.5])

MODEL = '''
class Model:
    rate = 0.5
    def __init__(self, n):
        self.w = np.zeros(n)
        self.b = 0.0
        self.best = None
        self.history = []
    def step(self, x):
        self.w += self.rate * x
        self.b += x.sum()
        self.history.append(x.max())
        return self
    def watch(self, x):
        if x.sum() > 2:
            self.b = self.b * 2
            self.best = x * 3
    def reset(self):
        self.w = np.ones(len(self.w))
m = Model(3)
'''

ATTRIBUTES = {
    "a loop changes them": "for i in range(5):\n    m.step(A[0] * i)\nw = m.w\nb = m.b\nh = np.array(m.history)",
    "a while loop": "while m.b < 40:\n    m.w += A[0]\n    m.b = m.b + m.w.sum()\nw = m.w\nb = m.b",
    "a condition at run time": "for i in range(3):\n    m.watch(A[i % 2])\nb = m.b",
    "None until a condition holds": "m.watch(A[0])\nr = 0.0\nif m.best is not None:\n    r = m.best.sum()",
    "bound anew": "m.step(A[0])\nold = m.w\nm.reset()\nm.step(A[1])\nw = m.w",
    "shared": "w = m.w\nm.step(A[1])\nn = Model(3)\nn.w = m.w\nn.step(A[0])\ns = m.w + n.w",
    "written from outside": "m.w[1] = 7\nm.w[m.w > 1] -= 2\nm.b += 1\nm.c = m.w * m.b\nr = m.c",
    "of the class": "Model.rate = 2.0\nm.step(A[0])\nm.rate = 0.25\nm.step(A[0])\nn = Model(3).step(A[0])\nw = m.w\nv = n.w",
    "in a list": "ms = [Model(3) for _ in range(3)]\nfor i, each in enumerate(ms):\n    each.step(A[0] * (i + 1))\n"
                 "r = sum(each.w for each in ms)\nt = [each.b for each in ms][1]",
    "asked for": "r = np.array([hasattr(m, 'w'), hasattr(m, 'q'), isinstance(m, Model), getattr(m, 'q', 3) == 3])\n"
                 "setattr(m, 'q', A * 2)\ns = m.q\ndel m.q\nt = 1.0 * hasattr(m, 'q')\nu = len(vars(m)) * 1.0",
    "copies": "import copy\nm.step(A[0])\nn = copy.copy(m)\nd = copy.deepcopy(m)\nm.w += 1\nr = n.w - d.w\nn.b = 9.0\ns = m.b + d.b",
    "an object at each iteration": "t = np.zeros(3)\nfor i in range(4):\n    k = Model(3)\n    k.step(A[0] * i)\n    k.step(A[1])\n    t += k.w * k.b",
    "of the class, in a loop": "class C:\n    count = 0\n    def __init__(self):\n        C.count += 1\n        self.k = C.count\n"
                               "s = 0.0\nfor i in range(4):\n    s = s * 2 + C().k\nr = C.count * A",
    "first read from the class": "class C:\n    n = 1\n    def up(self):\n        self.n = self.n * 2\nc = C()\nfor i in range(5):\n    c.up()\n"
                                 "r = c.n * A\ns = C.n * A",
}

INHERITANCE = '''
from abc import ABC, abstractmethod
class Base(ABC):
    k = 1.0
    def __init__(self, a):
        self.a = a
    @abstractmethod
    def f(self, x):
        raise NotImplementedError
    def g(self, x):
        return self.f(x) + self.k
    @property
    def size(self):
        return self.a * 2
    @size.setter
    def size(self, value):
        self.a = value / 2
    @staticmethod
    def twice(x):
        return 2 * x
    @classmethod
    def make(cls, *args, **kwargs):
        return cls(*args, **kwargs)
class Left(Base):
    k = 10.0
    def f(self, x):
        return self.twice(x) * self.a
class Right(Base):
    def __init__(self, a, b=3):
        super().__init__(a)
        self.b = b
    def f(self, x):
        return x - self.b
class Both(Left, Right):
    def __init__(self, a):
        super().__init__(a)
        self.c = a
    def f(self, x):
        return super().f(x) + super(Left, self).f(x)
'''

CLASSES = {
    "methods": "r = Left(2).g(A)\ns = Right.make(1, b=2).g(A)",
    "the order of bases": "o = Both(4)\nr = o.g(A) + o.b\ns = np.array([isinstance(o, Right), issubclass(Both, Left), type(o) is Both])",
    "properties": "o = Left(2)\no.size = 10\no.size += 2\nr = o.f(A) + o.size",
    "by name": "kinds = {'left': Left, 'right': Right}\nr = sum(kinds[k](2).g(A) for k in ['left', 'right', 'left'])\n"
               "s = len(type(Both(1)).__name__) * 1.0",
}

OPERATORS = '''
class Vec:
    def __init__(self, *xs):
        self.x = np.array(xs, dtype=float)
    def __add__(self, other):
        return Vec(*(self.x + (other.x if isinstance(other, Vec) else other)))
    __radd__ = __add__
    def __mul__(self, k):
        return Vec(*(self.x * k))
    def __rmul__(self, k):
        return self * k
    def __neg__(self):
        return -1 * self
    def __iadd__(self, other):
        self.x += other.x
        return self
    def __matmul__(self, other):
        return float((self.x * other.x).sum())
    def __getitem__(self, i):
        return self.x[i]
    def __setitem__(self, i, value):
        self.x[i] = value
    def __len__(self):
        return len(self.x)
    def __eq__(self, other):
        return len(self) == len(other)
    def __lt__(self, other):
        return len(self) < len(other)
    def __contains__(self, k):
        return k == 1
    def __iter__(self):
        return iter(self.x)
    def __call__(self, y):
        return self.x * y
    def __bool__(self):
        return len(self) > 2
a = Vec(1, 2, 3)
b = Vec(A[0, 1], 0, 2)
'''

SPECIAL = {
    "arithmetic": "r = (a + b * 2).x\ns = (3 * -a + 1).x\nt = a @ b\nu = (5 + a).x\nv = sum([a, b], Vec(0, 0, 0)).x",
    "in place": "c = a\nfor i in range(3):\n    a += b\nr = c.x\na[1] = 9\na[0] += 4\ns = a.x\nt = c[1:]",
    "questions": "r = np.array([a == b, a != Vec(1), a < Vec(1, 2, 3, 4), Vec(1) > a, 1 in a, 7 in a, bool(a), not Vec(1), len(a)])",
    "as a function": "r = a(2) + a(A[1])\nf = a\ns = [g(1)[0] for g in (a, b, f)][1]",
    "iterated over": "r = sum(x * 2 for x in a)\np, q, t = b\ns = 0.0\nfor x in a:\n    s = s * 2 + x\nu = np.array(list(a))",
    "a choice of Python's": "r = A * (1 if a else 2)\ns = A * (1 if Vec(1) else 2)\nwhile a:\n    a = Vec(1)\nt = a.x",
}

KINDS = {
    "dataclasses": "from dataclasses import dataclass, field, replace, asdict\n@dataclass\nclass P:\n    x: np.ndarray\n    k: float = 2.0\n"
                   "    l: list = field(default_factory=list)\n    def __post_init__(self):\n        self.y = self.x * self.k\n"
                   "p = P(A)\nq = replace(p, k=3.0)\np.l.append(1)\nr = q.y + p.k + len(q.l)\ns = asdict(p)['k'] * A\nt = A * (P(1, 2) == P(1, 2))",
    "named tuples": "from collections import namedtuple\nfrom typing import NamedTuple\nS = namedtuple('S', 'x v')\nclass T(NamedTuple):\n    a: float\n"
                    "    b: float = 4.0\ns = S(A, 2.0)\nx, v = s\nr = x * v + s.x + s[1]\nu = s._replace(v=5.0).v * A\nt = T(1.0)\nw = (t.a + t.b) * A + len(t)",
    "namespaces": "from types import SimpleNamespace\nc = SimpleNamespace(k=2, w=A)\nc.w = c.w * c.k\nr = c.w",
    "enums": "from enum import Enum, IntEnum, auto\nclass E(Enum):\n    ONE = 1\n    TWO = 'b'\nclass I(IntEnum):\n    X = auto()\n    Y = auto()\n"
             "d = {E.ONE: A, E.TWO: A * 2}\nr = d[E('b')] + d[E.ONE] * E.ONE.value\ns = A * (E.ONE is E(1)) + len(E) + I.Y + len(E.TWO.name)",
    "closures": "class C:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self, x):\n        return self.f(x)\n"
                "def scaled(k):\n    def g(x):\n        return x * k\n    return g\nr = C(scaled(3))(A) + C(lambda x: x + 1)(A)",
    "trees": "class N:\n    def __init__(self, v, left=None, right=None):\n        self.v, self.left, self.right = v, left, right\n"
             "    def total(self):\n        s = self.v\n        for c in (self.left, self.right):\n            if c is not None:\n                s = s + c.total()\n"
             "        return s\nt = N(A, N(A * 2, N(A * 3)), N(A * 4))\nr = t.total()\nt.left.v = A * 0\ns = t.total()",
    "context managers": "log = []\nclass M:\n    def __enter__(self):\n        log.append(1.0)\n        return self\n    def __exit__(self, *a):\n"
                        "        log.append(2.0)\nfrom contextlib import contextmanager\n@contextmanager\ndef g(k):\n    log.append(k)\n    yield k * 2\n"
                        "    log.append(k * 3)\nwith M() as m, g(5.0) as k:\n    log.append(k)\nr = np.array(log)",
    "decorators": "import functools\ndef twice(f):\n    @functools.wraps(f)\n    def g(*args, **kwargs):\n        return 2 * f(*args, **kwargs)\n    return g\n"
                  "@twice\ndef h(x, k=1):\n    return x + k\nr = h(A, k=3)\n@functools.lru_cache(maxsize=None)\ndef fib(n):\n"
                  "    return n if n < 2 else fib(n - 1) + fib(n - 2)\ns = fib(60) * A",
    "globals": "count = 0\ntotal = np.zeros(3)\ndef f(x):\n    global count, total\n    count += 1\n    total = total + x\n    return x.sum() > 2\n"
               "for i in range(4):\n    if f(A[i % 2]):\n        f(A[0] * i)\nr = total * 1\ns = count * A",
    "sets": "s = set()\nfor k in [3, 1, 3, 2]:\n    if k not in s:\n        s.add(k)\ns.discard(1)\nt = s\nt.add(9)\nr = len(s) * A + sum(sorted(s))",
    "a deque of at most": "from collections import deque\nd = deque([1.0, 2.0], maxlen=3)\nfor i in range(4):\n    d.append(i * A[0, 0])\nd.appendleft(7.0)\n"
                          "r = np.array(list(d))",
}

GENERATORS = {
    "a list that grows in zip": "def g(n):\n    for i in range(n):\n        yield i * 1.5\nl = [1.0, 2.0]\nt = 0.0\nfor a, b in zip(l, g(6)):\n    t += a * b\n"
                                "    if len(l) < 5:\n        l.append(a + b)\nr = A * t\ns = A * len(l)",
    "batches": "def batches(x, n):\n    for i in range(0, len(x), n):\n        yield x[i:i + n]\nt = 0.0\nfor e in range(3):\n"
               "    for b in batches(V, 2):\n        t = t * 0.5 + b.sum()\nr = [b * 2 for b in batches(V, 2)][2]\ns = sum(b.sum() for b in batches(V, 3))",
    "state": "def count(k):\n    n = 0\n    while True:\n        n += k\n        yield n\ng = count(2)\na = next(g)\nb = next(g) + next(g)\nr = A * a + b",
    "what the consumer changes": "w = np.zeros(3)\nclass C:\n    k = 1\nc = C()\ndef g():\n    for i in range(4):\n        yield w * c.k + i\n"
                                 "t = np.zeros(3)\nfor x in g():\n    t = t + x\n    w += 1\n    c.k = c.k + 1",
    "yield from": "def a(n):\n    for i in range(n):\n        yield i\ndef b():\n    yield 10\n    yield from a(3)\n    yield from [7, 8]\nr = np.array(list(b())) * V[0]",
    "zip and enumerate": "def g():\n    for i in range(100):\n        yield V * i\nr = 0\nfor i, x in enumerate(g(), 1):\n    if i > 3:\n        break\n    r = r + i * x\n"
                         "s = 0\nfor k, x in zip([5, 6], g()):\n    s = s + k * x",
    "left early": "def g():\n    for i in range(5):\n        if i == 3:\n            return\n        yield i\nr = A * sum(g())\nfor x in g():\n    if x == 1:\n        break\n"
                  "else:\n    x = 50\ns = A * x",
    "next with a default": "g = (x * 2 for x in [1, 2])\ndef e():\n    if False:\n        yield 1\nr = A * next(e(), 9)\ni = iter([1, 2])\ns = A * next(i) + next(i) + next(i, 5)",
    "classes that iterate": "class R:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        self.i = 0\n        return self\n    def __next__(self):\n"
                            "        if self.i >= self.n:\n            raise StopIteration\n        self.i += 1\n        return self.i\nr = A * sum(R(4))\nt = 0\n"
                            "for a in R(2):\n    for b in R(3):\n        t = t * 3 + a * b\ns = t * A",
    "methods that yield": "class T:\n    def __init__(self, v, *kids):\n        self.v, self.kids = v, kids\n    def walk(self):\n        yield self.v\n        for k in self.kids:\n"
                          "            yield from k.walk()\nt = T(1, T(2, T(3)), T(4))\nr = A * sum(v * 10 ** i for i, v in enumerate(t.walk()))",
    "draws in their order": "np.random.seed(3)\ndef g():\n    for i in range(3):\n        yield i * 1.0\nr = 0\nfor x in g():\n    r = r * 2 + x * V",
}

INLINED = {
    "a break at run time": "def g():\n    yield from [1, 2, 3]\nfor v in g():\n    if A[0, v % 2] > 2:\n        break\nr = A * v",
    "a shorter last batch": "def batches(X, y, size):\n    order = np.argsort(X[:, 0])\n    for s in range(0, len(X), size):\n        idx = order[s:s + size]\n        yield X[idx], y[idx]\n"
        "X = np.outer(V, A[0])\nw = np.zeros(3)\nfor epoch in range(5):\n    for xb, yb in batches(X, V, 2):\n        w -= 0.01 * xb.T @ (xb @ w - yb) / len(xb)",
    "a loop with statements after it": "def g(n):\n    t = 0.0\n    for i in range(n):\n        yield V * i\n        t = t + V[i]\n    yield V * t\n    t = t * 2\nr = np.zeros(5)\n"
        "for x in g(4):\n    if x[0] > 4:\n        continue\n    r = r * 0.5 + x\nfor x in g(5):\n    if x.sum() > 9:\n        break\n    r += x",
    "two loops": "def g(n):\n    for i in range(n):\n        for j in range(3):\n            if j == 2 and i == 1:\n                break\n            yield i, A[0, j] * i\n        else:\n            yield 10, V[i]\n"
        "r = 0.0\nfor i, x in g(4):\n    if x > 8 and i < 5:\n        break\n    r = r * 1.5 + x * i\nelse:\n    r = r + 100\n"
        "s = 0.0\nfor i, x in g(2):\n    if x > 80:\n        break\n    s = s * 1.5 + x * i\nelse:\n    s = s + 100",
    "it ends at run time": "def g(v):\n    while True:\n        v = v * 1.5\n        if v.sum() > 40:\n            return\n        yield v\n        if v[0] > 20:\n            break\n"
        "r = np.zeros(5)\nn = 0\nfor x in g(V):\n    r += x\n    n += 1\ns = n * A",
    "it yields at run time": "def g(x):\n    for i in range(5):\n        if x[i] > 0:\n            yield x[i] * i\n        else:\n            yield -1.0\nr = 0.0\nfor v in g(V):\n    r = r * 2 + v",
    "enumerate": "def g(n):\n    for i in range(n):\n        yield V[i]\nr = 0.0\nfor k, v in enumerate(g(5)):\n    r = r * 2 + v * k\n"
        "for k, v in enumerate(g(4), start=3):\n    if v > 1:\n        continue\n    r = r + k\ns = k * A",
    "a return in the loop": "def g():\n    for i in range(5):\n        yield V[i], i\ndef f(t):\n    for v, i in g():\n        if v > t:\n            return v * 10 + i\n    return -1.0\n"
        "def h(t):\n    n = 0\n    for v, i in g():\n        if i == 3:\n            return n\n        n += v * t\nr = f(1.0) * A\ns = f(2.0) + f(5.0) * A + h(A[0, 0])",
    "an object that yields": "class L:\n    def __init__(self, X, n):\n        self.X, self.n, self.seen = X, n, 0\n    def __iter__(self):\n        for i in range(0, len(self.X), self.n):\n            self.seen += 1\n            yield self.X[i:i + self.n]\n"
        "l = L(V, 1)\nt = 0.0\nfor e in range(3):\n    for k, x in enumerate(l):\n        t = t * 0.9 + x.sum() * k\nr = t * A + l.seen",
    "a method": "class M:\n    def __init__(self):\n        self.w = np.zeros(3)\n    def pairs(self, X):\n        for x in X:\n            yield x, x.sum()\n    def fit(self, X):\n        for e in range(4):\n            for x, s in self.pairs(X):\n                self.w = self.w * 0.5 + x * s\n        return self\n"
        "w = M().fit(A).w",
    "one over another": "def a(n):\n    for i in range(n):\n        yield V[i]\n        yield V[i] * 2\ndef b(n):\n    for v in a(n):\n        if v > 5:\n            return\n        yield v + 1\n    yield 7.0\ndef c(n):\n    yield from b(n)\n    yield from a(2)\n"
        "r = 0.0\nfor v in c(3):\n    r = r * 1.5 + v\ns = 0.0\nfor v in c(5):\n    if s > 20:\n        break\n    s = s * 1.5 + v\n"
        "t = 0.0\nfor i, v in enumerate(b(4)):\n    for w in a(2):\n        if w > v:\n            break\n        t = t + w * i\n    else:\n        t = t * 2",
    "no name of it is one of the loop's": "i = 5\nx = A[0]\ndef g(n):\n    for i in range(n):\n        x = V * i\n        yield x\nr = 0\nfor k in g(3):\n    r = r + k * i + x[0]\n",
    "a name of the function around the loop": "k = 2.0\ndef g():\n    for i in range(3):\n        yield V[i] * k\ndef f(k):\n    t = 0.0\n    for v in g():\n        t = t + v * k\n    return t\nr = f(5.0) * A",
    "a generator that is kept": "def g():\n    for i in range(5):\n        yield V[i]\nit = g()\nr = 0.0\nfor i, v in enumerate(it):\n    r = r + v\n    if i == 2:\n        break\ns = next(it) * A",
    "an array that changes between": "def g(n):\n    x = np.zeros(3)\n    for i in range(n):\n        x += A[0]\n        yield x\nr = np.zeros(3)\nfor x in g(4):\n    r += x\n    x[0] = 1.0\nlast = x * 1.0",
    "draws": "rng = np.random.default_rng(0)\ndef g(n):\n    for i in range(n):\n        yield rng.random(3)\nr = np.zeros(3)\nfor e in range(2):\n    for x in g(3):\n        r = r * 0.5 + (x < 2)\nx = 0",
    "the last item and what it was before": "def g(n):\n    for i in range(n):\n        yield V[i]\nv = 3.0\nfor v in g(0):\n    pass\nr = v * A\nfor v in g(3):\n    pass\ns = v * A",
    "within a condition": "def g(n):\n    for i in range(n):\n        yield V[i]\nr = 0.0\nif A[0, 0] > 0:\n    for v in g(4):\n        if v < 0:\n            continue\n        r = r + v\nelse:\n    for v in g(2):\n        r = r - v\ns = r * A",
    "in a function that yields": "def g(n):\n    for i in range(n):\n        yield V[i]\ndef h(n):\n    for v in g(n):\n        yield v\n        for w in g(2):\n            yield w * v\n"
        "r = sum(h(3)) * A\ns = next(h(2)) * A\nt = 0.0\nfor x in h(3):\n    t = t * 0.5 + x",
    "defined in the function": "def f(x, n):\n    k = x[0]\n    def g(m):\n        for i in range(m):\n            yield x * i * k\n    t = 0\n    for v in g(n):\n        t = t + v\n    k = 7.0\n    for v in g(n):\n        t = t + v\n    return t\nr = f(V, 3)",
    "comprehensions in it": "def g(n):\n    for i in range(n):\n        x = [V[j] * i for j in range(3)]\n        yield np.array(x), [u for u in x][0]\nr = 0\nfor j, u in g(3):\n    r = r + j * u",
    "losses beside it": "def g(n):\n    for i in range(n):\n        yield V[i:i + 2]\nlosses = []\nw = np.zeros(2)\nfor e in range(6):\n    total = 0.0\n    for b in g(3):\n        w = w * 0.9 + b\n        total += np.sum(w ** 2)\n    losses.append(total)\nr = np.array(losses)",
}

CARRIED = {
    "a knapsack": "ws, vs = [3, 4, 2, 5], [4.0, 5.0, 3.0, 7.0]\nd = np.zeros((5, 11))\nfor i in range(1, 5):\n    for w in range(11):\n        if ws[i - 1] <= w:\n"
                  "            d[i, w] = max(d[i - 1, w], d[i - 1, w - ws[i - 1]] + vs[i - 1])\n        else:\n            d[i, w] = d[i - 1, w]\nr = d * 1",
    "edges": "u = np.arange(30.0).reshape(6, 5) ** 2\nv = u * 0\nfor i in range(6):\n    for j in range(5):\n        if 0 < i < 5 and j != 0 and j < 4:\n"
             "            v[i, j] = u[i - 1, j] + u[i, j + 1]\n        elif i >= 3 and not j:\n            v[i, j] = -u[i, j]\n        else:\n            v[i, j] = u[i, j] * i\nr = v * 1\nlast = i + 10 * j",
    "arrays in a list": "h = [V]\ny = V\nfor i in range(6):\n    y = y * 0.5 + i\n    h.append(y)\nr = np.array(h)\ns = h[-1] + h[2]\nt = sum(h)\nn = len(h)\nu = np.concatenate(h)",
    "copies in a list": "h = []\ny = V.copy()\nfor i in range(6):\n    y += i\n    h.append(y.copy())\ny[0] = 7\nh[3][1] = 5\nr = np.array(h)\ns = np.vstack(h)\nt = max(h[2])",
    "arrays that are written later": "h = []\ny = V.copy()\nfor i in range(4):\n    h.append(y)\n    y += i\nr = np.array(h)",
    "matrices in a list of an object": "class C:\n    def __init__(self):\n        self.h = []\n    def add(self, x):\n        self.h.append(x)\nc = C()\nfor i in range(5):\n"
                                       "    c.add(A * i)\nr = np.stack(c.h)\ns = np.mean(c.h, axis=0)\nt = [m[0] for m in c.h]",
    "lists of arrays in two loops": "h = []\nfor i in range(3):\n    for j in range(4):\n        h.append(A[0] * i + j)\n    k = []\n    for j in range(2):\n        k.append(V * j)\n"
                                    "    s = np.array(k)\nr = np.array(h)\nt = h[5]",
    "integers in a list": "n = np.arange(3)\nh = []\nfor i in range(5):\n    n = n + i\n    h.append(n)\nr = np.array(h) // 2\ns = h[2] % 3",
    "arrays of other shapes": "h = []\nfor i in range(4):\n    h.append(np.ones(i + 1))\nr = np.concatenate(h)",
    "a dictionary of parameters": "p = {'w': np.zeros(3), 'b': 0.0}\nfor i in range(8):\n    p['w'] = p['w'] * 0.5 + A[i % 2]\n    p['b'] = p['b'] - 0.1 * p['w'].sum()\nr = p['w'] * p['b']",
    "of an object, by a loop over its keys": "class O:\n    def __init__(self, p):\n        self.p = p\n        self.m = {k: np.zeros_like(v) for k, v in p.items()}\n        self.t = 0\n    def step(self, g):\n        self.t += 1\n"
        "        for k in self.p:\n            self.m[k] = 0.9 * self.m[k] + 0.1 * g[k]\n            self.p[k] = self.p[k] - self.m[k] / (1 - 0.9 ** self.t)\n"
        "p = {'w': np.ones(3), 'b': np.zeros(2)}\no = O(p)\nlosses = []\nfor i in range(7):\n    o.step({'w': A[0] * p['w'], 'b': p['b'] - 1})\n    losses.append(p['w'].sum())\nr = o.p['w'] + o.m['w']\ns = p['b']\nl = np.array(losses)",
    "one list under several names": "a = [np.zeros(3), np.ones(3)]\nb = a\nclass H:\n    pass\nh = H()\nh.l = a\nd = {'k': a}\nfor i in range(6):\n    b[0] = b[0] + A[0]\n    h.l[1] = a[0] * 2 + d['k'][1]\nr = a[0] + b[1]\ns = h.l[0] - d['k'][1]",
    "a list of weights": "W = [np.eye(3), np.ones((3, 2))]\nlr = 0.1\nfor e in range(5):\n    h = A @ W[0]\n    g = [A.T @ h, h.T @ (h @ W[1])]\n    for i in range(2):\n        W[i] = W[i] - lr * g[i] / 100\nr = W[0]\ns = W[1]",
    "in place and anew": "p = [np.zeros(3), np.zeros(3)]\nq = p[0]\nfor i in range(4):\n    p[0] += A[0]\n    p[1] = p[1] * 0.5 + p[0]\nr = q * 1\ns = p[1] + p[0]",
    "what an item was before stays": "p = {'w': np.zeros(3)}\nold = p['w']\nfor i in range(4):\n    p['w'] = p['w'] + A[0]\nold += 1\nr = old + p['w']",
    "an item that others hold": "p = {'w': np.zeros(3)}\nlast = np.zeros(3)\nfor i in range(4):\n    last = p['w']\n    p['w'] = last + A[i % 2]\nr = last * 2 + p['w']",
    "counters": "c = {'n': 0, 'sum': 0.0, 'label': 'x'}\nfor i in range(9):\n    c['n'] += 2\n    c['sum'] += V[i % 5] * c['n']\nr = c['sum'] * A + c['n']",
    "two loops in each other": "s = {'a': np.zeros(3), 'k': 1}\nfor e in range(3):\n    for i in range(4):\n        s['a'] = s['a'] * 0.9 + A[i % 2] * s['k']\n    s['k'] = s['k'] + 1\nr = s['a']",
    "a shape that settles": "m = {'w': 0.0, 'v': 0}\nfor i in range(6):\n    m['w'] = 0.5 * m['w'] + A[0]\n    m['v'] = m['v'] + m['w'].max()\nr = m['w'] * m['v']",
    "under a condition at run time": "class B:\n    def __init__(self):\n        self.best = {'w': np.zeros(3), 's': -1e9}\n    def see(self, w):\n        if w.sum() > self.best['s']:\n            self.best['w'] = w\n            self.best['s'] = w.sum()\n"
        "b = B()\nfor i in range(5):\n    b.see(A[i % 2] * V[i])\nr = b.best['w'] * 1\ns = b.best['s'] * A",
    "a while loop": "p = {'x': 1.0, 'n': 0}\nwhile p['x'] < 50:\n    p['x'] = p['x'] * 1.5 + A[0, 0]\n    p['n'] += 1\nr = p['x'] * A\ns = p['n'] * A",
    "a function of the dictionary": "def step(p, g):\n    for k in p:\n        p[k] = p[k] - 0.1 * g[k]\n    return p\ndef fit(n):\n    p = {'a': np.ones(3), 'b': np.zeros(3)}\n    for i in range(n):\n        p = step(p, {'a': p['b'] + A[0], 'b': p['a'] * V[0]})\n    return p\nq = fit(9)\nr = q['a'] + q['b'] * 2",
    "momentum, made where it is missing": "v = {}\np = {'w': np.ones(3)}\nfor i in range(5):\n    if 'w' not in v:\n        v['w'] = np.zeros(3)\n    v['w'] = 0.9 * v['w'] + A[0]\n    p['w'] = p['w'] - v['w']\nr = p['w']",
    "left early": "p = {'x': A[0] * 1.0}\nfor i in range(20):\n    p['x'] = p['x'] * 1.2\n    if p['x'].sum() > 30:\n        break\nr = p['x'] * i",
    "swapped": "b = [np.zeros(3), np.ones(3)]\nfor i in range(5):\n    b[0], b[1] = b[1], b[0] + b[1] * A[0, 0]\nr = b[0]\ns = b[1]",
    "dictionaries in a dictionary": "s = {'m': {'w': np.zeros(3)}, 'v': {'w': np.zeros(3)}}\nfor i in range(5):\n    for k in ('m', 'v'):\n        s[k]['w'] = s[k]['w'] * 0.5 + A[0]\nr = s['m']['w'] + s['v']['w']",
    "a position that wraps": "buf = np.zeros(7)\npos = 0\nfor i in range(10):\n    buf[pos] = V[i % 5]\n    pos = (pos + 3) % 7\nr = buf * pos",
    "slices at a position that wraps": "t = 0.0\npos = 0\nn = len(V)\nfor i in range(10):\n    if pos + 2 > n:\n        pos = 0\n    t = t * 0.5 + V[pos:pos + 2].sum()\n    pos += 2\nr = t * A\np = 0\nu = 0.0\nfor i in range(12):\n    u = u * 0.9 + V[p]\n    p = (p + 2) % n\ns = u * A + p",
}

NONES = {
    "an attribute, in a loop": "class M:\n    def __init__(self):\n        self.best = None\n        self.w = None\n    def see(self, x):\n        if self.best is None or x.sum() > self.best:\n            self.best = x.sum()\n            self.w = x * 2\n"
        "m = M()\nfor i in range(5):\n    m.see(A[i % 2] * V[i])\nr = m.best * A\ns = m.w * 1",
    "a name": "best = None\nfor i in range(5):\n    if best is None or V[i] > best:\n        best = V[i]\nr = best * A",
    "a number or None of a function": "def f(t):\n    return t if t > 0 else None\nn = 0\ns = 0.0\nfor i in range(5):\n    v = f(V[i])\n    if v is not None:\n        s = s + v\n        n += 1\nr = s * A\nm = n * A",
    "an array, then None": "last = V * 1\nn = 0.0\nfor i in range(6):\n    if last is not None and last.sum() > 2 + i:\n        n += last[0]\n        last = None\n    elif last is None:\n        last = V * i\nr = n * A",
    "a momentum that begins as None": "class S:\n    def __init__(self):\n        self.v = None\n    def step(self, w, g):\n        if self.v is None:\n            self.v = np.zeros_like(w)\n        self.v = 0.9 * self.v + g\n        return w - 0.1 * self.v\ns = S()\nw = np.zeros(3)\nfor i in range(6):\n    w = s.step(w, A[i % 2])\nr = s.v * 1",
    "early stopping": "class E:\n    def __init__(self, p):\n        self.p, self.best, self.bad = p, None, 0\n    def __call__(self, loss):\n        if self.best is None or loss < self.best - 0.01:\n            self.best, self.bad = loss, 0\n        else:\n            self.bad += 1\n        return self.bad >= self.p\n"
        "e = E(2)\nw = 4.0\nn = 0\nfor i in range(30):\n    w = w * A[0, 0] * 0.7 + 0.1\n    n += 1\n    if e(abs(w)):\n        break\nr = w * n * A + e.best",
    "a pair or None": "best = None\nfor i in range(5):\n    if best is None or V[i] < best[0]:\n        best = (V[i], i)\nr = best[0] * A + best[1]",
    "a function that may find nothing": "def find(x, t):\n    for i in range(len(x)):\n        if x[i] > t:\n            return x[i] * 10\n    return None\na = find(V, 2.0)\nb = find(V, 20.0)\nr = A * (a if a is not None else -1.0)\ns = A * (b if b is not None else -1.0)",
    "an attribute that a method resets": "class C:\n    def __init__(self):\n        self.last = None\n        self.n = 0.0\n    def put(self, x):\n        if self.last is not None:\n            self.n += (x - self.last).sum()\n        if x.sum() > 4:\n            self.last = None\n        else:\n            self.last = x\n"
        "c = C()\nfor i in range(6):\n    c.put(A[i % 2] * i)\nr = c.n * A",
}

TRIED = {
    "a raise under a condition at run time": "def f(x):\n    try:\n        if x.sum() > 3:\n            raise ValueError('large')\n        y = x * 2\n    except ValueError:\n        y = x * 0 - 1\n    return y\nr = f(A[0]) + 10 * f(A[1])",
    "which handler it is": "r = 0.0\nfor i in range(5):\n    try:\n        if V[i] > 2:\n            raise KeyError('a')\n        if V[i] < 0:\n            raise KeyError\n        r = r + V[i]\n    except KeyError:\n        r = r * 2 - 1\n    else:\n        r = r + 100\n    finally:\n        r = r + 0.25\ns = r * A",
    "any exception": "n = 0\ntry:\n    if A[0, 1] > 3:\n        raise RuntimeError(f'{A[0, 1]}')\n    n = 5\nexcept Exception:\n    n = n + 1\nr = n * A",
    "from a loop in it": "t = 0.0\ntry:\n    for i in range(5):\n        for j in range(2):\n            if V[i] * j > 2:\n                raise StopIteration\n            t = t + V[i]\n    t = t + 1000\nexcept StopIteration:\n    t = -t\nr = t * A",
    "not raised": "try:\n    if A[0, 0] > 3:\n        raise ValueError\n    r = A * 2\nexcept ValueError:\n    r = A * 0\nfinally:\n    s = A + 1",
    "a return, or a raise": "def f(x, n):\n    for i in range(n):\n        try:\n            if x[i] < 0:\n                raise ValueError('negative')\n            if x[i] > 2:\n                return x[i] * 10\n        except ValueError:\n            x = x + 1\n    return -1.0\nr = f(V, 5) * A\ns = f(V * 0, 3) * A",
    "continue before an else": "r = 0.0\nfor i in range(5):\n    try:\n        if V[i] > 1:\n            continue\n    except ValueError:\n        pass\n    else:\n        r = r * 2 + V[i]\n    r = r + 10\ns = r * A",
    "a known one after one of the run": "d = {'a': 1.0}\nr = 0.0\ntry:\n    if A[0, 0] > 3:\n        raise KeyError('b')\n    r = d['b']\nexcept KeyError:\n    r = 7.0\ns = r * A",
    "a known one under a condition": "def f(x):\n    try:\n        if x.sum() > 3:\n            return x * 2\n        [1, 2][3]\n    except IndexError:\n        pass\n    return x\nr = f(A[0])",
}

FOUND = {
    "slots": "class S:\n    __slots__ = ('a', 'b')\n    def __init__(self):\n        self.a, self.b = A[0] * 2, 1\nclass T(S):\n    pass\nclass U(S):\n    __slots__ = 'c'\ndef f():\n    s, t, u, n = S(), T(), U(), 0\n"
             "    t.d = u.c = 3\n    try:\n        s.c = 3\n    except AttributeError as e:\n        n += 1\n    try:\n        u.d = 3\n    except AttributeError as e:\n        n += 10\n    return s.a * s.b + t.d + u.c + n\nr = f()",
    "operator's getters": "import operator\nfrom operator import itemgetter, attrgetter\nclass P:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\nl = [(2, 'x'), (1, 'y')]\np = P(1.0, P(A[0], 2.0))\n"
                          "r = attrgetter('b.a')(p) * sorted(l, key=itemgetter(0))[0][0] + itemgetter(0, 2)(A[1])[1] + operator.attrgetter('a', 'b.b')(p)[1]\ns = A * (max(l, key=operator.itemgetter(1))[1] == 'y')",
    "items of an iterator that never ends": "import itertools\ndef numbers():\n    n = 0\n    while True:\n        yield n * n\n        n += 1\nr = A * sum(itertools.takewhile(lambda v: v < 30, numbers()))",
    "errors of Python": "n = 0\ntry:\n    None.foo\nexcept AttributeError:\n    n += 1\ntry:\n    unknown_name\nexcept NameError:\n    n += 10\ntry:\n    'a' + 1\nexcept TypeError as e:\n    n += len(str(e))\ntry:\n    (3.0).real2\nexcept AttributeError:\n    n += 100\n"
                        "try:\n    [].add(1)\nexcept AttributeError:\n    n += 1000\nr = A * n",
    "the target of a loop": "class S: pass\ns = S()\nt, w, d, q = 0, np.ones(2), np.zeros(2), {}\nfor s.n in range(1, 10):\n    w = w * 0.5\n    t += s.n\n    if w[0] < 0.1:\n        break\n"
                            "for d[0] in range(2, 10, 2):\n    w = w * 0.5 + d[0]\nfor q['i'] in range(2, 7, 2):\n    t += q['i']\nr = t * A\ns.a = s.n * A",
    "equal tuples, lists and dataclasses with arrays": "from dataclasses import dataclass\nx = A[0, :2] * 1\n@dataclass\nclass D:\n    x: np.ndarray\n    k: float = 1.0\nd = D(x)\n"
        "l = [[x] == [x], (x, 1) == (x, 2), (x, 1) != (x, 1), D(x[:1]) == D(x[:1].copy()), D(x[:1]) == D(x[1:]), (x[0], 1) == (x[1], 1), [x[0], 2] != [x[0], 3], d == d]\n"
        "try:\n    l.append(D(x) == D(x.copy()))\nexcept ValueError:\n    l.append(7)\nr = np.array(l) * 1.0",
    "bases of Python's": "from enum import Enum, IntEnum\nfrom collections import namedtuple\nclass L(list): pass\nclass M(dict): pass\nclass E(Enum):\n    ONE = 1\nclass I(IntEnum):\n    X = 1\nN = namedtuple('N', 'a b')\n"
        "r = np.array([isinstance(L(), list), issubclass(L, list), isinstance(M(), dict), isinstance(N(1, 2), tuple), isinstance(E.ONE, Enum), issubclass(E, Enum), isinstance(I.X, int),\n"
        "              isinstance(L(), dict), isinstance(E.ONE, int), isinstance(I.X, IntEnum), isinstance(E.ONE, IntEnum)]) * 1.0",
    "enums with arguments": "from enum import Enum\nclass P(Enum):\n    EARTH = (5.0, 6.0)\n    MARS = (3.0, 2.0)\n    def __init__(self, mass, radius):\n        self.mass, self.radius = mass, radius\n"
        "    def g(self):\n        return self.mass / self.radius\ntry:\n    P(7)\n    n = 1\nexcept ValueError as e:\n    n = len(str(e))\nr = P.EARTH.g() * A + P.MARS.mass + n + len(repr(P.MARS)) + len(str([P.EARTH]))",
    "in an object that is its own iterator": "class C:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        self.i = 0\n        return self\n    def __next__(self):\n        self.i += 1\n"
        "        if self.i > self.n:\n            raise StopIteration\n        return self.i\nr = A * (2 in C(3)) + (7 in C(3))",
    "copies by methods of the class": "import copy\nclass G:\n    def __init__(self):\n        self.a, self.b = A[0] * 2, 3.0\n    def __getstate__(self):\n        s = self.__dict__.copy()\n        del s['b']\n        return s\n"
        "class H(G):\n    def __setstate__(self, s):\n        self.a, self.c = s['a'] * 2, 5.0\nclass K:\n    def __init__(self, n):\n        self.n = n\n    def __copy__(self):\n        return K(self.n + 1)\n"
        "    def __deepcopy__(self, memo):\n        return K(copy.deepcopy(self.n, memo) * 10)\ng, h, k, l = copy.deepcopy(G()), copy.copy(H()), copy.copy(K(A)), copy.deepcopy([K(A)])\ng.a[0] = 9\n"
        "r = h.a * h.c + g.a + hasattr(g, 'b') + 2 * hasattr(h, 'b')\ns = k.n + l[0].n",
    "a module that is missing": "try:\n    import no_such_module as xp\n    n = 1\nexcept ImportError:\n    import numpy as xp\n    n = 2\ntry:\n    from no_such_module.part import f\nexcept ModuleNotFoundError as e:\n    n += len(str(e))\nr = xp.tanh(A) * n",
    "a set's only element": "todo, seen, edges = {3}, [], {0: [], 1: [0], 3: [1]}\nwhile todo:\n    k = todo.pop()\n    seen.append(k)\n    todo.update(edges[k])\ntry:\n    todo.pop()\nexcept KeyError:\n    seen.append(7)\nr = np.array(seen) * 1.0",
    "sets of texts and of tuples, popped": "s = {'a', 'b'}\nk = s.pop()\nr = V * (k in s) + len(s) + (k in {'a', 'b'})\nt = {(1, 2)}\nq = t.pop()[1] * V + len(t)",
    "a float of the run, rounded": "n = round(float(V[0] * 3), 2)\nr = np.array([n, type(n) is float, isinstance(n, np.floating)])",
    "np.copyto of some": "x = np.zeros(5)\nnp.copyto(x, V, where=V > 0)\ny = A * 1\nnp.copyto(y[:, :2], 7, where=[True, False])\nnp.copyto(y, A[0] * 2, where=y < 1)",
    "|= of a dictionary that has two names": "class C:\n    def __init__(self):\n        self.d = {'m': 2.0}\nc = C()\ne = c.d\nfor i in range(3):\n    c.d |= {'n': float(i)}\ne |= {'k': 7.0}\nr = A * len(e) * c.d['n'] * c.d['k']",
    "an input that a call wrote to, before a list that grows": "h = []\ndef work():\n    z = V[:3]\n    z[1:] = A[0, 1]\nwork()\nif 2 >= A[0, 0]:\n    h.append(1.0)\nr = V[:3] * 1",
"else of a loop in it leaves it": "def g(n):\n    for i in range(n):\n        yield V[i]\n    yield 7.0\nfor v in g(3):\n    for i in range(3):\n        pass\n    else:\n        break\nr = v * A\nfor v in g(3):\n    for i in range(3):\n        if V[i] > v:\n            break\n    else:\n        if v > 1:\n            continue\n        break\ns = v * A",
    "what ends as None": "class C:\n    def items(self):\n        yield A[0] * 1\nc = C()\nn = A[0, 1]\nfor x in c.items():\n    if V[2] > 0.5:\n        continue\n    n = None\nm = 2.0\nfor i in range(3):\n    if V[i] > 0:\n        m = None\n    else:\n        m = V[i]",

    "a global in loops and conditions of its function": "n = 0.0\nt = np.zeros(3)\ndef f(x):\n    global n, t\n    for i in range(3):\n        n += i + 1\n"
        "    while t.sum() < 7:\n        t = t + x\n    if x.sum() > 3:\n        n = n + 1\nf(A[0])\nf(A[1] * 0 + 3)\nr = n * A\ns = t * 1",
    "an iterator's effects": "class C:\n    def __init__(self):\n        self.n = 0\n    def run(self):\n        for i in range(3):\n            self.n += 1\n"
        "            yield i\nc = C()\nl = np.array([c.n for v in c.run()])\nd = any(v > 0 for v in [1]) + (1 in c.run())\nr = c.n * A",
    "one array, changed and yielded": "def g():\n    x = np.zeros(2)\n    for i in range(3):\n        x += 1\n        yield x\nr = [v.copy() for v in g()]",
    "with and an exception": "log = []\nclass R:\n    def __init__(self, k):\n        self.k = k\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, kind, error, place):\n        log.append(self.k)\n        return self.k == 2\ntry:\n    with R(1):\n        raise KeyError('a')\n"
        "except KeyError:\n    log.append(7)\ntry:\n    with R(2):\n        raise KeyError('a')\n    log.append(8)\nexcept KeyError:\n    log.append(9)\nr = np.array(log)",
    "truth of objects": "class B:\n    def __init__(self, v):\n        self.v = v\n    def __bool__(self):\n        return self.v > 0\n"
        "r = A * len([b for b in [B(0), B(3)] if b]) + (B(0) or B(3)).v + 10 * (B(0) and B(3)).v + any([B(0)]) + 5 * all([B(1)])",
    "deep copies": "import copy\nclass P:\n    pass\na = P()\na.x = np.ones(2)\na.l = [a.x]\na.me = a\nb = copy.deepcopy(a)\nb.x += 1\nr = b.l[0] * 1\n"
        "s = A * (b.me is b)\nt = a.x * 1",
    "cached": "from functools import lru_cache, cached_property\nclass C:\n    def __init__(self):\n        self.n = 0\n        self.v = A * 1\n    @lru_cache(maxsize=None)\n"
        "    def f(self, k):\n        self.n += 1\n        return k * self.n\n    @cached_property\n    def e(self):\n        return self.v * 2\nc = C()\n"
        "r = np.array([c.f(1), c.f(2), c.f(1), c.n])\ns = c.e\nc.v = A * 0\nt = c.e + 1",
    "private names": "class P:\n    def __init__(self):\n        self.__q = 1\n    def f(self):\n        return self.__q\nclass Q(P):\n    def __init__(self):\n"
        "        super().__init__()\n        self.__q = 3\n    def g(self):\n        return self.__q\no = Q()\nr = A * (o.f() + 10 * o.g())",
    "operators of a subclass": "class P:\n    def __add__(self, o):\n        return 1\nclass Q(P):\n    def __radd__(self, o):\n        return 2\nr = A * (P() + Q())",
    "many objects": "class N:\n    def __init__(self, v):\n        self.v = v\nos = []\nfor i in range(300):\n    os.append(N(i))\nr = A * sum(o.v for o in os)",
    "a list of a function grows at run time": "def f(x):\n    l = []\n    for i in range(5):\n        if x[i] > 0:\n            l.append(x[i] * 2)\n    return np.array(l).sum()\n"
        "r = A * f(V)\nclass C:\n    def __init__(self):\n        self.l = []\n    def go(self, x):\n        for i in range(5):\n            if x[i] > 0:\n"
        "                self.l.append(x[i])\n        return sum(self.l)\ns = A * C().go(V)",
}

EXCEPTIONS = {
    "their own classes": "class E(Exception):\n    pass\nclass F(E):\n    pass\ndef f(k):\n    if k > 1:\n        raise F('large')\n    return k\nlog = []\n"
                         "for k in [1, 2]:\n    try:\n        log.append(f(k))\n    except F:\n        log.append(20)\n    except E:\n        log.append(30)\n    else:\n"
                         "        log.append(40)\n    finally:\n        log.append(50)\nr = A * np.array(log)[:3]\ns = len(log) * A",
    "by order": "try:\n    {}['a']\nexcept (IndexError, KeyError) as e:\n    r = A * 2\nelse:\n    r = A * 3\ntry:\n    [1][4]\nexcept LookupError:\n    s = A",
    "through calls": "class S:\n    def __init__(self):\n        self.n = 0\n    def go(self, k):\n        self.n += 1\n        if k == 2:\n            raise ValueError(f'no {k}')\n"
                     "        self.n += 10\ns = S()\nfor k in range(4):\n    try:\n        s.go(k)\n    except ValueError as e:\n        t = len(str(e)) * A\nr = s.n * A",
    "raised again": "def f():\n    try:\n        raise KeyError('a')\n    except KeyError:\n        raise\ntry:\n    f()\nexcept KeyError:\n    r = A\nfinally:\n    r = A * 2",
    "finally and return": "log = []\ndef f(x):\n    try:\n        return x * 2\n    finally:\n        log.append(1)\nr = f(A) + len(log)",
    "within a finally, after a return": "def work(z):\n    try:\n        if A[0, 1] > LIMIT:\n            return A[0] * 2\n        raise KeyError\n"
                                        "    except KeyError:\n        v = z\n    finally:\n        try:\n            if A[0, 1] > 9:\n                raise KeyError('a')\n"
                                        "        except (KeyError, ValueError):\n            z += 0.5\n    return z * 1\nLIMIT = A[1, 1]\nr = work(A[1] * 1)\nLIMIT = A[0, 1]\n"
                                        "s = work(A[1] * 1)",
    "nothing is raised": "try:\n    y = A * 2\nexcept ValueError:\n    y = A\nelse:\n    y = y + 1\nr = y",
}

GUARDS = "from contextlib import contextmanager\n@contextmanager\ndef guard(log):\n    try:\n        yield log\n    except ValueError as e:\n        log.append('caught ' + str(e))\n    else:\n        log.append('ok')\nlog = []\n"

EVERYDAY = {
    "an exception in a `with` of a generator": GUARDS + "with guard(log):\n    raise ValueError('bad')\nwith guard(log):\n    log.append('body')\nr = A * len(log)\ns = str(log)",
    "attributes of functions": "import functools\ndef counted(f):\n    @functools.wraps(f)\n    def wrapper(*args):\n        wrapper.calls += 1\n        return f(*args)\n"
                               "    wrapper.calls = 0\n    return wrapper\n@counted\ndef g(x):\n    return x * 2\n@counted\ndef h(x):\n    return g(x) + 1\n"
                               "for i in range(3):\n    r = h(A)\nr = g(r)\ns = np.array([g.calls, h.calls, len(g.__name__)])",
    "a dictionary as base": "from collections import Counter, defaultdict\nclass Bag(dict):\n    def total(self):\n        return sum(self.values())\n    def add(self, k, v):\n"
                            "        self[k] = self.get(k, 0) + v\n        return self\nb = Bag(a=1).add('b', 2).add('a', 3)\nclass C(Counter):\n    def up(self, k):\n        self[k] += 1\n"
                            "c = C()\nfor k in 'abca':\n    c.up(k)\nclass D(dict):\n    def __init__(self, n):\n        super().__init__(x=n)\n        self.n = n\n"
                            "    def __getitem__(self, k):\n        return super().__getitem__(k) * 2\nd = D(4)\n"
                            "r = np.array([b.total(), b['a'], len(b), 'b' in b, bool(Bag()), c['a'], c['z'], len(c), d['x'], d.n])\ns = A * sum(b.values())\n"
                            "t = np.array([len(k) for k in b] + [c.most_common(1)[0][1]])",
    "a list as base": "class Stack(list):\n    def push(self, x):\n        self.append(x)\n        return self\n    @property\n    def top(self):\n        return self[-1]\n"
                      "s = Stack([A * 1]).push(A * 2)\ns.append(A * 3)\nr = s.top\nt = sum(s)\nu = np.array([len(s), s[0][0, 0]])\nfor x in s:\n    v = x",
    "members that are ints": "from enum import IntEnum\nclass W(IntEnum):\n    SUN = 0\n    RAIN = 1\n    SNOW = 2\npath = np.array([W.SNOW, W.RAIN, W.SUN, W.SNOW])\n"
                             "r = np.array([np.sum(path == w) for w in W])\ns = A[:, W.SNOW] * W.SNOW + W.RAIN\nt = np.array([len(w.name) * w.value for w in W])\n"
                             "u = np.zeros(W.SNOW + 1)\nu[W.RAIN] = max(W.RAIN, W.SNOW)\nv = np.array([W(2) is W.SNOW, W.SUN < W.RAIN, bool(W.SUN), int(W.RAIN), {W.RAIN: 7}[1]])",
    "a heap of objects": "import heapq\nfrom dataclasses import dataclass, field\n@dataclass(order=True)\nclass E:\n    time: float\n    n: int\n    what: object = field(compare=False)\n"
                         "class N:\n    def __init__(self, k):\n        self.k = k\n    def __lt__(self, other):\n        return self.k < other.k\nq, h = [], []\n"
                         "for i, t in enumerate([3.0, 1.0, 2.0, 1.0]):\n    heapq.heappush(q, E(t, i, lambda t=t: t * 10))\n    heapq.heappush(h, (t, N(5 - i)))\nlog = []\nwhile q:\n"
                         "    e = heapq.heappop(q)\n    log.append(e.what() + e.n)\nwhile h:\n    t, n = heapq.heappop(h)\n    log.append(t + n.k * 100)\nr = np.array(log)\n"
                         "s = np.array([n.k for n in sorted([N(3), N(1), N(2)])] + [max([N(3), N(4)]).k, min([N(3), N(4)], key=lambda n: -n.k).k])",
    "arguments of the program": "import argparse\np = argparse.ArgumentParser(description='x')\np.add_argument('--length', type=int, default=4)\np.add_argument('-r', '--max-rate', default='0.5', type=float)\n"
                                "p.add_argument('--fast', action='store_true')\np.add_argument('--name')\nargs = p.parse_args([])\n"
                                "r = np.ones(args.length) * args.max_rate\ns = A * (1 if args.fast else 2) * (args.name is None)",
    "defaults of arguments": "import argparse\np = argparse.ArgumentParser(argument_default=5)\np.add_argument('--feature', dest='f', action='store_true', default=False)\n"
                             "p.add_argument('--no-feature', dest='f', action='store_false', default=True)\np.add_argument('--q')\np.add_argument('--w', default=argparse.SUPPRESS)\n"
                             "p.add_argument('--flag', action=argparse.BooleanOptionalAction, default=None)\np.set_defaults(late=7, q=3)\na = p.parse_args([])\n"
                             "r = A * a.q\ns = str(sorted(vars(a).items(), key=lambda item: item[0]))\n"
                             "p = argparse.ArgumentParser()\np.set_defaults(z=4)\np.add_argument('--a', dest='z')\np.add_argument('--b', dest='z', default=2)\nt = A * p.parse_args([]).z + p.get_default('z')",
    "what a reduction begins with": "from functools import reduce\nclass P:\n    def __init__(self, x):\n        self.x = x\n    def __add__(self, k):\n        return P(self.x + k)\n"
                                    "r = reduce(lambda p, k: p + k, (1, 2, 3), P(A)).x\ns = reduce(lambda p, q: p + q.x, [P(1), P(2)], P(V)).x",
    "appended arrays that are written later": "h = []\ny = V * 1\nfor i in range(5):\n    h.append(y)\n    y = y * 2\ny[0] = 7\nh[1][0] = 5\nh[-1] += 1\nr = np.array(h)\n"
                                              "G = A * 1\nb = []\nfor i in range(2):\n    b.append(G[i])\nG[0] = 9\nG *= 2\ns = np.array(b)",
    "generators as arguments": "def check(seed):\n    if isinstance(seed, np.random.Generator):\n        return seed\n    return np.random.default_rng(seed)\n"
                               "g = check(check(3))\nr = isinstance(np.random.default_rng(g), np.random.Generator)\ns = isinstance(np.random.RandomState(0), np.random.RandomState), isinstance(3, np.random.Generator)\nt = A * 2",
    "small things": "import sys\nprint('to a file', file=sys.stdout)\nr = A * len([v for *_, v in [(1, 2), (3, 4, 5)] if v > 1])\ns = min([], key=len, default=None) is None\n"
                    "class E(SyntaxError):\n    pass\ntry:\n    raise E('x')\nexcept SyntaxError as e:\n    t = str(e)\nu = sum(a - b for a, *_, b in [(1, 2), (3, 9, 5)]), issubclass(UnicodeDecodeError, ValueError)",
    "bisect": "import bisect\nfrom bisect import bisect_right\nx = [1.0, 2.0, 2.0, 4.0]\nr = np.array([bisect.bisect_left(x, 2), bisect_right(x, 2), bisect.bisect(x, 9)])\n"
              "i = bisect_right(np.cumsum(V * V).tolist(), 9.0)\ns = A * i",
    "match": "from enum import Enum\nfrom dataclasses import dataclass\nclass K(Enum):\n    A = 1\n    B = 2\n@dataclass\nclass P:\n    x: float\n    y: float\n"
             "def f(v):\n    match v:\n        case K.A:\n            return 1\n        case K.B | 'b':\n            return 2\n        case P(0, y=y):\n            return y + 10\n"
             "        case P(x, y) if x > y:\n            return x - y\n        case [a, *rest]:\n            return a + len(rest) * 100\n        case {'k': k, 'q': q} if False:\n            return 0\n"
             "        case {'k': k}:\n            return k * 2\n        case None:\n            return 3\n        case -1 | 7.5:\n            return 4\n        case int():\n            return 5\n"
             "        case _:\n            return 6\n"
             "r = np.array([f(v) for v in (K.A, K.B, 'b', P(0, 4), P(3, 1), P(1, 3), [1, 2, 3], (5,), {'k': 8, 'l': 1}, None, -1, 7.5, 9, 'c', [])])\n"
             "match A.shape:\n    case (n, m):\n        s = np.ones((m, n)) * n\n    case _:\n        s = A",
    "match at run time": "def f(x):\n    match int(x):\n        case 0 | 1:\n            y = x * 2\n        case 3:\n            y = x * 5\n        case _:\n            y = x - 1\n    return y\n"
                         "r = np.array([f(V[0]), f(V[3]), f(A[0, 1])])",
    "suppressed": "from contextlib import suppress\nclass E(Exception):\n    pass\ndef f(k):\n    if k == 1:\n        raise E()\n    return k * 2\nd = {}\nfor k in range(3):\n"
                  "    with suppress(E, KeyError):\n        d[k] = f(k)\nr = A * len(d)\ns = A * sum(d.values())",
    "divisions of numbers": "log = []\nfor a, b in [(1, 0), (1.0, 0), (4, 2), (1, 0.0)]:\n    try:\n        log.append(a / b)\n    except ZeroDivisionError:\n        log.append(-1)\n"
                            "try:\n    7 // 0\nexcept ArithmeticError:\n    log.append(5)\nr = A * sum(log)",
    "tuples in order": "a, b = (1, 2.5), (1, 3)\nr = np.array([a < b, a <= a, a > b, b >= a, [2] < [1, 5], A.shape < (3, 4)])\nclass E:\n    def __init__(self, t, n):\n"
                       "        self.t, self.n = t, n\n    def __lt__(self, o):\n        return (self.t, self.n) < (o.t, o.n)\ns = A * min(E(2, 1), E(1, 5), E(1, 4), key=lambda e: e).n",
    "capitals": "r = A * len([w for w in ('ab cd'.title(), 'AB CD'.capitalize()) if w in ('Ab Cd', 'Ab cd')])",
    "whether a list that grew has items": "def f(x):\n    return [v for v in x if v > 0]\nr = A * 1\nif f(V):\n    r = r + 1\nif not f(-V * V):\n    r = r + 10\n"
                                          "n = 0\nwhile n < 3 and f(V - n):\n    n += 1",
    "properties without decorators": "class C:\n    def __init__(self, w):\n        self.w = w\n    total = property(lambda self: self.w.sum())\n    def f(x):\n"
                                     "        return x * 2\n    twice = staticmethod(f)\nc = C(A)\nr = c.total * c.twice(A)",
    "starred names": "rows = [(1, 2, A), (3, 4, 5, A * 2)]\nr = sum(a for *_, a in rows)\ns = A * sum(len(m) for _, *m, _ in rows)",
    "an iterable in map": "class B:\n    def __init__(self):\n        self.l = [1, 2, 3]\n    def __iter__(self):\n        return iter(self.l)\n"
                          "r = A * sum(map(lambda v: v * v, B()))\ns = A * len(list(filter(lambda v: v > 1, B())))",
    "texts of None": "r = A * len(str(None) + 'x')\ns = A * (str(None) == 'None')",
    "unique of nothing": "r = np.unique(V[:0])\ns, i, c = np.unique(V[:0], return_index=True, return_counts=True)\nt = A + len(s) + len(i) + len(c)",
    "a name of a lambda": "r = A * len((lambda x: x).__name__)",
    "texts of arrays": "class M:\n    def __init__(self):\n        self.w = A * 2\n    def __str__(self):\n        return 'M(%s, %d)' % (self.w, 3)\nm = M()\nprint(m)\nr = m.w + len(str(3))",
}

DESCRIPTOR = '''
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, kind=None):
        return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if not value > 0:
            raise ValueError(self.name[1:])
        setattr(obj, self.name, value)
class Twice:
    def __get__(self, obj, kind):
        return obj.w * 2
class Gas:
    n = Positive()
    V = Positive()
    both = Twice()
    def __init__(self, n, V):
        self.n, self.V = n, V
        self.w = A[0] * n
    def step(self, x):
        self.n += 0.5
        self.w += x * self.V
class Warm(Gas):
    pass
'''

DESCRIPTORS = {
    "attributes": "g = Gas(2, 3.0)\ng.V *= 4\nr = g.n * A[0] + g.V + g.both\ns = 1.0 * (Gas.n.name == '_n') * A",
    "of a base, in a loop": "g = Warm(1, 2.0)\nfor i in range(5):\n    g.step(A[1] * i)\nr = g.w * g.n",
    "what they raise": "g = Gas(2, 3.0)\nt = 0.0\ntry:\n    g.n = -1\nexcept ValueError as e:\n    t = len(str(e)) + 1.0\nr = t * A + g.n",
    "shadowed": "g = Gas(1, 1)\ng.both = A[1]\nr = g.both * A[0]",
    "the order of bases": "class A1: pass\nclass B1(A1): pass\nclass C1(A1): pass\nclass D1(B1, C1): pass\n"
                          "n = [c.__name__ for c in D1.__mro__]\nr = len('/'.join(n)) * A + n.index('C1') + (n[-1] == 'object')",
    "update_wrapper": "import functools\nclass Memo:\n    def __init__(self, f):\n        functools.update_wrapper(self, f)\n        self.f, self.kept = f, {}\n"
                      "    def __call__(self, n):\n        if n not in self.kept:\n            self.kept[n] = self.f(n)\n        return self.kept[n]\n"
                      "@Memo\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                      "def logged(f):\n    def inner(x):\n        return f(x) + 1\n    return functools.update_wrapper(inner, f)\n"
                      "@logged\ndef twice(x):\n    return 2 * x\nr = twice(A) * fib(20) + len(fib.__name__ + twice.__name__) + len(fib.kept)",
}

ADAM = '''
class Adam:
    def __init__(self, params):
        self.params, self.t = params, 0
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}
    def step(self, grads):
        self.t += 1
        for k in self.params:
            self.m[k] = 0.9 * self.m[k] + 0.1 * grads[k]
            self.v[k] = 0.999 * self.v[k] + 0.001 * grads[k] ** 2
            rate = 0.01 * np.sqrt(1 - 0.999 ** self.t) / (1 - 0.9 ** self.t)
            self.params[k] = self.params[k] - rate * self.m[k] / (np.sqrt(self.v[k]) + 1e-8)
params = {"w": np.zeros(3), "b": 0.0}
adam = Adam(params)
losses = []
for epoch in range(EPOCHS):
    for s in range(0, len(A), 4):
        error = A[s:s + 4] @ params["w"] + params["b"] - 1
        adam.step({"w": A[s:s + 4].T @ error, "b": error.sum()})
    losses.append(np.mean(error ** 2))
w = params["w"]
'''

TRAINING = '''
class Loader:
    def __init__(self, X, size, rng):
        self.X, self.size, self.rng = X, size, rng
    def __iter__(self):
        order = self.rng.permutation(len(self.X))
        for s in range(0, len(self.X), self.size):
            yield self.X[order[s:s + self.size]]
def batches(loader):
    yield from loader
w = np.zeros(3)
loader = Loader(A, 4, np.random.default_rng(0))
for epoch in range(EPOCHS):
    for i, x in enumerate(loader):
        w -= 0.1 * x.mean(axis=0) / (i + 1)
    for x in batches(loader):
        w += x[0]
'''

OUT_OF_BOUNDS = {  # indices that are known at run time only
    "an element": "r = np.zeros(4)\nfor i in range(4):\n    k = int(abs(V[i])) * 2\n    try:\n        r[i] = A[0, k]\n    except IndexError:\n        r[i] = -1",
    "of a list": "r = np.zeros(5)\nt = [2.0, 3.0, 5.0]\nfor i in range(5):\n    try:\n        r[i] = t[int(V[i])] + 1\n    except LookupError:\n        r[i] = -1",
    "an assignment": "x = np.zeros(3)\nn = 0\nfor v in V:\n    try:\n        x[int(v)] = v\n        n = n + 1\n    except IndexError:\n        n = n + 100\nr = n * x",
    "in place": "x = np.ones(3)\nn = 0\nfor v in V:\n    try:\n        x[int(v)] += v\n        n = n + 1\n    except (KeyError, IndexError):\n        n = n + 100\nr = n * x",
    "an array of indices": "k = V.astype(int)\ntry:\n    r = A[0, k]\nexcept IndexError:\n    r = k * 0.5\ntry:\n    s = A[0, k[:3]]\nexcept IndexError:\n    s = k[:3] * 0.5\n",
    "in a function": "def at(x, k):\n    try:\n        return x[k] * 2\n    except IndexError:\n        return 0.5\nr = np.array([at(A[0], int(v)) for v in V])",
    "two of them": "n = 0\nfor v in V:\n    try:\n        n = n + A[int(v), int(v)]\n    except IndexError:\n        n = n + 100\nr = n * A",
    "in bounds": "try:\n    r = A[int(V[0]), int(V[2])] * A\nexcept IndexError:\n    r = A",
    "for all exceptions": "try:\n    r = A[int(V[0]), int(V[2])] * A\nexcept Exception:\n    r = A",
}
CHECKED = '''
o = ''
def check(x):
    if x.sum() > 5:
        raise ValueError('large')
    if x[0] > 3:
        raise KeyError('first')
    return x * 2
def deep(x):
    y = check(x)
    return y + 1
class M:
    def __init__(self):
        self.w = np.ones(3)
        self.n = 0
    def step(self, x):
        self.n = self.n + 1
        y = check(x)
        self.w = self.w + y
        self.n = self.n + 10
m = M()
S = np.array([[2.0, 1.0], [4.0, 2.0]])
'''
RAISED = {  # by functions that the block calls, under conditions of the run
    "in the iterable of a for": "n = 0\nfor k in range(2):\n    try:\n        for x in check(A[k]):\n            n = n + x\n        n = n + 100\n    except ValueError:\n        n = n + 1000\n    except KeyError:\n        n = n + 2000\nr = n * A",
    "in the condition of a while": "n = 0\nx = A[0] - 3\ntry:\n    while check(x).sum() < 90:\n        x = x + 0.5\n        n = n + 1\n    n = n + 100\nexcept ValueError:\n    n = n + 1000\nr = n * x",
    "in the condition of a while, at once": "n = 0\ntry:\n    while check(A[0]).sum() < 90:\n        n = n + 1\n    n = n + 100\nexcept ValueError:\n    n = n + 1000\nr = n * A",
    "in the condition of a while that ends": "n = 0\nx = A[1] * 1\nx[0] = 0\ntry:\n    while check(x).sum() > -90:\n        x = x * 2\n        n = n + 1\n    n = n + 100\nexcept ValueError:\n    n = n + 1000\nr = n * x",
    "in a generator": "def g(X):\n    for row in X:\n        if row.sum() < 0:\n            raise ValueError('negative')\n        yield row * 2\nn = 0.0\ntry:\n    for x in g(A):\n        n = n + x.sum()\nexcept ValueError:\n    n = n + 100\nr = n * A",
    "in a generator of zip": "def g(X):\n    for row in X:\n        yield check(row - 3)\nn = 0.0\ntry:\n    for i, x in zip(range(5), g(A)):\n        n = n + x.sum() * i\n    n = n + 50\nexcept (ValueError, KeyError):\n    n = n + 100\nr = n * A",
    "an assignment": "r = []\nfor k in range(2):\n    x = np.zeros(3)\n    try:\n        x = check(A[k])\n        x = x + 1\n    except ValueError as e:\n        x = x + len(str(e))\n"
                     "    except KeyError as e:\n        x = x - len(str(e))\n    else:\n        x = x * 5\n    finally:\n        x = x + 0.5\n    r.append(x.sum())\nr = np.array(r)",
    "in a call of a call": "def f(x):\n    try:\n        return deep(x)\n    except (KeyError, ValueError):\n        return x * 0\na = f(A[0])\nb = f(A[1])\nc = f(A[1] - 4)",
    "a tuple": "def f(x):\n    try:\n        a = deep(x)\n        b = 1.0\n    except LookupError:\n        a, b = x, 2.0\n    return a, b\ntry:\n    a, b = f(A[1])\nexcept Exception:\n    a, b = A[0], 3.0",
    "attributes keep what was done before": "for k in range(2):\n    try:\n        m.step(A[k] - 3)\n    except Exception:\n        m.w = m.w * 2\nr = m.w\ns = m.n * A\n"
                                            "try:\n    m.step(A[0])\nexcept ValueError:\n    pass\nt = m.w * m.n",
    "in a loop around": "x = np.zeros(3)\nn = 0\nfor i in range(6):\n    try:\n        y = check(A[0] - i)\n        x = x + y\n    except ValueError:\n        n = n + 1\nr = x * n",
    "what follows in the block": "n = 0\ntry:\n    n = n + 1\n    y = check(A[1])\n    n = n + 10\n    z = check(A[0])\n    n = n + 100\nexcept KeyError:\n    n = n + 1000\nexcept ValueError:\n    n = n + 2000\nr = n * A",
    "under a condition": "n = 0\ntry:\n    if A[0, 0] > 0:\n        y = check(A[0])\n        n = n + 1\n    n = n + 10\nexcept ValueError:\n    n = n + 100\nr = n * A",
    "in the block itself": "try:\n    if A.sum() > 100:\n        raise KeyError('k')\n    if A.sum() > 5:\n        raise ValueError('v')\n    r = A * 1\nexcept (KeyError, IndexError) as e:\n    r = A * 2\nexcept ValueError as e:\n    r = A * len(str(e))",
    "a class of the program": "class E(ValueError):\n    def __init__(self, a):\n        super().__init__('e')\n        self.a = a\ndef f(x):\n    if x[0] > 0:\n        raise E(7)\ntry:\n    f(A[0])\n    r = A\n"
                              "except E as e:\n    r = A * e.a",
    "within each other": "try:\n    try:\n        y = check(A[0])\n    except KeyError:\n        y = A[1]\n    except ValueError:\n        y = A[0] * 7\n    z = check(y)\nexcept ValueError:\n    z = A[0] * 3\nr = z",
    "return, break and continue": "def f(x):\n    for i in range(4):\n        try:\n            y = check(x - i)\n        except (ValueError, KeyError):\n            continue\n        if y[0] < 0:\n            break\n        return y * i\n    return x\n"
                                  "a = f(A[0])\nb = f(A[1])",
    "a singular matrix": "def solved(M, b):\n    try:\n        x = np.linalg.solve(M, b)\n        n = 1.0\n    except np.linalg.LinAlgError:\n        x = b * 0\n        n = 2.0\n    return x * n\n"
                         "a = solved(A[:, :2], A[0, :2])\nb = solved(S * A[0, 0], A[0, :2])\nc = solved(S, np.ones(2))\ndef inverse(M):\n    try:\n        return np.linalg.inv(M)\n"
                         "    except np.linalg.LinAlgError as e:\n        return M * len(str(e))\nd = inverse(A[:, 1:])\ne = inverse(S * A[0, 1])",
    "within an expression": "l = []\nfor k in range(2):\n    try:\n        l.append(check(A[k] - 1)[0] * 2 + check(A[1 - k] - 2).sum())\n    except (KeyError, ValueError) as e:\n"
                            "        l.append(-1.0 * len(str(e)))\nr = np.array(l)\nt = np.zeros(3)\nfor k in range(2):\n    try:\n        t[:2] = t[:2] + check(A[k] - 3)[1:] * 2\n"
                            "        t += 1 + check(A[k]) / 2\n    except Exception:\n        t *= 10\nm.n = 5\ntry:\n    m.n += check(A[0]).sum()\nexcept ValueError:\n    m.n += 100\ns = m.n * A",
    "what is not done after it": "l = [1.0]\ndef put(x):\n    l.append(x.sum())\n    return x\no = np.zeros(3)\ntry:\n    r = check(A[0]) + put(A[1]) + np.add(A[0], 1, out=o)\nexcept ValueError:\n    r = A[0]\n"
                                 "s = np.array(l) * 2\nt = o * 1\ntry:\n    if check(A[1] - 2).sum() < 0:\n        u = A * 3\n    else:\n        u = A * 4\nexcept KeyError:\n    u = A * 5\n"
                                 "try:\n    if check(A[0]).sum() > 0:\n        v = A * 3\nexcept ValueError:\n    v = A * 6",
    "a loop of a try": "n = 0\nt = np.zeros(3)\ntry:\n    for x in A[::-1]:\n        t = t + check(x - 3) * 3\n        n += 1\nexcept KeyError:\n    n += 10\nexcept ValueError:\n    n += 100\nelse:\n    n += 1000\n"
                       "u = np.zeros(3)\ntry:\n    for i in range(50):\n        for j in range(2):\n            u = u + check(A[j] - 9 + i * 0.5)\n        else:\n            u = u + 1\nexcept Exception:\n    u = -u\nr = t * n",
    "a loop of a function": "def total(X):\n    t = np.zeros(3)\n    for i in range(6):\n        if i == 1:\n            continue\n        t = t + check(X + i * 0.5)\n        if t[0] > 100:\n            return t * 2\n    return t\n"
                            "l = []\nfor k in (-4.0, -2.0, 0.0):\n    try:\n        r = total(A[1] + k)\n    except (KeyError, ValueError):\n        r = np.ones(3) * k\n    l.append(r)\nr = np.array(l)",
    "a while loop": "n = 0\nx = A[0] * 1\ntry:\n    while True:\n        x = x * 0.8\n        n += 1\n        if x.max() < 1:\n            raise StopIteration\nexcept StopIteration:\n    n += 100\n"
                    "k = 0\ntry:\n    while x.sum() < 50:\n        x = x + check(x - 1) + 1\n        k += 1\n    k += 50\nexcept ValueError:\n    k += 1000\nr = n * x\ns = k * x",
    "a loop without a loop of the list": "t = 0.0\ntry:\n    for k, n in enumerate([1, 2, 4]):\n        t = t + check(A[1] - n - k).sum() + n\n    else:\n        t = t + 1000\nexcept KeyError:\n    t = t + 0.5\n"
                                         "try:\n    for n in [4, 1, 3]:\n        t = t + check(A[1] - n).sum() + n\n    else:\n        t = t + 1000\nexcept KeyError:\n    t = t + 0.25\nr = t * A",
    "a with": "t = 0.0\nfor k in range(2):\n    try:\n        with np.errstate(all='ignore'):\n            t += check(A[k] - 3).sum()\n            t += 1\n    except (KeyError, ValueError):\n        t -= 1\nr = t * A",
    "an assertion": "l = []\nfor k in range(2):\n    try:\n        assert A[k].sum() > 0, 'negative'\n        l.append(1.0)\n    except AssertionError as e:\n        l.append(len(str(e)) * 1.0)\nr = np.array(l)\n"
                    "def f(x):\n    assert x[0] > 2\n    return x * 2\ntry:\n    s = f(A[1]) + f(A[0])\nexcept AssertionError:\n    s = A[0] - 1",
    "a constructor": "class P:\n    def __init__(self, x):\n        self.x = check(x)\n    def __add__(self, other):\n        return check(self.x + other)\nt = np.zeros(3)\nfor k in range(2):\n    try:\n"
                     "        p = P(A[k] - 3)\n        t = t + p.x\n        t = t + (p + A[0])\n    except (KeyError, ValueError):\n        t = t * 3 - 1",
    "in a try of a loop after another": "def work(x):\n    try:\n        if A[0, 0] < 1:\n            raise KeyError('a')\n        for i in range(4):\n            try:\n                check(A[1] - i)\n                x = x + 1\n"
                                        "            except (KeyError, ValueError):\n                x = x * 2\n    except KeyError:\n        x = x * 3\n    return x\nr = work(A[1])",
    "Cholesky's factor": "def factor(M):\n    try:\n        return np.linalg.cholesky(M) + 1\n    except np.linalg.LinAlgError as e:\n        return M * len(str(e))\na = factor(A @ A.T)\nb = factor(A.T @ A - np.eye(3))\n"
                         "c = factor(np.ones((2, 2)) * A[0, 0])\njitter, n = 1e-3, 0\nfor k in range(8):\n    try:\n        L = np.linalg.cholesky(S * A[0, 0] + jitter * np.eye(2) - np.eye(2))\n        break\n"
                         "    except np.linalg.LinAlgError:\n        jitter *= 10\n        n += 1\nr = L @ L.T\ns = n * A",
    "other factors": "l = []\nfor bad in (1.0, np.nan):\n    try:\n        l.append(np.linalg.svd(A * bad)[1].sum())\n    except np.linalg.LinAlgError as e:\n        l.append(len(str(e)) * 1.0)\n"
                     "    try:\n        l.append(np.linalg.pinv(A * bad).sum())\n    except np.linalg.LinAlgError as e:\n        l.append(len(str(e)) * 1.0)\nr = np.array(l)",
    "a singular matrix within an expression": "l = []\nfor M in (S * A[0, 0], A[:, 1:]):\n    try:\n        l.append((np.linalg.inv(M) @ np.linalg.inv(M.T + np.eye(2))).sum())\n    except np.linalg.LinAlgError:\n        l.append(-1.0)\nr = np.array(l)\n"
                                              "n = 0\nt = np.zeros(2)\ntry:\n    for k in range(5):\n        t = t + np.linalg.solve(S * A[0, 0] + (3 - k) * np.eye(2), t + 1)\n        n += 1\nexcept np.linalg.LinAlgError:\n    n += 100\ns = n * A",
}

EQUAL = {  # lists of data-dependent length, and what else is compared when the program runs
    "lists of places": "i = np.nonzero(A[0] > 2)[0].tolist()\nj = np.flatnonzero(A[1] > 100).tolist()\nl = [i == [1, 2], i != [1, 2], [1, 2] == i, i == [1, 3], i == [1], i == [], i == (1, 2), i == [1, 2, 3], i == [1, 2, 3, 4],\n"
        "     j == [], [] != j, i == j, i == ['a', 'b'], i == [None, 2], list(np.where(A[1] < 1)[0]) == [1, 2], i == [True, 2.0]]\nr = np.array(l) * 1.0",
    "lists of numbers and of rows": "v = V[V > 0].tolist()\nw = [x for x in V if x > 0]\np = [[k, 1] for k, x in enumerate(A[0]) if x > 2]\nq = [(k, x) for k, x in enumerate(V) if x > 1]\nl = [v == [1.5, 0.25, 3.0], w == v, v == [1.5, 0.25, V[3]], v == [1.5, 0.25, V[1]], p == [[1, 1], [2, 1]], p == [[1, 1], [1, 1]], q == [(0, 1.5), (3, 3.0)], q == [(0, 1.5), [3, 3.0]], q == p,\n"
        "     p == [[1, 1]], p == [(1, 1), (2, 1)], p == [1, 2], v == V[V > 0.1].tolist(), v == V[V > 1].tolist(), v == p]\nr = np.array(l) * 1.0",
    "a condition on them": "def f(x):\n    if np.flatnonzero(x > 2).tolist() == [1, 2]:\n        return x * 2\n    return x - 1\nr = f(A[0])\ns = f(A[1])\n"
        "k = [0]\nn = 0\nwhile n < 9:\n    new = np.flatnonzero(A[0] > n).tolist()\n    n += 1\n    if new == [1]:\n        n += 100\nt = A * n",
    "dictionaries and tuples": "d, e = {'a': V[0], 'b': 1}, {'b': 1, 'a': V[0] * 1}\ni = np.flatnonzero(V > 0).tolist()\nl = [d == e, d != e, d == {'a': V[1], 'b': 1}, d == {'a': V[0]}, d == {'a': V[0], 'c': 1}, {'n': i} == {'n': [0, 2, 3]}, (i, 1) == ([0, 2], 1)]\n"
        "r = np.array([bool(x) for x in l]) * 1.0",
    "objects that are containers": "from collections import namedtuple\nclass L(list): pass\nclass M(dict): pass\nN = namedtuple('N', 'a b')\nn = N(1, 2)\nl = [[] == L(), L() == [], L([1]) == [1], L([1]) != [1], L([1]) == L([1]), L([1]) == [2], M(a=1) == {'a': 1}, {} == M(),\n"
        "     n == (1, 2), (1, 2) != n, n == (1, 3), n == [1, 2], n < (1, 3), [n] == [(1, 2)], [L([1])] == [L([1])], n == N(1, 2), [n, V[0]] == [N(1, 2), V[0] * 1], [n, V[0]] == [n, V[1]]]\nr = np.array(l) * 1.0",
    "lists that grew and lists in lists": "l, m = [0], []\nfor k in range(3):\n    l.append(A[0, k])\n    m.append(A[0, k] * 1)\ni, j = np.flatnonzero(A[0] > 2).tolist(), V[V > 0].tolist()\n"
        "r = np.array([l == [0, 1.0, 5.0, 3.0], l == [0, 1.0, 5.0, V[0]], l != [0], l == m, m == A[0][A[0] > 0].tolist(), [1, 2] in [j, i], i in [[1], [1, 3]], j not in [i, 'a', None]]) * 1.0\n"
        "assert i == [1, 2]",
    "count, index and in": "p = [x if x > 0 else None for x in V]\nb = (V > 0).tolist()\nc = [V[0] * 1, 1.5, V[1]]\nr = A * (p.count(None) + 10 * b.count(True) + 100 * c.count(1.5) + 1000 * p.count(3.0))\n"
        "x = V[:2] * 1\ny = V[:2] * 1\ns = A * (5 * [x, 1].index(x) + (x in [x, y]) + 3 * [x].count(x))",
    "members of an enum by name": "from enum import Enum\nclass C(Enum):\n    RED = 2\n    BLUE = 'b'\nn = 0\nfor k, m in C.__members__.items():\n    n += len(k) * (m is C.RED)\nn += 100 * ('RED' in C.__members__) + 10 * ''.join(C.__members__).count('E')\n"
        "try:\n    C.PINK\nexcept AttributeError as e:\n    n += 1000\nclass D:\n    a = 1\nr = A * (n + getattr(D, 'b', 7) + hasattr(D, 'a') + 2 * hasattr(D, 'c'))",
}

REFUSED = {
    GUARDS + "with guard(log):\n    if A.sum() < 1e9:\n        raise ValueError('bad')\n    log.append('body')\nr = A * len(log)": "known only at run time",
    "import contextlib\nclass C:\n    def __enter__(self):\n        self.k = 5\nc = C()\nwith contextlib.ExitStack() as s:\n    s.enter_context(c)\nr = A * c.k": "contextlib.ExitStack is not supported",
    "import types\nclass C:\n    k = 1\n    def bump(self, n):\n        self.k += n\nc = C()\nm = types.MethodType(C.bump, c)\nm(6)\nr = A * c.k": "types.MethodType is not supported",
    "import timeit\nclass C:\n    k = 1\n    def bump(self):\n        self.k += 1\nc = C()\ntimeit.timeit(c.bump, number=3)\nr = A * c.k": "it may call a function of the program",
    "from contextlib import suppress\nr = A\nwith suppress(ValueError):\n    if A.sum() > 100:\n        raise ValueError('a')\n    r = A * 2": "known only at run time",
    "class M:\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        return True\nr = A\nwith M():\n    if A.sum() > 100:\n        raise ValueError('a')\n    r = A * 2":
        "known only at run time",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('file')\np.parse_args([])\nr = A": "required",
    "class D(dict):\n    pass\nimport copy\nr = A * len(copy.copy(D(a=1)))": "of an object that is a dict",
    "def f():\n    pass\nr = A * f.calls": "'function' object has no attribute 'calls'",
    "class C:\n    n = 0\nclass D(C):\n    pass\nif A.sum() > 1:\n    D.n += 1\nr = A * D.n": "assign it before",
    "class C:\n    def __new__(cls):\n        return 1\nr = C()": "the method __new__ is not supported",
    "class C:\n    pass\nc = C()\nc.a = 1\nc.__dict__.update(a=2)\nr = A * c.a": "this cannot be changed",
    "def g():\n    yield from [1, 2, 3]\nit = g()\nfor v in it:\n    if A[0, v % 2] > 2:\n        break\nr = A * v": "must not be left under a run-time condition",
    "def g():\n    try:\n        yield 1\n        yield 2\n    finally:\n        pass\nfor v in g():\n    break\nr = A": "iterated over to its end",
    "class C:\n    pass\nr = A * C().x": "'C' object has no attribute 'x'",
    "class C:\n    def __init__(self, a):\n        pass\nr = A * C().x": "needs the argument 'a'",
    "class C:\n    @property\n    def x(self):\n        return 1\nc = C()\nc.x = 2": "property 'x' of 'C' object has no setter",
    "class C:\n    pass\nr = C() + A": "unsupported operand types for +",
    "class C:\n    pass\nr = A * len(C())": "not iterable",
    "class C(Missing):\n    pass\nr = A * C().x": "the class C is not supported: .*name 'Missing' is not defined",
    "class C:\n    async def f(self):\n        pass\nr = C()": "the class C is not supported: .*async is not supported",
    "class A1:\n    pass\nclass B(A1):\n    pass\nclass C(A1, B):\n    pass\nr = C()": "no consistent order",
    "def f(x):\n    if x.sum() > 0:\n        raise ValueError('a')\n    return x\ntry:\n    r = f(A)\nexcept KeyError:\n    r = A\nfinally:\n    r = A": "one has a `finally`",
    "def f(x):\n    if x.sum() > 0:\n        raise ValueError('a')\n    return x\ntry:\n    r = A[0]\n    r = [x for x in map(f, A)]\nexcept ValueError:\n    r = A": "as a statement of its own",
    "def g(x):\n    if x.sum() > 0:\n        yield 1\nr = A * sum(g(A))": "must not depend on run-time values",
    "try:\n    raise KeyError('a')\nexcept ValueError:\n    r = A": "raises an exception: KeyError",
}


class Classes(SamePrograms):
    inputs = {"A": A, "V": V}

    def each_after(self, text, programs):
        self.each({name: text + program for name, program in programs.items()})

    def test_attributes(self):
        self.each_after(MODEL, ATTRIBUTES)

    def test_inheritance(self):
        self.each_after(INHERITANCE, CLASSES)

    def test_special_methods(self):
        self.each_after(OPERATORS, SPECIAL)

    def test_kinds(self):
        self.each(KINDS)

    def test_generators(self):
        self.each(GENERATORS)

    def test_loops_over_generators(self):
        self.each(INLINED)

    def test_what_loops_carry(self):
        self.each(CARRIED)
        self.each(NONES)

    def test_exceptions_at_run_time(self):
        self.each(TRIED)

    def test_exceptions_of_functions_at_run_time(self):
        self.each_after(CHECKED, RAISED)

    def test_indices_that_are_out_of_bounds_at_run_time(self):
        self.each(OUT_OF_BOUNDS)

    def test_an_index_that_is_out_of_bounds_ends_the_run(self):
        program = self.file("import numpy as np\nx = np.arange(3.0)\nk = int(x.sum())\ntry:\n    r = x[k]\nexcept KeyError:\n    r = x[0]\n")
        self.refused("--run=npmat", program, says=r":5:10: \[index\] index 3 is out of bounds for axis with size 3")

    def test_a_loop_over_a_generator_stays_a_loop(self):
        """However many items it gives: of two lengths the list has as many statements."""
        def count(program, n, epochs):
            text = f"import numpy as np\nA: ({n}, 3)\n" + program.replace("EPOCHS", str(epochs))
            return re.search(rb"# ([\d,]+) statements", self.symdump(self.file(text)).stdout).group(1)

        for program in (TRAINING, ADAM):
            self.assertEqual(count(program, 40, 5), count(program, 400, 50))
            self.assertLess(int(count(program, 43, 5)), 2 * int(count(program, 40, 5)))

    def test_a_loop_that_tests_for_its_edges_stays_a_loop(self):
        program = ("import numpy as np\nu = np.zeros((N, N))\nv = u * 1\nfor i in range(N):\n    for j in range(N):\n"
                   "        if 0 < i < N - 1 and 0 < j < N - 1:\n            v[i, j] = u[i - 1, j] + u[i, j + 1]\n"
                   "        elif i == 3:\n            v[i, j] = 2\n        else:\n            v[i, j] = u[i, j]\n")
        few, many = (self.symdump(self.file(program.replace("N", str(n)))).out for n in (40, 1000))
        self.assertEqual(few.count("\n"), many.count("\n"))

    def test_reading_is_linear_in_the_operators(self):
        """NumPy's width of the argument of zeros_like is looked for once in each tree."""
        def seconds(n):
            program = self.file("import numpy as np\nA: (2, 3)\nr = A * 1\nfor name in ['a', 'b'] * %d:\n    r = r * 0.5 + np.zeros_like(r)\n" % n)
            begin = time.perf_counter()
            self.symdump(program)
            return time.perf_counter() - begin

        seconds(10)
        self.assertLess(seconds(1000), 20 * seconds(100))

    def test_views_that_conditions_make_of_attributes(self):
        self.each_refused({"class C:\n    def __init__(self, w):\n        self.w = w\na = C(A[0] * 1)\nl = [np.zeros(3), A[0] * 1]\nif A[0, 2] > 1:\n    a.w = a.w\n"
                           "    l[1] = a.w[::-1]\na.w[1:] = 7\nr = l[1] * 1": "may share its memory"})

    def test_views_of_the_caller_in_conditions_of_calls(self):
        self.each({"a view": "def c(R):\n    if np.sum(R) > 1:\n        pass\ndef t(R):\n    R = c(R)\ndef f(S):\n    w = S[:2]\n    if S[0] == 0.0:\n        return t(np.eye(4))\n"
                             "    w = S[:2]\nf(A[0])\nr = A * 2"})

    def test_what_is_printed_of_nan_and_of_texts_of_numbers(self):
        text = ("import numpy as np\nx = np.array([-1.0, 0.0])\ny = x[1] / x[1]\nprint('%f %g' % (y, -y), f'{y:.2f}|{-y:8.3f}|{np.mean(np.zeros(0)):.1f}|{-y:08.2f}')\n"
                "print(f'{x[0]!s:>6}|{x[0]!s:7}|{x[0]!r:^9}|' + '{!s:6}|'.format(x[1]))\n")
        printed = self.symdump("--run=npmat", "--precision", "64", self.file(text)).stdout.decode()
        self.assertTrue(printed.startswith("nan nan nan|     nan|nan|00000nan\n  -1.0|-1.0   |  -1.0   |0.0   |\n"), printed)

    def test_found(self):
        self.each(FOUND)

    def test_equality_of_containers(self):
        self.each(EQUAL)

    def test_exceptions(self):
        self.each(EXCEPTIONS)

    def test_everyday(self):
        self.each(EVERYDAY)

    def test_descriptors_and_the_order_of_bases(self):
        self.each_after(DESCRIPTOR, DESCRIPTORS)

    def test_types_of_numbers_that_are_chosen_at_run_time(self):
        self.each_refused({"m = max(A[0, 0], 7)\nr = A * (1 if isinstance(m, float) else 2)": "is chosen at run time",
                           "m = max(A[0, 0], 7)\nr = A * (1 if type(m) is int else 2)": "is chosen at run time"})
        self.each({"of several": "m = max(A[0, 0], 7)\n"
                                 "s = A * isinstance(float(m), float) + 2 * isinstance(m, str)"})

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_functions_that_are_read_alone(self):
        for body, says in (("    global n\n    n = 1\n    return x", "does not return to its caller"), ("    yield x", "f is a generator")):
            program = self.file(f"import numpy as np\nn = 0\ndef f(x: (2, 3)):\n{body}\n")
            self.refused("--function", "f", program, says=says)

    def test_a_loop_with_methods_stays_a_loop(self):
        text = "import numpy as np\nA: (2, 3)\n" + MODEL + "for i in range(100):\n    m.step(A[0] * i)\n"
        listing = self.symdump(self.file(text)).stdout.decode()
        self.assertIn("for i in range(0, 100):", listing)
        self.assertIn("m_w.add(", listing)
        self.assertIn("output m_w", listing)


if __name__ == "__main__":
    sys.exit(main())
