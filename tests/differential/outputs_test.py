"""Every variable of a program is an output at the end, or is known when the program is read, or symdump says why not.

    outputs_test.py SYMDUMP [unittest arguments]
"""

import re
import types

import numpy as np

from cli import Cli, main

HEAD = "import numpy as np\nX: (4, 3)\nV: (5,)\n"
# Programs whose last variables are of every kind.
KINDS = [
    'r = [v * 2 for v in V]',
    'r = [v for v in V if v > 0]',
    'r = V + 1j',
    'r = 0j\nif V[0] > 0:\n    r = (V + 1j).sum()',
    'r = (V + 1j)[2]',
    'r = 1 + 2j',
    'r = (V + 1j).sum()',
    "from collections import Counter\nr = Counter('aab')",
    'from dataclasses import dataclass\n@dataclass\nclass D:\n    a: object\n    b: float\nr = D(V + 1, V.sum())',
    "from collections import defaultdict\nr = defaultdict(list)\nr['a'].append(V.sum())",
    'from collections import deque\nr = deque([V + 1, V.sum()])',
    "r = {'a': V + 1, 'b': X * 2}",
    'r = {i: V[i] for i in range(3)}',
    "r = {'a': {'b': V.sum()}, 'c': [V.max()]}",
    "r = {'a': V.sum(), 'b': 2}",
    'r = divmod(V[0], 2)',
    "from enum import Enum\nclass E(Enum):\n    A = 1\nr = E.A",
    'for i, r in enumerate(V):\n    pass',
    'r = np.float32(V[0])',
    'r = (V[i] for i in range(3))',
    'g = (V[i] * 2 for i in range(3))\nr = next(g)',
    'def f():\n    global r\n    r = V.sum()\nf()',
    'r = 0\ndef f():\n    global r\n    r += V.sum()\nf()',
    'r = 0\nfor i in range(5):\n    if V[i] > 0:\n        r += 1',
    'r = 0.0\nfor i in range(5):\n    if V[i] > 0:\n        r += V[i]',
    'r = False\nif V[0] > 0:\n    r = True',
    'if V[0] > 0:\n    r = V.sum()\nelse:\n    r = V.max()',
    'if V[0] > 0:\n    r = 1.5\nelse:\n    r = 2.5',
    'r = 1\nif V[0] > 0:\n    r = 2',
    'r = []\nif V[0] > 0:\n    r.append(V + 1)',
    'r = 1\nif V[0] > 0:\n    r = 2.5',
    'r = None\nif V[0] > 0:\n    r = V.sum()',
    'r = None\nif V[0] > 0:\n    r = 3',
    'if V[0] > 0:\n    r = V.sum()',
    'if V[0] > 0:\n    r = V + 1',
    'if V[0] > 0:\n    r = 3',
    'r = (1, 2)\nif V[0] > 0:\n    r = (3, 4)',
    'r = V',
    'r = V.astype(int)',
    'r = V.sum().item()',
    'r = X.shape[0] > 2',
    'r = 0.5 * X.shape[0]',
    'r = X.shape[0]',
    "r = 'a' + str(X.shape[0])",
    'r = [V + 1, X * 2]',
    'r = []\nfor i in range(5):\n    r.append(V[i] * 2)',
    'r = []\nfor i in range(5):\n    if V[i] > 0:\n        r.append(V[i] * 2)',
    'r = [1, 2, 3]',
    'r = [[V.sum(), V.mean()], [V.max(), 1.0]]',
    "r = [V.sum(), V + 1, 'a', None]",
    'r = [np.float64(1), np.float64(2)]',
    'r = [V.sum(), V.mean()]',
    'for i in range(5):\n    if V[i] > 0:\n        r = i\n        break',
    'for r in range(5):\n    x = V[r]',
    'for r in V:\n    x = r * 2',
    'for r in X:\n    x = r.sum()',
    'r = [V.sum()] * 3',
    'r = max(V[0], V[1])',
    "from collections import namedtuple\nT = namedtuple('T', 'a b')\nr = T(V + 1, V.sum())",
    'r = None',
    'r = np.nonzero(V > 0)',
    'r = np.float64(0)\nif V[0] > 0:\n    r = np.float64(2)',
    'r = V[0] > 0',
    'r = np.sqrt(V[0])',
    'r = V.argmax()',
    'from types import SimpleNamespace\nr = SimpleNamespace(a=V.sum(), b=V + 1)',
    'class C:\n    def __init__(self):\n        self.w = V + 1\n        self.n = V.sum()\nr = C()',
    'class C:\n    def __init__(self, k):\n        self.w = V + k\nr = [C(1), C(2)]',
    'class C:\n    def __init__(self):\n        self.s = V[V > 0]\nr = C()',
    'r = bool(V[0] > 0)',
    'r = float(V[0])',
    'r = int(V[0])',
    'r = range(3)',
    'r = V[V > 0]',
    'r = (V + 1j)[V > 0]',
    "r = {'p': V[V > 0]}",
    'r = [V[V > 0], V[V < 0]]',
    'r = V[V > 0]\ns = r.sum()',
    'r = (V[V > 0], V[V < 0])',
    'r = V[V > 0]\nt = r * 2\ns = t.sum()',
    'r = {1, 2}',
    'r = X.shape',
    'k = int(V.sum())\nr = V[:k]',
    'r = sorted(V)',
    'r = sorted(V[V > 0])',
    'a, *r = V',
    "r = f'{V.sum():.3f}'",
    'r = sum(v for v in V)',
    'r = V.tolist()',
    'try:\n    r = V.sum()\nexcept ValueError:\n    r = 0.0',
    'r = (V + 1, V.sum())',
    'r = (1, 2)',
    'r = V.astype(np.uint8)[0]',
    'r = np.unique(V)',
    'r = np.unique(V, return_counts=True)',
    'r = V[1:]',
    'if (r := V.sum()) > 0:\n    pass',
    'r = np.where(V > 0)[0]',
    'r = 0\nx = V.sum()\nwhile x > 0.5:\n    x = x / 2\n    r += 1',
    "with np.errstate(all='ignore'):\n    r = V / 0",
    'r = np.array(V.sum())',
    'r = list(zip(V, V))',
]
# What is neither: with a part of what symdump says.
SAID = {
    "r = f'{V.sum():.3f}'": "no output: r, ",
    "r = (V[i] for i in range(3))": "no output: r, ",
}


