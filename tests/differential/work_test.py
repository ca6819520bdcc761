"""Programs of which only a part of each array is looked at, counted or searched, with work in proportion to that part:
slices with run-time bounds of arrays that are not small, histograms, and places in order.

    work_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import Cli, main
from same_programs import SamePrograms

R = np.random.default_rng(11)
# Bounds of slices: within, at the ends, beyond them, negative, and of nothing.
BOUNDS = "for i in range(10):\n    a, b = p[i], q[i]\n"

WINDOWS = {
    "a sparse product":
        "r = np.zeros(7)\nfor i in range(7):\n    cols = k[p[i]:p[i + 1]]\n    vals = x[p[i]:p[i + 1]]\n"
        "    r[i] = vals @ y[cols]",
    "a sparse product the other way":
        "r = np.zeros(7)\nfor i in range(7):\n    r[i] = np.dot(y[k[p[i]:p[i + 1]]], x[p[i]:p[i + 1]])",
    "by sums of products":
        "r = np.zeros(7)\nfor i in range(7):\n    r[i] = np.sum(x[p[i]:p[i + 1]] * y[k[p[i]:p[i + 1]]])",
    "sums": f"r = np.zeros(10)\n{BOUNDS}    r[i] = x[a:b].sum()",
    "sums from a place on": "r = np.zeros(10)\nfor i in range(10):\n    r[i] = np.sum(x[p[i]:])",
    "sums up to a place": "r = np.zeros(10)\nfor i in range(10):\n    r[i] = np.sum(x[:q[i]])",
    "sums of what was computed": f"r = np.zeros(10)\n{BOUNDS}    r[i] = ((x[a:b] - 0.5) ** 2 * y[a:b]).sum()",
    "sums of a name that is used twice":
        f"r = np.zeros((2, 10))\n{BOUNDS}    v = x[a:b] * 2\n    w = v - 0.25\n    r[0, i] = (v * w).sum()\n"
        "    r[1, i] = w.sum()",
    "sums of ints": f"r = np.zeros(10, int)\n{BOUNDS}    r[i] = k[a:b].sum()",
    "counts": f"r = np.zeros(10, int)\n{BOUNDS}    r[i] = (x[a:b] > 0.5).sum() + len(x[a:b]) + x[a:b].size",
    "any and all":
        f"r = np.zeros((2, 10))\n{BOUNDS}    r[0, i] = np.any(x[a:b] > 0.99)\n    r[1, i] = np.all(x[a:b] < 0.995)",
    "products": f"r = np.zeros(10)\n{BOUNDS}    r[i] = np.prod(1 + x[a:b] / 4096)",
    "extremes": "r = np.zeros((4, 7))\nfor i in range(7):\n    v = x[p[i]:p[i] + 200 + i]\n    r[0, i] = v.max()\n"
                "    r[1, i] = np.min(v)\n    r[2, i] = k[p[i]:p[i] + 9].max()\n    r[3, i] = v.max() - v.min()",
    "NaN is the largest": "z = np.where(np.arange(3000) == 1234, np.nan, x)\n"
                          "r = np.array([np.isnan(z[p[0]:].max()), np.isnan(z[p[0]:p[1]].max())])",
    "means": "r = np.zeros((2, 7))\nfor i in range(7):\n    v = x[p[i]:p[i] + 200 + i]\n    r[0, i] = v.mean()\n"
             "    r[1, i] = v.std()",
    "truths alone": "t = x > 0.5\nr = np.array([t[p[2]:q[2]].sum(), t[p[2]:q[2]].mean()])",
    "rows": f"r = np.zeros((10, 3))\n{BOUNDS}    r[i] = X[a:b].sum(axis=0)",
    "rows with weights": f"r = np.zeros(10)\n{BOUNDS}    r[i] = (X[a:b] * np.array([1.0, 2.0, 0.5])).sum()",
    "columns": f"C = X.T.copy()\nr = np.zeros((10, 3))\n{BOUNDS}    r[i] = C[:, a:b].sum(axis=1)",
    "a slice of a slice": "r = np.zeros(7)\nfor i in range(7):\n    v = x[p[i]:]\n    r[i] = v[:q[i] % 300].sum()",
    "once": "r = np.array([x[p[3]:q[3]].sum(), x[q[2]:].max()])",
    "what was computed before the slice":
        "e = np.exp(x)\nr = np.zeros(7)\nfor i in range(7):\n    r[i] = e[p[i]:p[i] + 5].sum()",
    "in a condition":
        f"r = np.zeros(10)\n{BOUNDS}    if x[a:b].sum() > 100:\n        r[i] = 1\n    else:\n        r[i] = 2",
    "in a loop that the program writes":
        "r = np.zeros(1)\ni = 0\nwhile i < 7:\n    r[0] += x[p[i]:p[i + 1]].sum()\n    i += 1",
    "where the array changes":
        "v = x * 1\nr = np.zeros(7)\nfor i in range(7):\n    r[i] = v[p[i]:p[i + 1]].sum()\n    v[p[i]] += 8",
}
INF = "np.inf"
HISTOGRAMS = {
    "counts": "r, e = np.histogram(x, 10)",
    "many bins": "r, e = np.histogram(x, 500)",
    "one bin": "r, e = np.histogram(x, 1)",
    "a range": "r, e = np.histogram(x, 12, range=(0.25, 0.75))",
    "a range with all inside": "r, e = np.histogram(x, 12, range=(-1, 2.5))",
    "a range beside": "r, e = np.histogram(x, 3, range=(2, 3))",
    "weights": "r, e = np.histogram(x, 10, weights=y)",
    "weights in a range": "r, e = np.histogram(x, 9, range=(0.25, 0.75), weights=y)",
    "whole weights": "r, e = np.histogram(x, 10, weights=k)",
    "a density": "r, e = np.histogram(x, 10, density=True)",
    "ints": "r, e = np.histogram(k, 16)",
    "ints at edges": "r, e = np.histogram(k, 3000, range=(0, 3000))",
    "edges themselves": "r, e = np.histogram(np.linspace(0, 1, 601), 60)",
    "tenths": "r, e = np.histogram(np.round(x, 1), 10, range=(0, 1))",
    "one value": "r, e = np.histogram(np.full(700, 2.5), 4)",
    "negative numbers": "r, e = np.histogram(x * -7 + 2, 33)",
    "two dimensions": "r, e = np.histogram(X, 20)",
    "NaN in a range": "r, e = np.histogram(np.where(x > 0.5, np.nan, x), 5, range=(0, 1))",
    "infinities in a range": f"r, e = np.histogram(np.where(x > 0.5, {INF}, np.where(x < 0.1, -{INF}, x)), 5, range=(0, 1))",
    "uneven": "r, e = np.histogram(x, [0, 0.1, 0.15, 0.5, 0.75, 1])",
    "uneven, many": "r, e = np.histogram(x, np.sort(y[:300]))",
    "uneven at the edges": "r, e = np.histogram(np.round(x, 1), [0.1, 0.2, 0.3, 0.7, 0.9])",
    "equal edges": "r, e = np.histogram(np.round(x * 4), [0, 1, 1, 2, 3, 3])",
    "uneven with weights": "r, e = np.histogram(x, [0.1, 0.3, 0.8], weights=k)",
    "uneven with NaN": "r, e = np.histogram(np.where(x > 0.5, np.nan, x), [0.1, 0.3, 0.8])",
    "of a selection": "r, e = np.histogram(x[y > 0.5], 10)",
    "of a selection, uneven": "r, e = np.histogram(x[y > 0.5], [0, 0.25, 0.5, 1], weights=y[y > 0.5])",
    "means in rings":
        "n = np.histogram(x, 50)[0]\nr = np.histogram(x, 50, weights=y)[0] / np.maximum(n, 1)",
}
PLACES = {
    "left": "r = np.searchsorted(t, x)",
    "right": "r = np.searchsorted(t, x, side='right')",
    "equal numbers": "r = np.searchsorted(np.sort(np.round(t, 1)), np.round(x, 1))",
    "equal numbers, right": "r = np.searchsorted(np.sort(np.round(t, 1)), np.round(x, 1), side='right')",
    "of ints": "r = np.searchsorted(np.sort(k), k) + np.searchsorted(np.sort(k), k, side='right')",
    "two dimensions": "r = np.searchsorted(t, X)",
    "one number": "r = np.array([np.searchsorted(np.sort(x), 0.5), np.searchsorted(np.sort(x), x[7], side='right')])",
    "NaN is after all": "z = np.where(x > 0.5, np.nan, x)\nr = np.searchsorted(t, z) + np.searchsorted(t, z, side='right')",
    "NaN among them":
        "s = np.sort(np.where(t > 0.5, np.nan, t))\nz = np.where(x > 0.8, np.nan, x)\n"
        "r = np.searchsorted(s, z) * 10000 + np.searchsorted(s, z, side='right')",
    "infinities among them":
        f"s = np.where(t > 0.7, {INF}, np.where(t < 0.2, -{INF}, t))\nz = np.where(x > 0.8, {INF}, x)\n"
        "r = np.searchsorted(s, z) * 10000 + np.searchsorted(s, z, side='right')",
    "each size": "r = np.zeros((40, 3000), int)\nfor n in range(1, 40):\n    r[n] = np.searchsorted(t[:n], x)",
    "each size, right":
        "r = np.zeros((40, 3000), int)\nfor n in range(1, 40):\n    r[n] = np.searchsorted(t[:n], x, side='right')",
    "bins": "r = np.digitize(x, t)",
    "bins with their right edges": "r = np.digitize(np.round(x, 1), np.arange(11) / 10, right=True)",
    "descending bins": "r = np.digitize(x, t[::-1])",
    "counted bins": "r = np.bincount(np.digitize(x, t), minlength=300)",
}


VIEW = "from numpy.lib.stride_tricks import sliding_window_view\n"
SLIDING = {
    "maxima": f"{VIEW}r = sliding_window_view(x, 25).max(axis=-1)",
    "minima": f"{VIEW}r = np.min(sliding_window_view(x, 7), axis=1)",
    "one, two, all": f"{VIEW}r = np.concatenate([sliding_window_view(x, w).max(axis=1) for w in (1, 2, 3000)])",
    "ints": f"{VIEW}r = sliding_window_view(k, 12).min(axis=1)",
    "NaN": f"{VIEW}z = np.where(np.arange(3000) % 500 == 7, np.nan, x)\nr = np.isnan(sliding_window_view(z, 9).max(axis=1))",
    "axes kept": f"{VIEW}r = sliding_window_view(x, 8).max(axis=-1, keepdims=True)",
    "over the other axis": f"{VIEW}r = sliding_window_view(x, 8).max(axis=0)",
    "of rows": f"{VIEW}r = sliding_window_view(X, 10, axis=0).max(axis=-1)",
    "of columns": f"{VIEW}r = sliding_window_view(X, 2, axis=1).min(axis=2)",
    "of both": f"{VIEW}r = sliding_window_view(X, (5, 2)).max(axis=(2, 3))",
    "others": f"{VIEW}w = sliding_window_view(x, 5)\nr = w.sum(axis=1) + w.mean(axis=1) + np.median(w, axis=1) + w.argmax(axis=1)",
    "written since": f"{VIEW}v = x * 1\nm = sliding_window_view(v, 5).max(axis=1)\nv[100:2000] = 0.5\nr = m + sliding_window_view(v, 5).max(axis=1)",
}
ADDED = {
    "to ones": "r = np.ones(64)\nnp.add.at(r, k % 64, x)",
    "negative places": "r = np.ones(64)\nnp.add.at(r, k % 64 - 64, x)",
    "subtracted": "r = np.ones(64)\nnp.subtract.at(r, k % 64, x)",
    "rows": "r = np.zeros((9, 3))\nnp.add.at(r, k % 9, X)",
    "one row": "r = np.zeros((9, 3))\nnp.add.at(r, k % 9, np.array([1.0, 2.0, 0.25]))",
    "places of rows and columns": "r = np.zeros((9, 4))\nnp.add.at(r, (k % 9, k % 4), x)",
    "ints": "r = np.zeros(20, int)\nnp.add.at(r, k % 20, k)",
    "small ints": "r = np.zeros(20, np.uint8)\nnp.add.at(r, k % 20, np.uint8(3))",
    "truths": "r = np.zeros(20, int)\nnp.add.at(r, k % 20, x > 0.5)",
    "one number": "r = np.zeros(20)\nnp.add.at(r, k % 20, 1)",
    "in a loop": "r = np.zeros(30)\nfor i in range(4):\n    np.add.at(r, k[i::4] % 30, x[i::4] * i)",
}
K = "for k in range(1, 60):\n    "
REVERSED = {
    "flipped": f"r = np.zeros(60)\n{K}r[k] = np.dot(np.flip(x[:k]), y[:k])",
    "turned round": f"r = np.zeros(60)\n{K}r[k] = np.dot(x[:k][::-1], y[:k])",
    "from a place down": f"r = np.zeros(60)\n{K}r[k] = np.dot(x[k::-1], y[:k + 1])",
    "from the place before down": f"r = np.zeros(60)\n{K}r[k] = np.sum(x[k - 1::-1] * y[:k])",
    "from the end down": f"r = np.zeros(60)\n{K}r[k] = np.dot(x[59:k - 1:-1], y[k:60])",
    "from a place up, turned round": f"v = x[:60] * 1\nr = np.zeros(60)\n{K}r[k] = np.dot(v[k:][::-1], y[k:60])",
    "down to a place": f"r = np.zeros(60)\n{K}r[k] = np.sum(x[2 * k:k:-1] * y[:k])",
    "a recursion":
        f"r = np.zeros(60)\nr[0] = -x[0]\na = -x[0]\nb = 1.0\n{K}b *= 1 - a * a\n"
        "    a = -(x[k] + np.flip(x[:k]) @ r[:k]) / b / 9\n    r[:k] += a * np.flip(r[:k])\n    r[k] = a",
    "rows": f"r = np.zeros((60, 3))\n{K}r[k] = (X[:k][::-1] * y[:k, None]).sum(axis=0)",
    "columns": f"C = X[:60].T.copy()\nr = np.zeros((60, 3))\n{K}r[k] = (C[:, k::-1] * y[:k + 1]).sum(axis=1)",
    "not in a loop": "r = np.concatenate([x[:5][::-1], np.flip(x[7:]), x[9:2:-1], x[2990::-1], X[4:9][::-1].ravel()])",
}


class Work(SamePrograms):
    rtol, atol, zeros = 1e-12, 1e-300, False
    inputs = {"x": R.random(3000), "y": R.random(3000), "k": R.integers(0, 3000, 3000), "X": R.random((3000, 3)),
              "t": np.sort(R.random(250)),
              "p": np.array([0, 3, 131, 131, 259, 2700, 2999, -40, -3000, 1500]),
              "q": np.array([3000, 3000, 700, 132, 200, 2999, 5000, -2, 12, 1500])}

    def test_windows(self):
        self.each(WINDOWS)

    def test_histograms(self):
        self.each(HISTOGRAMS)

    def test_places(self):
        self.each(PLACES)

    def test_reversed(self):
        self.each(REVERSED)

    def test_sliding(self):
        self.each(SLIDING)

    def test_added(self):
        self.each(ADDED)


class InTheList(Cli):
    """No statement of a loop computes as many elements as the arrays have of which it takes slices."""

    def test_windows(self):
        names = ("a sparse product", "sums", "sums of what was computed", "counts", "means", "what was computed before the slice")
        for name in names:
            path = self.file("import numpy as np\nx: (3001,)\ny: (3001,)\nz: (20,)\nw: (20,)\n"
                             "k = (x * 3000) // 1\nk = np.int64(k)\np = np.int64(z)\nq = np.int64(w)\n" + WINDOWS[name])
            for passes in ("default", "all", "fast"):
                listed = self.symdump("--passes", passes, path).out
                in_loops = [line for line in listed.splitlines() if line.startswith("  ")]
                with self.subTest(name, passes=passes):
                    self.assertTrue(any(" while " in line for line in in_loops), listed)
                    self.assertEqual([line for line in in_loops if "3001" in line.split("#")[-1]], [], listed)


    def test_reversed(self):
        for name, text in REVERSED.items():
            if name in ("not in a loop", "rows"):
                continue
            path = self.file("import numpy as np\nx: (200,)\ny: (200,)\nX: (200, 3)\n" + text)
            listed = self.symdump("--passes", "default", path).out
            with self.subTest(name):
                self.assertIn("\nfor k in range(", listed)
                self.assertLess(len(listed.splitlines()), 120, listed)


class InOtherPrecisions(SamePrograms):
    """Numbers of few bits, of which all sums are exact."""

    rtol, atol = 0, 0
    inputs = {name: value if value.dtype.kind == "i" else np.round(value * 64) / 64
              for name, value in Work.inputs.items()}

    def test_exact(self):
        programs = {name: WINDOWS[name] for name in ("a sparse product", "sums", "sums of ints", "extremes", "rows")}
        programs |= {name: HISTOGRAMS[name] for name in ("ints at edges", "uneven", "a range")}
        programs |= {name: PLACES[name] for name in ("left", "right", "each size", "bins")}
        for name, text in programs.items():
            text = "import numpy as np\n" + text + "\n"
            expected = {"r": self.numpy(text)["r"]}
            for precision in (32, 128):
                for passes, reply in zip(self.passes, self.ask(text, self.passes, precision)):
                    with self.subTest(name, passes=passes, precision=precision):
                        reply.arrays = {each: got for each, got in reply.arrays.items() if each == "r"}
                        self.compare(text, passes, reply, expected)


if __name__ == "__main__":
    sys.exit(main())
