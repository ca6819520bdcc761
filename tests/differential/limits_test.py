"""Programs that are long or deep: no form of them is too much, none needs a stack as deep as they are.

    limits_test.py SYMDUMP [--share N] [unittest arguments]

N: of their lengths the N-th part. AddressSanitizer's build takes ten times as long for them.
"""

import resource
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


LEVELS, STACK = 50000 // SHARE, 512 << 10


def small_stack():
    """What sanitizers need more than."""
    if SHARE == 1:
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, resource.getrlimit(resource.RLIMIT_STACK)[1]))


class Nesting(Cli):
    """What is nested without an end is an error with its place, however small the stack is."""

    HEAD = "import numpy as np\nx: (2,)\ny = x * 2\n"

    def too_deep(self, lines, what="", places=r":\d+:\d+: "):
        path = self.file(self.HEAD + lines)
        self.refused(path, says=places + what + ".* nested (more than 100|too) deep", preexec_fn=small_stack)

    def test_brackets(self):
        n = LEVELS
        for text in ("a = " + "[" * n + "]" * n, "a = " + "(" * n + "1," + ")," * n, "a = " + "{(" * n + "1," + ")}" * n,
                     "a = " + "{'k': " * n + "1" + "}" * n, "a = np.array(" + "[" * n + "1.0" + "]" * n + ")",
                     "a = " + "[*" * n + "[1]" + "]" * n, "a = " + "{**" * n + "{}" + "}" * n,
                     "z: " + "(" * n + "2" + ",)" * n, "a = f'{" + "[" * n + "1" + "]" * n + "}'",
                     "a = " + "[" * n + "x" + " for i in range(1)]" * n):
            with self.subTest(text[:20]):
                self.too_deep(text + "\n", "lists, tuples and dictionaries")

    def test_targets(self):
        n = LEVELS
        for text in ("[" * n + "a" + "]" * n + " = x", "[*" * n + "a" + "]" * n + " = x", "(" * n + "a," + ")," * n + "= x",
                     "del " + "[" * n + "x" + "]" * n, "for " + "[" * n + "a" + "]" * n + " in [x]:\n    pass",
                     "b = [1 for " + "[" * n + "a" + "]" * n + " in [x]]"):
            with self.subTest(text[:20]):
                self.too_deep(text + "\n", "lists, tuples and dictionaries")

    def test_expressions_with_names_of_their_own(self):
        n = LEVELS
        for text in ("f = " + "lambda: " * n + "x", "f = " + "lambda a=" * n + "1" + ": a" * n,
                     "a = " + "(a := " * n + "x" + ")" * n):
            with self.subTest(text[:20]):
                self.too_deep(text + "\n", "lambdas, comprehensions")

    def test_blocks(self):
        n = 1000 // SHARE + 100
        for line in ("if x[0] > 0:", "for i{} in range(2):", "while x[0] < 1:", "def f{}():", "try:"):
            with self.subTest(line):
                self.too_deep("".join(" " * i + line.format(i) + "\n" for i in range(n)) + " " * n + "pass\n", "blocks")
        self.too_deep("if 0:\n    pass\n" + "elif 0:\n    pass\n" * LEVELS, "blocks")

    def test_values_that_a_program_nests(self):
        for begin, body in (("a = []", "a = [a]"), ("a = ()", "a = (a, 1)"), ("a = {}", "a = {'k': a}"),
                            ("f = lambda: 1", "f = lambda g=f: g()"), ("r = a = []", "b = []; a.append(b); a = b"),
                            ("r = a = {}", "a['k'] = {}; a = a['k']"), ("r = a = [1]", "a[0] = [1]; a = a[0]")):
            with self.subTest(body):
                self.too_deep(f"{begin}\nfor i in range({LEVELS}):\n    {body}\n")
                self.too_deep(f"{begin}\n" + f"{body}\n" * (LEVELS // 10))

    def test_values_that_hold_themselves(self):
        for text in ("a = []; a.append(a)", "a = {}; a['k'] = a", "a = []; b = [a]; a.append(b)", "a = [1]; a[0] = [[a]]"):
            with self.subTest(text):
                self.refused(self.file(self.HEAD + text + "\n"), says="prog.py:4:.*holds itself")

    def test_blocks_in_functions_that_call_themselves(self):
        blocks = "".join(" " * (4 + i) + "if n > 0:\n" for i in range(95))
        self.too_deep(f"def f(n):\n    if n == 0:\n        return x\n{blocks}{' ' * 99}return f(n - 1)\n"
                      "    return x\nz = f(190)\n")

    def test_a_hundred_levels_are_not_too_many(self):
        lists = "[" * 100 + "1.0" + "]" * 100
        blocks = "".join(" " * i + "if 1:\n" for i in range(100)) + " " * 100 + "z = y + 1\n"
        path = self.file(self.HEAD + f"a = {lists}\n" + "[" * 100 + "b" + "]" * 100 + f" = a\ny = y + b\n{blocks}")
        for form in FORMS:
            self.symdump("--emit", form, path, preexec_fn=small_stack)
        self.symdump("--verify", path)

    def test_statement_lists(self):
        loops = [" " * i + f"for i{i} in range(0, 2):\n" for i in range(1000)]
        for text in ("".join(loops) + " " * 1000 + "x.mult(2, target=x)\n",
                     'print("{}", ' + "(" * LEVELS + "1" + ")" * LEVELS + ")\n",
                     'y = cm.empty((1, 2))\ncm.fused("y = ' + "(" * LEVELS + "x" + ")" * LEVELS + '")\n'):
            with self.subTest(text[:20]):
                path = self.file("input x: (1, 2)\n" + text + "output x: (1, 2)\n", "deep.list")
                self.refused("--from", path, says=r"deep.list:\d+:\d+: .*nested more than 100 deep",
                             preexec_fn=small_stack)
        path = self.file("input x: (1, 2)\n" + "".join(loops[:100]) + " " * 100 + "x.mult(2, target=x)\n"
                         "output x: (1, 2)\n", "deep.list")
        for form in FORMS:
            self.symdump("--emit", form, "--from", path, preexec_fn=small_stack)


if __name__ == "__main__":
    main()
