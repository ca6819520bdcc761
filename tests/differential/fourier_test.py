"""np.fft against NumPy: lengths, axes, norms, what is cut and what is padded.

    fourier_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

PROGRAMS = {
    "lengths": "a = np.fft.fft(x[:1])\nb = np.fft.fft(x[:7])\nc = np.fft.fft(x)\nd = np.fft.fft(y)\ne = np.fft.fft(y[:97])\nf = np.fft.fft(y[:96] + 1j * y[4:])\ng = np.fft.fft([1, 2, 0])",
    "factors": "t = np.sin(np.arange(4620.0) ** 2)\na = np.fft.fft(t[:1024])\nb = np.fft.rfft(t)\nc = np.fft.fft(t[:243] + 1j * t[1:244])\nd = np.fft.irfft(t[:513] + 1j * t[1:514])\n"
               "e = np.fft.fft(t.reshape(33, 140))\nf = np.fft.rfft(t.reshape(2, 2310), axis=0)\ng = np.fft.irfft(t.reshape(20, 231) + 1j, 460)\nh = np.fft.ifft(t[:1155].reshape(5, 231).T, axis=0)\nk = np.fft.rfft(t[:1155])",
    "back": "a = np.fft.ifft(np.fft.fft(y))\nb = np.fft.ifft(x)\nc = np.fft.irfft(np.fft.rfft(y))\nd = np.fft.irfft(np.fft.rfft(y[:97]), 97)\ne = np.fft.ifft2(np.fft.fft2(C))",
    "of real numbers": "a = np.fft.rfft(x)\nb = np.fft.rfft(x[:7])\nc = np.fft.rfft(y)\nd = np.fft.irfft(x + 1j * x[::-1])\ne = np.fft.irfft(x)\nf = np.fft.irfft(x, n=5)\n"
                       "g = np.fft.irfft(x, n=40)\nh = np.abs(np.fft.rfft(M > 1, axis=0)) ** 2\nk = np.fft.irfft(x[:2])\nl = np.fft.irfft(x[:3], 3)\nm = np.fft.irfft(y + 1j, 150)",
    "halves": "a = np.fft.hfft(x + 1j * x[::-1])\nb = np.fft.hfft(x, 7, norm='ortho')\nc = np.fft.ihfft(x)\nd = np.fft.irfft2(np.fft.rfft2(C))\n"
              "e = np.fft.rfftn(D)\nf = np.fft.irfftn(e, D.shape)\ng = np.fft.irfft2(C + 1j, norm='forward')\nh = np.fft.ihfft(C, 4, axis=0)",
    "cut and padded": "a = np.fft.fft(x, 5)\nb = np.fft.fft(x, n=20)\nc = np.fft.fft(C, 3, axis=0)\nd = np.fft.rfft(y, 128)\ne = np.fft.ifft(x, 100)",
    "axes": "a = np.fft.fft(C)\nb = np.fft.fft(C, axis=0)\nc = np.fft.fft(D, axis=1)\nd = np.fft.rfft(D, axis=-2)\ne = np.fft.irfft(D, axis=0)\nf = np.fft.fft2(D)\n"
            "g = np.fft.fft2(C, axes=(0,))\nh = np.fft.fftn(D)\nk = np.fft.ifftn(D, axes=(2, 0))\nl = np.fft.rfft2(C)\nm = np.fft.fft2(C, s=(5, 2))\nn = np.fft.fft(np.ones((2, 90)) * C[:2, :1])",
    "norms": "a = np.fft.fft(x, norm='ortho')\nb = np.fft.ifft(x, norm='ortho')\nc = np.fft.fft(x, norm='forward')\nd = np.fft.ifft(x, norm='forward')\ne = np.fft.rfft(x, norm='backward')",
    "frequencies": "a = np.fft.fftfreq(8)\nb = np.fft.fftfreq(7, 0.1)\nc = np.fft.rfftfreq(8, d=2)\nd = np.fft.rfftfreq(7)\ne = np.fft.fftfreq(6, d=C[0, 1])\nf = np.fft.fftfreq(1)",
    "shifted": "a = np.fft.fftshift(x)\nb = np.fft.ifftshift(x[:7])\nc = np.fft.fftshift(np.fft.fft2(C))\nd = np.fft.fftshift(D, axes=1)\ne = np.fft.ifftshift(D, axes=(0, 2))\n"
               "f = np.fft.fftshift(np.fft.fftfreq(5))",
    "names": "from numpy.fft import fft, ifft\nfrom numpy import fft as F\na = fft(x)\nb = F.rfft(x)\nc = ifft(a * fft(x[::-1])).real",
    "a filter": "f = np.fft.rfft(y)\nk = np.fft.rfftfreq(len(y), d=0.01)\nf[k > 20] = 0\nz = np.fft.irfft(f, n=len(y))\np = np.abs(f) ** 2 / len(y)\nm = k[np.argmax(p[1:]) + 1]",
    "in a loop": "k = 2 * np.pi * np.fft.fftfreq(16, 1 / 16)\nu = np.zeros(16) + x\nfor t in range(4):\n    u = np.fft.ifft(np.exp(-0.01 * k ** 2) * np.fft.fft(u)).real",
    "other transforms": "def dct(v):\n    n = len(v)\n    w = np.concatenate([v, v[::-1]])\n    s = np.fft.fft(w)[:n]\n    return (s * np.exp(-1j * np.pi * np.arange(n) / (2 * n))).real / 2\na = dct(x)",
}
REFUSED = {
    "r = np.fft.fft(np.zeros(4099))": "prime factor 4099 it is a product with a matrix of 4099 x 4099, 4096 x 4096 at most; pad",
    "r = np.fft.rfft(x + 1j)": "write a.real",
    "r = np.fft.fft(x, 0)": "Invalid number of FFT data points",
    "r = np.fft.fft(x, axis=1)": "axis 1 is out of bounds",
    "r = np.fft.fft(x, norm='l2')": 'Invalid norm value l2; should be "backward"',
    "r = np.fft.fft(3.0)": "axis -1 is out of bounds for array of dimension 0",
}


class Fourier(SamePrograms):
    inputs = {name: np.random.default_rng(9).standard_normal(shape)
              for name, shape in (("x", 16), ("y", 100), ("C", (4, 6)), ("D", (2, 6, 3)), ("M", (3, 4)))}
    rtol, atol, zeros = 1e-12, 1e-12, False

    def test_programs(self):
        self.each(PROGRAMS)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_each_precision(self):
        text = "import numpy as np\na = np.fft.rfft(y)\nb = np.fft.irfft(a)\nc = np.abs(np.fft.fft(y[:97]))\nd = np.fft.fft2(C)\n"
        names = self.numpy(text)
        for precision, bound in ((32, 2e-5), (64, 1e-13), (128, 1e-13)):
            for reply in self.ask(text, self.passes, precision):
                self.assertEqual(reply.failure, "")
                for name in "abcd":
                    got = (reply.arrays[name] if name in reply.arrays
                           else reply.arrays[f"{name}_real"] + 1j * reply.arrays[f"{name}_imag"])
                    self.assertLess(np.abs(got - names[name]).max() / np.abs(names[name]).max(), bound)

    def test_long_ones(self):
        """Of n elements the matrices have less than n of them where n has two factors of a size."""
        for n in (1024, 5000, 2 ** 14):
            x = np.random.default_rng(n).standard_normal(n)
            program = self.file("import numpy as np\ndef f(x):\n    return np.fft.rfft(x)\n")
            done = self.symdump("--verify=numpy", "--precision", 64, "--function=f", f"--input=x={self.array(x, 'x.npy')}", program)
            self.assertRegex(done.out, "(?m)^verified: statements and NumPy")


if __name__ == "__main__":
    sys.exit(main())
