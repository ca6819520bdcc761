"""np.linalg, sorting and counting: NumPy runs the same programs, and symdump gives the same or refuses.

    linalg_test.py SYMDUMP
"""

import sys
from pathlib import Path

import numpy as np

from cli import Cli, main
from same_programs import SamePrograms

PROGRAMS = Path(__file__).resolve().parents[1] / "linalg_programs"
RNG = np.random.default_rng(12)


def regular(n):
    return RNG.standard_normal((n, n)) + n * np.eye(n)


def special():
    values = RNG.integers(-3, 4, (9, 7)) / 2.0
    values[2, 3] = values[5, 3] = values[0, 0] = np.nan
    values[1, 1], values[8, 1], values[4, 2] = np.inf, -np.inf, -0.0
    return values


INPUTS = {
    "A": regular(5), "B": RNG.standard_normal((5, 3)), "X": RNG.standard_normal((33, 4)),
    "W": RNG.standard_normal((4, 9)), "v": RNG.standard_normal(5), "L": regular(33), "c": RNG.standard_normal(33),
    "O": np.zeros((0, 0)), "E": np.zeros((0, 3)), "one": np.array([[2.5]]), "N": special(),
    "R": np.ones((6, 3)), "I": RNG.integers(0, 6, (7, 5)),
    "bad": np.array([[1.0, np.nan], [np.nan, 2.0]]),
}

