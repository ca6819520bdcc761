"""Numbers of Python's in runs of 32 bits: they are doubles, as in Python, and ints up to 2**53 are exact, also where a loop
carries them. Arrays of float32 are combined with them in NumPy, too.

    numbers_test.py SYMDUMP SYMDUMP_BATCH
"""

import random
import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

# In float32 each of these is wrong by 1e-5 to 1, relative to its size.
LOST = {
    "what a decay leaves": "t = 1.0\nfor i in range(2000):\n    t = t * 0.999\ny = X / (1 - t) * t",
    "a bias correction": "y = X * 0\nfor i in range(1, 40):\n    y = X / (1 - 0.999 ** i)",
    "one that is carried": "b = 1.0\nfor i in range(5):\n    b *= 0.999\n    y = X / (1 - b)",
    "a step that shrinks": "h = 0.1\nn = 0\nwhile h > 1e-3:\n    h *= 0.95\n    n += 1\ny = X * (h * 1e5 - 98.0) + n",
    "a sum until it is enough": "s = 0.0\nwhile s < 1000:\n    s += 0.1\ny = X * (s - 1000)",
    "beside an array's condition": "s = 0.0\ny = X * 1\nwhile np.sum(y) > 1e-3 and s < 8:\n    s += 0.1\n    y = y * 0.99\n"
                                   "z = X / (s - 8)",
    "a choice in each iteration": "c = 0.3\nfor i in range(200):\n    if c > 0.5:\n        c = c * 0.7\n    else:\n"
                                  "        c = c * 2 - 0.001 * i\ny = X * c",
    "from a loop into the next": "a = 1.0\nfor i in range(3000):\n    a += 1e-4\nfor i in range(3000):\n    a -= 1e-4\n"
                                 "y = X / (a - 1.0 + 1e-6)",
    "in each other": "a = 0.0\nfor i in range(30):\n    b = a\n    for j in range(i):\n        b += 0.1\n    a = b * 0.9\n"
                     "y = X * (a - 18.0)",
    "swapped": "a = 1 / 3\nb = 1.0\nfor i in range(101):\n    a, b = b, a + 1e-9\ny = X / (a - b + 0.66666)",
    "a remainder": "k = 1\nfor i in range(300):\n    k = k * 48271 % 2147483647\ny = X * k",
    "digits": "k = 1\nwhile k < 10 ** 14:\n    k = k * 3 + 1\ny = X * (k % 1000)",
    "an array becomes of it": "t = 1.0\nfor i in range(6):\n    t = t * 0.999\n    y = X / (1 - t)\n    if i > 4:\n        t = 0.25",
    "until an array decides": "t = 1.0\nfor i in range(50):\n    t = t * 0.999\n    if np.sum(X) * t < 5.9:\n        break\n"
                              "y = X / (1 - t)",
}


class Writer:
    """Programs of numbers alone, and a result that is made of X and of them at the end."""

    NAMES = ("a", "b", "c", "k")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def number(self):
        pick = self.random
        return pick.choice([f"{pick.uniform(0.1, 2):.3f}", str(pick.randint(1, 9)), pick.choice(self.NAMES)])

    def assignment(self):
        pick = self.random
        name = pick.choice(self.NAMES[:3])
        return pick.choice([
            f"{name} = {name} * {pick.uniform(0.7, 0.999):.4f} + {pick.uniform(0, 1):.3f}",
            f"{name} += {pick.uniform(-0.1, 0.1):.3f}",
            f"{name} = ({self.number()} + {self.number()}) / 3.7",
            f"{name} = min({self.number()}, {self.number()} * 0.5) - {self.number()} / 7",
            f"{name} = abs({name} - {self.number()}) ** 0.5",
            f"k = (k * {pick.randint(3, 999)} + {pick.randint(1, 99)}) % {pick.randint(10 ** 5, 10 ** 6)}",
            f"a, b = b, a * {pick.uniform(0.5, 1):.3f}",
        ])

    def block(self, depth, indent):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if depth == 0 or kind < 0.5:
                lines.append(indent + self.assignment())
            elif kind < 0.75:
                self.loops += 1
                lines.append(f"{indent}for i{self.loops} in range({self.random.randint(1, 12)}):")
                lines += self.block(depth - 1, indent + "    ")
            elif kind < 0.9:
                name = self.random.choice(self.NAMES)
                lines.append(f"{indent}if {name} > {self.random.uniform(-1, 2):.2f}:")
                lines += self.block(depth - 1, indent + "    ")
                lines.append(f"{indent}else:")
                lines += self.block(depth - 1, indent + "    ")
            else:
                self.loops += 1
                lines.append(f"{indent}w{self.loops} = 0.5\n{indent}while w{self.loops} < {self.random.randint(1, 4)}:")
                lines += [f"{indent}    w{self.loops} += {self.random.uniform(0.3, 1):.2f}"]
                lines += self.block(depth - 1, indent + "    ")
        return lines

    def program(self):
        lines = ["a, b, c, k = 0.3, 1.7, 2.0, 5"] + self.block(3, "")
        return "\n".join(lines) + "\ny = X * a\nz = X * b + 0\nv = X * c\nw = X * k\n"


class Numbers(SamePrograms):
    inputs = {"X": np.float32([1.5, -2.0, 0.25, 3.0])}
    passes = ("none", "default", "all", "fast", "tree")
    rtol, zeros = 6e-7, False

    def each_in_32_bits(self, programs):
        for name, text in programs.items():
            text = "import numpy as np\n" + text + "\n"
            expected = self.numpy(text)
            for passes, reply in zip(self.passes, self.ask(text, self.passes, 32)):
                with self.subTest(name, passes=passes):
                    reply.arrays = {key: array for key, array in reply.arrays.items() if key in "yzvw"}
                    self.compare(text, passes, reply, expected)

    def test_what_float32_loses(self):
        self.each_in_32_bits(LOST)

    def test_random_programs(self):
        self.each_in_32_bits({seed: Writer(seed).program() for seed in range(60)})

    def test_what_is_printed(self):
        program = self.file("t = 0.1\nk = 1\nfor i in range(30):\n    t = t * 1.1\n    k = k * 3\n    print(t, k)\n")
        t, k, lines = 0.1, 1, []
        for _ in range(30):
            t, k = t * 1.1, k * 3
            lines.append(f"{t} {k}")
        for passes in self.passes[:-1]:
            done = self.symdump("--run", "--precision", 32, "--passes", passes, program)
            self.assertEqual(done.out.splitlines()[:30], lines)


if __name__ == "__main__":
    sys.exit(main())
