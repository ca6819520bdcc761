"""Integers of NumPy's widths against NumPy: types of results, what wraps, what is refused.

    integers_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import re
import sys

import numpy as np

from cli import main
from same_programs import BATCH, SamePrograms

# Arithmetic of two operands, whose types decide where it wraps.
OPERANDS = "U S W I J Q L M".split()
NUMBERS = "1 200 -1 300 -129 70000".split()
OPERATORS = "+ - * // % < == & | ^ << >>".split()
BITS = "& | ^ << >>".split()
PROGRAMS = {
    "scalars": "a = U[1] + 100\nb = U[1] + U[2]\nc = U[0] - U[1]\nd = J[1] + J[1]\ne = J[1] * 2\nf = U[1] / 3\ng = U[1] // 3\nh = int(U[1]) + 100\n"
               "k = np.uint8(200) + np.uint8(100)\nl = np.int32(7) * I\nm = np.uint32(5381) * np.uint32(33) * np.uint32(99999)\nn = max(U[0], U[1])",
    "products": "a = U @ U\nb = J @ J\nc = np.outer(S, S)\nd = Q * Q\ne = J ** 3\nf = np.einsum('i,i->', U, U)\ng = np.convolve(J, J)\nh = np.convolve(U, U)\n"
                "k = np.dot(U, 2)\nl = np.kron(U, I)\nm = Q.reshape(3, 1) @ Q.reshape(1, 3)\nn = np.square(W)\no = np.tensordot(U, U, 1)",
    "reductions": "a = U.sum()\nb = J.sum() * 2\nc = U.sum() / 3\nd = U.sum() + 1\ne = np.cumsum(U) * 2\nf = np.prod(U)\ng = U.mean()\nh = J.var()\nk = U.max() - U.min()\n"
                  "l = np.sum(U, dtype=np.uint8)\nm = np.argmax(W)\nn = sum(U)\no = np.add.reduce(S)\np = np.cumprod(I)\nq = np.sum(U, dtype=int) - 9999",
    "of one operand": "a = -U\nb = -J\nc = abs(S)\nd = abs(J)\ne = ~U\nf = ~S\ng = np.sign(J)\nh = U << 1\nk = J << 1\nl = U >> 2\nm = np.negative(W)\nn = np.fmod(J, 7)\n"
                      "o = np.diff(U)\np = np.float_power(U, 2)",
    "converted": "a = F.astype(np.uint8)\nb = F.astype(np.int8)\nc = J.astype(np.uint8)\nd = Q.astype(np.int32)\ne = L.astype(np.uint16)\nf = U.astype(np.int8)\n"
                 "g = np.array([300, -1], dtype=np.uint8)\nh = np.full(2, 300, dtype=np.uint8)\nk = (U > 100).astype(np.uint8) * 255\nl = np.uint8(F)\nm = J.astype(int) * 3\n"
                 "n = np.clip(F * 2, 0, 255).astype(np.uint8)\no = np.arange(4, dtype=np.uint8) - 1",
    "bounds of slices": "p = (Q > 9).astype(np.uint32)\na = L[p[1]:p[0] + 1].sum()\nb = L[:p[2]].sum() + p[0]\nc = F[S[0] * 0:U[0] * 0 + 2].sum()",
    "beside numbers": "a = U + 300\nb = U - 300\nc = 255 - U\nd = U + np.int64(5)\ne = I + 2 ** 31\nf = np.where(U > 3, U, -1)\ng = np.clip(U, -1, 5)\nh = np.maximum(U, 1)\n"
                      "k = np.where(U > 3, U, 1000) + U\nl = U & 15\nm = U | 1\nn = U ^ 255\no = U * True\n"
                      "p = (U & 256) - 1\nq = U % 256 - U\nr = U // 300 - 1\ns = U % 40000 - U\nt = (W | 70000) * 40000\nu = U & -2\nv = np.fmod(U, 256) - 7\nw = U ** 1 - 2",
    "written": "a = np.zeros(4, dtype=np.uint8)\na[0] = 300\na[1] = -1\na[2] = np.int64(515)\na[3] = 2.7\na += 1\na[1] -= 3\nb = U + 0\nb *= 2\nb[b > 100] += 200\n"
               "c = np.zeros(3, dtype=np.int32)\nc += L\nc -= U\nc[0] = 2.9\nc //= 2\nc[1:] = L[:2] * 2 ** 33\nd = I.copy()\nd[d > 1] = 2 ** 31 - 1\nd[0] += d[1]\n"
               "e = W + 0\ne[:2] = U[:2]\ne <<= 4\nf = S + 0\nf[...] = U",
    "counters": "h = np.zeros(4, dtype=np.int32)\nfor i in range(12):\n    h[i % 4] += 1\nn = np.zeros(3, dtype=np.uint8)\nfor i in range(300):\n    n[0] += 1\n    n[1] -= 1\n"
                "t = np.zeros((4, 4), dtype=np.int32)\nfor i in range(1, 4):\n    for j in range(1, 4):\n        t[i, j] = t[i - 1, j - 1] + 1 if I[i - 1] == I[j - 1] else max(t[i - 1, j], t[i, j - 1])\n"
                "x = np.uint32(12345)\nfor i in range(5):\n    x = x * np.uint32(1664525) + np.uint32(1013904223)\ny = x * 1",
    "labels": "k = I == 2\nm = F[I == 2].sum()\nn = np.eye(4)[I]\no = F[I - 1]\np = [np.sum(I == c) for c in range(3)]\nq = np.array(p)\ns = np.bincount(I, minlength=5)\n"
              "t = np.array([5, 6, 7, 8], dtype=np.int32)[I]\nu = U[U > 100].max()\nv = U[U > 100].sum() / 2\nw = len(U[U > 1])\nx = np.sort(U)[::-1]\ny = np.median(U)",
    "of truth values": "a = M ** 2 + 100\nb = M ** M + M ** M\nc = M ** 2.0 * 100\nd = np.square(M).sum() + 1\ne = np.power(M, M) - 1\nf = -(True ** M)\ng = np.int32(3) * F",
    # Of int64, and of Python's ints, beyond 2^53.
    "remainders": "x = 12345\nfor i in range(9):\n    x = (1103515245 * x + 12345) % 2**31\na = (J.astype(int) * J[1]) % 1000000007\nb = (L * 2147483647 * 3 - 17) % 7\n"
                  "c = np.sum(J.astype(int) * J) % 1000\nd = np.mod(L[1:] ** 33 * 1664525, 2 ** 16)\ne = (L * 1103515245 + 12345) & 0x7fffffff\nt = 7\n"
                  "for c in [104, 101, 108]:\n    t = (t ^ c) * 16777619 % 2**32\ns = 42\nfor i in range(5):\n    s = (25214903917 * s + 11) % 2**48\n    if L[0] > i:\n"
                  "        s = (25214903917 * s + 11) % 2**48\nf = (Q.astype(int) * Q[::-1] // 8 * 0 + J.astype(int) ** 2 - 5) % 3",
    # Of Python's ints that are read at run time.
    "Euclid's algorithm": "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\na = gcd(int(L[0]) * 21, int(J[1]) * 6)\nb = gcd(int(U[0]), int(U[1]))\n"
                          "n, d = int(J[0]), int(I[1])\nq, r = n // d, n % d\ns, t = -n // d, -n % d\nu, v = n // -d, n % -d\nw, x = divmod(n, d)\ny = int(L[1]) % 2 == 0\n"
                          "z = 100 // d - 100 % d\no = 0 // d\np = n // d if d else 0",
    "known beyond 2^53": "a = ((2 ** 53 + 1) % 10) * L\nb = (np.iinfo(np.int64).max > L) * 1\nc = F * 2 ** 60\nd = ((2 ** 60 + 7) // 2 ** 40) * L\ne = L + 2 ** 60 // 2 ** 20",
    "bits": "a = U ^ U[::-1]\nb = U | U[::-1]\nc = U & W.astype(np.uint8)\nd = (U % 2) ^ (W % 2)\ne = (I > 1) ^ (U > 100)\nf = W | U\ng = (U.astype(int) << 8) | U\n"
            "h = np.bitwise_xor(U, 255 - U)\nk = 0xFFFF\nfor i in range(3):\n    if (k & 1) ^ (int(U[i]) & 1):\n        k = (k >> 1) ^ 0x8408\n    else:\n        k >>= 1\nl = k * 1\n"
            "m = np.bitwise_xor.reduce(U)\nn = np.bitwise_or.reduce(np.outer(U, W % 7).astype(np.uint8), axis=1)\no = np.bitwise_and.reduce(U)\np = (100).bit_length() + (len(U) - 1).bit_length() * np.ones(2)",
    "bits of arrays": "a = L ^ L[::-1]\nb = J & J[::-1]\nc = Q | Q[::-1]\nd = S ^ J\ne = U & L\nf = Q ^ (Q >> 16)\ng = J >> U\nh = 110 >> L\nk = S << np.array([1, 7, 8])\n"
                      "l = Q << np.uint32(13)\nm = J >> np.array([-1, 31, 32])\nn = U >> np.array([-1, 8, 99])\no = np.left_shift(W, U % 17)\np = M << 3\nq = ~Q ^ Q\n"
                      "t = Q + 0\nt ^= t << np.uint32(5)\nt |= np.uint32(1)\nu = (L << 40) ^ (L << 7)\nv = J ^ -1\nw = M & L\nx = I | M\ny = L[1] ^ L[2]\nz = J[1] & I[2]",
    "hashes": "def murmur(h):\n    h = h ^ (h >> np.uint32(16))\n    h = h * np.uint32(0x85ebca6b)\n    h = h ^ (h >> np.uint32(13))\n    h = h * np.uint32(0xc2b2ae35)\n    return h ^ (h >> np.uint32(16))\n"
              "a = murmur(Q)\nx = Q + 0\nfor i in range(4):\n    x ^= x << np.uint32(13)\n    x ^= x >> np.uint32(17)\n    x ^= x << np.uint32(5)\nb = x * 1\n"
              "c = Q * np.uint32(1664525) + np.uint32(1013904223)\nd = J * J[::-1] * J\ne = J * np.int32(-1640531527)\nt = Q + 0\nfor k in range(8):\n"
              "    t = (t >> np.uint32(1)) ^ (np.uint32(0xEDB88320) * (t & np.uint32(1)))\nf = t * 1\ng = Q ^ (Q >> np.uint32(1))\nw = Q - ((Q >> np.uint32(1)) & np.uint32(0x55555555))\n"
              "w = (w & np.uint32(0x33333333)) + ((w >> np.uint32(2)) & np.uint32(0x33333333))\nh = (((w + (w >> np.uint32(4))) & np.uint32(0x0f0f0f0f)) * np.uint32(0x01010101)) >> np.uint32(24)",
    "divisions": "z = np.array([0, -3, 7])\na = L // z\nb = J // z\nc = J % z\nd = -L % z\ne = U // np.array([0, 7, 255], np.uint8)\nf = Q % np.array([0, 7, 2 ** 31], np.uint32)\n"
                 "g = S // np.int8(-1)\nh = (J.astype(int) * 2 ** 21) // 1000003\nk = (J.astype(int) * 2 ** 21) % -1000003\nl = 9 // z\nm = -9 % z\nn = (L * 0 + 2 ** 53 - 1) // np.array([1, 3, 2 ** 53 - 2])",
    "an image": "img = np.outer(U, I).astype(np.uint8)\ng = img.astype(float) / 255\nm = img > 128\nc = np.clip(img.astype(int) * 2, 0, 255).astype(np.uint8)\ni = 255 - img\n"
                "d = img - img.min()\ne = (img - img.mean()) / img.std()\nf = np.abs(img[1:].astype(np.int16) - img[:-1])\nh = np.pad(img, 1)\nk = img.reshape(-1)[::2] + img[0, 0]",
    "left as they are": "a = np.concatenate([U, I])\nb = np.stack([U, S])\nc = U.T.copy()\nd = np.roll(U, 1)\ne = np.repeat(I, 2)\nf = np.zeros_like(U)\nf[:] = U\ng = np.ones_like(I) * 3\n"
                        "h = np.zeros(3, dtype=U.dtype) + U\nk = [x for x in U]\nl = np.array([x * 2 for x in I])\nm = np.iinfo(np.uint8).max * np.ones(2)\nn = np.array([U[0], 3])\no = (U.dtype == np.uint8) * np.ones(1)",
    "in loops": "x = U + 0\nfor i in range(3):\n    x = x + U\ny = I + 0\nfor i in range(3):\n    y = y * y + 1\nz = np.uint8(3)\nfor i in range(9):\n    z = z * z\nw = z * 1.0\n"
                "v = U + 0\nif F.sum() > 0:\n    v = v + U\nelse:\n    v = v * 3\nb = U[0]\nfor i in range(3):\n    if U[i] > b:\n        b = U[i]\nc = b + U[2]\nd = max(U[1], 5) + 100\n"
                "e = U[0] if F[0] > 9 else 300\nf = (e + 200) * np.ones(1)",
}
REFUSED = {
    "r = np.exp(U)": "float16",
    "r = np.sqrt(W)": "float32",
    "r = U + I[0]": "depends on a number that is known only at run time and may not fit uint8; write a.astype.int",
    "r = I * L.sum()": "may not fit int32",
    "r = U ** U": r"\[power\] NumPy computes this in uint8, which may wrap",
    "r = U\nr += 1.5": "Cannot cast ufunc 'add' output from dtype.'float64'. to dtype.'uint8'.",
    "r = U + 0\nr += -1": "Cannot cast ufunc 'add' output from dtype.'int16'. to dtype.'uint8'.",
    "r = U + 0\nr += L": "Cannot cast ufunc 'add' output from dtype.'int64'. to dtype.'uint8'.",
    "r = U.sum() - I.astype(np.uint64).sum()": "numbers below 0 wrap to numbers near 2.64 in uint64",
    "r = L ^ F": "expects arrays of booleans",
    "r = F >> L": "expects arrays of booleans",
    "n = int(L[0]) - 2\nr = 5 << n": "may be negative, which raises an error in Python",
    "b = 0\nif U[0] > 3:\n    b = U[1]\nr = b + U": "values of one type",
    "b = max(U[0], 5)\nr = b + U[1]": r"which of two numbers of different types is chosen at run time; write int\(a\)",
    "r = np.iinfo(np.uint64).max": "exceeds int64",
    "r = L + (2 ** 53 + 1)": "9007199254740993 would be rounded",
    "r = np.array([2 ** 53 + 1])": "9007199254740993 would be rounded",
    "r = np.array([[1, 3 ** 36]])": "would be rounded",
    "x = 2 ** 62\nr = L + 4 * x": "exceeds 64 bits",
}


# Steps of integers: of LARGE, none of which is beyond 2^24.
LARGE = {"K": np.array([100003, 3, 70001, -7, 2]), "J": np.array([100003, -3, 70001, 7, 16777213], np.int32),
         "H": np.array([32767, -32768, 181, 255, -3], np.int16), "U": np.array([65535, 40000, 3, 7, 1], np.uint16)}
ARRAYS = [("K", "K[::-1]"), ("J", "J[::-1]"), ("H", "H[::-1]"), ("U", "U[::-1]"), ("K", "J"), ("J", "H"), ("K", "H"), ("U", "H")]
STEPS = ["<a> + <b>", "<a> - <b>", "<a> * <b>", "(<a> * <b>) % 1000", "(<a> * <b>) // 977", "<a> * <b> > <b> * 3 + 1", "(<a> * 9991) % 97 == 5",
         "<a>.sum() % 7", "np.sum(<a> * <b>) % 11", "np.prod(<a>) % 13", "np.cumsum(<a> * 1000)", "np.cumsum(<a> * 1000) % 10",
         "np.cumprod(<a>) % 17", "np.dot(<a>, <b>) % 19", "(np.outer(<a>, <b>) @ <b>) % 23", "np.max(<a> * <b>) % 29",
         "np.argmax(<a> * <b> % 31)", "np.argsort(<a> * <b>)", "np.sort(<a> * <b>) % 37", "np.abs(<a>) ** 2 % 41", "<a> ** 3 % 43",
         "(<a> << 4) % 47", "np.diff(<a> * 300) % 53", "np.mean(<a> * <b>) > 59", "np.where(<a> * <b> % 2 == 1, 1, 0)",
         "np.unique(<a> * 199 % 7)", "<b>[<a> * <a> % 5]", "np.clip(<a> * 777, 3, 61)", "np.any(<a> * 333 == 67)",
         "-(<a> * <b>) % 71", "np.trace(np.outer(<a>, <b>)) % 73", "<a> + 16777217 - 16777217", "<a> == 16777217", "<a> % 16777259"]


class Integers(SamePrograms):
    inputs = {
        "U": np.array([1, 200, 255], np.uint8), "S": np.array([-128, 127, 5], np.int8), "W": np.array([65535, 7, 300], np.uint16),
        "I": np.array([1, 2, 3], np.int32), "J": np.array([-2**31, 2**31 - 1, 12345], np.int32),
        "Q": np.array([2**32 - 1, 7, 2**31], np.uint32), "L": np.array([1, 2, 3]), "M": np.array([True, False, True]),
        "F": np.array([1.7, -1.2, 250.5]),
    }
    passes = ("none", "default", "all", "tree")

    def test_programs(self):
        self.each(PROGRAMS)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_operators(self):
        """All pairs: NumPy's value, or a refusal."""
        refused = 0
        for op in OPERATORS:
            for a, b in [(a, b) for a in OPERANDS for b in OPERANDS + NUMBERS] + [(n, a) for n in NUMBERS for a in OPERANDS]:
                if (op in ("<<", ">>") and b in NUMBERS) or (op in "//%" and b == "-1") or (op == "-" and {a, b} == {"M"}):
                    continue
                text = f"import numpy as np\nr = {a} {op} {b}\n"
                with self.subTest(text):
                    reply = self.ask(text, ("none",))[0]
                    refused += reply.failure == "refused"
                    if reply.failure == "refused" and op not in ("//", "%", *BITS):
                        self.fail(reply.detail)
                    if not reply.failure:
                        self.compare(text, "none", reply, self.numpy(text))
        self.assertLess(refused, 80)

    def test_small_numbers_at_each_precision(self):
        """What 24 bits hold is exact at 32 bits, too."""
        text = ("import numpy as np\na = I * I + 3\nb = I @ I\nc = U + U\nd = (I - 500) * 30000\ne = S * S\nf = (U * I) // 7\ng = np.zeros(3, dtype=np.int32)\n"
                "for i in range(5):\n    g[1] += 300000\n    g[i % 3] -= 7\nh = -I ** 3\nk = I.astype(np.uint32) * 3\n")
        expected = self.numpy(text)
        for precision in (32, 64, 128):
            for passes, reply in zip(self.passes, self.ask(text, self.passes, precision)):
                self.compare(text, (precision, passes), reply, expected)

    def test_integers_beyond_the_precision_are_said(self):
        program = self.file("import numpy as np\nK = np.array([3, 2 ** 31 - 1])\na = K * K * K\nb = K * 2\n")
        for precision, says in ((32, ["K", "a", "b"]), (64, ["a"]), (128, ["a"])):
            bits = min(np.finfo({32: "f", 64: "d", 128: "g"}[precision]).nmant + (precision != 128), 63)
            done = self.symdump("--run", "--precision", precision, program)
            self.assertEqual(re.findall(rf"# (\w+) has integers beyond 2\^{bits}, which may be rounded", done.out), says)

    def test_what_wraps_before_a_remainder_is_said(self):
        program = self.file("import numpy as np\nr = L * 4611686018427387904 * 3 % 7\n")
        given = f"--input=L={self.array(self.inputs['L'], 'L.npy')}"
        self.assertIn("prog.py:2: computes with integers beyond 2^", self.symdump("--run", given, program).out)

    def test_no_integer_is_rounded_silently(self):
        """At each precision every value is NumPy's, or its line is said."""
        lines = [form.replace("<a>", a).replace("<b>", b) for form in STEPS for a, b in ARRAYS]
        kept = []
        for line in lines:  # an error is none of these
            reply = BATCH.ask(f"import numpy as np\nr = {line}\n", LARGE, 64, 0, [("none", None)])[0]
            kept += [] if reply.failure == "refused" else [line]
        self.assertLess(len(lines) - len(kept), 20, [line for line in lines if line not in kept])
        lines = kept
        program = self.file("import numpy as np\n" + "".join(f"r{i} = {line}\n" for i, line in enumerate(lines)))
        given = [f"--input={name}={self.array(value, f'{name}.npy')}" for name, value in LARGE.items()]
        for precision, least in (32, 60), (64, 200):
            folder = self.folder / str(precision)
            done = self.symdump("--run", "--precision", precision, *given, "--save-all", folder,
                                "--numpy", np.__version__.split(".", maxsplit=1)[0], program)
            said = {int(line) - 2 for line in re.findall(r"(?m)^# \S*?(\d+): computes with integers beyond", done.out)}
            said |= {int(i) for i in re.findall(r"(?m)^# r(\d+) has integers beyond", done.out)}
            right = 0
            for i, line in enumerate(lines):
                want, got = eval(line, {"np": np} | LARGE), np.load(folder / f"r{i}.npy")  # pylint: disable=eval-used
                is_right = np.array_equal(np.asarray(want, float), got, equal_nan=True)
                if np.asarray(want).dtype.kind == "f":
                    is_right = np.allclose(want, got, rtol=1e-5, equal_nan=True)
                self.assertTrue(is_right or i in said, f"{precision}: {line}: {got}, in NumPy {want}")
                right += is_right and i not in said
            self.assertGreater(right, least)

    def test_lines_are_said_that_round_integers(self):
        path = self.file("import numpy as np\nK = np.array([100000, 3, 70000])\na = K + 1\nb = K * 4001 % 1000\nn = 1\n"
                         "for i in range(40):\n    n = n * 3000000007 % 65537\nc = K % 7 + (K == 3)\nd = np.sort(K)[K - K]\n")
        done = self.symdump("--run", "--precision", 32, path)
        self.assertEqual(re.findall(r"(?m)^# (.*) integers beyond", done.out), [f"{path}:4: computes with"])
        self.assertNotIn("beyond", self.symdump("--run", "--precision", 64, path).out)
        path = self.file("import numpy as np\nx: (3,)\ny = x + 1\nz = x[np.argsort(x)] * np.arange(3)\n")
        self.assertNotIn("beyond", self.symdump("--run", "--precision", 32, path).out)

    def test_inputs_from_files(self):
        program = self.file("import numpy as np\ndef f(img, labels):\n    c = img * 2 + labels.astype(np.uint8)\n    n = np.bincount(labels, minlength=4)\n"
                            "    labels[labels == 2] += 2147483647\n    return c, n, img.mean(), labels\n")
        given = ["--function=f", f"--input=img={self.array(self.inputs['U'], 'u.npy')}",
                 f"--input=labels={self.array(self.inputs['I'], 'i.npy')}"]
        for passes in ("none", "default", "all"):
            done = self.symdump("--verify=numpy", "--precision", 64, "--passes", passes, *given, program)
            self.assertRegex(done.out, "(?m)^verified: statements and NumPy")


if __name__ == "__main__":
    sys.exit(main())