EQUATIONS = {
    "solve": "r = np.linalg.solve(A, B)\ns = np.linalg.solve(A, v)\nt = np.linalg.solve(L, c)\nu = np.linalg.solve(A.T, B[:, :1])",
    "solve of nothing": "r = np.linalg.solve(O, E)\ns = np.linalg.solve(one, np.array([5.0]))\nt = np.linalg.solve(A, B[:, :0])",
    "solve with NaN": "r = np.linalg.solve(bad, np.ones(2))",
    "integers": "r = np.linalg.solve(np.array([[3, 1], [1, 2]]), np.array([9, 8]))\ns = np.linalg.inv(np.array([[2, 0], [0, 4]]))\n"
                "t = np.linalg.det(np.array([[1, 2], [3, 4]]))",
    "inv": "r = np.linalg.inv(A)\ns = np.linalg.inv(L)\nt = np.linalg.inv(one)\nu = np.linalg.inv(O)\nw = np.linalg.inv(A.T @ A)",
    "inv in place": "x = A * 1\ny = np.linalg.inv(x)\nx += y\ny *= 2\nz = y + x",
    "cholesky": "r = np.linalg.cholesky(A @ A.T)\ns = np.linalg.cholesky(L @ L.T)\nt = np.linalg.cholesky(one)\nu = np.linalg.cholesky(O)",
    "det": "r = np.linalg.det(A)\ns = np.linalg.det(one)\nt = np.linalg.det(O)\nu = np.linalg.det(np.ones((3, 3)))\n"
           "d = A / r + np.linalg.det(A) ** 2",
    "slogdet": "s, l = np.linalg.slogdet(L)\nt, k = np.linalg.slogdet(-A)\nu, m = np.linalg.slogdet(np.ones((2, 2)))\n"
               "z = np.linalg.slogdet(O)\na = z[0]\nb = z[1]\ne = np.linalg.slogdet(L)[1] * v",
    "lstsq": "x, res, rank, s = np.linalg.lstsq(X, c, rcond=None)\ny = np.linalg.lstsq(X, L[:, :2], rcond=None)[0]\n"
             "z = np.linalg.lstsq(W, B[:4], rcond=-1)[0]\nw = np.linalg.lstsq(X, c)[0]",
    "lstsq short of rank": "x, res, rank, s = np.linalg.lstsq(R, np.array([1.0, 2, 3, 4, 5, 7]), rcond=None)\ny = rank + 1\n"
                           "p = np.linalg.lstsq(X, c, rcond=0.9)[2]",
    "eigh": "w, V = np.linalg.eigh(A + A.T)\nu, Z = np.linalg.eigh(L @ L.T)\ng, G = np.linalg.eigh(one)\no, Q = np.linalg.eigh(O)\n"
            "back = V @ (w[:, None] * V.T)\nk = np.linalg.eigvalsh(A + A.T)\nlower = np.linalg.eigh(A)[0]",
    "svd": "U, s, Vt = np.linalg.svd(X)\nP, q, Qt = np.linalg.svd(W, full_matrices=False)\nz = np.linalg.svd(L, compute_uv=False)\n"
           "a, b, d = np.linalg.svd(E)\ne, f, g = np.linalg.svd(E.T, full_matrices=False)\nback = U[:, :4] * s @ Vt",
    "qr": "Q, R_ = np.linalg.qr(X)\nP, S = np.linalg.qr(W, mode='complete')\nT, U = np.linalg.qr(X, 'complete')\nr = np.linalg.qr(L, 'r')\n"
          "a, b = np.linalg.qr(E)\nd, e = np.linalg.qr(E.T, mode='complete')",
    "pinv": "r = np.linalg.pinv(X)\ns = np.linalg.pinv(R, rcond=1e-10)\nt = np.linalg.pinv(E)\nu = np.linalg.pinv(W)",
    "matrix_rank": "r = np.linalg.matrix_rank(X)\ns = np.linalg.matrix_rank(R)\nt = np.linalg.matrix_rank(X, tol=6.0)\n"
                   "u = np.linalg.matrix_rank(v)\nw = np.linalg.matrix_rank(np.zeros((3, 2)))",
    "cond": "r = np.linalg.cond(A)\ns = np.linalg.cond(A, 1)\nt = np.linalg.cond(X, -2)\nu = np.linalg.cond(np.zeros((2, 2)))\n"
            "w = np.linalg.cond(A, 'fro')",
    "matrix_power": "r = np.linalg.matrix_power(A, 3)\ns = np.linalg.matrix_power(A / 5, 7)\nt = np.linalg.matrix_power(A, 0)\n"
                    "u = np.linalg.matrix_power(A, -2)\nw = np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10)\n"
                    "x = A * 1\ny = np.linalg.matrix_power(x, 1)\ny += 1",
    "multi_dot": "r = np.linalg.multi_dot([X, W, W.T, B[:4]])\ns = np.linalg.multi_dot([c, X, W])\nt = np.linalg.multi_dot((c, X, X.T, c))\n"
                 "u = np.linalg.multi_dot([A, v])\nw = np.linalg.multi_dot([A, B])",
    "in a loop": "x = v * 1\nM = A * 1\nfor i in range(3):\n    x = np.linalg.solve(M, x)\n    M = np.linalg.inv(M) + A\n"
                 "    w, V = np.linalg.eigh(M + M.T)\n    x = x + V[:, i]",
    "written into": "w, V = np.linalg.eigh(A + A.T)\nV *= 2\nw[0] = 7\nV[:, 0] = w\nU, s, Vt = np.linalg.svd(B)\ns[1] += U[0, 0]",
    "methods of results": "d = np.linalg.svd(B)[1].max()\ne = np.linalg.eigh(A @ A.T)[0][-1] + np.linalg.det(A)",
}
NORMS = {
    "vectors": "a = np.linalg.norm(v)\nb = np.linalg.norm(v, 1)\nc_ = np.linalg.norm(v, np.inf)\nd = np.linalg.norm(v, -np.inf)\n"
               "e = np.linalg.norm(v, ord=3)\nf = np.linalg.norm(v, 0)\ng = np.linalg.norm(v, 2)\nh = np.linalg.norm(v, 0.5)",
    "along an axis": "a = np.linalg.norm(X, axis=1)\nb = np.linalg.norm(X, 1, axis=0)\nd = np.linalg.norm(X, np.inf, 1, keepdims=True)\n"
                     "e = np.linalg.norm(X, ord=2, axis=-1, keepdims=True)\nf = X / np.linalg.norm(X, axis=1)[:, None]\n"
                     "g = np.linalg.norm(X, axis=(1,))",
    "matrices": "a = np.linalg.norm(X)\nb = np.linalg.norm(X, 'fro')\nd = np.linalg.norm(X, 1)\ne = np.linalg.norm(X, np.inf)\n"
                "f = np.linalg.norm(X, 2)\ng = np.linalg.norm(X, 'nuc')\nh = np.linalg.norm(X, -1)\ni = np.linalg.norm(X, -2)\n"
                "j = np.linalg.norm(X, axis=(0, 1))\nk = np.linalg.norm(X, 1, axis=(1, 0))\nl = np.linalg.norm(X, keepdims=True)\nm = np.linalg.norm(X, 'fro', (1, 0), True)",
    "integers": "a = np.linalg.norm(np.array([3, -4]), 1)\nb = np.linalg.norm(I, axis=0)\nd = np.linalg.norm(np.array([3, 4]), 3)",
}
ORDER = {
    "sort": "a = np.sort(X, axis=0)\nb = np.sort(X)\nd = np.sort(v)\ne = np.sort(X, axis=None)\n"
            "i = np.sort(I)\nj = np.sort(E, axis=0)\nk = np.sort(v > 0)\nl = np.sort(X.T, 1)",
    "sort with NaN": "a = np.sort(N)\nb = np.sort(N, axis=0)\nd = np.sort(N, axis=None)",
    "argsort": "a = np.argsort(X, axis=0)\nb = np.argsort(X)\nd = np.argsort(v)[-2:]\ne = np.argsort(-v)[:3]\n"
               "g = np.argsort(I, kind='stable')\nh = np.argsort(N, axis=0, kind='stable')\ni = np.argsort(N, None, 'stable')\n"
               "j = v.argsort()\nk = X.argsort(0)\nl = np.argsort(np.argsort(v)) + 1",
    "in place": "x = X * 1\nx.sort(axis=0)\ny = v * 1\nz = y[1:4]\ny.sort()\nw = z * 2\nM = A * 1\nM[0].sort()\nM[:, 1].sort()\nM.sort()",
    "in a loop": "x = v * 1\nfor i in range(3):\n    x = np.sort(x) - i\n    x[0] += np.argsort(x)[2]\n    y = np.median(x * A)",
    "partition": "a = np.partition(v, 2)[2]\nb = np.sort(np.partition(X, 3, axis=0)[:4], axis=0)\nd = np.argpartition(v, 2)[2]\n"
                 "e = np.partition(v, -2)[-2:].max()",
    "median": "a = np.median(X)\nb = np.median(X, axis=0)\nd = np.median(W, axis=1)\ne = np.median(v)\nf = np.median(I, axis=0)\n"
              "g = np.median(W, 0, keepdims=True)\ni = np.median(np.array([3, 1]))\nj = np.median(v) * v\n"
              "k = np.median(W, keepdims=True)",
    "median with NaN": "a = np.median(N, axis=0)\nb = np.median(N, axis=1)\nd = np.median(N)",
    "quantiles": "a = np.percentile(X, 30)\nb = np.percentile(X, [0, 25, 50, 99.5, 100], axis=0)\nd = np.quantile(X, 0.77, axis=1)\n"
                 "e = np.percentile(v, 50)\nf = np.percentile(I, 10)\nh = np.quantile(v, [0.1, 0.9])\n"
                 "i = np.percentile(X, 20, axis=0, keepdims=True)\nj = np.percentile(v, [75, 25])[0]\nk = np.clip(X, a, np.percentile(X, 70))",
    "quantiles with NaN": "a = np.percentile(N, 30, axis=0)\nb = np.percentile(N, [10, 100], axis=1)",
    "searchsorted": "a = np.sort(v)\nb = np.searchsorted(a, 0.1)\nd = np.searchsorted(a, v)\ne = np.searchsorted(a, v, side='right')\n"
                    "f = np.searchsorted(np.array([1, 2, 2, 3]), I)\ng = np.searchsorted(np.array([1, 2, 2, 3]), I, 'right')\n"
                    "h = np.searchsorted(np.sort(N, None), N)\ni = np.searchsorted(np.sort(N, None), N, 'right')\nj = a.searchsorted(X)",
    "searchsorted of many": "x = np.round(L * 4).ravel()\ny = np.where(x > 3, np.nan, x)\na, n = np.sort(x), np.sort(y)\n"
                            "b = np.searchsorted(a, L)\nd = np.searchsorted(a, np.round(L * 3), side='right')\n"
                            "e = np.searchsorted(n, y)\nf = np.searchsorted(n, y, 'right')\ng = np.digitize(L, a[::-1])",
    "digitize": "a = np.digitize(X, np.array([-1.0, 0.0, 1.5]))\nb = np.digitize(I, [1, 3, 4], right=True)\n"
                "d = np.digitize(I, [4, 3, 1])\ne = np.digitize(v, np.sort(v))\nf = np.digitize(N, [0.0, 1.0])\ng = np.digitize(0.5, [0, 1])",
    "histogram": "h, e = np.histogram(X)\ni, f = np.histogram(X, bins=7, range=(-1, 2))\nj, g = np.histogram(X.ravel(), [-1, 0, 0.5, 3])\n"
                 "k, l = np.histogram(I, bins=5)\nm, n = np.histogram(X, 6, density=True)\no, p = np.histogram(v, 4, weights=v * v)\n"
                 "q = np.histogram(np.ones(4), 3)[0]\nr = np.histogram_bin_edges(v, 3)\ns = np.histogram(v, 1)[0]\nt = np.histogram(I, [0, 2, 5, 9])[0]",
    "bincount": "a = np.bincount(I.ravel(), minlength=6)\nb = np.bincount(I[0], weights=v, minlength=9)\nd = np.bincount(np.array([1, 5, 1]))\n"
                "e = np.bincount(X.argmax(axis=1), minlength=4)\nf = np.bincount(np.array([0, 2]), [0.5, 2], 5)\ng = a / a.sum()",
}
REFUSED = {
    "r = np.linalg.inv(B)": r"must be square; the shape is \(5, 3\)",
    "r = np.linalg.inv(v)": "1-dimensional array given",
    "r = np.linalg.solve(A, W)": "b must have as many rows as a", "r = np.linalg.solve(A, 3.0)": "one or two dimensions", "r = np.linalg.svd(v)": "1-dimensional array given",
    "r = np.linalg.eig(A)": "eigh is for symmetric", "r = np.linalg.eigvals(A)": "eigvalsh is for symmetric",
    "r = np.linalg.eigh(A, 'U')": "lower triangle", "r = np.linalg.qr(A, 'raw')": "mode must be",
    "x, res, rank, s = np.linalg.lstsq(X, c, rcond=None)\nr = res + 1": "residuals",
    "r = np.linalg.norm(v, 'fro')": "invalid norm order 'fro' for vectors", "r = np.linalg.norm(X, 3)": "invalid norm order for matrices",
    "r = np.linalg.matrix_power(B, 2)": "square", "r = np.linalg.multi_dot([A])": "two arrays or more",
    "r = np.unique(X, axis=0)": "return_inverse", "r = np.lexsort((X, X))": "of one dimension",
    "r = np.bincount(I[0])": "give minlength", "r = np.bincount(v, minlength=3)": "array of integers",
    "r = np.percentile(v, 101)": r"in the range \[0, 100\]", "r = np.percentile(v, 50, method='middle')": "the method middle is not supported",
    "r = np.percentile(v, v)": "a number is out of its range", "r = np.sort(v, axis=1)": "axis 1 is out of bounds",
    "r = np.partition(v, 5)": r"kth\(=5\) out of bounds \(5\)", "r = np.searchsorted(v, 1, side='middle')": "'left' or 'right'",
    "r = np.digitize(v, [3, 1, 2])": "monotonically increasing or decreasing", "r = np.digitize(v, [1.0, np.nan])": "without NaN",
    "r = np.histogram(v, [0, 2, 1])[0]": "must be monotonically increasing,",
    "r = np.histogram(v, 0)": "must be positive", "r = np.searchsorted(A, v)": "a must have one",
}
# What is found only at run time.
AT_RUN_TIME = {
    "r = np.linalg.inv(np.ones((2, 2)) * v[0])": r"\[inv\] Singular matrix",
    "r = np.linalg.solve(np.zeros((2, 2)), np.ones(2))": r"\[solve\] Singular matrix",
    "r = np.linalg.cholesky(-np.eye(3))": r"\[cholesky\] Matrix is not positive definite",
    "r = np.linalg.svd(bad)[1]": r"\[svd\] SVD did not converge",
    "r = np.bincount(I[0], minlength=1)": r"\[bincount\] element \d is \d",
}


