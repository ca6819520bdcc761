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
    "dataclasses": (
        'from dataclasses import dataclass, field, asdict, astuple\n'
        '@dataclass\n'
        'class P:\n'
        '    x: int\n'
        '    y: list = field(default_factory=list)\n'
        '@dataclass\n'
        'class Q:\n'
        '    p: P\n'
        '    n: list\n'
        '    w: dict = field(default_factory=dict, repr=False)\n'
        'q = Q(P(1, [2]), [P(3)], {"k": P(4)})\n'
        'd = asdict(q)\n'
        'd["p"]["y"].append(5)\n'
        'print(d, q.p.y, astuple(q), q)\n'
        '@dataclass(eq=False)\n'
        'class A:\n'
        '    x: int\n'
        '@dataclass(repr=False)\n'
        'class B:\n'
        '    x: int\n'
        '    def __repr__(self):\n'
        '        return "B"\n'
        '@dataclass(kw_only=True)\n'
        'class C:\n'
        '    x: int\n'
        '@dataclass(slots=True)\n'
        'class D:\n'
        '    x: int\n'
        'a = A(1)\n'
        'print(a == A(1), a == a, B(2), [B(1)], C(x=1))\n'
        'try:\n'
        '    D(1).zz = 3\n'
        'except AttributeError:\n'
        '    print("slots")\n'),
    "deques with maxlen": (
        'from collections import deque, OrderedDict\n'
        'import itertools, heapq\n'
        'q = deque([2, 3], maxlen=2)\n'
        'r = q.copy()\n'
        'r.append(9)\n'
        'q += [7]\n'
        'print(list(r), list(q), list(q * 2), q, r.maxlen)\n'
        'print(list(itertools.accumulate([1, 2], initial=10)), list(itertools.accumulate([1, 2, 3], lambda a, b: a * b, initial=2)))\n'
        'print(OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == dict(b=2, a=1), f"{255:#o} {-8:#o}", list(itertools.islice(itertools.count(1, 0.5), 3)))\n'
        'for a, b in [([1], "ab"), ("abc", [1])]:\n'
        '    try:\n'
        '        list(zip(a, b, strict=True))\n'
        '    except ValueError as e:\n'
        '        print(e)\n'
        'try:\n'
        '    heapq.heappop([])\n'
        'except IndexError as e:\n'
        '    print(e)\n'
        'def named(f):\n'
        '    def apply():\n'
        '        return f()\n'
        '    apply.__name__ = f.__name__\n'
        '    return apply\n'
        '@named\n'
        'def gain():\n'
        '    return 1\n'
        'print(gain.__name__, gain())\n'),
    "generators as lists": (
        'def gen(n):\n'
        '    for i in range(n):\n'
        '        yield i * i\n'
        'print(list(gen(4)), tuple(gen(3)), sum(gen(4)), sorted(gen(4), reverse=True), max(gen(5)), min(gen(3)))\n'
        'print(dict((k, v) for k, v in zip("abc", gen(3))), set(gen(3)) == {0, 1, 4})\n'
        'print([f + 1 for f in gen(3)], list(enumerate(gen(3))), list(zip(gen(3), gen(2))))\n'),
    "generators of pairs": (
        'def pairs(n):\n'
        '    for i in range(n):\n'
        '        yield i, i * 2.5\n'
        'print(list(zip(*pairs(3))))\n'
        'print(dict(pairs(3)))\n'
        'a, b = zip(*pairs(2))\n'
        'print(a, b)\n'
        'print({k: v for k, v in pairs(3)})\n'),
    "items of endless generators": (
        'from itertools import islice, chain, takewhile, count, accumulate\n'
        'def nat():\n'
        '    n = 0\n'
        '    while True:\n'
        '        yield n\n'
        '        n += 1\n'
        'print(list(islice(nat(), 5)), list(islice(nat(), 2, 8, 2)))\n'
        'print(list(takewhile(lambda v: v < 5, nat())))\n'
        'print(list(chain(islice(nat(), 2), [7], islice(nat(), 3))))\n'
        'print(list(takewhile(lambda v: v < 50, (n * n for n in count(1)))))\n'),
    "an endless generator in a zip and a loop": (
        'def fib():\n'
        '    a, b = 0, 1\n'
        '    while True:\n'
        '        yield a\n'
        '        a, b = b, a + b\n'
        'f = fib()\n'
        'print(next(f), next(f), [next(f) for _ in range(5)])\n'
        'print(list(zip(range(5), fib())))\n'
        'for i, v in zip(range(4), fib()):\n'
        '    print(i, v)\n'
        'for v in fib():\n'
        '    if v > 20: break\n'
        '    print(v)\n'),
    "an object whose __iter__ yields": (
        'class Tree:\n'
        '    def __init__(self, v, l=None, r=None):\n'
        '        self.v, self.l, self.r = v, l, r\n'
        '    def __iter__(self):\n'
        '        if self.l: yield from self.l\n'
        '        yield self.v\n'
        '        if self.r: yield from self.r\n'
        't = Tree(5, Tree(2, Tree(1), Tree(3)), Tree(8))\n'
        'print(list(t), sum(t), max(t), [v * 2 for v in t], sorted(t, reverse=True), 3 in t, 4 in t)\n'
        'print(list(enumerate(t)), list(zip(t, t)), ",".join(str(v) for v in t), ",".join(map(str, t)))\n'
        'a, *b = t\n'
        'print(a, b, len(list(t)), dict(zip(t, "abcde")), set(t) == {1, 2, 3, 5, 8})\n'
        'it = iter(t)\n'
        'print(next(it), next(it), list(it))\n'),
    "generators that call themselves": (
        'def perms(xs):\n'
        '    if not xs:\n'
        '        yield []\n'
        '        return\n'
        '    for i in range(len(xs)):\n'
        '        for p in perms(xs[:i] + xs[i + 1:]):\n'
        '            yield [xs[i]] + p\n'
        'print(list(perms([1, 2, 3])))\n'
        'print(len(list(perms([1, 2, 3, 4]))))\n'
        'def flat(t):\n'
        '    for e in t:\n'
        '        if isinstance(e, list):\n'
        '            yield from flat(e)\n'
        '        else:\n'
        '            yield e\n'
        'print(list(flat([1, [2, [3, 4]], 5])), sum(flat([1, [2, [3, 4]], 5])))\n'),
    "what generators return": (
        'def g():\n'
        '    x = yield 1\n'
        '    print("got", x)\n'
        '    y = yield 2\n'
        '    print("got", y)\n'
        '    return 7\n'
        'it = g()\n'
        'print(next(it), it.send("a"))\n'
        'try:\n'
        '    it.send("b")\n'
        'except StopIteration as e:\n'
        '    print("stop", e.value)\n'
        'def outer():\n'
        '    r = yield from g()\n'
        '    yield r\n'
        'print(list(outer()))\n'
        'print(next(iter([]), "none"), next(g()))\n'
        'import itertools\n'
        'print(list(itertools.islice(map(lambda n: n * n, itertools.count(1)), 3)), next(filter(lambda n: n % 7 == 0, itertools.count(1))))\n'
        'print(list(itertools.islice(filter(None, itertools.cycle([0, 1, 2])), 4)), list(itertools.islice(itertools.count(), 1, None, 3))[:0] if False else "", list(itertools.repeat(None, 2)))\n'),
    "generators of lists": (
        'import itertools\n'
        'def chunks(xs, n):\n'
        '    it = iter(xs)\n'
        '    while True:\n'
        '        c = list(itertools.islice(it, n))\n'
        '        if not c: return\n'
        '        yield c\n'
        'print(list(chunks(range(7), 3)))\n'
        'def window(seq, n=2):\n'
        '    for i in range(len(seq) - n + 1):\n'
        '        yield tuple(seq[i:i + n])\n'
        'print(list(window("abcd")), list(window([1, 2, 3, 4], 3)))\n'
        'print(list(itertools.chain.from_iterable(chunks(range(5), 2))))\n'
        'print(list(map(sum, chunks(range(7), 3))), list(filter(lambda c: len(c) == 3, chunks(range(7), 3))))\n'
        'print(list(itertools.accumulate(window([1, 2, 3]), lambda a, b: a + b)))\n'),
    "generators in itertools": (
        'from itertools import count, cycle, repeat, dropwhile, starmap, zip_longest, groupby, tee, islice\n'
        'evens = (n for n in count() if n % 2 == 0)\n'
        'print([next(evens) for _ in range(3)], list(islice(evens, 2)))\n'
        'c = cycle("ab")\n'
        'print([next(c) for _ in range(5)])\n'
        'def g():\n'
        '    yield from (3, 1, 2)\n'
        'print(list(dropwhile(lambda v: v != 1, g())), list(starmap(lambda i, v: i * v, enumerate(g()))))\n'
        'print(list(zip_longest(g(), "a", fillvalue="-")))\n'
        'print([(k, list(v)) for k, v in groupby(sorted("abcab"))])\n'
        'a, b = tee(g())\n'
        'print(list(a), list(b))\n'
        'gg = (v * 2 for v in g())\n'
        'print(next(gg), list(gg), list(gg))\n'),
    "expressions over endless generators": (
        'def primes():\n'
        '    found = []\n'
        '    n = 2\n'
        '    while True:\n'
        '        if all(n % p for p in found):\n'
        '            found.append(n)\n'
        '            yield n\n'
        '        n += 1\n'
        'from itertools import islice\n'
        'print(list(islice(primes(), 8)))\n'
        'p = primes()\n'
        'for _ in range(3): print(next(p))\n'
        'for q in primes():\n'
        '    if q > 12: break\n'
        '    print(q, end=" ")\n'
        'print()\n'
        'gen = (p for p in primes() if p % 4 == 1)\n'
        'print(next(gen), next(gen), next(gen))\n'),
    "generators of generators": (
        'def read(lines):\n'
        '    for line in lines:\n'
        '        line = line.strip()\n'
        '        if not line or line.startswith("#"):\n'
        '            continue\n'
        '        k, _, v = line.partition("=")\n'
        '        yield k.strip(), v.strip()\n'
        'cfg = dict(read(["a = 1", "# c", "", "b=2"]))\n'
        'print(cfg)\n'
        'def parse(p):\n'
        '    for k, v in p:\n'
        '        yield k, int(v)\n'
        'print(dict(parse(read(["a = 1", "b=2"]))))\n'
        'print({k: v for k, v in parse(read(["a = 1", "b=2"]))}, max(parse(read(["a = 1", "b=2"])), key=lambda t: t[1]))\n'
        'print(*read(["a=1"]), sep=";")\n'
        'print(any(k == "b" for k, _ in read(["a=1", "b=2"])), all(True for _ in read([])))\n'),
    "Counters": (
        'from collections import Counter\n'
        'a = Counter("abracadabra"); b = Counter(a=1, b=5, z=2)\n'
        'print(a & b, a | b, a + b, a - b)\n'
        'print(a.total(), a.most_common(2), a.most_common(), b.most_common(1))\n'
        'a.subtract(b)\n'
        'print(a, dict(a), +a, -a)\n'
        'a.subtract("ab")\n'
        'a.update({"a": 2})\n'
        'print(a["a"], a["none"], sum(a.values()), sorted(a.items()), list(b.elements()))\n'
        'c = Counter([1, 2, 2, 3, 3]); c += Counter([1]); print(c); c -= Counter([2, 2]); print(c)\n'
        'print(Counter("ab") == Counter("ba"), Counter(a=1) <= Counter(a=2), Counter(a=1) == {"a": 1})\n'
        'c |= Counter([9]); print(c); c &= Counter([9, 3]); print(c)\n'),
    "sets": (
        'print({1} < {1, 2}, {1, 2} <= {1, 2}, {1} > set(), {1, 3} >= {1}, {1} != {2}, {1, 2} == {2, 1}, {1} < {2})\n'
        'print({1}.issubset([1, 2]), {1, 2}.issuperset({1}), {1}.isdisjoint({2}))\n'
        'print({1, 2}, {3, 1, 2}, set(), {5}, {"a"}, frozenset({1, 2}), frozenset(), {0, -1} == {-1, 0})\n'
        's = {1, 2}; s.add(7); s.discard(1); s |= {4}; s &= {4, 7}; s ^= {1}; s -= {7}\n'
        'print(s, len(s), sorted(s), f"{s}", str(s), 1 in s)\n'
        'f = frozenset([1, 2]); d = {f: 3}; print(d[frozenset((2, 1))], f | {3}, f == {1, 2}, isinstance(f, frozenset), isinstance({1}, frozenset))\n'
        'print({1, 2}.union([3], (4,)), {1, 2, 3}.difference([1], [2]), {1, 2}.symmetric_difference([2, 3]), {1, 2, 3}.intersection([2, 3], [3]))\n'
        'print([{1, 2}, {3}], {"k": {1}}, ({2},))\n'
        't = s.copy(); t.clear(); print(s, t, min({3, 1}), max({3, 1}), sum({3, 1}), sorted({"b", "a"}))\n'
        'print({True, False}, {5, 3, 7})\n'
        'print({(0, 0)}, {1.5}, {None}, type({1}).__name__, type(frozenset()).__name__)\n'),
    "bytes": (
        'b = b"abc"\n'
        'print(b, b[0], b[1:], len(b), list(b), b.decode(), "héllo".encode(), bytes([1, 2]), bytes(3), b"abc" == bytes([97, 98, 99]))\n'
        'print(int.from_bytes(b"\\x01\\x02", "big"), int.from_bytes(b"\\x01\\x02", "little"), (258).to_bytes(2, "big"), b.hex(), bytes.fromhex("0aff"), b + b"d", b * 2)\n'
        'print(b"a" in b, 97 in b, b.startswith(b"a"), b.find(b"c"), b.upper(), b.split(b"b"), sum(b), max(b), [x ^ 1 for x in b], b"\\n\\t\\x00\\xff\'")\n'
        'print(bytes("abc", "utf-8"), b"a b".split(), b",".join([b"1", b"2"]), b.replace(b"a", b"zz"), isinstance(b, bytes), type(b).__name__, str(b), repr(b"\'"), f"{b}")\n'
        'for c in b: print(c, end=" ")\n'
        'print(bytes(x ^ 7 for x in b"hello"), bytes(reversed(b)), sorted(b), b[::-1], b[-1], b < b"abd", "".join(chr(c) for c in b), "".join(f"{c:02x}" for c in b))\n'
        'a = np.frombuffer(b"abc", dtype=np.uint8)\n'
        'print(a.sum(), a.dtype, a[0], len(a))\n'),
    "formats and numbers": (
        'print("%x %X %o %c %c %e" % (255, 255, 8, "a", 66, 1.5), "%(a)s=%(b)05.2f" % {"a": 1, "b": 2.5}, "%%|%5s|%-5s|%+d" % ("a", "b", 3), "%s" % (None,), "%r" % "a", "%#x" % 255, "%08.3f|%*d" % (3.14159, 5, 42))\n'
        'print("{:<{w}}|".format("a", w=5), "{:<{}}|".format("b", 5), "{:{}{}}|".format("x", "^", 7), "{0:>{1}.{2}f}".format(3.14159, 8, 2), "{a[0]} {b.real} {c[k]}".format(a=[1], b=2, c={"k": 3}))\n'
        'print(hex(255), bin(5), oct(8), format(5, "08b"), format(255, "x"), format(3.14159, ".2f"), format("a", ">4"), f"{255:#x} {5:#b} {8:o} {1234567:,} {0.25:.1%} {255:#06x} {10:+}", f"{\'a\':*^5}", f"{1e10:g} {3:e}")\n'
        'print(bin(-5), hex(-255), int("ff", 16), int("0b101", 2), int("101", 2), int("0x1f", 0), int("z", 36), f"{-5:08b}", f"{5:_}", f"{12345678:_}", f"{0xabc:_x}")\n'
        'print(round(1234, -2), round(1250, -2), round(1350, -2), round(2.5), round(-1.5), round(2.675, 2), round(7), round(5, 1), type(round(2.0)).__name__, type(round(2.0, 1)).__name__)\n'
        'print(type(None).__name__, type(1).__name__, type("").__name__, type([]).__name__, type(lambda: 0).__name__, type(1.5), type(None), type([1]))\n'
        'xs = [3, 1, 2]\n'
        'print(sorted(range(3), key=xs.__getitem__), max(range(3), key=xs.__getitem__), min({"a": 2, "b": 1}, key={"a": 2, "b": 1}.get), sorted("bca", key="abc".index, reverse=True))\n'
        'd = {"a": 3, "b": 1}\n'
        'print(sorted(d, key=d.__getitem__), sorted(d, key=d.get), list(map(d.__getitem__, "ab")), [].__len__(), "ab".__contains__("a"))\n'),
    "textwrap": (
        'import textwrap\n'
        't = textwrap.dedent("""\\\n'
        '    a b\n'
        '      c\n'
        '    d\n'
        '""")\n'
        'print(t, t.splitlines(), textwrap.fill("aa bb cc dd", 5), textwrap.wrap("hello big world", 8), textwrap.indent("a\\nb", "> "), textwrap.shorten("Hello  big world!", 12))\n'
        'text = """\n'
        '    1 2\n'
        '    3 4\n'
        '    """\n'
        'print([[int(v) for v in line.split()] for line in textwrap.dedent(text).strip().splitlines()])\n'),
    "arrays of characters": (
        'grid = np.array([list(row) for row in ["S..H", ".##.", "...G"]])\n'
        'print(grid.shape, (grid == "#").sum(), np.argwhere(grid == "#").tolist(), grid[0, 0], grid[1][1] == "#", np.count_nonzero(grid == "."))\n'
        'walls = grid == "#"\n'
        'nb = np.zeros((3, 4), dtype=int)\n'
        'for r in range(3):\n'
        '    for c in range(4):\n'
        '        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):\n'
        '            a, b = r + dr, c + dc\n'
        '            if 0 <= a < 3 and 0 <= b < 4 and grid[a, b] == "#":\n'
        '                nb[r, c] += 1\n'
        'print(nb.tolist())\n'
        'r, c = np.where(grid == "S")\n'
        'print(int(r[0]), int(c[0]), "".join(grid[0]), grid.tolist(), [ "".join(row) for row in grid], (grid != "#").astype(int).tolist(), np.where(grid == "#", 1, 0).tolist())\n'
        'vals = {"S": 1.0, ".": 0.5, "#": 0.0, "H": -1.0, "G": 2.0}\n'
        'V = np.array([[vals[ch] for ch in row] for row in grid])\n'
        'print(V.tolist(), (grid == "H") | (grid == "G"))\n'
        'for i, row in enumerate(grid):\n'
        '    for j, ch in enumerate(row):\n'
        '        if ch == "G": print("goal", i, j)\n'
        'names = np.array(["a", "b", "a"])\n'
        'print((names == "a").sum(), names[names == "a"].tolist(), np.unique(names).tolist(), names.size, names[0])\n'),
    "chained comparisons with calls": (
        'calls = []\n'
        'def f(v):\n'
        '    calls.append(v)\n'
        '    return v\n'
        'print(1 < f(2) < 3, 1 < f(0) < f(9), 0 <= f(1) <= f(2) < f(4), [v for v in range(5) if 1 < f(v) < 4], calls)\n'
        'x = np.arange(4.0)\n'
        'print(0 < x.mean() < 2, 0 < x.sum() < 2, 3 == len(x) - 1 == x.max() != x.min())\n'
        'if 1 < x.max() <= 3 and 0 <= abs(x.min()) < 1:\n'
        '    print("in")\n'
        'g = lambda v: 0 < v.sum() < 10\n'
        'print(g(x), g(x * 5), not 0 < max(x) < 1)\n'),
    "places in lists": (
        'import bisect, heapq\n'
        'xs = ["b", "d"]\n'
        'bisect.insort(xs, "c")\n'
        'print(xs, bisect.bisect_left([(1, "a"), (2, "b")], (2, "a")), bisect.bisect([1, 2, 2, 3], 2), bisect.bisect_left([1, 2, 2, 3], 2, 2), "FDCBA"[bisect.bisect([60, 70, 80, 90], 77)])\n'
        'print(list(heapq.merge([1, 4], [2, 3], [0])), list(zip([1, 2], "ab", strict=True)), [0, 5][bisect.bisect([0.5], 0.2)])\n'),
    "causes": (
        'try:\n'
        '    try:\n'
        '        int("z")\n'
        '    except ValueError as e:\n'
        '        raise KeyError("k") from e\n'
        'except KeyError as e:\n'
        '    print(repr(e), repr(e.__cause__), type(e.__cause__).__name__, e.__suppress_context__)\n'
        'try:\n'
        '    raise RuntimeError("x") from None\n'
        'except RuntimeError as e:\n'
        '    print(e.__cause__, e.__suppress_context__)\n'
        'try:\n'
        '    raise TypeError("x")\n'
        'except TypeError as e:\n'
        '    print(e.__cause__, e.__suppress_context__)\n'),
    "complex numbers": (
        'z = 3 + 4j\n'
        'print(z, -z, str(z), repr(1j), [z], (2j,), {"a": 1.5 - 2j}, f"{z} {z:.2f}", "%s" % z, "{}".format(1j), complex(0, -1), 1e20j, complex(-0.0, 2))\n'
        'print(type(z).__name__, isinstance(z, complex), abs(z), z.conjugate())\n'),
    "sets of objects": (
        'class V:\n'
        '    def __init__(self, x, children=()):\n'
        '        self.x, self.seen, self.before = x, 0, set(children)\n'
        'a, b = V(1), V(2)\n'
        'c = V(3, (a, b))\n'
        'for v in c.before:\n'
        '    v.seen += 1\n'
        'print(a.seen, b.seen, sum(v.x for v in c.before), len(c.before), a in c.before)\n'),
    "deques and their kin": (
        'from collections import deque, defaultdict, Counter, OrderedDict\n'
        'd = deque([1, 2], maxlen=3)\n'
        'e = defaultdict(list)\n'
        'e["a"].append(1)\n'
        'print(d, deque("ab"), d.maxlen, deque().maxlen, e, e.default_factory, type(d), type(e).__name__, isinstance(e, dict), isinstance(Counter(), dict), isinstance(d, list), deque([1]) == [1])\n'
        'print(defaultdict(int), Counter(), {frozenset([1, 2]): 3}[frozenset((2, 1))], frozenset(), isinstance(frozenset(), set))\n'),
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
