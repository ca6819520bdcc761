"""x[mask] and its kin, whose length is known only at run time: ordered, counted, joined, iterated over and written to.

    selections_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

# What stands where.
ORDER = {
    "sorted": "r = np.sort(x[m])",
    "sorted down": "r = np.sort(x[m])[::-1]",
    "places in order": "r = np.argsort(x[m])",
    "by places in order": "r = x[m][np.argsort(-x[m])]",
    "by a method": "r = x[m].argsort()",
    "sums": "r = np.cumsum(x[m])",
    "products": "r = np.cumprod(x[m])",
    "differences": "r = np.diff(x[m])",
    "of places": "r = np.diff(np.flatnonzero(m))",
    "flipped": "r = np.flip(x[m])",
    "turned round": "r = x[m][::-1]",
    "a part": "r = x[m][1:3]",
    "ranks": "a = x[m]\nr = np.argsort(np.argsort(a))",
    "the largest": "a = x[m]\nr = a[np.argsort(a)[::-1]][:3]",
    "their places": "a = x[m]\no = np.argsort(-a)[:3]\nr = a[o]",
    "NaN last": "a = np.sort(z[m])\nr = np.isnan(a) * 1 + np.where(np.isnan(a), 0, a)",
    "places with NaN": "r = np.argsort(z[m])",
    "a sorted list": "a = x[m]\nr = np.array(sorted(a))",
    "quantiles": "r = np.array([np.quantile(x[m], 0.3), np.percentile(x[m], 77)])",
    "several quantiles": "r = np.quantile(x[m], [0.1, 0.5, 1.0])",
    "of ints": "r = np.array([np.percentile(k[m], 30), np.median(k[m])])",
    "without NaN":
        "r = np.array([np.nanmean(z[m]), np.nanstd(z[m]), np.nanmax(z[m]), np.nanmin(z[m]), np.nansum(z[m]), "
        "np.nanmedian(z[m]), np.nanquantile(z[m], 0.2)])",
    "ints without NaN": "r = np.array([np.nansum(k[m]), np.nanmax(k[m])])",
    "where there is no NaN":
        "z2 = z[~np.isnan(z)]\n"
        "r = np.array([np.quantile(z2, 0.25), z2.mean(), np.median(z2), np.percentile(z2, 90)])",
    "NaN is the quantile": "r = np.array([np.isnan(np.quantile(z[m], 0.5)) * 1.0])",
    "ranges and averages":
        "r = np.array([np.ptp(x[m]), np.average(x[m], weights=np.abs(y[m]) + 1), np.average(x[m])])",
    "a distribution": "a = np.sort(x[m])\nr = np.arange(1, len(a) + 1) / len(a) * a",
    "trapezes": "a = np.sort(x[m])\nb = a ** 2\nr = (b[1:] + b[:-1]) / 2 * np.diff(a)",
    "neighbours": "a = x[m]\nr = (a[1:] - a[:-1]) * a[1:]",
    "inner elements": "a = x[m]\nr = a[1:-1] * 2",
    "beside what was before": "r = np.diff(x[m], prepend=0)",
    "without their mean": "a = X[m]\nr = np.sum((a - a.mean(axis=0, keepdims=True)) ** 2, axis=0)",
    "of rows without NaN": "a = X[m]\nr = np.nanmean(a, axis=0) + np.ptp(a, axis=0) + np.average(a, axis=0)",
    "sums without NaN": "r = np.nancumsum(z[m])",
    "areas of rows": "r = np.trapz(X[m], axis=0)",
    "extents": "r = np.array([np.shape(x[m])[0], np.ndim(X[m])])",
    "of rows and others": "r = np.cov(X.T[:, m], y[m])[0]",
    "scaled": "a = np.log(x[x > 0])\nr = (a - a.min()) / (a.max() - a.min())",
    "without outliers":
        "q1, q3 = np.percentile(x, [25, 75])\ng = x[(x > q1 - (q3 - q1)) & (x < q3 + (q3 - q1))]\n"
        "r = (g - g.mean()) / g.std()",
}
# Different elements, and places among them.
UNIQUE = {
    "of whole numbers": "r = np.unique(y[m])",
    "of numbers": "r = np.unique(x[m])",
    "where they are first": "u, i = np.unique(y[m], return_index=True)\nr = i * 1 + u",
    "put together again": "u, i = np.unique(y[m], return_inverse=True)\nr = u[i]",
    "numbered": "u, i = np.unique(y[m], return_inverse=True)\nr = i",
    "counted": "u, c = np.unique(y[m], return_counts=True)\nr = u * c",
    "all of it":
        "u, i, v, c = np.unique(k[m], return_index=True, return_inverse=True, return_counts=True)\n"
        "r = c[v] + u[v] + i[v]",
    "with NaN": "a = np.unique(z[m])\nr = np.where(np.isnan(a), 7, a)",
    "the most frequent": "u, c = np.unique(k, return_counts=True)\nr = u[c == c.max()]",
    "deviations by group":
        "u, i, c = np.unique(y, return_inverse=True, return_counts=True)\nmu = np.bincount(i, x) / c\n"
        "r = np.sqrt(np.bincount(i, (x - mu[i]) ** 2) / c)",
    "lengths of runs":
        "ch = np.flatnonzero(np.diff(k)) + 1\ns = np.concatenate(([0], ch))\n"
        "e = np.concatenate((ch, [len(k)]))\nr = (e - s) * k[s]",
    "among the selected": "r = np.isin(y, y[m]) * 1",
    "the selected among others": "r = np.isin(y[m], [0, 2]) * 1",
    "not among": "r = np.isin(k[m], k[x > 1], invert=True) * 1",
    "places among all": "r = np.searchsorted(np.unique(y), x)",
    "places behind": 'r = np.searchsorted(np.sort(x[m]), x, side="right")',
    "places of the selected": "r = np.searchsorted(np.sort(x), x[m])",
    "both": "r = np.searchsorted(np.sort(x[m]), y[x > 1])",
    "bins": "r = np.digitize(x, np.unique(y))",
    "bins of the selected": "r = np.digitize(x[m], np.array([-1.0, 0.0, 1.0]))",
    "bins of the right": "r = np.digitize(x[m], np.sort(y[m]), right=True)",
}
# Counts, and arrays beside them whose length is known.
COUNTS = {
    "so many at least": "r = np.bincount(k[m], minlength=6)",
    "weights": "r = np.bincount(k[m], weights=x[m], minlength=6)",
    "as many as there are": "r = np.bincount(k[m] % 5)",
    "weights of these": "r = np.bincount(k[m] % 5, x[m])",
    "a length of the run": "u, i = np.unique(y, return_inverse=True)\nr = np.bincount(i, minlength=len(u) + 2)",
    "sums by group": "u, i = np.unique(y[m], return_inverse=True)\nr = np.bincount(i, x[m], minlength=len(u))",
    "a histogram": "h, e = np.histogram(x[m], bins=4)\nr = h * 1.0",
    "its edges": "h, e = np.histogram(x[m], bins=4)\nr = e",
    "edges that are given": "h, e = np.histogram(x[m], bins=[-2.0, 0.0, 1.0, 3.0])\nr = h",
    "a range and weights": "h, e = np.histogram(x[m], bins=3, range=(-1, 1), weights=y[m])\nr = h",
    "a density": "h, e = np.histogram(x[m], bins=3, density=True)\nr = h",
    "three counts": "r = np.bincount(k % 3) * np.array([1.0, 2.0, 3.0])",
    "means of three groups":
        "C = np.zeros((3, 3))\nnp.add.at(C, k % 3, X)\nC = C / np.bincount(k % 3)[:, None]\n"
        "r = C.sum(axis=1)",
    "one of many":
        "u, i = np.unique(y, return_inverse=True)\nH = (i[:, None] == np.arange(len(u))) * 1.0\n"
        "r = H.sum(axis=0)",
}
# Selections by several masks.
SIDE_BY_SIDE = {
    "joined": "r = np.concatenate(([0], x[m], y[x > 1], [5.0, 6.0]))",
    "one more": "r = np.append(x[m], 3.0)",
    "behind all": "r = np.append(x, x[m])",
    "by two masks": "a = x[m]\nb = np.sort(x[m])\nr = a * b",
    "by three": "a = x[m]\nb = np.sort(y[m])\nr = a * b - b[::-1]",
    "a choice": "a = x[m]\nr = np.where(a > 0, a, 0)",
    "places": "r = np.flatnonzero(x[m] > 0.5)",
    "np.where": "r = np.where(x[m] > 0.5)[0]",
    "as an index": "a = x[m]\nr = a[np.where(a > 0.5)[0]]",
    "peaks": "p = np.where((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))[0] + 1\nr = np.diff(p) * 1.0",
    "crossings of zero": "p = np.where(np.diff(np.sign(x)))[0]\nr = x[p] / (x[p] - x[p + 1])",
    "a list as an index": "r = x[m][[0, 1, -1]]",
    "ints": "r = x[m][np.array([1, 0, 1])]",
    "truths": "r = x[m][x[m] > 0.5]",
    "truths of what is sorted": "a = np.sort(x[m])\nr = a[a < 1]",
    "taken": "r = np.take(x[m], [1, 0])",
    "rows in order": "A = X[m]\no = np.argsort(A[:, 0])\nB = A[o]\nr = B[:, 1] * np.arange(len(B))",
    "rows turned round": "A = X[m]\nr = A[::-1][:, 2]",
    "differences of rows": "A = X[m]\nr = np.diff(A, axis=0)[:, 1]",
    "one element is repeated": "r = x[x > 2.5] + y\nr += y[y == 1]",
    "one element of fewer": "r = x[:2][x[:2] > 1] * y",
    "one row is repeated": "r = X[x > 2.5] * X",
    "one element is compared": "r = np.where(x > x[x == 0.75], x[x > 2.5], y)",
    "one element is written": "r = y * 1\nr[m] = x[x > 2.5]",
    "one part is repeated": "r = x[:(x > 2.5).sum()] - y",
}
# Arrays whose length is known only at run time, and assignments at run-time indices.
WRITTEN = {
    "what is sorted": "r = x * 1\nr[m] = np.sort(x[m])",
    "what is turned round": "r = x * 1\nr[m] = x[m][::-1]",
    "at places": "u, f = np.unique(y, return_index=True)\nr = np.zeros(len(x))\nr[f] = 1",
    "elements at places": "u, f = np.unique(y, return_index=True)\nr = np.zeros(len(x))\nr[f] = u + 1",
    "added at places": "u, f = np.unique(y, return_index=True)\nr = np.zeros(len(x))\nr[f] += u",
    "by truths": "r = x[m]\nr[r < 0.5] = 9",
    "the first and the last": "r = x[m]\nr[0] = 5\nr[-1] = 7",
    "all": "r = x[m]\nr[:] = 2",
    "a part": "r = x[m]\nr[1:] = 3",
    "in place": "a = x[m]\na += 1\nr = a\nr *= 2",
    "another name": "a = x[m]\nr = a\na += 1",
    "sums": "u, i = np.unique(y, return_inverse=True)\nr = np.zeros(len(u))\nnp.add.at(r, i, x)",
    "rows":
        "u = np.unique(y)\nM = np.zeros((len(u), 3))\nfor j in range(len(u)):\n"
        "    M[j] = X[y == u[j]].mean(axis=0)\nr = M[:, 0] + M[:, 2] * 2",
    "elements of rows":
        "u = np.unique(y)\nM = np.zeros((len(u), 3))\nfor j in range(len(u)):\n    M[j, 1] += j\n"
        "r = M.sum(axis=1)",
    "means":
        "u, i = np.unique(y, return_inverse=True)\nM = np.zeros((len(u), 3))\nnp.add.at(M, i, X)\n"
        "M /= np.bincount(i)[:, None]\nr = M[:, 1] - M[:, 0]",
    "full": "r = np.full(len(x[m]), 2.5)",
    "ones": "r = np.ones(m.sum())\nr[0] = 3",
    "places": "r = np.arange(len(x[m]))",
    "from 1 on": "r = np.arange(1, len(x[m]) + 1) / 2",
}
# A number of iterations known only at run time.
LOOPS = {
    "sums by group": "u = np.unique(y)\nr = np.zeros(len(u))\nfor j in range(len(u)):\n    r[j] = x[y == u[j]].sum()",
    "from the second on":
        "u = np.unique(y)\nr = np.zeros(9)\nfor j in range(1, len(u)):\n"
        "    r[j] = u[j] - u[j - 1] + j / 2",
    "downwards": "u = np.unique(y)\nr = np.zeros(9)\nfor j in range(len(u) - 1, -1, -1):\n    r[j] = r[j + 1] + u[j]",
    "numbered": "r = np.zeros(9)\nfor j, v in enumerate(np.unique(y)):\n    r[j] = v * 2 + j",
    "from 1 on": "s = 0.0\nfor j, v in enumerate(x[m], 1):\n    s = s + j * v\nr = np.array([s, 1.0])",
    "of pairs":
        "s = 0.0\nu, c = np.unique(y, return_counts=True)\nfor v, n in zip(u, c):\n    s += v * n * n\n"
        "r = np.array([s])",
    "with another array": "s = 0.0\nfor v, w in zip(x[m], x):\n    s += v * w\nr = np.array([s])",
    "numbered pairs":
        "s = 0.0\nfor j, (v, w) in enumerate(zip(x[m], np.sort(x[m]))):\n    s += v * w * j\n"
        "r = np.array([s])",
    "a list": "u = np.unique(y)\nr = np.array([x[y == v].mean() for v in u])",
    "a list by places": "u = np.unique(y)\nr = np.array([x[y == u[j]].mean() * j for j in range(len(u))])",
    "a numbered list": "r = np.array([v * j for j, v in enumerate(x[m])])",
    "from behind": "s = 0.0\nfor v in reversed(x[m]):\n    s = s * 0.5 + v\nr = np.array([s])",
}
# What people write.
PROGRAMS = {
    "quantiles of a range": "r = np.quantile(x, np.linspace(0, 1, 5)[1:-1])",
    "percentiles of a range": "r = np.percentile(x, np.arange(10, 100, 30) * 1.0)",
    "quantiles of NaN": "r = np.quantile(z, np.linspace(0, 1, 5)[1:-1])",
    "a quantile of the run": "t = np.abs(x).max() / 10\nr = np.array([np.quantile(x, t)])",
    "sorted rows": "r = np.sort(X[m], axis=1)",
    "order within rows": "r = np.argsort(X[m], axis=-1)",
    "medians of rows": "r = np.median(X[m], axis=1)",
    "quantiles of rows": "r = np.quantile(X[m], [0.25, 0.5], axis=1)",
    "rolled rows": "r = np.roll(X[m], 1, axis=1)",
    "some columns of rows": "r = np.take(X[m], [2, 0], axis=1)",
    "rows without a column": "r = np.delete(X[m], 1, axis=1)",
    "repeated columns": "r = np.repeat(X[m], 2, axis=1)",
    "swapped axes": "r = np.swapaxes(X[m], 0, 1)",
    "moved axes": "r = np.moveaxis(X[m], 0, -1) @ y[m]",
    "one axis more": "r = np.expand_dims(x[m], 1) * np.arange(3)",
    "one row": "r = np.expand_dims(x[m], 0)",
    "as a matrix of one row": "r = np.reshape(x[m], (1, -1))",
    "rows as matrices": "r = X[m].reshape(-1, 3, 1) * 2",
    "rows of a given number": "a = X[m]\nr = a.reshape(a.shape[0], 3, 1).sum(axis=2)",
    "an outer product from the left": "r = np.outer([1.0, 2.0, 3.0], x[m])",
    "np.add.outer": "r = np.add.outer(x[m], np.arange(3))",
    "np.add.reduce": "r = np.array([np.add.reduce(x[m]), np.maximum.reduce(x[m])])",
    "np.add.reduce of rows": "r = np.add.reduce(X[m], axis=1)",
    "np.add.accumulate": "r = np.add.accumulate(x[m])",
    "a scalar product by einsum": "r = np.einsum('i,i->', x[m], y[m]) * np.ones(1)",
    "elements by einsum": "r = np.einsum('i,i->i', x[m], y[m])",
    "columns by einsum": "r = np.einsum('ij->j', X[m])",
    "a matrix by einsum": "r = np.einsum('ij,ik->jk', X[m], X[m])",
    "rows by einsum": "r = np.einsum('ij,j', X[m], np.array([1.0, -2.0, 0.5]))",
    "a product of Kronecker": "r = np.kron(x[m], [1.0, -1.0])",
    "norms": "r = np.array([np.linalg.norm(x[m]), np.linalg.norm(x[m], 1), np.linalg.norm(x[m], 3)])",
    "norms of rows by order": "r = np.linalg.norm(X[m], 1, axis=1)",
    "norms of columns": "r = np.linalg.norm(X[m], axis=0)",
    "before the first": "r = np.insert(x[m], 0, [7.0, 8.0])",
    "the same": "r = np.array([np.array_equal(x[m], x[m]), np.array_equal(x[m], y[m]), np.array_equal(x[m], x[x > 1])])",
    "summed products": "r = np.tensordot(X[m], X[m], axes=([0], [0]))",
    "a transform of rows": "r = np.abs(np.fft.fft(X[m], axis=1))",
    "whether it is an array": "r = x[m] * isinstance(x[m], np.ndarray)",
    "real and imaginary": "r = np.concatenate([x[m].real, x[m].imag])",
    "rows of a stack": "r = np.vstack([x[m], y[m]])[1]",
    "columns of a stack": "r = np.stack([x[m], np.sort(x[m])], axis=1)[:, 1]",
    "an array of selections": "r = np.array([x[m], y[m]]).sum(axis=0)",
    "one column more": "r = np.hstack([X[m], x[m][:, None]])[:, 3]",
    "side by side": "r = np.concatenate([X[m], X[m] * 2], axis=1)[:, 4]",
    "of two": "r = np.cov(x[m], y[m], ddof=0)[1]",
    "a variance": "r = np.array([np.cov(x[m])])",
    "of variables in rows": "r = np.cov(X.T[:, m])[0]",
    "correlations of columns": "r = np.corrcoef(X[m].T)[0]",
    "a line through what is sorted": "r = np.polyfit(np.sort(x[m]), y[m], 1)",
    "scalar products": "a = np.sort(x[m])\nr = np.array([a @ x[m], a @ np.sort(y[m])])",
    "times what is sorted": "A = X[m]\nr = A.T @ np.sort(x[m])",
    "the largest of each row": "L = X @ np.arange(6.0).reshape(3, 2)\nr = (L.T[:, m]).argmax(axis=1)",
    "without rows": "r = np.delete(X, np.flatnonzero(m), axis=0)[:, 1]",
    "ones like ints": "r = np.ones_like(k[m])\nr[1] = 4",
    "counts": "r = np.array([np.count_nonzero(y[m]), np.count_nonzero(X[m] > 0)])",
    "counts by column": "r = np.count_nonzero(X[m] > 0, axis=0)",
    "added up in a loop": "r = x[m]\nfor i in range(3):\n    r += x[m] * i",
    "added to under a condition": "r = x[m]\nfor i in range(3):\n    if x[i] > 0:\n        r += 1",
    "bound anew in a loop": "r = x[m]\nfor i in range(3):\n    r = r * 2 + i",
    "elements in a loop": "r = x[m]\nfor i in range(3):\n    r[i] = r[i] + i",
    "sums in two loops":
        "u = np.unique(y)\nr = np.zeros(len(u))\nfor t in range(4):\n    for j in range(len(u)):\n"
        "        r[j] += t * u[j]",
    "a function that writes": "def f(a):\n    a += 1\n    return a * 2\nb = x[m]\nc = f(b)\nr = b + c",
    "a function that numbers":
        "def groups(v, g):\n    u = np.unique(g)\n    out = np.zeros(len(u))\n    for i, c in enumerate(u):\n"
        "        out[i] = v[g == c].mean()\n    return out\nr = groups(x, y)",
    "a function of a list":
        "def groups(v, g):\n    return np.array([v[g == c].mean() for c in np.unique(g)])\n"
        "r = groups(x, y) - 1",
    "a table":
        "u = np.unique(y)\nr = np.zeros((len(u), 4))\nfor i in range(len(u)):\n    for j in range(4):\n"
        "        r[i, j] = ((y == u[i]) & (k == j)).sum()",
    "in a while": "a = x[m]\ni = 0\nwhile i < 3:\n    a = a + 1\n    i += 1\nr = a",
    "a classifier":
        "cl, cnt = np.unique(y, return_counts=True)\npri = cnt / len(y)\n"
        "mu = np.array([X[y == c].mean(axis=0) for c in cl])\n"
        "va = np.array([X[y == c].var(axis=0) + 1 for c in cl])\n"
        "L = -0.5 * (((X[:, None, :] - mu) ** 2) / va + np.log(va)).sum(axis=2) + np.log(pri)\n"
        "r = L.argmax(axis=1)",
    "scatter":
        "cl = np.unique(y)\nSw = np.zeros((3, 3))\nfor c in cl:\n    Z = X[y == c]\n"
        "    Z = Z - Z.mean(axis=0)\n    Sw += Z.T @ Z\nr = Sw[0]",
    "entropy": "_, c = np.unique(k, return_counts=True)\np = c / c.sum()\nr = np.array([-(p * np.log2(p)).sum()])",
    "an index of inequality":
        "a = np.sort(np.abs(x[m]))\nn = len(a)\n"
        "r = np.array([(2 * np.arange(1, n + 1) - n - 1) @ a / (n * a.sum())])",
    "ranks":
        "a = np.argsort(np.argsort(x[m]))\nb = np.argsort(np.argsort(y[m]))\n"
        "r = np.array([((a - b) ** 2).sum()])",
    "pairs": "d = np.abs(x[:, None] - x)\ni, j = np.where(d < 0.5)\nr = np.bincount(i, minlength=len(x))",
    "a curve":
        "o = np.argsort(-x)\nt = np.cumsum(y[o] > 1)\nf = np.cumsum(y[o] <= 1)\n"
        "r = t / (t[-1] + 1) - f / (f[-1] + 1)",
    "a column": "a = x[m].reshape(-1, 1)\nr = (a @ np.array([[1.0, 2.0]]))[:, 1]",
    "with a column of ones": "A = np.column_stack([np.ones(len(x[m])), x[m]])\nr = A[:, 1]",
    "normal equations":
        "A = np.vstack([x[m], np.ones(m.sum())]).T\nw = np.linalg.solve(A.T @ A + np.eye(2), A.T @ y[m])\n"
        "r = w",
    "covariance": "r = np.cov(X[m], rowvar=False)[0]",
    "correlation": "r = np.corrcoef(x[m], y[m])[0]",
    "a line": "r = np.polyfit(x[m], y[m] + x[m], 1)",
    "an outer product": "r = np.outer(x[m], [1.0, 2.0])[:, 1]",
    "clipped": "r = np.clip(x[m], 0.5, 1)",
    "truths": "r = np.array([(x[m] > 1).any() * 1.0, np.all(x[m] > 0), np.count_nonzero(x[m] > 1)])",
    "a row": "A = X[m]\nr = A[A[:, 0].argmax()]",
    "rows of rows": "A = X[m]\nr = A[A[:, 0] > 0][:, 1]",
    "standardised": "A = X[m]\nr = ((A - A.mean(0)) / A.std(0))[:, 0]",
    "normalised": "A = X[m]\nr = A[:, 0] / np.linalg.norm(A, axis=1)",
    "softmax of rows":
        "A = X[m]\nE = np.exp(A - A.max(axis=1, keepdims=True))\nr = (E / E.sum(axis=1, keepdims=True))[:, 1]",
    "zeros like it": "r = np.zeros_like(x[m])\nr[0] = 1",
    "places above": "r = x.copy()\nr[np.where(r > 1)[0]] = 0",
    "the median in their place": "r = x.copy()\nr[m] = np.median(r[m])",
    "the mean in the place of NaN": "r = z.copy()\nr[np.isnan(r)] = np.nanmean(r)",
    "from behind": "i = np.flatnonzero(m)\nr = x[i[::-1]]",
    "beside places": "i = np.flatnonzero(m)\nr = x[i] - x[i - 1]",
    "the first place": "i = np.flatnonzero(m)[0]\nr = np.array([x[i]])",
    "up to the last place": "i = np.flatnonzero(m)[-1]\nr = x[:i]",
    "neighbours": "i = np.flatnonzero(m)\nr = x[i[1:]] - x[i[:-1]]",
    "gaps": "t = np.flatnonzero(m)\nr = np.bincount(np.diff(t), minlength=15)",
    "averages":
        "c = np.bincount(k, minlength=5)\ns = np.bincount(k, weights=x, minlength=5)\nr = s[c > 0] / c[c > 0]",
    "extracted": "r = np.extract(x > 0, y)",
    "compressed": "r = np.compress(x > 0, y)",
    "deleted": "r = np.delete(x, np.where(x > 1)[0])",
    "a difference of sets": "r = np.setdiff1d(k, [0, 2])",
    "an intersection": "r = np.intersect1d(k, [0, 2, 7])",
    "a union": "r = np.union1d(k, [0, 9])",
    "a union with NaN": "r = np.union1d(z, x)",
    "a difference with NaN": "r = np.setdiff1d(z, x)",
    "edges": "e = np.histogram_bin_edges(x[m], 3)\nr = e",
}
# Of the elements a of a selection.
ELEMENTS = """
    np.isfinite(a)*1; np.isinf(a)*1; np.isnan(a)*1; np.isclose(a,a.mean())*1; np.nan_to_num(a); np.fmax(a,1);
    np.fmin(a,1); np.sign(a); np.signbit(a)*1; np.deg2rad(a); np.hypot(a,a); np.heaviside(a,0.5); np.sinc(a);
    np.logaddexp(a,1); np.trunc(a); np.round(a,1); np.around(a); np.clip(a,0,1); np.square(a); np.float_power(a,2);
    np.power(a,2); np.mod(a,2); np.floor_divide(a,2); np.interp(a,[0.0,1.0,2.0],[0.0,2.0,1.0]);
    np.polyval([1.0,2.0],a); np.log1p(a); np.exp(a); np.abs(a); abs(a); np.maximum(a,1); np.logical_and(a>0,a<2)*1;
    np.invert(a>1)*1; ~(a>1)*1; np.cbrt(a); np.reciprocal(a); np.positive(a); np.negative(a); np.copysign(a,-1);
    np.ediff1d(a); np.array([np.trapz(a)]); np.roll(a,1); np.maximum.accumulate(a); np.array([np.allclose(a,a)*1]);
    np.array([a.prod(),a.var(),a.std(ddof=1)]); np.repeat(a,2); np.tile(a,2); np.r_[0,a]; np.r_[a,1.0,2.0];
    np.c_[a,a][:,1]; a.clip(0,1); a.round(1); np.array(a.tolist()); np.array([sum(a),max(a),min(a)]);
    np.array([a.dot(a)]); np.array([any(a>1)*1,all(a>0)*1]); np.array(sorted(a,reverse=True)); a.astype(int);
    np.asarray(a); np.ravel(a); np.setdiff1d(a,[1.25]); np.intersect1d(a,[1.25]); np.union1d(a,[9.0]);
    np.in1d(a,[1.25])*1; np.extract(a>1,a); np.compress(a>1,a); np.array([np.linalg.norm(a)]);
    np.array([np.var(a,ddof=1)]); np.histogram(a,3)[0]; np.cumsum(a)[-1:]; np.digitize(a,[1.0]); np.where(a>1,1,0);
    np.argwhere(a>1)[:,0]; np.nonzero(a>1)[0]; np.array([a.argmax(),a.argmin()]);
    np.array([np.percentile(a,[25,75])])[0]; np.array([len(a),a.size,a.shape[0]]);
    np.array([float(a.mean()),int(a.sum())]); np.full(len(a),a.max()); np.linspace(0,1,len(a)); a[a.argsort()[::-1]];
    a[[0,-1]]; np.append(a,[1.0,2.0]); np.bincount(a.astype(int),minlength=9); np.unique(a.astype(int));
    np.array(list(a)); np.array([v for v in a if v>1]); np.array([v*2 for v in a]); np.stack([a,a])[1];
    np.corrcoef(a,a)[0]; np.flip(a); np.setxor1d(a,[1.25]); np.atleast_2d(a)[0]; np.vstack([a,a*2])[1]; np.hstack([a,a]);
    np.array([np.vdot(a,a),np.inner(a,a)]); np.vander(a,2)[:,0]; np.fmod(a,1.0); np.column_stack([a,a*2])[...,1]
