"""Complex numbers and arrays against NumPy: values of both parts under every pass list, files of inputs, refusals.

    complex_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

B = "b = np.array([1 + 2j, 3 - 1j, 0.5j])\nm = np.array([[2 + 1j, 1j], [0.5, 3 - 2j]])\n"
O = ("b = np.array([2 + 1j, 2 - 1j, 0.5, -1j, 2 + 1j, complex(1, np.nan), complex(np.nan, 2), complex(np.inf, -1)])\n"
     "m = np.array([[2 + 1j, 1j], [2 + 1j, -2j], [2 - 3j, 0]])\n")
PROGRAMS = {
    "searched": O + "s = np.sort(b)\nc = np.searchsorted(s, b)\nd = np.searchsorted(s, b, 'right')\ne = s.searchsorted(m)\nf = np.searchsorted(b, m, sorter=np.argsort(b))\n"
                "g = np.partition(m, 1)\nh = np.argpartition(b, 2) * 0\nk = np.sort(np.partition(b, 3, axis=0))",
    "running": B + "c = np.multiply.accumulate(b)\nd = np.maximum.accumulate(m)\ne = np.minimum.accumulate(m, axis=1)\nf = np.add.reduceat(b, [0, 2, 1])\ng = np.choose([0, 1, 0], [b, [1, 2, 3]])",
    "inverse functions": "x = np.array([1 + 2j, -3 + 1j, .5j, -.25, 2, -2, 1e-9 + 1e-9j, 300 - 400j, complex(2, -0.0), complex(-0.0, 3)])\nc = np.arcsin(x)\nd = np.arccos(x)\n"
                         "e = np.arctan(x)\nf = np.arcsinh(x)\ng = np.arccosh(x)\nh = np.arctanh(x)\nk = np.float_power(x, 2.5)\nl = np.float_power(2, x[:3])",
    "polynomials": B + "c = np.polyval(b, A)\nd = np.polyval([1, 2, 3], b)\ne = np.polyval(b, m)\nf = np.where(b)[0] * 1\ng = np.flatnonzero(b - 0.5j)",
    "signs of zeros": "x = np.array([-1.0, 2.0, -0.0, 0.0])\ny = np.array([-0.0, 0.0, -0.0, 3.0])\nb = np.array([complex(-1, -0.0), complex(-0.0, -0.0), complex(2, 0), complex(-3, -4)])\n"
                      "c = np.angle(x + 1j * y)\nd = np.angle(x - 1j * y)\ne = np.angle(1j * y + x)\nf = x - b\ng = b + x\nh = b - x\nk = b * x\nl = y * b\nm = np.sqrt(x - 0j)\n"
                      "n = np.multiply(1j, y)\no = np.add(x, b)\np = 2.0 * b\nq = b * -3\nr = 1 - b\ns = b + 0\nt = b * np.array([[-1.0], [0.0]])\nu = np.array([complex(v) for v in y])",
    "products of what is not finite": "x = np.array([np.inf, -np.inf, np.nan, -1.0])\nb = np.array([1 + 2j, complex(np.inf, 1), complex(0, np.nan), complex(-0.0, np.inf)])\n"
                                      "c = 1j * x\nd = b * x\ne = b * 2.0\nf = b * 0.0",
    "zeros of quotients": "b = np.array([1 + 2j, 3 + 0j, -4j, complex(-0.0, -0.0), complex(0.0, -0.0)])\nc = b / 2.0\nd = b / -1.0\n"
                          "e = b / np.array([1.0, -2.0, 3.0, 4.0, -5.0])\nf = b / -3",
    "literals": "a = 1j * np.arange(3)\nb = 2.5e1J + a\nc = a - .5j + 0j\nd = abs(3 + 4j) * np.ones(2)\ne = np.ones(2) * (1j ** 2)",
    "arithmetic": B + "c = b * b.conj() + 1j\nd = b / (b + 1)\ne = 1 / b\nf = -b + 2 - b\ng = b * 2 / 4\nh = 3 - b\nk = 2 / b[0] * np.ones(1)",
    "powers": B + "c = b ** 2\nd = b ** 3\ne = b ** -1\nf = b ** 0\ng = np.power(b, 2)\nh = 2.0 ** (1j * np.arange(3))\nk = np.square(b)",
    "functions": B + "c = np.abs(b)\nd = np.angle(b)\ne = np.exp(b)\nf = np.log(b)\ng = b.real + b.imag\nh = np.conj(b)\nk = np.real(b) - np.imag(b)\n"
                     "n = np.isfinite(b)\no = np.iscomplexobj(b) * np.ones(1)\np = np.real(A) + np.imag(A) + np.conj(A)",
    "products": B + "c = m @ m\nd = m @ np.eye(2)\ne = A @ m\nf = np.dot(b, b)\ng = np.vdot(b, b)\nh = np.outer(b, b)\nk = np.einsum('i,j->ij', b, b)\n"
                    "l = np.kron(m, np.eye(2))\nn = m.T @ m.conj()\no = np.tensordot(m, m, axes=1)",
    "parts": "z = np.zeros((2, 2), dtype=np.complex128)\nz.real[0] = 1\nw = z.imag\nw[1] = 2\nv = z * 1",
    "written": B + "m[0, 0] = 5\nm[1] = [1j, 2]\nm += 1j\nm *= m\nb[1:] = b[:2] * 1j\nv = m[:, 0]\nv[0] = 9j\nm[0] -= v",
    "masks": B + "k = abs(b) > 1\nb[k] = b[k] ** 2 + 1j\nc = b[k].sum()\nd = np.where(k, b, 0)\ne = np.where(k, 1j, A[0, 0])\nb[~k] = 0",
    "shapes": B + "c = b.reshape(3, 1) * b\nd = np.concatenate([b, b[::-1]])\ne = np.stack([b, b]).T\nf = b[None] + np.ones((2, 1))\n"
                  "g = np.zeros_like(b)\nh = np.ones_like(m)\nk = m.flatten()\nn = np.array([b, b])\no = np.array([1, 2], dtype=complex)\np = A.astype(complex) + 1j",
    "sums": B + "c = b.sum() * np.ones(1)\nd = m.sum(axis=0)\ne = np.mean(m, axis=1)\nf = np.cumsum(b)\ng = np.trace(m) * np.ones(1)\nh = (b == b).sum()\nk = (b != 3 - 1j)",
    "solved": B + "c = np.linalg.solve(m, np.array([1.0, 2.0]))\nd = np.linalg.inv(m)\ne = np.linalg.solve(A + 3 * np.eye(2), m)",
    "of ufuncs": B + "c = np.zeros(3, dtype=complex)\nnp.multiply(b, b, c)\nnp.add(c, 1j, out=c)\nd = np.subtract(c, b)\ne = np.true_divide(c, b)",
    "loops": "c = np.linspace(-2, 1, 5) + 1j * np.linspace(-1, 1, 4)[:, None]\nz = np.zeros(c.shape, dtype=complex)\nn = np.zeros(c.shape, dtype=int)\n"
             "for i in range(6):\n    live = np.less(abs(z), 2.0)\n    n[live] = i\n    z[live] = z[live] ** 2 + c[live]\nw = c * 0\nfor i in range(3):\n    w = w * w + c",
    "in functions": "def f(z, k=2):\n    return z.real, k * z.conj()\nc, d = f(A + 1j * A)\nw = [A * 1j, A + 0j]\ns = w[0] + w[1]\nfor z in A * 1j:\n    s = s + z",
    "under a run-time condition":
        "z = 0j\nn = 0\nwhile abs(z) < 2 and n < 9:\n    z = z * z + (0.3 + A[0, 0] * 1j)\n    n += 1\nw = z * np.ones(2)\nx = A * 1j\n"
        "if A[0, 0] > 0:\n    x = -x\nelse:\n    x = x + 1\ny = x[0]\nif A[0, 0] > 9:\n    y = y * 2\n    x = x * 0\n"
        "p = (1, 2j)\nif A[1, 0] > 0:\n    p = (2, 3j)\nq = p[1] * np.ones(2)",
    "left early": "def escape(c, most):\n    z = 0j\n    for n in range(most):\n        if abs(z) > 2:\n            return n\n        z = z * z + c\n"
                  "    return most\nr = np.zeros((3, 4), dtype=np.uint8)\nfor i in range(3):\n    for j in range(4):\n        r[i, j] = escape(complex(-2 + j, i - 1), 8)",
    "of functions": B + "c = np.angle(b, deg=True)\nd = np.angle(A, True)\ne = np.allclose(m, m + 1e-9j) * np.ones(1)\nf = np.isclose(b, [1 + 2j, 3, 0.5j])\n"
                    "g = np.allclose(b, b + 1, atol=0.1) * np.ones(1)\ny, x = np.ogrid[-1:1:5j, 0:3:4 * 1j]\nh = np.mgrid[0:1:3j, 0:2]\nk = np.r_[0:1:4j, 5]",
    "more functions": B + "b = np.append(b, [0, -4, -1j])\nc = np.sqrt(b)\nd = np.sin(b)\ne = np.cos(b)\nf = np.tan(b)\ng = np.sinh(b)\nh = np.cosh(b)\nk = np.tanh(b * 30)\n"
                      "n = np.log2(b + 5)\no = np.log10(b + 5)\np = np.log1p(b + 5)\nq = np.expm1(b)\ns = np.reciprocal(m)\nt = np.exp2(b)\nu = np.sqrt(-4 + 0j) * np.ones(1)",
    "general powers": B + "b = np.append(b, 0)\nc = b ** 0.5\nd = b ** b\ne = 2 ** b\nf = np.power(b, 1 + 1j)\ng = np.array([0, 2.0, -3.0]) ** (1j + b[:3])",
    "moments": B + "c = np.var(b) * np.ones(1)\nd = m.std(axis=0)\ne = np.var(m, axis=1, keepdims=True, ddof=1)\nf = np.linalg.norm(b) * np.ones(1)\ng = np.linalg.norm(m, axis=0)\n"
               "h = np.linalg.norm(m, 1) * np.ones(1)",
    "truths": B + "b = np.append(b, [0, 2])\nc = np.any(b) * np.ones(1)\nd = np.all(b) * np.ones(1)\ne = np.all(m, axis=0)\nf = np.nonzero(b)[0]\ng = np.logical_not(b)\nh = np.logical_and(b, b[::-1])\n"
              "k = np.isreal(b)\nl = np.iscomplex(b)\nn = np.isrealobj(b) * np.ones(1)\no = isinstance(b, np.ndarray) * np.ones(1)\np = np.count_nonzero(b) * np.ones(1)",
    "elements of each part": B + "c = np.linspace(1, 1 + 2j, 4)\nd = np.where([True, False, True], b, [1, 2j, 3])\ne = np.compress([1, 0, 1], b)\nf = np.add.reduce(m, axis=1)\n"
                             "g = np.add.accumulate(b)\nh = np.round(b * 1.26, 1)\nk = np.full((2, 2), 1 + 2j)\nn = np.vectorize(complex)(A, A * 2)",
    "square roots beyond all numbers":
        "b = np.array([complex(1, np.inf), complex(-2, -np.inf), complex(0, np.inf), complex(np.nan, -np.inf),\n"
        "complex(np.inf, np.inf), complex(-np.inf, -np.inf), complex(np.inf, 3), complex(-np.inf, -3)])\nc = np.sqrt(b)",
    "into out=": B + "c = np.zeros(3)\nnp.abs(b, out=c)\nd = np.zeros(3, dtype=complex)\nnp.sqrt(b, out=d)\ne = np.zeros(2, dtype=complex)\nnp.sum(m, axis=0, out=e)\nf = np.zeros((3, 3), dtype=complex)\nnp.outer(b, b, out=f)",
    "in order": O + "c = np.sort(b)\nd = np.argsort(b, kind='stable')\ne = np.sort(m, axis=0)\nf = np.argsort(m, axis=1, kind='stable')\n"
                "g = np.sort(m, axis=None)\nh = b.copy()\nh.sort()\nk = np.sort_complex([3.0, 1, 2])\nn = np.sort_complex(b)\no = m + 0\no.sort(axis=0)",
    "the least and the largest": O + "c = np.max(b, keepdims=True)\nd = b[:5].min() * np.ones(1)\ne = m.max(axis=0)\nf = np.amin(m, axis=1, keepdims=True)\n"
                                 "g = np.argmax(b) * np.ones(1)\nh = b[:5].argmin() * np.ones(1)\nk = np.argmax(m, axis=1)\nn = np.ptp(m, axis=0)\no = m.max(keepdims=True)\n"
                                 "p = np.maximum(b, b[::-1])\nq = np.minimum(b, 1)\nr = np.fmax(b, 1)\ns = np.fmin(b[::-1], b)\nt = np.clip(m, 1j, 2)",
    "compared": O + "c = b < b[::-1]\nd = b <= 1\ne = np.greater(b, 1j)\nf = b >= b[0]\ng = np.less_equal(m, m[::-1])",
    "different ones": O + "c, d, e, f = np.unique(b, True, True, True)\ng = np.unique(m)\nh = np.isin(b, m)\nk = np.union1d(b[:5], m)\nn = np.setdiff1d(b[:5], m)\n"
                      "o = np.intersect1d(b, m)\np = np.setxor1d(b, m[0])",
    "products of all": O + "c = np.prod(b[:5])\nd = np.prod(m, axis=0)\ne = m.prod(axis=1, keepdims=True)\nf = np.prod(m, keepdims=True)\n"
                       "g = np.cumprod(b[:5])\nh = np.cumprod(m, axis=1)\nk = m.cumprod()\nl = np.prod(b[:0])\nn = np.prod(np.outer(b[:5], b[1:4]))",
    "medians": O + "c = np.median(b[:5])\nd = np.median(b[:4])\ne = np.median(m, axis=0)\nf = np.median(np.outer(b[:5], b[1:4]), axis=1, keepdims=True)\n"
               "g = np.median(np.outer(b[:5], b[1:4]))",
    "signs and rounding": O + "c = np.sign(b[:5])\nd = np.rint(b[:5] * 1.3)\ne = np.where(m[1:], 1, A)",
    "in Python's containers": O + "c, d = tuple([m, m * 2])\nl = list((m, c))\nfor x, y in zip(l, [1j, 2j]):\n    d = d + x * y\nfor i, x in enumerate(reversed(l)):\n    d = d - x * i\n"
                              "k = dict(a=m)\ne = k['a'] * 1\nf = [z * 2 for z in list(b[:3])][1] * np.ones(1)",
    "a transform": "def fft(x):\n    n = x.shape[0]\n    if n == 1:\n        return np.array(x)\n    e, o = fft(x[::2]), fft(x[1::2])\n"
                   "    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)\n    return np.concatenate((e + w * o, e - w * o))\ny = fft(np.arange(8.0) + 0j)\nz = abs(y)",
}
REFUSED = {
    "z = 1j\nr = A * (z < 1)": "'<' not supported between instances of 'complex'",
    "z = A * 1j\nr = np.sqrt(z, out=A)": "out= is real",
    "z = A * 1j\nr = np.sqrt(z[0], out=z)": "out= has the shape .2, 2.; the result has .2,.",
    "z = A * 1j\nr = z % 2": "'%' of complex numbers is not supported",
    "z = A * 1j\nA[0] = z[0]": "assign their .real or .imag",
    "z = A * 1j\nr = A + 0\nr += z": "an array or a number",
    "z = A[0] * 1j\nr = max(z)": "max. '<' not supported between instances of 'complex'",
    "z = A * 1j\nr = np.linalg.svd(z)": "of complex numbers is not supported",
    "z = A * 1j\nr = np.float64(z)": "of complex numbers is not supported",
    "z = A * 1j\nif z[0, 0]:\n    r = 1": "complex",
    "z = A * 1\nif A[0, 0] > 0:\n    z = A * 1j\nr = z * 1": "is an array of shape .2, 2. before and a complex number or array where",
    "x = 1_j": "not a number|invalid",
}


class ComplexNumbers(SamePrograms):
    inputs = {"A": np.array([[0.5, -1.25], [2.0, 0.75]])}
    rtol, atol, zeros = 1e-13, 1e-14, False  # signs of zeros: NumPy multiplies real numbers with a 0 imaginary part

    def test_programs(self):
        self.each(PROGRAMS)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_inputs_from_files(self):
        rng = np.random.default_rng(5)
        program = self.file("import numpy as np\ndef f(x, y, s):\n    y[:] = s * x.T @ y\n    return abs(x), x * 2\n")
        for precision, dtype in ((64, np.complex128), (32, np.complex64), (128, np.complex128)):
            x = (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))).astype(dtype)
            given = ["--function=f", "--set=s=2", f"--input=x={self.array(np.asfortranarray(x), 'x.npy')}",
                     f"--input=y={self.array(x[0], 'y.npy')}", "--precision", precision, "--save-all", self.folder / "out"]
            for passes in ("none", "all"):
                done = self.symdump("--verify=numpy", "--passes", passes, *given, program)
                self.assertRegex(done.out, "(?m)^verified: statements and NumPy")
            got = [np.load(self.folder / "out" / f"{name}.npy") for name in ("y_real", "y_imag")]
            want = 2 * x.T @ x[0]
            np.testing.assert_allclose(got, [want.real, want.imag], rtol=1e-5 if precision == 32 else 1e-13)


if __name__ == "__main__":
    sys.exit(main())