def names_of(text):
    """Those that a report or a list has."""
    known = re.search(r"(?m)^# known when the program is read: (.*)$", text)
    names = set(known.group(1).split(", ")) if known else set()
    names |= set(re.findall(r"(?m)^(\w+)  +\w+ +\(", text))
    return names | set(re.findall(r"no output: (\w+), ", text))


def is_value(value):
    return not isinstance(value, (type, types.ModuleType, types.FunctionType))


class Outputs(Cli):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        self.inputs = {"X": rng.random((4, 3)), "V": rng.random(5) - .3}
        self.given = [f"--input={name}={self.array(data, name + '.npy')}" for name, data in self.inputs.items()]

    def each_name(self, program):
        """A variable, or of one that is none by itself its parts."""
        names = dict(self.inputs)
        exec(HEAD + program, names)  # pylint: disable=exec-used
        return [name for name, value in names.items() if name[0] != "_" and name not in ("X", "V") and is_value(value)]

    def test_each_variable_is_an_output_or_is_told(self):
        for program in KINDS:
            with self.subTest(program=program):
                path = self.file(HEAD + program + "\n")
                report = self.symdump("--verify=numpy", "--precision=64", path, *self.given).out
                names = names_of(report + self.symdump(path, *self.given).out)
                for name in self.each_name(program):
                    self.assertTrue(any(each == name or each.startswith(name + "_") for each in names), (name, report))

    def test_what_is_no_output_is_told(self):
        for program, says in SAID.items():
            self.assertIn(says, self.symdump(self.file(HEAD + program + "\n")).out)


if __name__ == "__main__":
    main()
