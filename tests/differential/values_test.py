"""Small programs whose values NumPy decides, types among them; and those that NumPy refuses, as it does.

    values_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys
import warnings
from pathlib import Path

import numpy as np

from cli import main
from parts import with_lengths, with_parts
from same_programs import SamePrograms

V = np.array([1.5, -2, 0.25, 3, -0.5])
INPUTS = {
    "V": V,
    "W": V[::-1] * 2,
    "X": np.array([[1.5, -2, 0.25], [3, -0.5, 1], [-1, 2, 4], [0.5, -3, 2.5]]),
    "K": np.array([3, -1, 0, 7, 2]),
    "U": np.array([200, 100, 3, 0, 255], np.uint8),
    "B": np.array([True, False, True, True, False]),
    "I8": np.array([-128, 127, 5, -7, 0], np.int8),
    "I16": np.array([300, -4, 5, 0, 7], np.int16),
    "k": np.array(3),
    "F": np.array([np.nan, np.inf, -np.inf, 1e10, -1e10, 300.75, -1.5, 1e30, -.25, 2. ** 31, -2. ** 31, 2. ** 63]),
}
C = "C = V + 1j * W\n"  # complex, with the parts of V and W

# In place, where the type of the result is one that the array cannot have. NumPy's error is ours.
IN_PLACE = [
    "K[K > 0] /= 2", "K[:k] += .5", "B[V > 0] += 1", "K[K > 0] *= V[V > 1][0]", "K[np.array([0, 1])] /= 2",
    "K[np.where(K > 0)[0]] -= .5", "I8[I8 > 0] += K[K > 4][0] * 1000 * np.ones(1)", "U[U > 9] -= 1.5",
    "Y = K.reshape(1, 5)\nY[:, K > 0] /= 2", "c = K[K > 0]\nc /= 2", "c = [K[K > 0]]\nc[0] /= 2", "K[1:] **= .5",
    "c = K + 0\nc /= 2", "B[:k] *= 2", "K[1:k] += V[1:k]",
]
REFUSED = [
    "r = np.sum(X, axis=[0])", "r = X.mean(axis=[0])", "r = np.std(X, axis=[1])", "r = np.nansum(X, axis=[0])",
    "r = np.max(X, axis=[0, 1])", "r = np.ptp(X, axis=[0])", "r = np.count_nonzero(X, axis=[0])",
    "r = np.zeros(4, int)\nnp.std(X, axis=1, out=r)", "r = np.gradient(B)", "r = np.vsplit(V, 1)", "r = np.percentile(V[V > 100], 50)",
    "r = np.quantile(V[V > 100], .5)", "r = np.nanargmax(np.sqrt(X - 9), axis=1)", "r = np.nanargmin(np.sqrt(-V ** 2 - 1))",
    "r = np.nanargmax(np.where(X > 2.5, np.nan, X)[:, 1:] * np.nan, axis=0)", "r = np.digitize(V, V * 1)",
    "r = np.histogram(V, V * 1)[0]", "V[V > 100][0] = 9\nr = V + 1", "r = max(X[V[:4] > 0])",
    "r = np.fmod(K, K, np.zeros(5, bool))", "r = np.absolute(V + 1j, out=np.zeros(5, int))", "r = np.fmod(V, 2, out=np.zeros(5, int))",
    "r = np.add.accumulate(X, None)", "r = np.maximum.accumulate(X, axis=None)", "r = np.logical_and.reduce(V, (), np.zeros(5))",
    "r = np.maximum.reduce(V, 0, np.zeros(()))", "r = np.array(V, float, False)", "r = np.asarray(V, float, False)",
    "r = np.fromfunction(lambda i: i, (3,), float)", "a = K + 0\na[V > 0] **= I8[V > 0]\nr = a", "r = K[V > 0] ** I8[V > 0]",
    "r = np.pad(V, 1, mode='wrap', constant_values=3)", "r = np.pad(V, 1, stat_length=2)", "r = np.pad(V, 1, mode='edge', stat_length=2)",
    "r = np.histogram_bin_edges(V[V > 0], weights=W)", "r = np.average(V, axis=(), weights=[1.0, 2, 0, 1, 3])", "r = np.partition(V + 1j, 1, 0, 'stable')", "r = min(X[:, X[0] > 0])",
    # No truth value and no float is an axis, or a number of times.
    "r = np.mean(X, axis=True)", "r = np.cumsum(X, axis=True)", "r = X.sum(True)", "r = np.concatenate([X, X], True)", "r = np.std(X, False)",
    "r = np.max(X, axis=(True,))", "r = np.take(X, 1, True)", "r = np.cross(X, X, axis=1.0)", "r = np.flip(V, 0.0)", "r = np.diff(V, 1.0)",
    "r = np.linalg.matrix_power(X @ X.T, 2.0)", "r = np.vander(V, 2.5)", "r = np.fft.fftfreq(5.0)", "r = V * len({[1], 2})",
    "r = np.histogram(np.sqrt(V), 3)[0]", "r = np.histogram(V / (V - 3), 3)[0]", "r = np.histogram_bin_edges(np.sqrt(V), 3)", "r = np.unwrap(X, 3, True)",
    "s = set()\ns.add([1])\nr = V * len(s)", "r = V * len(set([{}]))", "r = V * len('%d' % 'b')",
]
# What only some versions of NumPy compute, and would not be exact here.
NOT_EXACT = ["a = I8.copy()\na[0] **= 300\nr = a", "r = I8[0] ** 300", "r = np.int8(3) ** 300", "a = U.copy()\na[1] = U[1] ** 20\nr = a"]
# NumPy copies one array after the other, over those that follow.
OVERLAPPING = ["a = V.copy()\nnp.concatenate([a[2:], a[:2]], out=a)\nr = a", "a = X[:3].copy()\nnp.stack([a[2], a[0], a[1]], out=a)\nr = a",
               "a = X.copy()\nnp.concatenate([a[:, 2:], a[:, :2]], axis=1, out=a)\nr = a", "a = V.copy()\nnp.place(a, a > 0, a)\nr = a",
               # or rounds after each element
               "a = V > 100\nnp.subtract.at(a, [0, 0], 1)\nr = a", "a = V > 100\nnp.add.at(a, [0, 0, 0], -1)\nr = a"]
# What NumPy computes from numbers that are not in order has no meaning.
NOT_ORDERED = ["r = np.searchsorted([3, 1, 2], V)", "r = np.searchsorted(V, W)", "r = np.interp(V, [0, 2, 1], [1, 2, 3])",
               "r = np.interp(V, W, V)", "r = np.searchsorted([1, np.nan, 2], V)", "r = np.searchsorted(np.sqrt(V), V)"]
# What a run finds wrong, in what nothing reads.
RAISED = [
    "def f(v):\n    v[K[3]] = 1\nf(V.copy())\nr = V + 1", "def f(v):\n    w = v[K]\n    return v + 1\nr = f(V)",
    "def f(v):\n    if v[0] > 0:\n        w = v[K[3]]\n    return v + 1\nr = f(V)",
    "def f(v):\n    w = np.linalg.inv(np.outer(v, v) * 0)\n    return v + 1\nr = f(V)",
    "def f(v):\n    w = v[v > 0] + v[v < 0]\n    return v + 1\nr = f(V)",
    "V[V > 100][0] = 9\nr = V + 1", "W[K[3]] = 1\nW = 0\nr = V + 1", "X[K[3], 0]\nr = V * 2", "w = V[K]\nw = 0\nr = V + 1",
    "np.add.at(np.zeros(3), K, 1)\nr = V + 1", "w = 0\nif V[0] > 0:\n    w = V[K[3]]\nw = 0\nr = V + 1",
    "for i in range(3):\n    w = V[K[i] + 3]\nw = 0\nr = V + 1", "w = np.linalg.inv(np.outer(V, V) * 0)\nw = 0\nr = V + 1",
    "w = np.linalg.cholesky(np.outer(V, V) * -1)\nw = 0\nr = V + 1", "w = V[np.argmax(V) + 3]\nw = 0\nr = V + 1",
    "w = np.linalg.solve(np.outer(V, V) * 0, V)\nw = 0\nr = V + 1", "w = V[V > 100].max()\nw = 0\nr = V + 1",
    "w = np.linalg.svd(np.sqrt(V[:4]).reshape(2, 2))\nw = 0\nr = V + 1", "w = V[V > 0] + V[V < 0]\nw = 0\nr = V + 1",
]
# Python's + of lists whose length is known only at run time.
LISTS = {
    "a list behind": "r = np.array(list(V[V > 0]) + [1.0, 2])",
    "a list before": "r = np.array([1.0] + list(V[V > 0]))",
    "both": "r = np.array([V[0]] + list(V[V > 0]) + [2, 3.5])",
    "of none": "r = np.array(list(V[V > 100]) + [1.5]) * len(list(V[V > 100]) + [1.5])",
    "an empty one": "r = np.array(list(V[V > 0]) + [])",
    "a comprehension": "r = np.array([v * 2 for v in V if v > 0] + [7.0])",
    "ints": "r = np.array(list(K[K > 0]) + [5]) // 2",
    "stays as it was": "a = list(V[V > 0])\nb = a + [9.0]\nr = np.array(a) * len(b)",
    "an element": "a = [8.0] + list(V[V > 0])\nr = np.array([a[0], a[1], a[-1], sum(a), max(a)])",
}
JOINED = {
    "concatenate": "m = V > 0\nr = np.concatenate([V[m], V[~m]])",
    "hstack": "m = V > 0\nr = np.hstack([V[m], V[~m]])",
    "np.r_": "m = V > 0\nr = np.r_[V[m], V[~m]]",
    "a tuple": "m = V > 0\nr = np.concatenate((V[m], W[~m]))",
    "places": "m = V > 0\nr = np.concatenate([np.where(m)[0], np.where(~m)[0]])",
    "places of np.nonzero": "m = V > 0\nr = np.hstack([np.nonzero(m)[0], np.flatnonzero(~m)])",
    "rows": "m = V[:4] > 0\nr = np.concatenate([X[m], X[~m]])[:, 1]",
    "as an order": "m = V > 0\nr = V[np.concatenate([np.where(m)[0], np.where(~m)[0]])]",
    "append": "m = V > 0\nr = np.append(V[m], V[~m])",
    "the other first": "m = V > 0\nr = np.concatenate([V[~m], V[m]])",
    "slices of the run": "r = np.concatenate([V[:k], W[k:]])",
    "of other slices": "r = np.concatenate([V[k:], W[:k]])",
}
SUMS = {
    "rows": "r = sum(X[X[:, 0] > 0])",
    "elements": "r = np.array([sum(V[V > 0])])",
    "from a start": "r = sum(X[X[:, 0] > 0], 10)",
    "from an array": "r = sum(X[X[:, 0] > 0], X[0])",
    "argwhere": "r = sum(np.argwhere(V > 0))",
    "argwhere of a matrix": "r = sum(np.argwhere(X > 0))",
    "column_stack": "m = V > 0\nr = sum(np.column_stack([V[m], W[m]]))",
    "columns": "r = sum(X[:, X[0] > 0])",
    "a part": "r = sum(X[:k])",
    "a part of elements": "r = np.array([sum(V[:k])])",
    "ints": "r = np.array([sum(K[K > 0]), sum(U[U > 0]), sum(I8[I8 > 0]), sum(B[V > 0])])",
    "complex rows": "Z = X + 1j * X[::-1]\nr = sum(Z[X[:, 0] > 0])",
    "extremes": "r = np.array([max(V[V > 0]), min(V[V > 0])])",
}
MEMORY = {
    "conj": "a = C.conj()\nC[0] = 9\nr = a + 0",
    "np.conj": "a = np.conj(C)\nC[0] = 9\nr = a + 0",
    "conj changed": "a = C.conj()\na *= 2\nr = C + 0",
    "1 + C": "a = 1 + C\na *= 2\nr = C + 0",
    "C + 1": "a = C + 1\nC *= 2\nr = a + 0",
    "C - 1": "a = C - 1\na[1] = 5\nr = C + 0",
    "1 - C": "a = 1 - C\na[1] = 5\nr = C + 0",
    "C ** 1": "a = C ** 1\nC[0] = 9\nr = a + 0",
    "C - C.real": "a = C - C.real\nC[0] = 9j\nr = a + 0",
    "np.add": "a = np.add(C, V)\nC[0] = 9j\nr = a + 0",
    "of what is complex only by type": "D = V.astype(complex)\na = D.conj()\nD[0] = 9\nr = a + 0",
    "selections": "m = V > 0\nD = C[m]\na = 1 + D\na *= 2\nr = np.abs(D)",
    "views stay views": "a = C.real\na[0] = 9\nr = C + 0",
    "of real": "a = V + 1j * V\na *= 2\nr = V + 0",
    "imag of a sum": "a = V + 1j\nb = a.real\nb[0] = 7\nr = V + 0",
}
POWERS = {  # beyond 2^24 and 2^53 before they wrap
    "of a number": "r = I8 ** 7\nr_1 = U ** 9\nr_2 = I8 ** 40",
    "of a scalar of a type": "r = I8 ** np.int8(7)\nr_1 = U ** np.uint8(9)\nr_2 = I8 ** np.int8(40)\nr_3 = U ** np.uint8(0)",
    "of parts": "a = I8.copy()\na[:k] **= np.int8(7)\na[3:] **= np.int8(5)\nr = a",
}
REAL_TYPES = {  # by position, too
    "astype": "r = C.astype(int)\nr_1 = C.astype(float)\nr_2 = np.asarray(C, int)\nr_3 = np.array(C, dtype=np.int8)",
    "sums": "r = np.sum(C, dtype=float)\nr_1 = np.sum(C, None, int)\nr_2 = np.cumsum(C, 0, float)\nr_3 = np.add.reduce(C, 0, int)",
    "products": "r = np.prod(C, 0, float)\nr_1 = np.cumprod(C, 0, float)\nr_2 = np.multiply.reduce(C, 0, int)",
    "made": "r = np.full(5, C, float)\nr_1 = np.zeros_like(C, float)\nr_2 = np.full_like(C, C, int)\nr_3 = np.mean(C, (), float)",
    "out by position": "r = np.zeros(5, complex)\nnp.exp(C, r)\nr_1 = np.zeros(5, complex)\nnp.add(C, V, r_1)",
    "an element": "r = np.array([C.item(1), C.item(0) * 2])",
}
LAMBDAS = {
    "in another function":
        "def ap(g, x):\n    return g(x)\nr = ap(lambda v: v * 2 if v.sum() > 0 else v, V)",
    "the other side": "def ap(g, x):\n    return g(x)\nr = ap(lambda v: v * 2 if v.sum() < 0 else v, V)",
    "by a name": "g = lambda v: v * 2 if v.sum() > 0 else v\ndef ap(x):\n    return g(x) + 1\nr = ap(V)",
    "deeper": "def ap(g, x):\n    return g(x)\ndef twice(g, x):\n    return ap(g, ap(g, x))\n"
              "r = twice(lambda v: v - 1 if v.max() > 2 else v + 1, V)",
    "in a loop": "def ap(g, x):\n    return g(x)\nr = V + 0\nfor i in range(3):\n"
                 "    r = ap(lambda v: v * 2 if v[i] > 0 else v - 1, r)",
    "and": "def ap(g, x):\n    return g(x)\nr = ap(lambda v: (v.sum() > 0 and v.max() > 1) * v, V)",
    "of two": "def ap(g, x):\n    return g(x, 3)\nr = ap(lambda v, n: v.sum() if v[0] > n else v[1] * n, V) * V",
}
# One number, or one type.
VALUES = {
    "del of a key that is a tuple": "d = {(1, 2): 3, (3, 4): 5}\ndel d[1, 2]\nr = V * len(d) + d[3, 4]",
    "correlations of a shorter first": "r = np.correlate(V[:2], W, 'same')\nr_1 = np.correlate(V[:3], W, 'same')\nr_2 = np.correlate(V[:4], W, 'same')\nr_3 = np.correlate(V[:4], W)",
    "the first of points that are the same": "r = np.interp([-1, 0, .5, 2, 3], [0, 0, 1, 2], [5, 7, 8, 9])\nr_1 = np.interp(W, [0, 0, 2, 2], [5, 7, 8, 9])\nr_2 = np.interp(W, [0, 0], [5, 7])\nr_3 = np.interp(W, np.sort(K // 4), V)",
    "interpolation over what is selected": "b = V < 0\na = V.copy()\na[b] = np.interp(np.flatnonzero(b), np.flatnonzero(~b), V[~b])\nr = a",
    "interpolation from one point": "r = np.interp(V, [1], [5])\nr_1 = np.interp(V, [1], [5], 2, 3)",
    "booleans added in places": "a = V > 100\nnp.add.at(a, [0, 0], np.array([True, False]))\nr = a",
    "imports that are not used": "from numpy.typing import NDArray\nfrom numpy.linalg import LinAlgError\nfrom numpy.lib.stride_tricks import as_strided\nfrom numpy import mgrid\nr = V + mgrid[0:5]",
    "a known product of extents": "r = np.zeros(np.prod(X.shape[1:])) + np.max(V[:0], initial=5)",
    "fmod of int8": "r = np.fmod(I8, 3)",
    "fmod by int8": "r = np.fmod(I8, np.array([3, -5, 7, 2, -128], np.int8))",
    "fmod of ints": "r = np.fmod(K, -3)",
    "fmod of uint8": "r = np.fmod(U, 7)",
    "select of int16": "r = np.select([I16 > 0, I16 < -1], [I16, I16 * 2])",
    "select of int8 with a default": "r = np.select([I8 > 0], [I8], 3)",
    "select with a wide default": "r = np.select([I8 > 0], [I8], 300)",
    "select of bools": "r = np.select([V > 0], [B])",
    "squeeze of several": "r = V[V > 0].squeeze()",
    "interp beside infinities": "x = np.array([.5, 1.5, 1, 2, -1, 9])\nf = np.array([0, 1, 2.])\nr = np.array([np.interp(x, f, f ** 0 * np.array(y)) for y in "
                                "([1, np.inf, 3], [-np.inf, np.inf, np.inf], [np.inf, np.inf, np.nan], [np.nan, 1, 2])])",
    "interp between infinite points": "r = np.interp(V, [-np.inf, 0, np.inf], V[:3])",
    "quantile of ints by ints": "r = np.quantile(K, [0, 1])\nr_1 = np.quantile(K, 1)\nr_2 = np.quantile(I16, k - 2)\nr_3 = np.quantile(K, 1.0)\nr_4 = np.percentile(K, 100)",
    **{f"quantiles by {method}": f"r = np.quantile(V, [0, .02, .1, .3, .5, .7, .9, .99, 1], method='{method}')\nr_1 = np.percentile(X, [30, 50, 62.5], axis=1, method='{method}')\n"
                                 f"r_2 = np.quantile(K, .4, method='{method}')\nr_3 = np.percentile(X, 50, axis=(0, 1), method='{method}', keepdims=True)\nr_4 = np.quantile(np.sqrt(V + 2), .6, method='{method}')"
       for method in ("linear", "lower", "higher", "nearest", "midpoint", "weibull", "hazen", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")},
    "insert before a slice": "r = np.insert(X, slice(0, 2), 7, axis=1)\nr_1 = np.insert(V, slice(None, None, -2), [7, 8, 9])\nr_2 = np.insert(X, slice(1, 1), 7, axis=1)",
    "trapz at points of two axes": "r = np.trapz(X[0], X)\nr_1 = np.trapz(X, X * X, axis=0)",
    "places among what is in order": "x = np.sort(V)\nr = np.searchsorted(x, V)\nr_1 = np.digitize(V, x)\nr_2 = np.digitize(V, x[::-1])\nr_3 = np.histogram(V, np.cumsum(V ** 2))[0]\n"
                                     "r_4 = np.searchsorted([1, 2, np.nan], V)\nr_5 = np.searchsorted(np.sqrt(np.array([1, -1])), V)",
    "fmod of two types": "r = np.fmod(V, I8)\nr_1 = np.fmod(I8, V)\nr_2 = np.fmod(K, I8)\nr_3 = np.fmod(I8, U)\nr_4 = np.fmod(V, K + 2)\nr_5 = np.fmod(I8, 2.5)",
    "nan_to_num": "r = np.nan_to_num(np.array([np.inf, -np.inf, np.nan, 1.5]))",
}
SHARED = {
    "np.float64": "a = np.float64(V)\na[0] = 9\nr = V + 0",
    "np.int64": "a = np.int64(K)\na[0] = 9\nr = K + 0",
    "np.float64 of ints": "a = np.float64(K)\na[0] = 9\nr = K + 0",
    "np.diff": "a = np.diff(V, n=0)\na[0] = 9\nr = V + 0",
    "np.ix_": "a = np.ix_(K)[0]\na[0] = 9\nr = K + 0",
    "np.ix_ of two": "a = np.ix_(K, K[:2])[1]\na[0, 0] = 9\nr = K + 0",
    "np.array": "a = np.array(V, copy=False)\na[0] = 9\nr = V + 0",
    "np.array of another type": "a = np.array(K, dtype=float, copy=False)\na[0] = 9\nr = K + 0",
    "np.array copies": "a = np.array(V)\na[0] = 9\nr = V + 0",
    "np.bool_": "a = np.bool_(B)\na[1] = True\nr = B * 1",
    "np.uint8": "a = np.uint8(U)\na[1] = 9\nr = U + 0",
    "np.conj of reals": "a = np.conj(V)\na[0] = 9\nr = V + 0",
    "astype": "a = V.astype(float, copy=False)\na[0] = 9\nr = V + 0",
    "np.real": "a = np.real(V)\na[0] = 9\nr = V + 0",
    "ravel": "a = np.ravel(V)\na[0] = 9\nr = V + 0",
    "flat": "a = V.flat\nb = a[1:3]\nb[0] = 9\nr = V + 0",
    "elements of flat": "b = X.flat[[1, 2]]\nb[0] = 9\nr = X + 0",
    "flat, written": "X.flat[1:3] = 9\nX.flat[0] += 2\nX.flat[4:6] *= 2\nr = X + 0",
    "atleast_1d": "a = np.atleast_1d(V)\na[0] = 9\nr = V + 0",
}
# Into arrays of a type that holds the result only in part.
INTO = {
    **{f"{call} into {kind}": f"r = np.zeros({shape}, {kind})\n{call}" for kind in ("bool", "int", "np.int8") for shape, call in (
        (5, "np.cumsum(V, out=r)"), (5, "np.cumprod(V, out=r)"), (5, "np.add.accumulate(V, out=r)"), (5, "np.maximum.accumulate(V, out=r)"),
        ((), "np.sum(V, out=r)"), ((), "np.prod(V, out=r)"), ((), "np.max(V, out=r)"), (4, "X.min(axis=1, out=r)"), (4, "X.sum(axis=1, out=r)"), (4, "np.mean(X, axis=1, out=r)"), (4, "np.var(X, axis=1, out=r)"), (5, "np.add.accumulate(K, out=r)"), (2, "np.take(V, [1, 3], out=r)"))},
    **{f"{call} of {array}": f"{call}\nr = {array}" for array in "BK" for call in (
        f"np.putmask({array}, V > 0, 1.5)", f"np.place({array}, V > 0, [1.5, 0])", f"np.putmask({array}, V > 0, list(W))", f"np.place({array}, V > 0, W[1])", f"np.copyto({array}, True)")},
    "copyto of a size": "U = U + 0\nnp.copyto(U, 7)\nr = U",
}
KEYWORDS = {
    "cumsum as int": "r = np.cumsum(V, dtype=int)",
    "cumsum as int8": "r = np.cumsum(U, dtype=np.int8)",
    "cumsum as bool": "r = np.cumsum(V, dtype=bool)",
    "cumsum as float": "r = K.cumsum(dtype=float)",
    "cumprod as uint8": "r = np.cumprod(K + 3, dtype=np.uint8)",
    "accumulate": "r = np.add.accumulate(V, dtype=int)",
    "accumulate as int8": "r = np.add.accumulate(U, dtype=np.int8)",
    "accumulate of bools": "r = np.add.accumulate(B)",
    "accumulate of int8": "r = np.add.accumulate(I8)",
    "accumulate of products": "r = np.multiply.accumulate(I8, dtype=np.int64)",
    "reduce": "r = np.add.reduce(X, dtype=int)",
    "mean as int": "r = np.array([np.mean(V * 3, dtype=int)])",
    "mean of ints as int": "r = np.array([K.mean(dtype=np.int64), np.mean(-K, dtype=int)])",
    "sum as bool": "r = np.array([np.sum(V, dtype=bool)])",
    "prod as bool": "r = np.array([np.prod(V - 3, dtype=bool)])",
    "sum as int8": "r = np.array([np.sum(U, dtype=np.int8)])",
    "sum of a selection as int": "r = np.array([np.sum(V[V > 0], dtype=int)])",
    "sum of a selection as int8": "r = np.array([U[U > 0].sum(dtype=np.int8)])",
    "prod of a selection": "r = np.array([np.prod(V[V > 0] * 2, dtype=int)])",
    "mean of a selection": "r = np.array([np.mean(V[V > 0] * 3, dtype=int)])",
    "sum of selected rows": "r = np.sum(X[X[:, 0] > 0], axis=0, dtype=int)",
    "sum of selected columns": "r = np.sum(X[:, X[0] > 0], axis=0, dtype=int)[:1]",
    "cumsum of a selection": "r = np.cumsum(V[V > 0], dtype=int)",
    "initial of bools": "r = np.array([np.sum(B, initial=5), np.prod(B, initial=3)])",
    "initial of the largest bool": "r = np.array([np.max(B, initial=True), np.min(B, initial=False)])",
    "initial of ints": "r = np.array([np.sum(K, initial=5), np.max(K, initial=100)])",
    "concatenate": "r = np.concatenate([X, X[:1]], axis=None)",
    "concatenate of numbers": "r = np.concatenate([X, V], axis=None)",
    "any of no axis": "r = np.any(X > 0, axis=())",
    "all of no axis": "r = np.all(X, axis=())",
    "sum of no axis": "r = np.sum(X, axis=())",
    "max of no axis": "r = np.max(X, axis=())",
    "std of no axis": "r = np.std(X, axis=())",
    "mean of no axis": "r = np.mean(K, axis=())",
    "sort of all": "r = np.sort(X, axis=None)",
    "argsort of all": "r = np.argsort(X, axis=None)",
    "nansum": "r = np.array([np.nansum(np.sqrt(V), dtype=int), np.nansum(V[V > 0], dtype=int)])",
    "nancumsum": "r = np.nancumsum(np.sqrt(V), dtype=int)",
}
# Ints that are no number, or too large for one, found at run time.
NO_INT = ["K[0] = np.sqrt(V[1])\nr = K + 0", "K[:2] = np.sqrt(V[1])\nr = K + 0", "I8[k] = V[0] * 1e30\nr = I8 + 0", "K[:k] = np.sqrt(V[1])\nr = K + 0",
          "K[-1] = V[:1] / (V[0] - V[0])\nr = K + 0", "K[0] += np.sqrt(V[1])\nr = K + 0", "r = int(np.sqrt(V[1])) + 1",
          "r = int(V[0] / (V[0] - V[0])) + 1", "import math\nr = math.floor(np.sqrt(V[1])) + 1", "I8[0] //= W[0] - W[0]\nr = I8 + 0",
          "for i in range(3):\n    if V[i] < 0:\n        K[i] = np.sqrt(V[i])\nr = K + 0"]
NAN = ["K[0] = np.nan", "K[1:3] = np.inf", "K[K > 0] = np.nan", "K[[0, 1]] = np.nan", "K.fill(np.nan)",
       "I8[I8 > 0] = np.inf", "K[:k] = np.nan"]
# Floats that no integer is: NumPy converts arrays as x86's instructions do, through 32 bits or 64.
TO_INT = {
    "int64": "r = F.astype(int)",
    "int32": "r = F.astype(np.int32)",
    "int16": "r = F.astype(np.int16)",
    "int8": "r = F.astype(np.int8)",
    "uint16": "r = F.astype(np.uint16)",
    "uint8": "r = F.astype(np.uint8)",
    "NaN as uint64": "r = np.sqrt(V).astype(np.uint64)",
    "written to": "K[:] = np.sqrt(V)\nr = K + 0",
    "written to a part": "K[1:] = np.sqrt(V[:4])\nr = K + 0",
    "written through a mask": "K[K > 0] = np.sqrt(V)[K > 0]\nr = K + 0",
    "written to narrow ones": "I8[:] = np.sqrt(V)\nU[:] = F[:5]\nr = I8 + U",
    "goes on as an int": "k = np.sqrt(V).astype(int)\nr = np.where(k < 0, 5, k)",
    "written out": "r = np.array([np.nan, 3.75, 1e10, -1e30]).astype(np.int8)",
    "all one": "r = np.full(3, np.nan).astype(int)",
    "all one, written to": "K[:] = np.full(5, np.inf)\nr = K + 0",
    "a mean of nothing": "r = np.array([np.mean(V[V > 100], dtype=int)])",
    "ints stay modulo": "r = np.array([2 ** 32 + 5, -300]).astype(np.int8)",
    "known not to be NaN": "r = np.floor(np.where(V > 0, 2.5, 1.5)).astype(int)",
}
WHOLE = {
    "an element": "K[1] = V[0] * 5\nK[2] = -V[0] * 5\nr = K + 0",
    "in a loop": "for i in range(5):\n    K[i] = V[i] * 3\nr = K + 0",
    "of Python": "r = np.array([int(V[0] * 3), int(-V[0] * 3), int(V[0] * 1e15)])",
    "of a narrow type": "I8[0] = V[3] * 2.5\nI8[1] = -V[3]\nr = I8 + 0",
    "an array's": "Y = np.sqrt(V)\nK[[0, 1]] = Y[1]\nK[3:] = Y[:2]\nr = K + 0",
}
DTYPES = ["r = np.std(V, dtype=int)", "r = np.var(V, dtype=bool)", "r = np.nanmean(V, dtype=int)",
          "r = np.std(V[V > 0], dtype=int)", "r = np.mean(V, dtype=bool)"]


class Values(SamePrograms):
    inputs = INPUTS
    passes = ("none", "default", "all")

    def numpy(self, text):
        try:
            return super().numpy(text)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, np.linalg.LinAlgError) as error:
            return error

    def each(self, programs, head="", name="r", precision=64):
        for label, text in programs.items():
            text = f"import numpy as np\n{head}{text}\n"
            expected = with_parts(self.numpy(text))
            for passes, reply in zip(self.passes, self.ask(text, self.passes, precision)):
                with self.subTest(label, passes=passes, precision=precision):
                    self.assertEqual(reply.failure, "", f"{text}\n{reply.detail}")
                    got = with_lengths(reply.arrays, expected)
                    names = [each for each in got if each == name or each.startswith(name + "_")]
                    self.assertTrue(names, f"{text}\n{sorted(got)}")
                    for each in names:
                        want = np.asarray(expected[each])
                        kind = reply.kinds[each]
                        self.assertEqual(kind in "f", want.dtype.kind == "f", f"{text}\n{each}: {kind}, {want.dtype}")
                        self.assertEqual(got[each].shape, want.shape, text)
                        np.testing.assert_allclose(got[each], want.astype(float), rtol=1e-13, err_msg=text)

    def each_raises(self, programs, says=None):
        for text in programs:
            text = "import numpy as np\n" + text + "\n"
            error = self.numpy(text)
            with self.subTest(text):
                self.assertIsInstance(error, Exception, f"NumPy computes this: {text}")
                reply = self.ask(text, ("none",))[0]
                self.assertIn(reply.failure, ("refused", "failed"), f"{text}\n{reply}")
                if says:
                    self.assertIn(says, str(error))
                    self.assertIn(str(error), reply.detail)

    def test_in_place_of_another_type(self):
        self.each_raises(IN_PLACE, "Cannot cast ufunc")

    def test_refused(self):
        self.each_raises(REFUSED)

    def test_what_is_refused_beside_numpy(self):
        for text in NOT_ORDERED + NOT_EXACT + OVERLAPPING:
            with self.subTest(text):
                self.assertEqual(self.ask("import numpy as np\n" + text + "\n", ("none",))[0].failure, "refused")

    def test_errors_of_what_nothing_reads(self):
        passes = ("none", "default", "all", "fast", "dead", "cse,dead,hoist,order,reuse")
        for text in RAISED:
            text = "import numpy as np\n" + text + "\n"
            self.assertIsInstance(self.numpy(text), Exception, f"NumPy computes this: {text}")
            replies = self.ask(text, passes)
            self.assertEqual(len(replies), len(passes), f"it is refused before it runs: {text}\n{replies}")
            for names, reply in zip(passes, replies):
                with self.subTest(text, passes=names):
                    self.assertEqual(reply.failure, "refused", f"{text}\n{reply}")

    def test_joined_selections(self):
        self.each(JOINED)

    def test_joined_lists(self):
        self.each(LISTS)

    def test_sums_of_selected_rows(self):
        self.each(SUMS)

    def test_powers_of_small_ints_wrap_as_they_go(self):
        for precision in (32, 64):
            self.each(POWERS, precision=precision)

    def test_memory_of_complex_results(self):
        self.each(MEMORY, C)

    def test_real_types_of_complex_numbers(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy says that it discards the imaginary parts
            self.each(REAL_TYPES, C)

    def test_conditional_lambdas(self):
        self.each(LAMBDAS)

    def test_values_and_types(self):
        self.each(VALUES)

    def test_results_that_are_the_array_itself(self):
        self.each(SHARED)

    def test_results_in_narrower_arrays(self):
        self.each(INTO)

    def test_keywords_are_honoured(self):
        self.each(KEYWORDS)

    def test_floats_that_no_integer_is(self):
        for precision in (32, 64, 128):
            self.each(TO_INT, precision=precision)

    def test_nan_does_not_become_an_int(self):
        self.each_raises(NAN)

    def test_numbers_of_the_run_that_no_int_is(self):
        for text in NO_INT:
            text = "import numpy as np\n" + text + "\n"
            self.assertIsInstance(self.numpy(text), Exception, f"NumPy computes this: {text}")
            for names, reply in zip(self.passes, self.ask(text, self.passes)):
                with self.subTest(text, passes=names):
                    self.assertEqual(reply.failure, "refused", f"{text}\n{reply}")
        self.each(WHOLE)

    def test_expected_failures_are_still_different(self):
        lines = Path(__file__).with_name("expected_failures.txt").read_text().splitlines()
        programs = [line.split("  # ")[0][len("program "):] for line in lines if line.startswith("program ")]
        for text in programs:
            text = "import numpy as np\n" + text.replace("; ", "\n") + "\n"
            with self.subTest(text):
                wanted, reply = self.numpy(text), self.ask(text, ("none",))[0]
                self.assertEqual(reply.failure, "", "it is an error now: a line of expected_failures.txt less")
                same = not isinstance(wanted, Exception) and np.array_equal(reply.arrays["r"], wanted["r"])
                self.assertFalse(same, "it is right now: a line of expected_failures.txt less")

    def test_types_that_are_not_supported_are_refused(self):
        for text in DTYPES:
            with self.subTest(text):
                reply = self.ask("import numpy as np\n" + text + "\n", ("none",))[0]
                self.assertEqual(reply.failure, "refused", reply)


if __name__ == "__main__":
    main()
