"""Lists that several names hold: NumPy runs the same programs, and symdump gives the same or refuses.

    lists_test.py SYMDUMP
"""

import contextlib
import io
import re
import sys

from cli import main
from same_programs import SamePrograms

PASSES = ("none", "default", "all", "hoist,reuse,inplace", "fuse", "fast")
LOG = "def log(hist, v):\n    hist.append(v)\n"
W = "w = np.array([[-2.5, 1.25, 3.0], [0.5, 2.0, -0.75]])\n"

PARAMETERS = {
    "appended to": LOG + "loss = []\nlog(loss, 3)\nlog(loss, 4.5)\ny = np.array(loss) * 1.0",
    "appended to in a loop": LOG + "loss = []\nfor i in range(3):\n    log(loss, i)\ny = np.array(loss) * 1.0",
    "in a loop of the function":
        W + "def train(hist):\n    for t in range(4):\n        hist.append(w.sum() * t)\n"
        "loss = []\ntrain(loss)\ny = np.array(loss)",
    "in loops of both":
        W + "def train(hist, s):\n    for t in range(4):\n        hist.append(w.sum() * t + s)\n"
        "loss = [7.0]\nfor e in range(3):\n    train(loss, e)\nloss.append(1.5)\ny = np.array(loss)",
    "through two functions":
        LOG + "def epoch(history, i):\n    for j in range(2):\n        log(history, i * 10 + j)\n    return len(history)\n"
        "loss = []\nfor i in range(3):\n    n = epoch(loss, i)\n    y = np.ones(2) * n\nz = np.array(loss) * 1.0",
    "two lists":
        LOG + "def both(a, b, v):\n    log(a, v)\n    log(b, -v)\n    log(b, 0)\n"
        "a = []\nb = [1]\nfor i in range(3):\n    both(a, b, i)\nx = np.array(a) * 1.0\ny = np.array(b) * 1.0",
    "the same list twice": "def both(a, b):\n    a.append(1)\n    b.append(2)\ne = []\nboth(e, e)\ny = np.array(e) * 1.0",
    "the same list twice in a loop":
        "def both(a, b, i):\n    a.append(i)\n    b.append(-i)\ne = []\nfor i in range(3):\n    both(e, e, i)\n"
        "y = np.array(e) * 1.0",
    "a list of the module": "e = []\ndef f(v):\n    e.append(v)\nf(1)\nf(2)\nfor i in range(3):\n    f(i)\ny = np.array(e) * 1.0",
    "a parameter given another list": "def f(a):\n    a.append(1)\n    a = [5]\n    a.append(2)\n    return np.array(a)\n"
                                      "e = []\ny = f(e) * 1.0\nz = np.array(e) * 1.0",
    "while the argument is computed":
        "def f(a):\n    a.append(1)\n    return 7\ne = []\ne.append(f(e))\ny = np.array(e) * 1.0",
    "while a tuple is made":
        "def f(a):\n    a.append(1)\n    return 7\ne = [3]\nt = (e, f(e), e)\ny = np.array(t[0]) * 1.0\ny[0] = len(t[2])",
    "while a call is made":
        "def f(a):\n    a.append(1)\n    return 7\ndef g(a, b):\n    a.append(b)\n    return len(a)\n"
        "e = []\ny = np.ones(2) * g(e, f(e))\nz = np.array(e) * 1.0",
    "and read as it grows": LOG + "e = [1.0]\ns = 0\nfor i in range(3):\n    log(e, i * 2.0)\n    s = s + len(e)\ny = s * np.ones(2)",
    "in a conditional": "e = []\nf = [1]\ng = e if 1 > 0 else f\ng.append(3)\ny = np.array(e) * 1.0",
}
ALIASES = {
    "of an empty list": "e = []\nf = e\nf.append(1)\ny = np.ones(2) * len(e)",
    "the other way": "e = []\nf = e\ne.append(1)\ny = np.ones(2) * len(f)",
    "of a list that grew": "e = []\nfor i in range(3):\n    e.append(i)\nf = e\nf.append(9)\ny = np.array(e) * 1.0",
    "of a list that grew, the other way": "e = []\nfor i in range(3):\n    e.append(i)\nf = e\ne.append(9)\ny = np.array(f) * 1.0",
    "before the loop": "e = [4]\nf = e\nfor i in range(3):\n    e.append(i)\ny = np.array(f) * 1.0\nz = np.array(e) * 1.0",
    "read in the loop": "e = [4]\nf = e\ny = np.zeros(3)\nfor i in range(3):\n    y[i] = len(f)\n    e.append(i)",
    "both written in the loop": "e = []\nf = e\nfor i in range(3):\n    e.append(i)\n    f.append(-i)\ny = np.array(e) * 1.0\nz = np.array(f) * 1.0",
    "made in the loop": "e = []\nfor i in range(3):\n    f = e\n    f.append(i)\ny = np.array(e) * 1.0\nz = np.array(f) * 1.0",
    "in loops in loops":
        "e = []\nf = e\nfor i in range(2):\n    for j in range(3):\n        f.append(i - j)\n    e.append(i)\n"
        "y = np.array(e) * 1.0\nz = np.array(f) * 1.0",
    "a new list in each iteration": "y = np.zeros(3)\nfor i in range(3):\n    e = []\n    f = e\n    f.append(i)\n    y[i] = e[0]",
    "a copy is none": "e = [1]\nf = e + [2]\ng = e[:]\nh = e * 2\ne.append(3)\nf.append(4)\ng.append(5)\n"
                      "x = np.array(e) * 1.0\ny = np.array(f) * 1.0\nz = np.array(g) * 1.0\nw = np.array(h) * 1.0",
    "rebound": "e = [1]\nf = e\ne = e + [2]\ne.append(3)\ny = np.array(e) * 1.0\nz = np.array(f) * 1.0",
    "swapped": "e = [1]\nf = [2, 3]\ne, f = f, e\ne.append(4)\ny = np.array(e) * 1.0\nz = np.array(f) * 1.0",
    "in a tuple": "e = []\nt = (e, 1)\nt[0].append(3)\ne.append(4)\ny = np.array(e) * 1.0\nz = np.array(t[0]) * 1.0",
    "in a list of lists": "e = []\nl = [e, e, [5]]\nl[1].append(3)\nl[2].append(6)\ny = np.array(l[0]) * 1.0\nz = np.array(l[2]) * 1.0",
    "in a tuple beside a loop": "e = []\nt = (e, 1)\nfor i in range(3):\n    e.append(i)\ny = np.array(t[0]) * 1.0",
    "in a tuple that the loop reads": "e = []\nt = (e, 1)\ns = 0\nfor i in range(3):\n    e.append(i)\n    s = s + len(t[0])\n"
                                      "    t[0].append(7)\ny = np.array(t[0]) * 1.0\nz = np.ones(2) * s",
    "unpacked": "e = []\na, b = e, e\na.append(1)\ny = np.ones(2) * len(b)",
    "returned": "def make():\n    h = []\n    h.append(1)\n    return h\na = make()\nb = make()\nc = a\nc.append(2)\n"
                "y = np.array(a) * 1.0\nz = np.array(b) * 1.0",
    "returned as it was given": "def same(h):\n    return h\ne = []\nf = same(e)\nf.append(2)\ny = np.array(e) * 1.0",
}
ARRAYS = {
    "written later": "x = np.array(1.0)\ne = []\ne.append(x)\nx += 1\ny = np.array(e)",
    "a view": "x = np.array(1.0)\nv = x.reshape(())\ne = []\ne.append(v)\nx += 1\ny = np.array(e)",
    "bound anew": "x = np.array(1.0)\ne = []\ne.append(x)\nx = x + 1\ne.append(x)\ny = np.array(e)",
    "scalars in a loop": W + "s = w.sum()\ne = []\nfor i in range(3):\n    e.append(s)\n    s += 1\ny = np.array(e)",
    "copies in a loop": "x = np.array(1.0)\ne = []\nfor i in range(3):\n    e.append(x.copy())\n    x += 1\ny = np.array(e)",
}
DEFAULTS = {
    "kept between calls": "def g(v, h=[]):\n    h.append(v)\n    return np.array(h)\na = g(1) * 1.0\nb = g(2) * 1.0\n"
                          "c = g(3, [7]) * 1.0\nd = g(4) * 1.0",
    "grown by a loop": "def g(n, h=[]):\n    for i in range(3):\n        h.append(i + n)\n    return np.array(h)\n"
                       "a = g(1) * 1.0\nb = g(2) * 1.0",
    "a list of the module": "e = [1]\ndef g(v, h=e):\n    h.append(v)\n    return np.array(h)\na = g(1) * 1.0\ne.append(9)\nb = g(2) * 1.0",
}
X = "X = np.array([0.3, -1.2, 2.0, 0.7, -0.1, 1.1, -2.5, 0.9]) * 1.0\n"
# The number of elements is known only at run time.
OF_THE_RUN = {
    "a while that a counter bounds": "r, l, k = X[0] + 9.0, [1.0], 0\nwhile r > 0.01 and k < 20:\n    r = r * 0.5\n    l.append(r)\n    k += 1\n"
                                     "s = np.array(l).sum() + len(l) + max(l)",
    "a break that a counter bounds": "r, l, j = X[0] + 9.0, [], 7\nwhile True:\n    r = r * 0.5\n    l.append(r)\n    if r < 0.01 or j <= 2:\n"
                                     "        break\n    j = j - 1\ns = sum(l) + len(l)",
    "a run-time index": "k = np.argmin(X[:3])\na = (0.1, 1.0, 10.0)[k] * X\ndr, dc = [(-1, 0), (1, 0), (0, 1)][k]\nb = X * dr + dc\nc = int(X[0] * 3.7) + int(k)",
    "before a break": "y = X * 1.0\nh = []\nfor i in range(20):\n    y = y / 2\n    h.append(np.sum(y * y))\n    if h[-1] < 0.01:\n"
                      "        break\nr = np.array([len(h), h[0], h[-1], sum(h), max(h), np.mean(h)])\nz = np.array(h) ** 2\ns = z.sum()",
    "under an if": "e = [1.5]\nfor i in range(8):\n    if X[i] > 0:\n        e.append(X[i])\nn = len(e)\nr = X * np.mean(e) + e[-2]",
    "in nested loops, several times":
        "e = []\nf = [3, 4]\nfor i in range(3):\n    for j in range(8):\n        if X[j] > i:\n            e.append(i * j)\n"
        "            f.append(7)\n        elif j == i:\n            e.append(j)\nr = np.array([len(e), sum(e), len(f), sum(f)])",
    "then where nothing is decided": "e = [2]\nif X[0] > 0:\n    e.append(3)\ne.append(4)\nfor i in range(3):\n    e.append(i)\n"
                                     "if X[1] > 0:\n    e.append(9)\nr = np.array([len(e), sum(e), e[1], e[-1]])",
    "an int, then floats": "e = [1]\nfor i in range(8):\n    if X[i] > 0:\n        e.append(i)\n    if X[i] > 1:\n        e.append(X[i])\n"
                           "r = sum(e) * X",
    "in a function, by an argument": "def f(e, x):\n    if x > 0:\n        e.append(x)\n    return len(e)\ne = []\nn = 0\n"
                                     "for i in range(8):\n    n += f(e, X[i])\nr = np.array([n, len(e), sum(e)])",
    "one of several names": "e = []\ng = e\nfor i in range(8):\n    if X[i] > 0:\n        g.append(X[i])\n        X[i] = 0\n"
                            "r = X * len(e) + max(g)",
    "read in the loop": "e = [0.0]\nfor i in range(8):\n    if X[i] > e[-1]:\n        e.append(X[i] + len(e))\nr = X * e[-1]",
    "where loops with calls stand in unrolled iterations":
        "lr = np.array(2)\ne = []\nfor i in range(-1, -4, -1):\n    for j in range(3, 5):\n        if X.sum() <= 4.75:\n            break\n"
        "    lr = lr * (0.5 if i != -1 else 0.25)\n    if X[0] > 9:\n        continue\n    e.append(X.sum() * i)\nr = np.mean(e) * lr",
    "made under an if": "r = X * 1.0\nif X[0] > 0:\n    e = [1.5]\n    if X[1] < 1:\n        e.append(X[2])\n    if X[2] < 1:\n        e.append(7.0)\n"
                        "    r = X * sum(e) + len(e)",
    "in unrolled iterations": "e = []\nfor i in range(1, 4):\n    if X[:i].sum() > 0:\n        e.append(X[:i].sum())\nr = X * sum(e) + len(e)",
}
WHILE = "t, k, x = X[0] - 0.3, 0, X[:2] * 1.0\nwhile t < 1.0 and k < 50:\n    t = t + 0.13\n    k += 1\n"
FEW = "h = []\nfor i in range(6):\n    if X[i] > 0:\n        h.append"
# Their elements are arrays, or tuples of numbers.
ROWS_OF_THE_RUN = {
    "copies of what is written":
        "traj = []\n" + WHILE + "    traj.append(x.copy())\n    x += 0.1 * x[::-1]\n"
        "n = len(traj)\ny = traj[-1] + traj[0]\na = np.array(traj)\ns = a[:, 0].sum()\nm = np.mean(traj, axis=0)\n"
        "v = np.vstack(traj).max(axis=0)\nw = np.stack(traj).std(axis=0)\nu = a.T @ a\nc = a.shape[1]\nz = a[-1, 1] + a[0][0] + traj[3][1]",
    "what is bound anew":
        "x = X[:2] * 1.0\ntraj = [x]\n" + WHILE + "    x = x + 0.1 * x[::-1]\n    traj.append(x)\n"
        "m = np.mean(traj, axis=0)\ny = traj[-2] * 1\ne = np.linalg.norm(np.array(traj), axis=1).max()",
    "from the last one": "traj = [X[:2] * 1]\n" + WHILE + "    traj.append(traj[-1] * 1.1)\nn = len(traj)\ns = sum(traj)",
    "before a break":
        "x = X[:3] * 1.0\nh = []\nfor i in range(20):\n    x = x / 2\n    h.append(x)\n    if np.abs(x).sum() < 0.01:\n"
        "        break\nr = np.array([len(h), h[0][1], h[-1][2]])\ns = np.array(h)[:, 1].sum()",
    "rows under an if": "R = X.reshape(4, 2)\ng = []\nfor i in range(4):\n    if R[i, 0] > 0.5:\n        g.append(R[i])\nm = np.array(g).sum(axis=0)",
    "matrices":
        "M = X.reshape(2, 4)\nh = []\nfor i in range(6):\n    M = M / 2\n    if M[0, 0] > 0.01 or i > 3:\n        h.append(M)\n"
        "s = np.array(h).sum(axis=0)\nq = np.mean(h)\nl = h[-1].T * 1",
    "of ints and of truth values":
        FEW + "(np.arange(3) + i)\ns = np.array(h).sum(axis=0)\nq = h[0] // 2\nb = []\nif X[0] > 0:\n    b.append(X > X[0])\n"
        "c = np.array(b).sum(axis=0)\nd = b[0]",
    "tuples":
        "hist = [(0, 1.5)]\n" + WHILE + "    x = x + 0.1 * x[::-1]\n    hist.append((k, x.sum()))\nH = np.array(hist)\n"
        "a = H[:, 0].sum()\nb = H[:, 1].max()\ni, v = hist[-1]\nc = i // 2\nd = hist[0][1]\nn = len(hist)",
    "lists of numbers": "hist = []\n" + WHILE + "    hist.append([t, X[0] * t, k])\nH = np.array(hist)\na = H.sum(axis=0)\nb = H[-1, 1]",
    "in a function":
        "def run(x, stop):\n    traj = [x]\n    t, k = 0.0, 0\n    while t < stop and k < 30:\n        x = x - 0.1 * x ** 3\n        traj.append(x)\n"
        "        t += 0.2\n        k += 1\n    return np.array(traj)\na = run(X, X[0] + 2.0)\nm = a.mean(axis=0)\nn = len(a)\nl = a[-1] * 1",
    "then where nothing is decided":
        "h = [X[:2] * 1]\nif X[0] > 0:\n    h.append(X[:2] * 2)\nh.append(X[2:4])\nfor i in range(3):\n    h.append(X[i:i + 2].copy())\n"
        "n = len(h)\nm = np.array(h).sum(axis=0)",
    "written before the list is":
        "y = np.zeros(2)\ny[0] = 3\nh = [y]\nx = y\nfor i in range(6):\n    x = x + 1\n    if X[i] > 0:\n        h.append(x)\ns = np.array(h).sum(axis=0)",
}
# Python's lists hold the arrays themselves.
WRITTEN_ROWS = {
    "b = np.zeros(2)\nh = []\nfor i in range(6):\n    b[0] = i\n    if X[i] > 0:\n        h.append(b)": "append a copy",
    "b = np.zeros(2)\nh = []\nfor i in range(6):\n    b[0] = i\n    for j in range(2):\n        if X[i] > 0:\n            h.append(b)": "append a copy",
    "x = X[:2] * 1\nh = []\nfor i in range(6):\n    if X[i] > 0:\n        h.append(x)\n    x += i": "append a copy",
    "x = X[:2] * 1\nh = []\nfor i in range(6):\n    if X[i] > 1:\n        x[0] = i\n    if X[i] > 0:\n        h.append(x)": "append a copy",
    "x = X[:2] * 1\nh = []\nfor i in range(6):\n    x += i\n    x = x + 1\n    if X[i] > 0:\n        h.append(x)": "append a copy",
    "x = X[:2] * 1\nh = []\nfor i in range(6):\n    x = x + 1\n    if X[i] > 0:\n        h.append(x)\nx += 1": "append a copy",
    "y = X[:2] * 1\nx = y\nh = []\nfor i in range(6):\n    if X[i] > 0:\n        h.append(x)\n    x = x + 1\ny += 1": "append a copy",
    "y = X[:2] * 1\nx = y\nh = []\nfor i in range(6):\n    if X[i] > 1:\n        x = y + i\n    h.append(x)\n    y[1] = i\n    if X[0] > i:\n"
    "        h.append(x)": "a copy",
    "y = X[:2] * 1\nh = [y]\n" + "for i in range(6):\n    if X[i] > 0:\n        h.append(X[:2])\ny += 1": "append a copy",
    "y = X[:4] * 1\nh = []\nfor i in range(6):\n    if X[i] > 0:\n        h.append(y[:2])\n    y[1] = i": "append a copy",
    "def f(h, v):\n    h.append(v)\ndef g(v):\n    v[0] = 3\nb = X[:2] * 1\nh = []\nfor i in range(6):\n    if X[i] > 0:\n        f(h, b)\n"
    "    g(b)": "append a copy",
    FEW + "(X * i)\ny = h[-1]\ny += 1": "write to a copy", FEW + "(X * i)\nh[-1][0] = 1": "write to a copy",
    FEW + "(X * i)\nh[0] = X": "only as a whole", FEW + "(X * i)\ns = max(h)": "np.array.list. makes an array",
    FEW + "(X * i)\n    h.append(X[:2] * 1)": "got shape", FEW + "(X[:2])\n    h.append((1, 2))": "got shape",
    "r = [1.0, X[0]]\n" + FEW + "(r)\n    r[0] = i": "numbers and single elements",
}
# What Python's modules and functions make of what is known.
KNOWN = {
    "elements of arrays that the program writes out":
        "x = np.arange(3.0)\na = np.arange(5).tolist()\nb = np.take(np.arange(4, 8), 2)\nc = np.arange(6).reshape(2, 3).tolist()\n"
        "d = np.array([True, False]).tolist()\ne = np.take_along_axis(np.arange(4), np.array([2, 0]), 0)\n"
        "f = np.array([1.5, 2.0]).tolist()\nn = np.array(3).tolist()\ng = np.take(np.arange(6).reshape(2, 3), 1, axis=0)\n"
        "y = x * a[3] + b + c[1][2] + f[0]\nz = x[:a[2]] * len(d) + e + n\nw = x + g",
    "itertools":
        "import itertools\nfrom itertools import product as every\nx = np.arange(4.0)\ns = 0\nfor a, b in every([1, 2], repeat=2):\n"
        "    s = s + a * b * x\nfor a, b in itertools.combinations(range(4), 2):\n    s = s + x[a] * x[b]\n"
        "for p in itertools.permutations([0, 1, 2]):\n    s = s + x[p[0]] * p[1]\nfor q in itertools.chain([1], (2, 3)):\n    s = s + q\n"
        "n = x * len(list(itertools.combinations_with_replacement('abc', 2)))\nm = x * list(itertools.islice(range(9), 2, 8, 3))[1]\n"
        "k = x * len(list(itertools.permutations(range(4), 2))) + list(itertools.chain.from_iterable([[1], [2, 5]]))[2]",
    "collections":
        "import collections\nfrom collections import defaultdict, OrderedDict, Counter\nx = np.arange(2.0)\nd = defaultdict(list)\n"
        "for k, v in [('a', 1), ('b', 2), ('a', 3)]:\n    d[k].append(v)\nc = collections.defaultdict(int)\nfor ch in 'hello':\n    c[ch] += 1\n"
        "e = defaultdict(lambda: np.zeros(2))\ne['z'] += 3\no = OrderedDict()\no['w'] = x * 2\ns = x * len(d['a']) + c['l'] + len(d)\n"
        "for k, v in o.items():\n    s = s + v\ny = x * len(d['missing'])",
    "Counter.update, and copies of sets":
        "from collections import Counter\nx = np.arange(2.0)\nc = Counter('aab')\nc.update('bcc')\nc.update({'a': 5}, z=2)\n"
        "s = {1, 2}\nt = s.copy()\nu = s.union()\nt.add(5)\nu.update([7], [8, 2])\ns.remove(1)\nmissed = 0\n"
        "try:\n    s.remove(9)\nexcept KeyError:\n    missed = 1\nfull = {}.fromkeys([3, 4], 6)\n"
        "y = x * c['a'] + c['b'] * 10 + c['z'] * 100 + c.total()\nz = x + len(s) + 10 * len(t) + 100 * len(u) + missed + full[4]",
    "Counter":
        "import collections\nfrom collections import Counter\nx = np.arange(2.0)\nc = Counter('hello')\nd = collections.Counter({'a': 4}, b=2)\nd['z'] += 3\n"
        "y = x * c['l'] + c['missing'] + len(c) * 10\nz = x * c.most_common(2)[1][1] + c.total() * 100 + d.most_common()[0][1]\n"
        "for k, v in Counter([3, 1, 3]).most_common():\n    z = z * k + v\nw = x * d['z'] + len(Counter())",
    "heapq":
        "import heapq\nfrom heapq import heappush, heappop\nx = np.arange(2.0)\nh = []\nfor k in [5, 2, 8, 1, 9, 3, 7, 1]:\n    heappush(h, k)\na = np.array(h)\n"
        "b = np.array([heappop(h), heappop(h), heapq.heapreplace(h, 4), heapq.heappushpop(h, 0), heapq.heappushpop(h, 6)])\nc = np.array(h)\n"
        "g = [9, 4, 7, 1, 8, 2, 3]\nheapq.heapify(g)\nd = np.array(g)\ne = np.array(heapq.nsmallest(3, g) + heapq.nlargest(2, g, key=lambda k: k % 5))\n"
        "q, dist = [(0, 'a')], {'a': 0}\nedges = {'a': [('b', 4), ('c', 1)], 'b': [('d', 1)], 'c': [('b', 2), ('d', 5)], 'd': []}\nwhile q:\n    far, at = heapq.heappop(q)\n"
        "    for to, length in edges[at]:\n        if far + length < dist.get(to, 99):\n            dist[to] = far + length\n            heappush(q, (far + length, to))\n"
        "f = x * dist['d'] + dist['b']",
    "characters and digits":
        "x = np.arange(2.0)\ny = x * (ord('c') - ord('a')) + (chr(97) + chr(955) == 'aλ') * 10 + ord('é') * 100\n"
        "z = x * (bin(-10) == '-0b1010') + (hex(255) + oct(8) == '0xff0o10') * 10 + bin(11)[2:].startswith('10') * 100 + (hex(0) == '0x0') * 1000\n"
        "import math\nw = x * math.lcm(4, 6) + math.lcm(0, 3) + math.lcm(-4, 6, 10) + math.lcm()",
    "functools":
        "from functools import reduce, partial\nimport functools\nx = np.arange(2.0)\nt = reduce(lambda u, w: u + w, [x, x, x])\n"
        "f = partial(np.sum, axis=0)\ng = f(np.ones((2, 3)))\nh = functools.partial(lambda u, w=1: u * w, w=3)(x)\nk = reduce(max, [3, 9, 4], 5) * x",
    "sets":
        "x = np.arange(2.0)\na = {1, 2, 3} & {2, 3, 4}\nb = {1, 2} | {5}\nc = {1, 2} - {2}\n"
        "y = x * len(a) + len(b) * 10 + len(c) * 100 + len({1, 2} ^ {2, 3}) * 1000\nz = x * (2 in a) + (a == {3, 2}) + ({1} <= b)\n"
        "w = x * {1, 2}.issubset({1, 2, 3}) + len({1}.union([2, 3]))",
    "functions that are given functions":
        "x = np.arange(3.0)\nl = sorted([3, 1, 2], key=lambda i: -i)\nm = sorted(np.array([3, 1, 2]), reverse=True)\nd = {'b': 1, 'a': 5}\n"
        "y = x * l[0] + m[0] + d[max(d, key=lambda k: d[k])] + d[sorted(d)[0]]\nz = min(x) + max(x)\n"
        "w = x * list(map(lambda v: v * 2, [1, 2]))[1] + list(filter(lambda v: v > 1, {1: 0, 2: 0}))[0] + l.index(1) + l.count(2)",
    "functions along an axis":
        "A = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, 7.0]])\nf = lambda r, k=2: r * k - r.sum()\na = np.apply_along_axis(f, 1, A)\n"
        "b = np.apply_along_axis(f, 0, A, 3)\nc = np.apply_along_axis(np.mean, 0, A)\nd = np.apply_along_axis(lambda r: r.max() - r[0], -1, A)\n"
        "e = np.apply_along_axis(lambda r: r[:2] if r[0] > 1 else r[1:], 1, A)\ng = np.apply_along_axis(np.argmax, 1, A) * 1.0",
    "modules that are not used": "import random, json\nfrom decimal import Decimal\nfrom collections import deque as d\nx = np.ones(2)",
}
PRINTS = """
import numpy as np
x = np.array([1234567.5, -0.25, 2.0])
n = np.argmax(x)
print('%6s: %.3f|%-8s|%5d|%-5d|%05.1f|%r' % ('a', 1.0, 'bc', 42, 7, 2.5, 'q'))
print('%10s|%-12s|%6s|%r' % (x[0], x[2], n, x[1]))
print(f"{x[0]:,.2f}|{x[1]:,.3f}|{-x[0]:>16,.1f}|{x[2]:>10}|{x[2]:<8}|{x[0]!r}|{x[1]:^+9}|{x[0]:_.0f}")
print("{:,.2f} {:>10} {!r} {:>8.3f}".format(x[0], 'ab', 'c', x[1]))
print((n, 2), [x[0], 'a', (1,)], {'k': x[2], 3: n > 1}, x.tolist(), ())
print(type(x), type(3), type('a'), n > 0, f"{[x[1], 2]}", f"{(n,)}")
print("{:,} {:>6,d} {:08.3f} {:+.2e} {:5}".format(1234567, 1234, 3.14159, 12345.678, True), f"{1234567.891:,.2f}")
print(f"{n:,} {n:>5,d} {n:4d}|{n:<4}|{n:04d}", str([x[1]]) + 'z', str((1, 'b')), '%d%%' % 5, '%s' % (x[2],), '%s' % [1, 2])
y = x * 1
"""
REFUSED = {
    X + "e = []\nx = X.sum()\nwhile x < 100:\n    x = x * x + 1\n    e.append(x)": "whose number of iterations is known only at run time",
    X + "e = []\nif X[0] > 0:\n    e.append('a')": "takes numbers and single elements",
    X + "e = []\nif X[0] > 0:\n    e.append(1)\ny = X * e": "whose length is known only at run time",
    X + "c = 0\nif X[0] > 0:\n    st = [1]\n    while c < 3:\n        st += [2]\n        c += 1\n    c = sum(st)":
        "st is a list of 1 before and a list of 2",
    "fs = [lambda v: v * i for i in range(3)]\ny = fs[0](np.ones(2))": "the last i",
    "x = np.array([5.0, 4.0, 3.0])\nx[[1, 2]] = x[:2]": "assign a copy",
    "x = np.ones((2, 2))\nx[x[:, 0] > 0] = x.T[0]": "assign a copy",
    "x = np.ones(2)\nprint('%6s' % (x[0] > 0))": "the format %6s of", "x = np.ones(2)\nprint('%x' % x[0])": "the format %x",
    "x = np.ones(2)\nprint(f'{x[0]:09,.1f}')": "the format 09,.1f", "print({'a', 'b'})": "the order of a set's strings",
    "e = []\ny = np.ones(2) * e[0]": "list index out of range: the list is empty; got 0",
    "e = [1]\ny = np.ones(2) * e[-2]": "list index out of range: the list has 1 item; got -2",
    "e = (1, 2)\ny = np.ones(2) * e[2]": "tuple index out of range: the tuple has 2 items; got 2",
    "e = []\nfor i in range(3):\n    e.append(i)\ny = np.ones(2) * e[3]": "list index out of range: the list has 3 items; got 3",
}


