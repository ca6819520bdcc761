"""What programs print of arrays is what Python prints.

    prints_test.py SYMDUMP [unittest arguments]
"""

import contextlib
import io
import subprocess
import sys

import numpy as np

from cli import Cli, main

BEGIN = """import numpy as np
x = np.linspace(0, 1, 5) ** 2
n = np.arange(6).reshape(2, 3)
"""

PROGRAMS = {
    "vectors": "print(x)\nprint('x is', x * 2, 'and', x[0])\nprint(-x / 3)",
    "matrices": "print(np.outer(x, x))\nprint(np.outer(x, x).T[:2] * 1e6)",
    "more dimensions": "print(n.reshape(1, 2, 3) * 1.5)\nprint(np.ones((2, 2, 2)) * x[1])",
    "integers and booleans": "print(n, n > 2)\nprint(n.sum(axis=0) - 7)\nprint(n[0] > 5, (n * 0 == 0)[0])",
    "what is not finite": "print(np.log(x - 0.25))\nprint(x / 0 * 0 + np.array([1, np.inf, np.nan, -np.inf, 0]))",
    "long ones": "print(np.arange(2000.0))\nprint(np.arange(40) * 1.25)\nprint(np.arange(5000).reshape(50, 100))",
    "scientific ones": "print(x * 1e-9)\nprint(np.array([1e-5, 1.0, 1e6]) * x[1])\nprint(x * 1e300)",
    "of one element": "print(x[:1], x[:1].reshape(1, 1), n[:1, :1])",
    "in texts": "print(f'{x} {x!r}')\nprint('%s|%r' % (x, n))\nprint('{}'.format(n), str(x) + '!', repr(n[1]))",
    "in containers": "print([x, n[0]], (x,), {'w': x * 2})\nprint([x > 0.2])",
    "in a loop": "for i in range(4):\n    x = x * 0.5 + i\n    print(i, x)",
    "under a condition": "for i in range(4):\n    x = x * 1.5\n    if x.sum() > 4:\n        print('large', x)\n",
    "as it was": "y = x.copy()\ns = str(y)\ny += 1\nprint(s, y)",
    "a list that grew": "l = []\nfor i in range(5):\n    x = x * 0.5\n    l.append(float(x.sum()))\nprint(l)",
    "without elements": "print(np.zeros(0), x[5:], np.zeros((0, 3)), f'{x[:0]}')",
    "an exception": "try:\n    raise ValueError(f'bad {x}')\nexcept ValueError as e:\n    print(e)",
}


class Prints(Cli):
    def printed(self, *arguments):
        return self.symdump("--run=npmat", "--precision", "64", *arguments).stdout.decode().split("# ran ")[0]

    def test_what_python_prints(self):
        for name, program in PROGRAMS.items():
            text = BEGIN + program + "\n"
            expected = io.StringIO()
            with contextlib.redirect_stdout(expected), contextlib.redirect_stderr(io.StringIO()), np.errstate(all="ignore"):
                exec(text, {})  # pylint: disable=exec-used
            for passes in ("none", "default", "all", "fast"):
                with self.subTest(name, passes=passes):
                    self.assertEqual(self.printed("--passes", passes, self.file(text)), expected.getvalue())

    def test_a_list_is_read_back(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                text = self.file(BEGIN + program + "\n")
                listing = self.file(self.symdump(text).stdout.decode(), "program.list")
                self.assertEqual(self.printed("--from", listing), self.printed(text))

    def test_printed_modules_print_it(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                text = self.file(BEGIN + program + "\n")
                module = self.symdump("--emit", "numpy", "--precision", "64", text).stdout.decode()
                got = io.StringIO()
                names = {"__name__": "module"}
                with contextlib.redirect_stdout(got), np.errstate(all="ignore"):
                    exec(module, names)  # pylint: disable=exec-used
                    names["program"]()
                self.assertEqual(got.getvalue(), self.printed(text))

    def test_of_a_printed_cpp_program(self):
        text = "import numpy as np\nx = np.array([-0.3, 0.25])\nprint('%d' % x[0], round(x[0]), int(x[0]), f'{round(x[0]):+d}')\n"
        source, program = self.folder / "program.cpp", self.folder / "program"
        source.write_bytes(self.symdump("--emit", "cpp", self.file(text)).stdout)
        subprocess.run(["g++", "-std=c++17", "-O1", source, "-o", program], check=True)
        ran = subprocess.run([program], capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout.splitlines()[0], "0 0 0 +0")
        with open("/dev/full", "w", encoding="ascii") as full:
            ended = subprocess.run([program], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (1, "standard output cannot be written\n"))


if __name__ == "__main__":
    sys.exit(main())