class Linalg(SamePrograms):
    inputs = INPUTS
    passes = ("none", "all")
    rtol, atol, zeros = 1e-9, 1e-11, False

    def test_equations(self):
        self.each(EQUATIONS)

    def test_norms(self):
        self.each(NORMS)


class Order(SamePrograms):
    inputs = INPUTS
    passes = ("none", "all")
    zeros = False  # which of -0.0 and 0.0 comes first is not said

    def test_order(self):
        self.each(ORDER)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_refusals_of_the_run(self):
        for text, says in AT_RUN_TIME.items():
            with self.subTest(text):
                reply = self.ask("import numpy as np\n" + text + "\n", ("none",), 32)[0]
                self.assertEqual(reply.failure, "refused", reply)
                self.assertRegex(reply.detail, says)


class Programs(Cli):
    def test_programs(self):
        for path in sorted(PROGRAMS.glob("*.py")):
            for passes in ("none", "all"):
                for precision in (32, 64):
                    with self.subTest(path.name, passes=passes, precision=precision):
                        done = self.symdump("--verify=numpy", "--precision", precision, "--passes", passes, path)
                        self.assertRegex(done.out, "(?m)^verified: statements and NumPy")
                with self.subTest(path.name, passes=passes):
                    done = self.symdump("--verify", "--precision", 128, "--passes", passes, path)
                    self.assertIn("verified", done.out)

    def test_printed_and_read_again(self):
        for path in sorted(PROGRAMS.glob("*.py")):
            with self.subTest(path.name):
                listing = self.symdump(path).out
                again = self.symdump("--from", self.file(listing, "a.list")).out
                self.assertEqual(again, listing)
                self.symdump("--emit", "cudamat-cpp", path)
                self.symdump("--emit", "json", path)


if __name__ == "__main__":
    sys.exit(main())