class Lists(SamePrograms):
    passes = PASSES

    def test_parameters_are_the_callers_lists(self):
        self.each(PARAMETERS)

    def test_names_share_a_list(self):
        self.each(ALIASES)

    def test_a_list_shows_what_its_arrays_become(self):
        self.each(ARRAYS)

    def test_a_default_list_is_kept(self):
        self.each(DEFAULTS)

    def test_the_statements_do_not_depend_on_addresses(self):
        """The length of a comment, and of the file's name, moves what the reader allocates."""
        text = ("import numpy as np\nimport gnumpy as gpu\nw: ()\nF: (7, 7)\nF *= F;\nw *= w\ntotal = 0\ngrown = []\n"
                "for i0 in range(-2, 0):\n    F[2:3] = np.mean(w.T, axis=None)\n    F = F * (0.5 if i0 > 1 else 0.25)\n"
                "    total += np.sum(w) * (i0 + 1)\n    grown.append(np.sum(w) * (i0 + 1))\nlast_one = sum(grown)\n")
        files = [("a" * name + ".py", "# " + "x" * comment) for name in range(1, 64, 5) for comment in range(0, 120, 7)]
        lists = {re.sub(r"^#.*", "", self.symdump(self.file(text + comment, name)).out, flags=re.M)
                 for name, comment in files}
        self.assertEqual(len(lists), 1)

    def test_lists_whose_length_the_run_decides(self):
        self.each({name: X + text for name, text in OF_THE_RUN.items()})

    def test_lists_of_arrays_whose_length_the_run_decides(self):
        self.each({name: X + text for name, text in ROWS_OF_THE_RUN.items()})
        self.each_refused({X + text: says for text, says in WRITTEN_ROWS.items()})

    def test_what_is_known(self):
        self.each(KNOWN)

    def test_texts_in_quotes_and_generators(self):
        for text in ('x = np.array([1.5, 2, 3])\nprint("o:", ["%.2f" % o for o in x], (f"{x[0]:.1f} m",))',
                     'x = np.array([1.5, 2, 3])\nprint("a:", ", ".join(f"{r:.3f}" for r in x))',
                     'outs = []\nprint(not outs, not [1], not {}, not (0,))'):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec("import numpy as np\n" + text, {})  # pylint: disable=exec-used
            self.assertIn(printed.getvalue(),
                          self.symdump("--precision", 64, "--run=npmat", self.file("import numpy as np\n" + text)).out)

    def test_prints(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(PRINTS, {})  # pylint: disable=exec-used
        for passes in ("none", "all"):
            listed = self.symdump("--precision", 64, "--passes", passes, self.file(PRINTS)).out
            self.assertIn(printed.getvalue(), self.symdump("--precision", 64, "--run=npmat", self.file(PRINTS)).out)
            self.assertIn(printed.getvalue(),
                          self.symdump("--precision", 64, "--run=npmat", "--from", self.file(listed, "list.txt")).out)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_written_out(self):
        """Loops whose iterations differ, and other Python that is known when the program is read."""
        self.each({
            "0":
                'e = []\n'
                'f = []\n'
                'for i in range(2):\n'
                '    e, f = f, e\n'
                'e.append(3)\n'
                'y = np.ones(2) * len(f)',
            "1":
                'e = []\n'
                'f = []\n'
                't = (e, f)\n'
                'for i in range(2):\n'
                '    t = (t[1], t[0])\n'
                'e.append(3)\n'
                'y = np.ones(2) * len(t[0])',
            "2":
                'e = []\n'
                't = (e, 1)\n'
                'for i in range(3):\n'
                '    e = [7]\n'
                '    t[0].append(i)\n'
                'y = np.array(t[0]) * 1.0',
            "3":
                'x = np.array(1.0)\n'
                'e = []\n'
                'for i in range(3):\n'
                '    e.append(x)\n'
                '    x += 1\n'
                'y = np.array(e)',
            "4":
                'x = np.array(1.0)\n'
                'e = []\n'
                'for i in range(3):\n'
                '    e.append(x.reshape(()))\n'
                '    x += 1\n'
                'y = np.array(e)',
            "5":
                'x = np.array(1.0)\n'
                'e = [x]\n'
                'for i in range(3):\n'
                '    e.append(1.0)\n'
                '    x += 1\n'
                'y = np.array(e)',
            "6":
                'e = []\n'
                'f = [1]\n'
                'for i in range(4):\n'
                '    e.append(i)\n'
                '    e, f = f, e\n'
                'y = np.array(e) * 1.0',
            "7":
                'e = []\n'
                'f = []\n'
                'for i in range(4):\n'
                '    e.append(i)\n'
                '    f.append(-i)\n'
                '    e, f = f, e\n'
                'y = np.array(e) * 1.0',
            "8":
                'e = []\n'
                'f = e\n'
                'for i in range(3):\n'
                '    e.append(i)\n'
                '    e = []\n'
                'y = np.ones(2) * len(f)',
            "9":
                'e = []\n'
                'def f():\n'
                '    for i in range(3):\n'
                '        e.append(i)\n'
                'f()\n'
                'y = np.array(e) * 1.0',
            "10":
                't = ([], 1)\n'
                'for i in range(3):\n'
                '    t[0].append(i)\n'
                'y = np.array(t[0]) * 1.0',
            "11":
                'def g(v, h=[]):\n'
                '    h.append(v)\n'
                '    return len(h)\n'
                'for i in range(3):\n'
                '    y = np.ones(2) * g(i)',
            "12":
                'e = [1]\n'
                'b = e.append(3) if 1 > 0 else 0\n'
                'y = np.array(e) * 1.0',
            "13":
                'e = [1, 2]\n'
                'e[0] = 3\n'
                'y = np.array(e) * 1.0',
            "14":
                'e = []\n'
                'f = e\n'
                'e += [1]\n'
                'y = np.ones(2) * len(f)',
        })


if __name__ == "__main__":
    sys.exit(main())
