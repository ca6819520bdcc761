"""What is decided when a program runs: NumPy runs the same programs, and symdump gives the same or refuses.

    conditions_test.py SYMDUMP
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.5, -2.0], [0.25, 3.0]])
X = np.array([0.3, -1.2, 2.0, 0.7, -0.1, 1.1, -2.5, 0.9])
PASSES = ("none", "default", "all", "hoist,reuse,inplace", "inplace", "cse,simplify,dead,combine", "order,reuse",
          "fuse", "default,fuse", "fuse,order,reuse")

IFS = {
    "taken": "y = A * 2\nif A.sum() > 1:\n    y = y + 1\nr = y * y",
    "not taken": "y = A * 2\nif A.sum() > 100:\n    y = y + 1\nr = y * y",
    "else": "if A.sum() > 100:\n    y = A + 1\nelse:\n    y = A - 1\nr = y * y",
    "elif": "r = np.zeros(8)\nfor i in range(8):\n    if X[i] > 1:\n        v = 1.0\n    elif X[i] > 0:\n        v = X[i]\n"
            "    elif X[i] > -1:\n        v = X[i] * 10\n    else:\n        v = -1.0\n    r[i] = v",
    "nested": "r = np.zeros(8)\nfor i in range(8):\n    v = X[i] * 1\n    if v > 0:\n        if v > 1:\n            v = v * 3\n"
              "        else:\n            v = v + 7\n        v = v - 1\n    r[i] = v",
    "in place": "y = A * 2\nz = y\nfor i in range(8):\n    if X[i] > 0:\n        y += X[i]\n        y[0] *= 2\nr = z * 1",
    "a view in place": "y = A * 2\nv = y[0]\nfor i in range(8):\n    if X[i] > 0:\n        v *= X[i]\n    y[1] -= 1\nr = y + v",
    "the largest and where": "best = -np.inf\nat = 0\nn = 0\nfor i in range(8):\n    if X[i] > best:\n        best = X[i]\n"
                             "        at = i\n        n += 1\nr = A * best + at * n",
    "made by one side only": "for i in range(8):\n    if X[i] > 0:\n        last = X[i] * 2\nr = A * last",
    "made in nested loops": "for i in range(2):\n    for j in range(4):\n        if X[4 * i + j] > 1:\n            k = j + 10 * i\n"
                            "            u = X[j]\nr = A * k + u",
    "an array that only sometimes is another's": "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\nr = y * 2 + z",
    "a name that is assigned itself": "y = A * 2\nz = y\nfor i in range(3):\n    if X[i] > 1:\n        y = y\n    else:\n"
                                      "        s = y.sum()\nz[0] += 1\nr = y * 1",
    "arrays swapped": "y = A * 2\nz = A * 3\nfor i in range(8):\n    if X[i] > 0:\n        y, z = z, y\n    y = y + i\nr = y - z",
    "of integers": "n = (X > 0).sum()\nk = 5\nif n > 3:\n    k = k - 2\nelse:\n    k = 7\nr = A * k",
    "of a truth value": "f = A.sum() > 2\ng = False\nif f:\n    g = A.min() < 0\nr = A * g",
    "of a number that is not a truth value": "s = A.sum() * 0\nr = A * 1\nif s:\n    r = r + 1\nt = A[0]\nif A[0, 1]:\n    t = t * 2",
    "of an array of one element": "v = np.array([[0.5]]) * A.sum()\nr = A * 1\nif v > 1:\n    r = r * v",
    "a number of Python that becomes an element": "best = 1e9\nfor i in range(8):\n    err = X[i] * X[i]\n    if err < best:\n"
                                                  "        best = err\nr = A * best",
    "known and unknown": "y = A * 1\nfor i in range(4):\n    if i > 1 and True:\n        y = y + 1\n    if X[i] > 0:\n        y = y * 2",
    "of the loop's variable": "y = A * 1\nfor i in range(5):\n    if i % 2 == 0:\n        y = y + i\n    else:\n        y = y * 2",
    "parts and remainders of the loop's variable": "r = A * 1\nfor i in range(20, -9, -3):\n    if i % 4 == 2:\n"
        "        r += i // 3\n    elif (2 * i + 1) % 5:\n        r[0] *= 1 + i % 3 / 2\n    r[1] -= (i + 7) // 2 + -i % 4",
    "remainders in nested loops": "r = A * 1\nfor i in range(4):\n    for j in range(5):\n        if (i + j) % 2 == 0:\n"
        "            r = r + i\n        r = r * ((i * 2 + j) % 3 + 0.5)",
    "in a function": "def f(x, y):\n    if x > 0:\n        z = y + x\n    else:\n        z = y - x\n    return z\n"
                     "r = np.zeros(8)\nfor i in range(8):\n    r[i] = f(X[i], X[7 - i])",
    "a temporary that nothing else needs": "y = A * 1\nif A.sum() > 1:\n    t = A.T @ A\n    y = y + t",
    "draws": "r = A * 1\nfor i in range(8):\n    if X[i] > 0:\n        r = r + X[i]\n    s = r.sum()",
    "a condition that becomes what is chosen": "c = A.sum() > 1\nif c:\n    c = A.sum() > 100\nr = A * c",
    "a condition on what it changes": "s = A.sum()\nif s > 1:\n    s = s - 10\nif s > 1:\n    s = s + 100\nr = A * s",
    "a computed index": "n = 1\nif A.sum() > 1:\n    n = 0\nr = A[n]",
    "NaN": "s = np.sqrt(A[0, 1])\nr = A * 1\nif s > 0:\n    r = r + 1\nelse:\n    r = r - 1\nif s != s:\n    r = r * 2",
}
LEAVING = {
    "while": "y = A * 1\nn = 0\nwhile np.sum(y * y) < 500:\n    y = y * 1.5\n    n += 1\nr = y + n",
    "while, never": "y = A * 1\nn = 0\nwhile np.sum(y * y) < 5:\n    y = y * 1.5\n    n += 1\nr = y + n",
    "while with a change": "x = 1.0\nerr = 1.0\nwhile err > 1e-12:\n    new = 0.5 * (x + A[1, 1] / x)\n    err = abs(new - x)\n"
                           "    x = new\nr = A * x",
    "while True and break": "y = A * 1\nk = 0\nwhile True:\n    y = y * 0.5\n    k += 1\n    if np.abs(y).max() < 0.01:\n"
                            "        break\nr = y * k",
    "while with two conditions": "y = A * 1\nk = 0\nwhile k < 50 and np.abs(y).max() > 0.01:\n    y = y * 0.5\n    k += 1\nr = y * k",
    "and, or, not of what is computed": "s = A.sum()\nr = A * 1\nif s > 1 and not (A[0, 0] > 2 or A[1, 1] > 5):\n    r = r + 1\n"
        "q = (s > 1 and A[0, 1] > 0)\nt = A * (s and A[0, 1]) + (A[1, 0] or s) + q",
    "while or": "y = A * 1\nk = 0\nwhile k < 3 or np.abs(y).max() > 0.4:\n    y = y * 0.5\n    k = k + 1\nr = y * k",
    "for and break": "x = A[0] * 1\nfor it in range(100):\n    new = np.cos(x)\n    if np.max(np.abs(new - x)) < 1e-3:\n"
                     "        break\n    x = new\nr = A * it + x",
    "for and break, never": "x = A[0] * 1\nfor it in range(5):\n    x = np.cos(x)\n    if x[0] > 100:\n        break\nr = A * it + x",
    "break at once": "x = A[0] * 1\nfor it in range(5):\n    if x[0] > 1:\n        break\n    x = np.cos(x)\nr = A * it + x",
    "continue": "s = 0.0\nn = 0\nfor i in range(8):\n    if X[i] < 0:\n        continue\n    s += X[i]\n    n += 1\nr = A * s + n",
    "continue and break": "s = 0.0\nfor i in range(8):\n    if X[i] < 0:\n        continue\n    if s > 2.5:\n        break\n"
                          "    s += X[i]\nr = A * s + i",
    "in an else": "s = 0.0\nfor i in range(8):\n    if X[i] > -2:\n        s += X[i]\n    else:\n        break\n    s *= 2\nr = A * s",
    "of an inner loop": "s = np.zeros(8)\nfor i in range(8):\n    for j in range(8):\n        if X[j] > X[i]:\n            break\n"
                        "        s[i] += 1\n    s[i] += 100\nr = s * 1",
    "of both": "s = 0.0\nfor i in range(4):\n    for j in range(8):\n        if X[j] * (i + 1) > 5:\n            break\n        s += X[j]\n"
               "    if s > 3:\n        break\n    s += 10 * i\nr = A * s + i",
    "deep": "s = 0.0\nfor i in range(8):\n    if X[i] > 0:\n        if X[i] > 1.5:\n            s += 100\n            continue\n"
            "        s += X[i]\n    s += 1\nr = A * s",
    "return": "def f(x):\n    if x > 0:\n        return x * 2\n    y = x - 1\n    return y\n"
              "r = np.zeros(8)\nfor i in range(8):\n    r[i] = f(X[i])",
    "a return that the end of the function does without":
        "def f(x):\n    if x > 0:\n        return x\ndef g(x):\n    if x > 0:\n        return\n    return x, 1\nr = A * f(A[0, 0])\n"
        "s = np.zeros(8)\nfor i in range(8):\n    y = f(X[i])\n    z = g(X[i])\n    if y is not None:\n        s[i] = y\n    if z is not None:\n"
        "        s[i] = z[0] * z[1]",
    "returns of several values": "def f(x, y):\n    if x.sum() > y:\n        return x * 2, y\n    elif y > 0:\n        return x, -y\n"
                                 "    return x * 0, 0.5 * y\nr = np.zeros((8, 2))\nfor i in range(8):\n    u, v = f(A[0] * X[i], X[7 - i])\n"
                                 "    r[i] = u + v",
    "a loop that returns": "def solve(x, most):\n    for it in range(most):\n        new = np.cos(x)\n"
                           "        if np.max(np.abs(new - x)) < 1e-4:\n            return new, it\n        x = new\n    return x, most\n"
                           "r, n = solve(A[0], 100)\ns, m = solve(A[0], 3)\nt = A * n + m",
    "a while that returns": "def bisect(lo, hi):\n    while hi - lo > 1e-9:\n        mid = (lo + hi) / 2\n        if mid * mid - 2 == 0:\n"
                            "            return mid\n        if mid * mid > 2:\n            hi = mid\n        else:\n            lo = mid\n"
                            "    return (lo + hi) / 2\nr = A * bisect(A[0, 0] * 0, A[1, 1])",
    "returns in nested loops": "def find(x, y):\n    for i in range(8):\n        for j in range(i):\n            if x[i] + x[j] > y:\n"
                               "                return x[i] * 100 + x[j]\n    return 0.0\nr = A * find(X, 1.5) + find(X, 100)",
    "else of a loop": "def find(y):\n    k = 0\n    for i in range(8):\n        if X[i] > y:\n            k = i\n            break\n"
                      "    else:\n        k = -1\n    return k\nr = A * find(1.5) + 10 * find(100)",
    "an unrolled loop": "s = 0.0\nfor i in range(8):\n    s += X[:i].sum()\n    if s > 2:\n        break\n    s -= 0.125\nr = A * s + i",
    "a list": "s = 0.0\nfor x in [A[0, 0], A[0, 1], A[1, 1]]:\n    if x < 0:\n        continue\n    s += x\nr = A * s",
    "rows": "s = 0.0\nfor row in A:\n    if row[0] < 1:\n        break\n    s += row[1]\nr = A * s",
    "a view in the condition of a while": "z = X * 1\nv = z[::2]\nk = 0\nwhile np.sum(v) < -2.75 and k < 2:\n    z = abs(z)\n    k += 1\n"
                                          "y = A * 1\nw = y.T\nn = 0\nwhile np.sum(w) > 0.5 and n < 5:\n    y = y * 0.5\n    y -= 1\n    n += 1\nr = A * k + n",
    "collatz": "n = 27\nk = 0\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    k += 1\nr = A * k",
    "gradient descent with a line search":
        "x = A[0] * 1\nfor it in range(3):\n    g = 2 * (x - 1)\n    if np.sqrt(g @ g) < 1e-6:\n        break\n    t = 1.0\n"
        "    while np.sum((x - t * g - 1) ** 2) > np.sum((x - 1) ** 2) - 0.3 * t * (g @ g):\n        t *= 0.5\n    x = x - t * g\n"
        "r = x + it",
    "continue in the else of a loop": "s = 0.0\nfor i in range(8):\n    for j in range(2):\n        if X[i] > 1 + j:\n"
        "            break\n    else:\n        continue\n    s += 100 + i\nr = A * s",
    "break in the else of a loop": "s = 0.0\nfor i in range(8):\n    s += 1\n    for j in range(2):\n        if X[i] > j - 1:\n"
        "            break\n    else:\n        break\n    s += 100 + i\nr = A * s",
    "a break behind an else that continues": "s = 0.0\nfor i in range(8):\n    s += 1\n    if X[i] > -3:\n"
        "        for j in range(1):\n            if X[i] > 1:\n                break\n        else:\n            continue\n"
        "        break\nr = A * s + i",
    "a condition in the else of a loop": "s = 0.0\nfor i in range(8):\n    for j in range(2):\n        if X[i] > 1 + j:\n"
        "            break\n    else:\n        s += 10\n        if X[i] < 0.5:\n            continue\n    s += 100\nr = A * s",
    "return behind an else that continues": "def f(y, s):\n    for i in range(8):\n        for j in range(1):\n"
        "            if X[i] > y:\n                break\n        else:\n            continue\n        return s + 100 + i\n"
        "    return s\nr = f(1.5, A) + f(9.0, A)",
    "return in an else": "def f(y, x):\n    for i in range(2):\n        if X[i] > y:\n            break\n    else:\n"
        "        if X[1] > y - 2:\n            return x + 1\n        x = x + 10\n    return x\nr = f(0.1, A) + f(0.5, A) + f(9.0, A)",
    "return in an else behind a condition": "def f(x):\n    n = 0\n    if x[1, 1] > 3:\n        n += 1\n    for i in range(3):\n"
        "        if X[i] > 0.7:\n            continue\n    else:\n        if n > 2:\n            return x * n\n    return x + n\nr = f(A)",
    "a while whose first iteration leaves it": "y = A * 1\nk = 0\nwhile y.max() > 0.5:\n    y = y * 0.5\n    k += 1\n    break\n"
        "while y.max() > 100:\n    k += 10\n    break\nwhile True:\n    k += 100\n    break\nr = y + k",
    "a while that returns at once": "def f(x, y):\n    while x > y:\n        x = x * 2\n        return x\n    return x - 1\n"
        "r = A * f(A[0, 0], 1.0) + f(A[0, 0], 2.0)",
    "a while that a condition skips, and leaves at once": "s = 0.0\nfor i in range(8):\n    while X[i] > 0:\n        s += X[i]\n"
        "        if X[i] > 1:\n            s += 10\n        break\nr = A * s",
    "else of a while that no jump leaves": "k = 0\nr = A * 1\nwhile k < 3:\n    r = r * 2\n    k += 1\nelse:\n    r = r - 1",
    "else of a while on data": "r = A * 1\nwhile r.sum() < 500:\n    r = r * 2\nelse:\n    r = r - 1",
    "else of a while": "def f(y):\n    w = 0\n    s = 0.0\n    while w < 7 and X[w] < 5:\n        w += 1\n        if X[w] > y:\n"
        "            break\n        s += w\n    else:\n        s += 100\n    return s + w * 10\nr = A * f(1.5) + f(9.0)",
    "else of a while that returns": "def f(y):\n    w = 0\n    while w < 3:\n        w += 1\n        if X[w] > y:\n"
        "            return w * 1.0\n    else:\n        w += 50\n    return w * 2.0\nr = A * f(1.5) + f(9.0)",
    "else of a while in a loop": "s = 0.0\nfor i in range(4):\n    w = 0\n    while s < 50:\n        w += 1\n        s += w + X[i]\n"
        "        if s > 40 + i:\n            break\n    else:\n        s += 0.25\n        if X[i] > 1:\n            continue\n"
        "    s -= 10\nr = A * s",
    "a loop that may end, behind a condition": "n = 0\nif X[0] > 0:\n    for i in range(2):\n        if n > 2:\n            break\n"
        "    n += 1\nr = A * n",
}
KNOWN_BRANCHES = {
    "an array that another branch would assign": "s = A * 1\nfor i in range(1):\n    w = 0\n    while w < 2:\n        w += 1\n"
        "        s[0] += 1\n        if i == 5:\n            s = s + 1\nr = s * 1",
    "the else of a loop that is left": "s = A * 1\nfor i in range(2):\n    w = 0\n    while w < 3 and X[i] > -2:\n        w += 1\n"
        "        s[i] += 1\n        for j in range(3):\n            break\n        else:\n            s = s + 1\nr = s * 1",
    "of a parameter": "def f(s, debug=False):\n    for i in range(2):\n        w = 0\n        while w < 2:\n            w += 1\n"
        "            s[i] += 1\n            if debug:\n                s = s + 1\n    return s\nr = f(A * 1)",
    "written where no loop comes by": "s = A * 1\nn = 0\nif A[0, 0] > 1:\n    for i in range(1):\n        w = 0\n        while w < 2:\n"
        "            w += 1\n            for j in range(3):\n                n += 1\n                break\n            else:\n"
        "                s[0] += 3\nr = s + n",
}
# What is chosen are values; of what does more than give one, only the side that is taken is evaluated.
CHOICES = {
    "arrays": "y = A if A.sum() > 1 else A * 2\nz = -A if A.sum() > 100 else A * 3\nr = y + z",
    "rows that are written to": "y = A * 2\nz = A * 3\nfor i in range(8):\n    w = y[0] * X[i] if X[i] > 0 else z[1] + 1\n"
                                "    w += 1\n    z = z + w",
    "a side that writes": "def f(a):\n    a[0] = 7\n    return a.sum()\ny = A * 1\nz = A * 1\nr = f(y) if X[0] > 0 else 1.0\n"
                          "s = f(z) if X[1] > 0 else 1.0",
    "a right side that writes":
        "def f(a, i):\n    a[i] = i\n    return a.sum() > 3\ny = X * 1\nn = 0\nfor i in range(8):\n"
        "    if X[i] > 0 and f(y, i):\n        n += 1\n    if X[i] > 0 or f(y, i):\n        n += 10\nr = y + n",
    "a side that chooses": "y = A * 1\nfor i in range(8):\n    y = (y * 2 if X[i] > 1 else y + 1) if X[i] > 0 else y - 1",
    "in a function": "def f(x, a):\n    return a * x if x > 0 else a.T\ny = A * 1\nfor i in range(8):\n    y = f(X[i], y)",
    "a loop that never comes to what it raises":
        "def f(x):\n    if x.ndim != 1:\n        raise ValueError(f'{x.ndim} axes')\n    for i in range(8):\n"
        "        if x[i] > 100:\n            raise ValueError from None\n    return x * 2\nr = f(X)",
    "handlers of what is not raised":
        "try:\n    with np.errstate(all='ignore'):\n        y = np.log(A)\nexcept (ValueError, TypeError) as error:\n"
        "    y = A\nelse:\n    y = y + 1\nfinally:\n    y = y * 2",
}
# Where a mask is True: the number of indices is known only at run time.
PLACES = {
    "of one axis": "idx = np.where(X > 0)[0]\nn = len(idx)\nr = X * (X[idx].sum() + X[idx[0]] + X[idx[-1]] + n + idx.max())\n"
                   "z = X * 1\nz[idx] = 0\nz[np.flatnonzero(X < -2)] += 5\ns = A * ((idx * 2).sum() + idx.size)",
    "beside each other": "p = np.where((X[1:-1] > X[:-2]) & (X[1:-1] > X[2:]))[0] + 1\nr = X * X[p].mean() + len(p) + p[0]\n"
                         "g = np.diff(X)\ns = A * X[np.nonzero(g > 0)[0]].max()",
    "of two axes": "B = np.outer(X, X)\ni, j = np.where(B > 2)\nC = B * 1\nC[i, j] = 1\nC[np.nonzero(B < -2)] = -1\nr = X * B[i, j].sum()\n"
                   "t = A * (X > 0).nonzero()[0][0]",
    "of rows and columns": "B = np.outer(X, X)\nidx = np.where(X > 0.5)[0]\nr = B[idx].sum(axis=0)\ns = B[:, idx].sum(axis=1)\nt = B[idx].mean()",
}
# Slices with run-time bounds.
K = "k = int(np.sum(X > 0))\nB = np.outer(X, X)\n"
BOUNDS = {
    "reduced": "r = A * X[:k].sum() + X[k:].mean() + np.sort(X)[:k].sum() + np.dot(X[:k], X[:k] * 2)\n"
               "s = B[:k].sum(axis=0) + B[:, k:].max(axis=1)\nt = A * (B[1, :k].sum() + B[:k, 2].sum() + B[1:5, :k].sum() + B[..., k:].sum())\n"
               "u = A * (np.median(X[:k]) + np.argmax(X[2:k]) + X[:k].std() + X[:k][-1] + X[k:][0] + len(X[:k]) + (X[:k] * 2).max())",
    "beyond the ends": "r = A * (X[k + 20:].sum() + X[-k - 30:k].sum() + X[:k - 30].sum() + X[-2:k + 9].sum() + X[k:2].sum() + X[-k:-1].sum())\n"
                       "n = len(X[k + 20:]) + len(X[-k:]) + X[k - 40:k + 40].size",
    "written": "y = X * 1\ny[:k] = 0\ny[k - 2:k + 1] += 1\ny[-k:] *= 2\ny[:k] = X[:k] * 3\nC = B * 1\nC[:k, 0] = 5\nC[2, k:] -= 1\nC[1:3, -k:] = np.sqrt(2.0)\n"
               "C[k:] = np.arange(8.0)\nC[:, :k] = np.arange(8.0)[:, None]",
    "of orders and selections": "o = np.argsort(X)\nr = A * (X[o[:k]].sum() + B[o[-k:]].sum())\ns = A * (X[X > 0][:k - 2].sum() + np.sort(X[X > 0])[:2].sum()\n"
                                "         + X[X > 0][1:].max() + X[X > 0][-2:].sum() + len(X[X > 0][3:]))",
    "joined at a cut": "r = np.concatenate([X[:k], X[k:] * 2])\ns = np.concatenate((B[:-k], 1 - B[-k:]))\nt = np.hstack([B[:, :k], -B[:, k:]])",
    "in loops": "s = 0.0\nfor i in range(8):\n    j = np.argmax(X[i:])\n    s += X[:i + j + 1].sum()\nfor v in X[:k]:\n    s += v ** 2\nr = A * s",
    "moved": "y = X * 1\ny[:k] = y[1:k + 1]\nC = B * 1\nC[1:k + 1] = C[:k]\nr = X[:k] + X[1:6]",
    "rolled": "r = np.roll(X, k) + np.roll(X, -k - 20)\ns = np.roll(B, k - 2, axis=1) - np.roll(B, -k, axis=0) + np.roll(B, k)",
    "a sparse product": "p = np.array([0, 2, 3, 6, 8]) * (k > 0)\nc = np.array([1, 0, 3, 2, 2, 1, 0, 3])\ny = np.zeros(4)\n"
                        "for i in range(4):\n    a, b = p[i], p[i + 1]\n    y[i] = X[a:b] @ X[c[a:b]]",
}
BOUNDS_REFUSED = {
    "v = X[:k]\ny = X * 1\nw = y[:k]\ny[0] = 9\nr = A * w.sum()": "was written to since",
    "y = X * 1\nv = y[:k]\nv += 1\nr = y * 1": "write the slice itself",
    "y = X * 1\nv = y[:k]\nv[0] = 1\nr = y * 1": "cannot be indexed",
    "r = B[:k, :k].sum()": "two slices",
    "r = X[::k] * 1": "a step of a slice whose bounds are known only at run time",
    "l = [1, 2, 3]\nr = A * sum(l[:k])": "so is the length of the part",
    "r = X[:k] * 1\ny = X[:k] + X[1:4]": "a check at run time fails: lengths differ",
    "r = X[:X.sum()].sum()": "must be an int",
}
# The side that is not taken would end the run.
GUARDS = {
    "the end of a search": "n = 0\nwhile n < len(X) and X[n] < 10:\n    n += 1\nr = A * n",
    "in a loop": "i = 0\nfor k in range(9):\n    if i < 2 and A[i, 0] > -9:\n        i += 1\nr = A * i",
    "or": "i = int(X.sum()) + 8\nn = 0\nif i >= 8 or X[i] < 0:\n    n = 1\nr = A * n",
    "of a choice": "i = int(X.sum()) + 8\nr = A * (X[i] if i < 8 else 0.5)",
    "of what is empty": "m = X > 50\nt = X[m].max() if m.any() else 0.5\nn = 1\nif m.any() and X[m].max() > 2:\n    n = 2\n"
                        "at = np.where(m)[0]\nu = X[at[0]] if len(at) > 0 else -1.0\nr = A * t * n * u",
    "merged": "B = np.sort(X[:5])\nC = np.sort(X[5:])\nr = np.zeros(8)\ni = j = k = 0\nwhile k < 8:\n"
              "    if j >= 3 or (i < 5 and B[i] <= C[j]):\n        r[k] = B[i]\n        i += 1\n    else:\n"
              "        r[k] = C[j]\n        j += 1\n    k += 1",
}
TUPLES = {
    "the best": "best = (0, 1e9)\nfor i in range(8):\n    v = (X[i] - 0.3) ** 2\n    if v < best[1]:\n        best = (i, v)\n"
                "k, v = best\nr = A * v + k",
    "nested, with a text": "best = ((0.0, 0.0), -9.0, 'none')\nfor a in (0.5, 1.0):\n    for b in (1.0, 2.0):\n"
                           "        v = -np.sum((X * a - b) ** 2)\n        if best[1] == -9.0 or v > best[1]:\n"
                           "            best = ((a, b), v, 'found')\n(a, b), v, name = best\nprint(name)\nr = A * a + b * v",
    "of arrays": "p = (A, A * 2)\nif X.sum() > 0:\n    p = (A + 1, p[0])\nelse:\n    p = (A - 1, p[1])\nr = p[0] * p[1]",
    "carried by a while": "s = (0.0, 1.0)\nn = 0\nwhile s[0] < 5 and n < 50:\n    s = (s[0] + s[1], s[1] * 1.1)\n    n += 1\n"
                          "r = A * s[0] + n",
    "in loops over what is selected": "B = np.outer(X, X)[:4]\nbest = (0, 0.0, 1)\ntop = -1.0\nfor j in range(3):\n"
        "    for v in np.unique(B[:, j]):\n        for s in (1, -1):\n            e = np.mean(np.where(s * (B[:, j] - v) >= 0, 1, -1) * B[:, 3])\n"
        "            if e > top:\n                top, best = e, (j, v, s)\nr = A * best[0] + best[1] * best[2]",
    "of an array that is written": "y = X * 1\nd = (0, y)\ni = 0\nwhile i < 3:\n    y[0] = y[0] * -2\n    if i + X[1] < 0.5:\n"
                                   "        d = (i, y)\n    i += 1\nr = d[1] * d[0]",
    "not read in the loop": "t = (0, 0.0)\nfor i in range(8):\n    if X[i] > 0.8:\n        t = (i, X[i])\nr = A * t[1] + t[0]",
}
SMALL = {
    "in numbers": "n = 0\nk = 0\nP = np.argsort(X)\nfor i in range(8):\n    if P[i] in [2, 5, 6]:\n        n += i\n"
                  "    if P[i] not in (0, 1):\n        k += 1\nr = A * n + k",
    "in a set": "P = np.argsort(X)\nn = 0\nfor i in range(8):\n    if P[i] in {2, 5, 6}:\n        n += i\nr = A * n",
    "rows of a selection that keep their axis": "B = np.outer(X, X)\nc = B[X > 0].argmax(axis=1, keepdims=True)\n"
                                                "r = (B[X > 0] * c).sum(axis=0)",
    "in an array": "a = X.max() in X\nb = 5 not in A\nc = 3 in A\nr = A * a + b - c",
    "known ints of arrays": "r = A * 1\nfor i, s in zip(np.arange(2), np.array([1, -1])):\n    r[:, i] = np.roll(r[:, i], s)\n"
                            "for i in np.arange(2, 0, -1):\n    r = r + A[:i].sum()\nk = np.array([0, 3, 5])\nr = r * X[k[0]:k[1]].sum()",
    "whole numbers": "import math\na = round(X.sum() * 3)\nb = math.floor(X[1])\nc = math.ceil(X[6]) + math.trunc(X[2])\nr = A * a + b * c",
    "rows of a selection": "B = np.outer(X, X)\nr = np.array([B[X > 0].argmax(1).mean(), np.argmin(B[X > 0], axis=1).max()])\n"
                           "F = np.arange(24.0).reshape(2, 3, 4)\nm = F[:, :, 0] > 5\nq = F[m, :]\nF[m, :] = q[:, [0, 2, 1, 3]]",
    "at several places": "H = np.zeros((3, 4))\ni = np.array([0, 2, -1, 1, 2])\nj = np.array([1, 3, 3, 0, -3])\nnp.add.at(H, (i, j), 1)\n"
                         "np.add.at(H, (i, j), X[:5])\nnp.subtract.at(H, (i[:, None], j[:2]), 0.25)\nnp.maximum.at(H, i, np.arange(4.0) / 4)\n"
                         "np.minimum.at(H, (2, j), X[1:6])\nn = np.zeros((2, 3), dtype=int)\nP = np.argsort(X) % 2\nnp.add.at(n, (P, (P + 1) % 3), 2)\n"
                         "np.maximum.at(n, P, np.array([1, 0, 1]))\nT = np.zeros((3, 4, 2))\nnp.add.at(T, (i, j), np.array([1.0, 2.0]))",
    "by run-time keys": "P = [X[:2], X[2:4], X[5:7] * 2]\nb = min(P, key=lambda p: np.sum(p ** 2))\ni = max(range(3), key=lambda i: P[i][0])\n"
                                     "t = min([(1, 0.5), (2, 1.5)], key=lambda t: abs(t[1] - X[2]))\nq = max([0.3, 2.0, -1.0], key=lambda v: (v * X[0]) ** 2)\n"
                                     "k = min([4, 7, 9], key=lambda v: X[0] * 0)\nr = A * b + i + t[0] * t[1] + q + k",
    "texts are printed": "names = ['a', 'b']\nk = np.argmax(A[0])\nprint(names[k], 'best', f'{names[k]:>4}')\n"
                         "print('ok' if A.sum() > 0 else 'failed')\nprint(', '.join(names[i] for i in np.argsort(A[0])))\nr = A + k",
}
# What is None, or empty, until a condition of the run holds.
NONE = {
    "the best so far": "w = X[:2] * 1\nbest = None\nleast = np.inf\nfor i in range(20):\n    w = w - 0.3 * (w - A[0])\n"
                       "    e = np.sum((w - 1) ** 2)\n    if best is None or e < least:\n        best = w.copy()\n        least = e\nr = best * 2",
    "not at first": "best = None\nfor i in range(8):\n    if X[i] > 0.5:\n        if best is None or X[i] < best:\n            best = X[i]\n"
                    "r = A * best",
    "never": "found = None\nfor i in range(8):\n    if X[i] > 50:\n        found = i\n        break\n"
             "r = A * (7 if found is None else found)\ns = A * (found is not None)\nt = A * (not found)",
    "the first one": "found = None\nfor i in range(8):\n    if X[i] > 1:\n        found = i\n        break\n"
                     "if found is not None:\n    r = A * found\nelse:\n    r = A\nu = 5.0\nif found:\n    u = found * 2.0",
    "what was before": "last = None\nn = 0\nfor i in range(8):\n    if last is not None and X[i] > last:\n        n += 1\n    last = X[i]\n"
                       "k = 0\ny = A.sum()\nprev = None\nwhile k < 30:\n    y = y * 0.5\n    if prev is not None and abs(y - prev) < 1e-3:\n"
                       "        break\n    prev = y\n    k += 1\nr = A * n + k + prev",
    "tuples": "best = None\nfor i in range(8):\n    for j in range(i + 1, 8):\n        d = abs(X[i] - X[j])\n"
              "        if best is None or d < best[2]:\n            best = (i, j, d)\ni, j, d = best\nr = A * d + i * 10 + j",
    "in a tuple": "t = (None, 1.0)\nif X[0] > 0:\n    t = (2, 2.0)\nr = A * t[1] + t[0]\nu = (None, A)\nif X[0] > 9:\n    u = (1.5, A * 2)\n"
                  "if u[0] is None:\n    s = A * 3\nelse:\n    s = u[1]",
    "dictionaries": "best = {}\ntop = -np.inf\nfor k in range(8):\n    p = {'w': A * X[k], 'b': X[k] + k, 'k': k}\n"
                    "    v = p['w'][0, 0] - p['b'] * 0.1\n    if v > top:\n        top = v\n        best = {'w': p['w'].copy(), 'b': p['b'], 'k': p['k']}\n"
                    "r = best['w'] * best['b'] + best['k']\nn = 0\nother = None\nif X[0] > 9:\n    other = {'a': 1.0}\nif other:\n    n = 1\nr = r + n",
    "a choice": "l = None if X[0] > 0 else A\nm = X[2] if X[1] < 0 else None\nk = 0.5 if l is None else 1.5\nq = m if m is not None else -1.0\n"
                "n = l if X[0] > 9 else A\nr = A * k + q\nif n is None:\n    r = r * 2",
    "in a function": "def f(x, start=None):\n    best = start\n    for i in range(8):\n        if x[i] > 0:\n"
                     "            if best is None or x[i] > best:\n                best = x[i]\n    return best\n"
                     "a = f(X)\nb = f(-X, 0.1)\nc = f(X * 0)\nr = A * a + b\nif c is None:\n    r = r + 100",
    "printed": "t = X[X > 5].max() if np.any(X > 5) else None\nprint('none', t)\nr = A * 1",
    "a text": "top = -9.0\nname = None\nfor n, v in zip(['a', 'b', 'c'], X[:3]):\n    if v > top:\n        top = v\n        name = n\n"
              "print(name, f'{name}')\nr = A * top",
    "written into": "g = None\nfor i in range(8):\n    if g is None:\n        g = np.zeros(2)\n    if X[i] > 0:\n        g[0] += X[i]\n        g *= 0.5\nr = A + g",
    "of either side": "best = None\nif X[0] > 0:\n    best = A * 2\nelse:\n    best = A * 3\nr = best + 1",
    "appended where it is not": "l = []\nfor i in range(4):\n    last = None\n    for j in range(8):\n        if X[j] > i:\n            last = X[j] * i\n"
                                "    if last is not None:\n        l.append(last)\n    if not (last is None or last < 1):\n        last = last + 1\n"
                                "        l.append(last)\nr = A * sum(l) + len(l)",
    "in the loop around": "r = A * 0\nfor i in range(3):\n    last = None\n    for j in range(8):\n        if X[j] > i:\n            last = X[j] * i\n"
                          "    if last is not None:\n        r = r + last",
}
REFUSED = {
    "b = None\nfor i in range(8):\n    if X[i] > 0:\n        b = A\n    elif X[i] > 1:\n        b = X\nr = b * 1": "one type and shape",
    "b = None\nif X[0] > 0:\n    b = A\nif b:\n    r = A * 1": "ambiguous",
    "b = []\nif X[0] > 0:\n    b = [1.0, 2.0]\nr = A * len(b)": "assign None before",
    "b = None\nif X[0] > 0:\n    b = 2\nr = A * isinstance(b, int)": "known only at run time",
    "d = {'a': 1.0}\ne = d\nb = None\nif X[0] > 0:\n    b = d\nr = A * 1": "b is None before",
    "P = [X[:2] * 1, X[2:4] * 1]\nb = min(P, key=lambda p: p[0])\nP[1] += 1\nr = b * 1": "take a copy",
    "P = [X[:2] * 1, X[2:4] * 1]\nb = min(P, key=lambda p: p[0])\nb += 1\nr = b * 1": "take a copy",
    "t = '#' if X[0] > 0 else '.'\nr = X * (t == '#')": "'==' of a string that is chosen at run time",
    "t = ['a', 'bc'][np.argmax(A[0])]\nr = X * len(t)": "has no length",
    "d = {'a': 1.0, 'b': 2.0}\nr = X * d[['a', 'b'][np.argmax(A[0])]]": "a key of a dictionary",
    "t = (A, 1.0)\nif X[0] > 0:\n    t = (X, 2.0)\nr = t[0] * 1": "values of one type and shape",
    "y = A * 1\nt = (y, 1.0)\nif X[0] > 0:\n    t = (A, 2.0)\nr = t[0]\nr[0] = 1": "may share its memory",
    "r = A in [1, 2]": "'in' compares numbers",
    "l = [1, 2] if X[0] > 0 else A\nr = X * 1": "is between arrays and numbers; got a list of 2",
    "h = []\nh = h if X[0] > 0 else [1]\nr = X * 1": "is between arrays and numbers; got a list",
    "i, j = np.where(A > 0)\nr = A[j, i].sum()": "must be used together in one subscript, in their order",
    "i = np.where(X > 0)[0]\nr = X * i": "a check at run time fails: lengths differ",
    "y = A * 2\nz = A * 2 if X[0] > 0 else A[0]": "between values of one type and shape",
    "y = A * 2\nz = y if X[0] > 0 else A\nz += 1": "may share its memory with another array",
    "if A.ndim == 2:\n    raise ValueError('too many')": "the program raises an exception:",
    "with open('data.txt') as f:\n    y = A * 2": "open is not supported",
    "y = A * 2\nz = y\nfor i in range(3):\n    if X[i] > 50:\n        y = y + 1\nz += 1": "may share its memory with another",
    "y = A * 2\nz = y\nfor i in range(3):\n    if X[i] > 50:\n        y = y + 1\ny += 1": "may share its memory with another",
    "y = A * 1\nwhile True:\n    y = y + 1\nr = y": "never ends",
    "y = A * 1\nn = 2\nwhile True:\n    y = y + 1\n    if n == 3:\n        break\nr = y": "never ends",
    "def f(x):\n    if x > 0:\n        return x, 1\n    return x\nr = f(A[0, 0])": "the same number of values",
    "y = A\nif A.sum() > 1:\n    y = A[0]\nr = y * 1": "between values of one type and shape",
    "v = np.array([1, 5, 2])\nif X[0] > 3:\n    v = v / 2\nr = v * 1": "between values of one type and shape",
    "if A > 0:\n    r = A * 2": "ambiguous; use np.any",
    "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\ny += 1": "may share its memory with another array",
    "y = A * 2\nz = A * 3\nif X[0] > 0:\n    y = z\nz += 1": "may share its memory with another array",
    "y = A * 2\nz = y\nif X[0] > 0:\n    y = A * 3\nz += 1": "may share its memory with another array",
    "def f(s):\n    for i in range(2):\n        if X[i] > 1:\n            s = s + 0.5\n        s[i] = X[i]\n    return s\n"
    "z = A * 2\nr = f(z)": "may share its memory with another array",
    "y = A * 2\nz = A * 3\nfor i in range(3):\n    if X[i] > 0:\n        y = y + 1\n    y[0] += 1\n    y = z": "share",
    "y = X * 1\nfor i in range(3):\n    y[0] = y[0] * -2\n    if i + X[1] < 0.5:\n        d = y\nr = d * 1": "may share its memory",
    "y = X * 1\nd = None\nfor i in range(3):\n    y[0] = y[0] * -2\n    if i + X[1] < 0.5:\n        d = y\nr = d * 1": "may share its memory",
}


EIGHT = "x = np.array([0.3, -1.2, 2.0, 0.7, -0.1, 1.1, -2.5, 0.9]) * 1.0\n"
# Lists and dictionaries that one name holds.
ITEMS = {
    "of a dictionary":
        "best = {'w': np.zeros(2), 'loss': 9.0, 'name': 'b'}\nfor i in range(8):\n    w = x[:2] * i\n    l = abs(x[i] - 1)\n"
        "    if l < best['loss']:\n        best['w'] = w\n        best['loss'] = l\na = best['w'] * 2\nb = best['loss']",
    "counts":
        "counts = [0, 0, 0]\nfor i in range(8):\n    if x[i] > 0:\n        counts[0] += 1\n    elif x[i] > -2:\n        counts[1] += 1\n"
        "    else:\n        counts[-1] += 1\nc = np.array(counts)\ns = sum(counts)\nd = counts[0] // 2",
    "arrays": "p = [x[:2] * 1, x[2:4] * 1]\nif x[0] > 0:\n    p[0] = p[0] - 1\n    p[1] = x[:2]\na = p[0] + p[1]",
    "in a while": "c = [0, 1.5]\nt = x[0]\nwhile t < 9:\n    t = t * 1.5\n    if t > 4:\n        c[0] += 1\n    c[1] = t\na = c[0] * 2\nb = c[1]",
    "in an if of an if": "c = [0, 0]\nfor i in range(8):\n    if x[i] > 0:\n        if x[i] > 1:\n            c[0] += 1\n        else:\n"
                         "            c[1] += i\nr = np.array(c)",
    "in a function":
        "def f(x):\n    c = {'a': 0.0, 'b': x}\n    if x > 0:\n        c['a'] = x * 2\n    return c\nd = f(x[0])\ne = f(x[1])\n"
        "r = d['a'] + e['a'] + e['b']",
    "before a break": "c = [0, 0]\nfor i in range(8):\n    if x[i] > 1.2:\n        c[0] = i\n        break\n    c[1] += 1\nr = np.array(c)",
    "beside others that stay": "c = ['a', 1, x * 1, None, [1, 2], {'z': 1}]\nif x[0] > 0:\n    c[1] = 2\n    c[2] = x * 3\n"
                               "r = c[2] * c[1] + c[4][1] + c[5]['z']",
    "two at once": "c = [1.0, 2.0]\nif x[0] > 0:\n    c[0], c[1] = c[1], c[0]\nc.append(4)\nr = np.array(c)",
    "what a function reads": "c = [0, 0]\ndef f(v):\n    return v + c[0]\nif x[0] > 0:\n    c[0] = 1\nr = f(x)\ng = lambda v: v * c[0]\ns = g(x)",
    "of a list with two names": "c = [0, 0]\nd = c\nif x[0] > 0:\n    c[0] = 1\nr = d[0] + x",
    "of a list in a dictionary": "c = [0, 0]\nd = {'c': c}\nif x[0] > 0:\n    c[0] = 1\nr = d['c'][0] + x",
    "of a list that a default holds": "c = [0, 0]\nf = lambda v, k=c: v + k[0]\nif x[0] > 0:\n    c[0] = 1\nr = f(x)",
    "of a dictionary whose method has a name": "c = {'a': 1}\ng = c.get\nif x[0] > 0:\n    c['a'] = 2\nr = x + g('a')",
    "of which the arrays have names": "w = x[:2] * 1\nc = [w, x[2:4] * 1]\nif x[0] > 0:\n    c[1] = 2 * c[1]\n    c[0] -= 1\nr = w * 1\nc[0] -= 3\nq = w * 1",
    "of a defaultdict": "from collections import defaultdict\nd = defaultdict(int)\nd['a'] = 1\nif x[0] > 0:\n    d['a'] += 1\nr = d['a'] + d['z'] + x",
}
SHARED_ITEMS = {
    "c = [0, 0]\nd = [7]\nif x[0] > 0:\n    c[0] = 1\n    d = c\nc[1] = 5\nr = d[0] + x": "list of 2 where the condition holds",
    "c = [[0, 0], [0, 0]]\nif x[0] > 0:\n    c[1] = c[0]\nc[0][0] = 4\nr = x + c[0][0] + c[1][0]": "list of 2 where the condition holds",
    "c = {'a': 1}\nif x[0] > 0:\n    c['b'] = 1\nr = c['a'] + x": "dictionary of 2 where the condition holds",
    "w = x[:2] * 1\nc = {'w': x[2:4] * 1}\nif x[0] > 0:\n    c['w'] = w\nw += 1\nr = c['w'] * 1": "may share its memory",
    "w = x[:2] * 1\nb = {'w': x[2:4] * 1}\nfor i in range(8):\n    w -= 0.1 * i\n    if x[i] > 0:\n        b['w'] = w\nr = b['w'] * 1":
        "may share its memory",
}


class Conditions(SamePrograms):
    inputs = {"A": A, "X": X}
    passes = PASSES

    def test_ifs(self):
        self.each(IFS)

    def test_remainders_leave_the_loop_a_loop(self):
        path = self.file("A: (2, 2)\nfor i in range(1000):\n    A = A * 0.5\n    if i % 100 == 0:\n        print(i)\n")
        self.assertIn("for i in range(0, 1000):", self.symdump(path).out)

    def test_what_is_written_under_a_condition_in_a_while_is_not_copied(self):
        path = self.file("def f(a):\n    i = 0\n    while i < 1900:\n        if a[i] > 0:\n            a[i] = a[i] * 2\n"
                         "        else:\n            a[i + 1] = 1\n        i += 1\n    return a\n")
        for passes in ("none", "default"):
            said = self.symdump("--function", "f", "--shape", "a=4321", "--passes", passes, path).out
            large = [line for line in said.splitlines() if "1x4321" in line and not line.startswith(("input", "output"))]
            self.assertTrue(large)
            for line in large:
                self.assertRegex(line, "set_selected_columns|view$")

    def test_choices(self):
        self.each(CHOICES)

    def test_places(self):
        self.each(PLACES)

    def test_leaving(self):
        self.each(LEAVING)

    def test_known_branches(self):
        self.each(KNOWN_BRANCHES)

    def test_guards(self):
        self.each(GUARDS)

    def test_tuples(self):
        self.each(TUPLES)

    def test_bounds_of_the_run(self):
        self.each({name: K + text for name, text in BOUNDS.items()})
        self.each_refused({K + text: says for text, says in BOUNDS_REFUSED.items()})

    def test_none(self):
        self.each(NONE)

    def test_items(self):
        self.each({name: EIGHT + text for name, text in ITEMS.items()})
        self.each_refused({EIGHT + text: says for text, says in SHARED_ITEMS.items()})

    def test_small(self):
        self.each(SMALL)

    def test_refusals(self):
        self.each_refused(REFUSED)


if __name__ == "__main__":
    sys.exit(main())
