"""x[mask] and its kin, whose length the run decides: in order, counted, joined, gone through and written to, as in NumPy.

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
        "r = np.array([np.nanmean(z[m]), np.nanstd(z[m]), np.nanmax(z[m]), np.nanmin(z[m]), np.nansum(z[m]), np.nanmedian(z[m]), np.nanquantile(z[m], 0.2)])",
    "ints without NaN": "r = np.array([np.nansum(k[m]), np.nanmax(k[m])])",
    "where there is no NaN":
        "z2 = z[~np.isnan(z)]\n"
        "r = np.array([np.quantile(z2, 0.25), z2.mean(), np.median(z2), np.percentile(z2, 90)])",
    "NaN is the quantile": "r = np.array([np.isnan(np.quantile(z[m], 0.5)) * 1.0])",
    "ranges and averages":
        "r = np.array([np.ptp(x[m]), np.average(x[m], weights=np.abs(y[m]) + 1), np.average(x[m])])",
    "a distribution": "a = np.sort(x[m])\nr = np.arange(1, len(a) + 1) / len(a) * a",
    "trapezes": "a = np.sort(x[m])\nb = a ** 2\nr = (b[1:] + b[:-1]) / 2 * np.diff(a)",
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
}
# Arrays as long as the run decides, and what is assigned at places of the run.
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
# As often as the run decides.
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
    "a numbered list": "r = np.array([v * j for j, v in enumerate(x[m])])",
    "from behind": "s = 0.0\nfor v in reversed(x[m]):\n    s = s * 0.5 + v\nr = np.array([s])",
}
# What NumPy refuses, too, and what has no bound.
REFUSED = {
    "r = x[m] + x[x > 1]": "out of bounds",
    "r = x[m] * np.arange(3.0)": "out of bounds",
    "r = x * 1\nr[m] = np.ones(2)": "out of bounds",
    "r = x * 1\nr[m] = x[x > 1]": "out of bounds",
    "r = x[m][[0, 9]]": "out of bounds",
    "u, i = np.unique(y[m], return_inverse=True)\nr = u[i + 1]": "out of bounds",
    "r = np.digitize(x, x[m])": "out of bounds",
    "r = x[m]\nr[7] = 1": "out of bounds",
    "r = x * 1\nr[k[m] + 8] = 1": "out of bounds",
    "r = k[m]\nr += 0.5": "Cannot cast",
    "a = x[m]\nb = a[1:]\na += 1\nr = b * 1": "was written since",
    "r = np.zeros(int(x[0] * 10))": "must be an int known",
    "s = 0.0\nfor j in range(int(x[0])):\n    s += j\nr = np.array([s])": "how large that may be",
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

    def test_nothing_is_selected(self):
        self.each({name: "m = x > 9\n" + text for name, text in ORDER.items()
                   if name in ("sorted", "places in order", "sums", "differences", "turned round", "a part", "ranks")})
        self.each({name: "m = x > 9\n" + text for name, text in (UNIQUE | WRITTEN | SIDE_BY_SIDE).items()
                   if name in ("of numbers", "counted", "all of it", "rows", "places", "full", "behind all", "what is sorted")})

    def test_refusals(self):
        self.each_refused({"m = x > 0\n" + text: says for text, says in REFUSED.items()})


if __name__ == "__main__":
    sys.exit(main())
