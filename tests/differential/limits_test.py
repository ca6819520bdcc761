"""Programs that are long or deep: no form of them is too much, none needs a stack as deep as they are.

    limits_test.py SYMDUMP [--share N] [unittest arguments]

N: of their lengths the N-th part. AddressSanitizer's build takes ten times as long for them.
"""

import sys

import numpy as np

from cli import Cli, main

SHARE = 1
if sys.argv[2:3] == ["--share"]:
    SHARE = int(sys.argv.pop(3))
    del sys.argv[2]
DEPTH, FORMS = 5000 // SHARE, ("statements", "cudamat-py", "cudamat-cpp", "tree", "dot", "json")


class Limits(Cli):
    def test_ten_thousand_lines(self):
        lines = ["import numpy as np", "x: (3, 2)", "a = x * 0.5"]
        for k in range(10000 // SHARE):
            lines.append(f"a = a * 0.5 + x  # step {k}" if k % 3 else f"b{k} = np.tanh(a)")
        path = self.file("\n".join(lines) + "\n")
        for form in FORMS:
            self.symdump("--emit", form, path)
        self.symdump("--verify", "--precision", 64, path)

    def test_deep_expressions(self):
        for name, text in (("parentheses", "y = " + "(" * DEPTH + "x" + " + 1)" * DEPTH),
                           ("calls", "y = " + "np.tanh(" * DEPTH + "x" + ")" * DEPTH),
                           ("right", "y = " + "(1 + " * DEPTH + "x" + ")" * DEPTH),
                           ("minus", "y = " + "-" * DEPTH + "x"), ("transposes", "y = x" + ".T" * DEPTH),
                           ("powers", "y = x" + " ** 1" * DEPTH), ("brackets", "y = x" + "[:]" * DEPTH)):
            with self.subTest(name):
                path = self.file("import numpy as np\nx: (2, 3)\n" + text + "\n")
                for form in FORMS:
                    self.symdump("--emit", form, path)
                self.symdump("--verify", "--precision", 64, path)

    def test_unclosed_depth(self):
        for opening in "([":
            self.refused(self.file("y = " + opening * (100000 // SHARE)), says="prog.py:1:")

    def test_a_hundred_thousand_terms(self):
        terms = 100000 // SHARE
        path = self.file("x: (1, 2)\ny = x" + " + x" * terms + "\n")
        self.symdump("--emit", "json", path)
        self.symdump("--run", "--precision", 64, "--save", f"y={self.folder}/y.npy",
                     "--input", f"x={self.array(np.array([[1.0, 2.0]]), 'x.npy')}", path)
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), [[terms + 1.0, 2 * terms + 2.0]])

    def test_a_long_chain_of_names(self):
        text = "x: (2,)\n" + "".join(f"y{k} = x + y{k - 1}\n" if k else "y0 = x * 1\n" for k in range(3000 // SHARE))
        self.symdump("--verify", self.file(text))


if __name__ == "__main__":
    main()