"""
# Found by a stranger.
STRANGER = {
    "the least zero":
        "a = np.unique(np.minimum(z, 0) * 1.0)\nr = np.array([a[a == a].max(), np.sort(-np.abs(x[m]) * 0).min()])",
    "ints by truths": "r = k[m]\nr[r > 1] = 2.6",
    "ints in a part": "r = k[m]\nr[:1] = 2.6",
    "all ints": "r = k[m]\nr[:] = x[m] + 0.6",
    "truths": "b = x[m] > 1\nb[:1] = 5\nr = b * 1",
    "zeros of ints": "r = np.zeros(len(x[m]), int)\nr[:] = x[m]",
    "zeros of truths": "r = np.zeros(len(x[m]), bool)\nr[:2] = 1",
    "different ints": "r = np.unique(k)\nr[r > 1] = 2.6",
    "places written": "r = np.arange(len(x[m]))\nr[1:] = x[m][1:]",
    "a row of a number": "A = X[m]\nA[:1] = 2.6\nr = A[:, 1]",
    "rows": "s = 0.0\nfor r0 in X[m]:\n    s += (r0 * 2).sum()\nr = np.array([s])",
    "copies of rows":
        "A = X[m]\ns = 0.0\nfor r0 in A:\n    q = r0.copy()\n    q += 1\n    s += q.sum()\nr = np.array([s])",
    "elements that are bound anew": "a = x[m]\nfor v in a:\n    v += 1\nr = a * 1",
    "rows by places": "A = X[m]\nfor i in range(len(A)):\n    A[i] = A[i] - A[i].mean()\nr = A[:, 1]",
    "elements by places": "A = np.zeros(len(x[m]))\nfor i, q in enumerate(A):\n    A[i] = q + i\nr = A * 1",
    "elements beside the first": "A = np.sort(x[m])\nfor i, q in enumerate(A):\n    A[i] = q + A[0]\nr = A * 1",
    "known columns": "r = X[:, [True, False, True]]",
    "columns": "r = X.T[:, m]",
    "turned rows": "r = X[m].T",
    "a comparison with each": "r = (x[:, None] == np.unique(x)) * 1",
    "two rows": "r = np.vstack([x[m], y[m]])",
    "a column": "A = X[m]\nA[:, 1] = 0\nr = A.sum(axis=1)",
    "a column of the same": "A = X[m]\nA[:, 1] = x[m]\nr = A[:, 1]",
    "truths of rows": "A = X[m]\nA[A > 0] = 0\nr = A[:, 0]",
    "in place by truths of rows": "A = X[m]\nA[A > 0] *= 2\nr = A[:, 2]",
    "columns to the end": "A = X[m]\nA[:, 1:] = 0\nr = A.sum(axis=1)",
    "rows by truths": "A = np.zeros((len(x[m]), 3))\nA[x[m] > 1] = 1\nr = A[:, 0]",
    "truths by truths": "A = np.zeros(len(x[m]), bool)\nA[x[m] > 1] = True\nr = A * 1",
    "sorted in place": "a = x[m]\na.sort()\nr = a * 1",
    "every second": "a = x[m]\nr = a[::2]",
    "every third": "a = x[m]\nr = a[1::3]",
    "a row of it": "r = x[m][None, :][0]",
    "products with each": "r = (x[:, None] * x[m][None, :]).sum(axis=0)",
    "a column of a part": "A = X[m]\nr = A[1:, 1]",
    "a column of every second": "A = X[m]\nr = A[::2, 1]",
    "columns computed with": "r = X.T[:, m] * 2",
    "differences to each": "u = np.unique(y)\nr = (x[:, None] - u[None]).max(axis=1)",
    "the nearest": "u = np.unique(y)\nd = np.abs(x[:, None] - u[None, :])\nr = u[d.argmin(axis=1)]",
    "one of each": "u = np.unique(y)\nH = (y[:, None] == u) * 1.0\nr = H.sum(axis=0)",
    "a column of another": "A = X[m]\nA[:, 1] = np.arange(len(A))\nr = A[:, 1]",
    "a part in place": "a = np.sort(x[m])\na[:2] += 1\nr = a * 1",
    "sums down rows": "r = np.cumsum(X[m], axis=0)",
    "sums along rows": "r = X[m].cumsum(axis=1)",
}
# What NumPy refuses, too, and what has no bound.
REFUSED = {
    "r = x[m] + x[x > 1]": "a check at run time fails: lengths differ",
    "r = x[m] * np.arange(3.0)": "a check at run time fails: lengths differ",
    "r = x * 1\nr[m] = np.ones(2)": "a check at run time fails: lengths differ",
    "r = x * 1\nr[m] = x[x > 1]": "a check at run time fails: lengths differ",
    "r = x[m][[0, 9]]": "out of bounds",
    "u, i = np.unique(y[m], return_inverse=True)\nr = u[i + 1]": "out of bounds",
    "r = np.digitize(x, x[m])": "a check at run time fails: lengths differ",
    "r = x[m]\nr[7] = 1": "out of bounds",
    "r = x * 1\nr[k[m] + 8] = 1": "out of bounds",
    "r = k[m]\nr += 0.5": "Cannot cast",
    "a = x[m]\nb = a[1:]\na += 1\nr = b * 1": "was written to since",
    "for q in X[m]:\n    q += 1\nr = x * 1": "make it a copy",
    "A = X[m]\ns = 0.0\nfor q in A:\n    A[1] = 0\n    s += q.sum()\nr = x * s": "rows are views",
    "A = x[m]\nfor i, q in enumerate(A):\n    A[0] = 2\n    A[i] = q + A[0]\nr = A * 1": "range\\(len",
    "r = np.zeros(int(x[0] * 10))": "must be an int known",
    "s = 0.0\nfor j in range(int(x[0])):\n    s += j\nr = np.array([s])": "has no known upper bound",
    "for v in enumerate(X[:, m[:3]]):\n    pass\nr = x * 1": "elements or rows",
}


class Selections(SamePrograms):
    rtol = 1e-12
    inputs = {"x": np.array([1.25, -0.5, 0.75, 3.0, -2.0, 0.5, 1.5, -1.0, 2.25]),
              "y": np.array([2.0, 0.0, 3.0, 0.0, 2.0, 3.0, 3.0, 1.0, 0.0]), "k": np.array([1, 4, 4, 0, 2, 2, 2, 1, 4]),
              "X": np.random.default_rng(7).standard_normal((9, 3)).round(2),
              "z": np.array([1.25, -0.5, 1.5, np.nan, -2.0, 0.5, 1.5, np.nan, 2.25])}

    def compare(self, text, passes, reply, expected):
        super().compare(text, passes, reply, expected)
        self.assertIn("r", reply.arrays, text)

    def each_with_mask(self, programs):
        self.each({name: "m = x > 0\n" + text for name, text in programs.items()})

    def test_order(self):
        self.each_with_mask(ORDER)

    def test_unique(self):
        self.each_with_mask(UNIQUE)

    def test_counts(self):
        self.each_with_mask(COUNTS)

    def test_side_by_side(self):
        self.each_with_mask(SIDE_BY_SIDE)

    def test_written(self):
        self.each_with_mask(WRITTEN)

    def test_loops(self):
        self.each_with_mask(LOOPS)

    def test_programs(self):
        self.each_with_mask(PROGRAMS)

    def test_functions(self):
        self.each({each.strip(): f"a = x[x > 0]\nr = {each.strip()}" for each in ELEMENTS.split(";")})

    def test_what_a_stranger_wrote(self):
        self.each_with_mask(STRANGER)

    def test_nothing_is_selected(self):
        self.each({name: "m = x > 9\n" + text for name, text in ORDER.items()
                   if name in ("sorted", "places in order", "sums", "differences", "turned round", "a part", "ranks")})
        self.each({name: "m = x > 9\n" + text for name, text in (UNIQUE | WRITTEN | SIDE_BY_SIDE).items()
                   if name in ("of numbers", "counted", "all of it", "rows", "places", "full", "behind all")})

    def test_refusals(self):
        self.each_refused({"m = x > 0\n" + text: says for text, says in REFUSED.items()})


if __name__ == "__main__":
    sys.exit(main())
