"""Programs of several files: what they compute has the values of CPython with NumPy, which imports the same files.

    modules_test.py SYMDUMP SYMDUMP_BATCH
"""

import contextlib
import json
import re
import sys

import numpy as np

from cli import main
from parts import OWN_MODULES, with_parts
from same_programs import SamePrograms

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])
V = np.array([1.5, -2.0, 0.25, 3.0, -0.5])

LAYERS = '''--- layers.py
"""Layers of a network."""
import numpy as np

SCALE = 0.5
count = 0

def relu(x):
    return np.maximum(x, 0) * SCALE

class Dense:
    rate = 0.1
    def __init__(self, n, m):
        global count
        count += 1
        self.W = np.arange(n * m).reshape(n, m) / 10.0 + count
        self.b = np.zeros(m)
    def forward(self, x):
        return relu(x @ self.W + self.b)
    def step(self, x):
        self.W -= self.rate * (x.T @ self.forward(x))

if __name__ == "__main__":
    raise ValueError("imported modules are not the program")
'''
PACKAGE = '''--- net/__init__.py
from .layers import Dense, SIZE
from . import losses
name = "net"
--- net/layers.py
import numpy as np
from .core.base import Layer
from . import losses as L
SIZE = 3
class Dense(Layer):
    def __init__(self, n):
        super().__init__(n)
        self.W = np.ones((n, SIZE))
    def forward(self, x):
        return self.keep(x @ self.W)
    def loss(self, x):
        return L.mse(self.forward(x), 1.0)
--- net/losses.py
import numpy as np
def mse(y, t):
    return np.mean((y - t) ** 2)
def mae(y, t):
    return np.abs(y - t).mean()
--- net/core/__init__.py
--- net/core/base.py
from .. import losses
class Layer:
    made = 0
    def __init__(self, n):
        self.n = n
        Layer.made += 1
    def keep(self, y):
        self.y = y
        return y
    def error(self):
        return losses.mae(self.y, 2.0)
'''
CONFIG = '''--- config.py
import numpy as np
RATE = 0.25
STEPS = 4
NAMES = ["a", "b"]
TABLE = {"x": 2.0, "y": np.array([1.0, 2.0, 3.0])}
BUFFER = np.zeros(3)
def rate():
    return RATE
def add(x):
    BUFFER[:] += x
    TABLE["x"] = TABLE["x"] + 1
    return BUFFER.sum()
def reset():
    global BUFFER, STEPS
    BUFFER = np.zeros(3)
    STEPS = STEPS + 1
'''

PROGRAMS = {
    "import": LAYERS + "--- main\nimport layers\nd = layers.Dense(3, 2)\ny = d.forward(A)\nr = layers.relu(A)",
    "import as": LAYERS + "--- main\nimport layers as l\nr = l.relu(A) * l.SCALE",
    "from": LAYERS + "--- main\nfrom layers import relu, Dense as D\nd = D(3, 2)\nr = relu(d.forward(A))",
    "within a function": LAYERS + "--- main\ndef f(x):\n    from layers import relu\n    import layers as other\n    return relu(x) + other.SCALE\nr = f(A) + f(A * 2)",
    "a loop": LAYERS + "--- main\nfrom layers import Dense\nd = Dense(3, 3)\nfor i in range(7):\n    d.step(A / (i + 1))\nr = d.W",
    "a counter of the module": LAYERS + "--- main\nimport layers\nfor i in range(3):\n    d = layers.Dense(3, 2)\nr = A * layers.count + d.W[0, 0]",
    "written from outside": LAYERS + "--- main\nimport layers\nr = layers.relu(A)\nlayers.SCALE = 3\ns = layers.relu(A)\nlayers.extra = A * 2\nt = layers.extra",
    "its own globals": LAYERS + "--- main\nSCALE = 100\nfrom layers import relu\nr = relu(A)\nSCALE = 7\ns = relu(A) * SCALE",
    "a function of its own is replaced": LAYERS + "--- main\nimport layers\nlayers.relu = lambda x: x * 2\nr = layers.Dense(3, 2).forward(A)",
    "all names": LAYERS + "--- main\nfrom layers import *\nr = relu(A) * SCALE + Dense(3, 3).b",
    "__all__": "--- m.py\n__all__ = ['f', '_g']\ndef f(x):\n    return x + h(x)\ndef _g(x):\n    return x * 2\ndef h(x):\n    return x * 3\n"
               "--- main\nh = 5.0\nfrom m import *\nr = f(A) + _g(A) * h",
    "all names of NumPy's in a module": "--- m.py\nfrom numpy import *\ndef f(x):\n    return exp(x) + pi\n--- main\nfrom m import f\nexp = 3\nr = f(A) * exp",
    "setattr and getattr": CONFIG + "--- main\nimport config\nsetattr(config, 'RATE', 2.0)\nr = config.rate() * A * getattr(config, 'none', 3.0)\n"
                           "s = 1.0 * hasattr(config, 'RATE') + 10.0 * hasattr(config, 'nothing') + A",
    "arrays of a module": CONFIG + "--- main\nimport config\nfrom config import BUFFER\nt = config.add(A[0])\nconfig.BUFFER += 1\nr = BUFFER + config.TABLE['x'] * config.TABLE['y']",
    "arrays of a module in a loop": CONFIG + "--- main\nimport config as c\nt = 0.0\nfor i in range(5):\n    t = t + c.add(A[0] * i)\nr = c.BUFFER * c.TABLE['x']",
    "bound anew by a function": CONFIG + "--- main\nimport config\nfrom config import BUFFER as old\nx = config.add(A[0])\nconfig.reset()\ny = config.add(A[1])\nr = old - config.BUFFER\ns = A * config.STEPS",
    "bound anew in a loop": CONFIG + "--- main\nimport config\nt = 0.0\nfor i in range(4):\n    t = t + config.add(A[0] * i)\n    config.reset()\nr = config.BUFFER + config.STEPS",
    "changed from outside in a loop": CONFIG + "--- main\nimport config\nfor i in range(6):\n    config.RATE *= 0.5\n    config.BUFFER = config.BUFFER + A[0] * config.RATE\nr = config.BUFFER * config.rate()",
    "changed at run time": CONFIG + "--- main\nimport config\nif A.sum() > 3:\n    config.RATE = A.max()\nr = A * config.rate()",
    "a list of a module": CONFIG + "--- main\nimport config\nconfig.NAMES.append('c')\nr = A * len(config.NAMES)\nfrom config import NAMES\ns = A + (NAMES is config.NAMES)",
    "a package": PACKAGE + "--- main\nimport net\nd = net.Dense(3)\ny = d.forward(A)\nl = net.losses.mse(y, 2) + d.error() + d.loss(A)\nr = A * net.SIZE",
    "modules of a package": PACKAGE + "--- main\nimport net.layers\nimport net.losses as losses\nfrom net.core.base import Layer\nfrom net import core\nd = net.layers.Dense(3)\n"
                            "y = d.forward(A)\nr = losses.mae(y, 1) + Layer.made + core.base.Layer.made\ns = A + isinstance(d, Layer)",
    "a package's name": PACKAGE + "--- main\nimport net.core.base as base\nr = A * (base.__name__ == 'net.core.base') * (net_is := 2)\nimport net\ns = A * (net.name == 'net') * (net.__name__ == 'net')",
    "a folder without __init__": "--- tools/maths/extra.py\ndef f(x):\n    return x + 1\n--- tools/more.py\nfrom .maths.extra import f\nfrom tools.maths import extra as e\n"
                                 "def g(x):\n    return f(x) * e.f(x)\n--- main\nfrom tools import more\nfrom tools.maths.extra import f\nr = f(A) + more.g(A)",
    "a circle of names that exist": "--- a.py\nX = 2.0\ndef f(x):\n    return b.g(x) * X\nimport b\nY = b.Z + 1\n--- b.py\nimport a\nZ = a.X * 3\ndef g(x):\n    return x + a.Y + h(x)\n"
                                    "def h(x):\n    from a import Y\n    return x * Y\n--- main\nimport a\nr = a.f(A) + a.Y",
    "a circle that a module ends": "--- a.py\nfrom b import g\ndef f(x):\n    return g(x)\ndef k(x):\n    return x * 2\n--- b.py\ndef g(x):\n    import a\n    return a.k(x)\n--- main\nfrom a import f\nr = f(A)",
    "read once": "--- once.py\nprint('read')\nstate = [0]\n--- a.py\nimport once\nonce.state[0] += 1\n--- b.py\nfrom once import state\nstate[0] += 1\n"
                 "--- main\nimport a, b, once\nimport once as again\nr = A * again.state[0]\nprint(again.state[0])",
    "an error in it is caught": "--- bad.py\nX = 1\nraise ValueError('no')\n--- main\ntry:\n    import bad\n    r = A\nexcept ValueError:\n    r = A * 2\ntry:\n    from bad import X\nexcept ValueError as e:\n    s = A * 3",
    "a name that is missing is caught": LAYERS + "--- main\ntry:\n    from layers import missing\nexcept ImportError:\n    missing = 3.0\ntry:\n    import layers.deep\nexcept ModuleNotFoundError:\n    missing += 1\n"
                                        "import layers\ntry:\n    layers.gone\nexcept AttributeError:\n    missing += 5\nr = A * missing",
    "conditions and loops at its top": "--- m.py\nimport numpy as np\nif np.pi > 3:\n    k = 2.0\nelse:\n    k = 3.0\nW = np.zeros(3)\nfor i in range(4):\n    W = W * k + i\ntotal = 0.0\nwhile total < 10:\n    total += W.sum()\n"
                                       "cubes = [j ** 3 for j in range(4)]\n--- main\nimport m\nr = A * m.W + m.total + m.k + m.i + m.cubes[-1]",
    "functions that take functions": "--- solvers.py\ndef newton(f, df, x, steps=5):\n    for _ in range(steps):\n        x = step(f, df, x)\n    return x\ndef step(f, df, x):\n    return x - f(x) / df(x)\n"
                                     "--- main\nfrom solvers import newton\nc = 2.0\ndef f(x):\n    return x * x - c\nr = newton(f, lambda x: 2 * x, np.abs(A) + 1)",
    "objects of several modules": "--- data.py\nfrom dataclasses import dataclass\nimport numpy as np\n@dataclass\nclass Batch:\n    x: np.ndarray\n    size: int = 2\ndef batches(X, n):\n    for i in range(0, len(X), n):\n        yield Batch(X[i:i + n])\n"
                                  "--- opt.py\nclass SGD:\n    def __init__(self, params, lr=0.1):\n        self.params, self.lr = params, lr\n    def step(self, grads):\n        for p, g in zip(self.params, grads):\n            p -= self.lr * g\n"
                                  "--- main\nfrom data import batches\nimport opt\nw = np.ones(3)\nsgd = opt.SGD([w], lr=0.5)\nfor b in batches(A, 1):\n    sgd.step([b.x.sum(axis=0) * b.size])\nr = w * 1",
    "appends at run time": "--- log.py\nlosses = []\ndef note(x):\n    if x > 2:\n        losses.append(x)\n--- main\nimport log\nfor row in A:\n    log.note(row.sum())\nr = np.array(log.losses)",
    "decorators and constants": "--- deco.py\nimport functools\nfrom enum import Enum\nclass Mode(Enum):\n    UP = 1\n    DOWN = 2\ndef twice(f):\n    @functools.wraps(f)\n    def g(*args, **kwargs):\n        return f(f(*args, **kwargs))\n    return g\n"
                                "--- main\nfrom deco import twice, Mode\nmode = Mode.UP\n@twice\ndef f(x):\n    return x * 3 if mode is Mode.UP else x\nr = f(A)",
    "lambdas and comprehensions": "--- m.py\nK = 3\npowers = [lambda x, n=n: x ** n + K for n in range(3)]\nwith_k = lambda x: [x * k + K for k in range(K)]\n--- main\nimport m\nK = 50\nr = sum(p(A) for p in m.powers) + m.with_k(A)[2]",
    "exceptions of a module": "--- errors.py\nclass Bad(Exception):\n    pass\ndef check(n):\n    if n > 2:\n        raise Bad('too many')\n    return n\n--- main\nimport errors\ntry:\n    errors.check(3)\n    r = A\nexcept errors.Bad:\n    r = A * 4",
    "a module with a name of Python's": "--- statistics.py\ndef mean(x):\n    return x * 100\n--- main\nimport statistics\nr = statistics.mean(A)",
    "the same names in several files": "--- a.py\ndef f(x):\n    n = 2\n    return x * n + g(x)\ndef g(x):\n    return x\n--- b.py\ndef f(x):\n    return g(x)\ndef g(x):\n    return x + 10\n--- main\nimport a, b\ndef g(x):\n    return x - 5\nr = a.f(A) * b.f(A) - g(A)",
    "a global of two files": "--- a.py\nn = 0\ndef up():\n    global n\n    n += 1\n    return n\n--- main\nimport a\nn = 10\ndef down():\n    global n\n    n -= 1\n    return n\nt = 0.0\nfor i in range(3):\n    t = t + a.up() * down()\nr = A * n + a.n * t",
    "declarations without a value": "--- m.py\nimport numpy as np\nrate: float\nX: np.ndarray\nsize: int = 3\ndef f(x):\n    y: float = 2.0\n    return x * y * size\n--- main\nfrom m import f\nr = f(A)",
    "known modules of a module": "--- m.py\nimport math\nimport itertools as it\nfrom functools import reduce\nfrom collections import namedtuple\nfrom typing import List\nP = namedtuple('P', 'a b')\ndef f(x: List[float]):\n"
                                 "    p = P(math.sqrt(4), sum(i * j for i, j in it.product(range(2), range(3))))\n    return x * p.a + reduce(lambda s, t: s + t, [p.b, 1])\n--- main\nimport m\nr = m.f(A)\ns = m.math.pi * A",
}

# Modules of Python, of which a converter has what computes.
PYTHONS = {
    "statistics": "import statistics\nxs = [1.0, 2.0, 4.0, 4.0]\nr = A * statistics.mean(xs) + statistics.median(xs) + statistics.stdev(xs)\n"
                  "s = A * statistics.variance(xs) + statistics.mode([1, 1, 2]) + statistics.median_low([3, 1, 2, 4]) + statistics.median_high(xs)",
    "means": "from statistics import fmean, pstdev, pvariance\nimport statistics as st\nr = A * fmean([1, 2, 3]) + pstdev([1.0, 5.0]) + pvariance([1.0, 2.0]) + st.harmonic_mean([1.0, 2.0])\n"
             "s = A * st.geometric_mean([1.0, 4.0]) + st.mean([1, 2]) + sum(st.multimode('aabbc') == [x, 'b'] for x in 'ab')",
    "of run-time values": "import statistics\nlosses = []\nfor i in range(4):\n    losses.append((A * i).sum())\nr = A - statistics.mean(losses)\ns = statistics.stdev(losses)",
    "an exception of it": "import statistics\ntry:\n    m = statistics.mean([])\nexcept statistics.StatisticsError:\n    m = 2.0\ntry:\n    statistics.stdev([1.0])\nexcept ValueError:\n    m += 1\nr = A * m",
    "string": "import string\nn = len(string.ascii_letters + string.digits + string.punctuation + string.whitespace + string.hexdigits)\ntable = {c: i for i, c in enumerate(string.ascii_uppercase)}\n"
              "r = A * n\ns = np.array([table[c] for c in 'HELLO']) * 1.0",
    "suppress": "import contextlib\nfrom contextlib import suppress\nk = 1.0\nwith suppress(KeyError):\n    k = {}['a']\nwith contextlib.suppress(KeyError, ValueError):\n    k = 3.0\n    raise ValueError('x')\nr = A * k",
    "nullcontext": "from contextlib import nullcontext, contextmanager\n@contextmanager\ndef scaled(x):\n    yield x * 2\nwith nullcontext():\n    r = A * 2\nwith nullcontext(3) as n, scaled(A) as y:\n    s = y * n",
    "argparse": "import argparse\np = argparse.ArgumentParser(description='x')\np.add_argument('-l', '--learning-rate', type=float, default='0.5', help='rate')\np.add_argument('--n', type=int, default=3)\n"
                "p.add_argument('--fast', action='store_true')\ng = p.add_argument_group('more')\ng.add_argument('--out')\nargs = p.parse_args([])\nr = A * args.learning_rate * args.n\nif not args.fast and args.out is None:\n    r = r + 1\ndel p, g, args",
    "typing": "from typing import TYPE_CHECKING, Optional\nimport typing\nif TYPE_CHECKING:\n    from nowhere import Nothing\nif not typing.TYPE_CHECKING:\n    k: Optional[int] = 2\ndef f(x: 'Nothing') -> typing.List[float]:\n    return x * k\nr = f(A)",
    "abc": "import abc\nclass B(metaclass=abc.ABCMeta):\n    @abc.abstractmethod\n    def f(self, x): ...\n    @property\n    @abc.abstractmethod\n    def k(self): ...\n    @property\n    def m(self):\n        return 5\n"
           "class C(B):\n    k = 3\n    def f(self, x):\n        return x * self.k * self.m\nr = C().f(A)",
    "logging": "import logging\nlog = logging.getLogger(__name__)\nfor i in range(3):\n    A = A * 2\n    log.debug('sum %f', A.sum())\nif log.isEnabledFor(logging.DEBUG):\n    log.debug('x')\nr = A * 1",
    "what is ignored": "import os, sys, json\nos.environ['CUDAMAT_NOTHING'] = '1'\nn = int(sys.argv[1]) if len(sys.argv) > 7 else 3\nname = json.dumps({'n': n})\npath = os.path.join('data', 'x')\nr = A * n",
}

REFUSED = {
    "--- main\nfrom .x import y\nr = A": "attempted relative import with no known parent package",
    "--- p/__init__.py\nfrom ... import y\n--- main\nimport p\nr = A": "beyond top-level package",
    "--- p/__init__.py\nfrom .gone import y\n--- main\nimport p\nr = A": r"p/__init__.py:1:1: No module named 'p.gone'",
    LAYERS + "--- main\nfrom layers import gone": r"cannot import name 'gone' from 'layers' \(.*layers.py\)",
    LAYERS + "--- main\nimport layers\nr = A * layers.gone": "module 'layers' has no attribute 'gone'",
    LAYERS + "--- main\nimport layers.gone": "No module named 'layers.gone'",
    "--- a.py\nfrom b import g\ndef f(x):\n    return x\n--- b.py\nfrom a import f\ng = 1\n--- main\nimport a\nr = A":
        r"b.py:1:1: cannot import name 'f' from partially initialized module 'a' \(most likely due to a circular import\)",
    "--- a.py\nimport b\nX = 1\n--- b.py\nimport a\nY = a.X\n--- main\nimport a\nr = A":
        r"b.py:2:5: partially initialized module 'a' has no attribute 'X' \(most likely due to a circular import\)",
    "--- m.py\nimport numpy as np\n\ndef f(x):\n    return x @ np.ones((7, 2))\n--- main\nfrom m import f\nr = f(A)":
        r"m.py:4:12: \[matmul\] shapes \(2, 3\) and \(7, 2\) not aligned.*return x @ np.ones\(\(7, 2\)\)\n +\^~",
    "--- m.py\ndef f(x):\n    return hidden(x)\n--- main\ndef hidden(x):\n    return x\nimport m\nr = m.f(A)": "m.py:2:12: name 'hidden' is not defined",
    "--- m.py\ndef f(x):\n    return A * x\n--- main\nimport m\nr = A + m.f(2)": "m.py:2:12: name 'A' is not defined",
    "--- m.py\nx = 1\nif x\n    y = 2\n--- main\nimport m\nr = A": "m.py:2:5: expected ':'",
    "--- m.py\nraise ValueError('no')\n--- main\nr = A\nimport m": "m.py:1:1: the program raises an exception: ValueError",
    "--- m.py\nx = 1\n--- main\nimport other\nr = other.f(A)": "files of the program in .*; got other",
    LAYERS + "--- main\nwhile A.sum() < 5:\n    import layers\n    A = A * 2": "first imported in a loop",
}


def files_of(text):
    """By name; the program itself is `main`."""
    parts = re.split(r"^--- (\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Modules(SamePrograms):
    inputs = {"A": A, "V": V}

    def written(self, text):
        """Its program, whose modules then lie in a new folder."""
        files = files_of(text)
        program = "import numpy as np\n" + files.pop("main") + "\n"
        folder = self.folder / f"program-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        self.folders = (str(folder),)
        return program

    @contextlib.contextmanager
    def modules(self):
        """CPython imports from the folder, and forgets that afterwards."""
        folder, before = self.folders[0], dict(sys.modules)
        sys.path.insert(0, folder)
        for name in ("statistics",):
            sys.modules.pop(name, None)
        try:
            yield
        finally:
            sys.path.remove(folder)
            sys.path_importer_cache.clear()
            for name in set(sys.modules) - set(before):
                OWN_MODULES.add(name)
                del sys.modules[name]
            sys.modules.update(before)

    def numpy(self, text):
        if not self.folders:
            return super().numpy(text)
        with self.modules(), contextlib.redirect_stdout(None):
            return super().numpy(text)

    def test_programs(self):
        sys.dont_write_bytecode = True
        for name, text in PROGRAMS.items():
            program = self.written(text)
            expected = with_parts(self.numpy(program))
            for passes, reply in zip(self.passes, self.ask(program, self.passes)):
                with self.subTest(name, passes=passes):
                    self.compare(text, passes, reply, expected)
                    self.assertIn("r", reply.arrays)

    def test_modules_of_python(self):
        self.each(PYTHONS)

    def test_errors_name_functions_and_calls(self):
        text = "--- lay.py\nclass Dense:\n    def forward(self, x):\n        return x @ x\ndef use(d, x):\n    return d.forward(x)\n--- main\nfrom lay import Dense, use\ny = use(Dense(), A)\n"
        path = self.program(text, A=(2, 3))
        says = self.refused(path)
        self.assertIn(f"{path.parent}/lay.py:3:16: ", says)
        self.assertTrue(says.endswith(f"\n    in Dense.forward, called at {path.parent}/lay.py:5\n    in use, called at {path}:4\n"), says)
        path = self.program("--- m.py\nimport numpy as np\nx = np.ones(3) @ np.ones(2)\n--- main\nimport m\n")
        self.assertTrue(self.refused(path).endswith(f"\n    in m, imported at {path}:2\n"))

    def test_refusals(self):
        for text, says in REFUSED.items():
            with self.subTest(text):
                program = self.written(text)
                reply = self.ask(program, ("none",))[0]
                self.assertEqual(reply.failure, "refused", f"{text}\n{reply}")
                self.assertRegex(reply.detail, re.compile(says, re.DOTALL))
                with self.assertRaises(Exception, msg=text):  # CPython does not run it either
                    if "got other" in says or "first imported" in says:
                        raise ValueError
                    self.numpy(program)

    def program(self, text, **shapes):
        """A folder with the program main.py, whose inputs have these shapes."""
        program = self.written(text)
        path = self.folder / self.folders[0] / "main.py"
        path.write_text("".join(f"{k}: {v}\n" for k, v in shapes.items()) + program, encoding="utf-8")
        return path

    def test_symdump_finds_modules_beside_the_program(self):
        path = self.program(PACKAGE + "--- main\nimport net\nd = net.Dense(3)\ny = d.forward(A)\nl = d.error()\n", A=(2, 3))
        for program, where in ((path, None), ("main.py", path.parent)):
            out = self.symdump(program, "--verify=numpy", cwd=where).out
            self.assertIn("verified: statements and NumPy", out)
            self.assertRegex(out, r"\bd_W\b")

    def test_path(self):
        self.program(LAYERS + "--- main\n")
        folder = self.folders[0]
        program = self.file("import layers\nimport numpy as np\nA: (2, 3)\nr = layers.relu(A)\n")
        self.refused(program, says=f"files of the program in {re.escape(str(self.folder))}; got layers")
        self.assertIn("verified", self.symdump("--path", folder, "--verify=numpy", program).out)
        text = program.read_bytes()
        self.assertIn("verified", self.symdump("--path", "/nowhere", "--path", folder, "--verify=numpy", "-", input=text).out)
        done = self.symdump("-", input=text, status=2, cwd=folder)  # standard input has no folder
        self.assertIn("got layers", done.err)

    def test_the_programs_folder_comes_first(self):
        path = self.program("--- m.py\nK = 2\n--- other/m.py\nK = 3\n--- main\nimport m\nr = A * m.K\n", A=(2, 3))
        out = self.symdump("--path", path.parent / "other", "--verify=numpy", path).out
        self.assertIn("verified", out)
        self.assertIn("A.mult(2,", self.symdump("--path", path.parent / "other", path).out)

    def test_a_function_of_a_program(self):
        path = self.program(CONFIG + "--- main\nimport config\nclass C:\n    k = 3.0\ndef f(x: (3,)):\n    return x * config.rate() * C.k + config.BUFFER + config.add(x)\n")
        self.assertIn("verified", self.symdump("--function", "f", "--verify=numpy", path).out)

    def test_numpy_prints_what_the_list_prints(self):
        text = "--- m.py\nprint('module', 1)\ndef f(x):\n    print('f', x.sum())\n    print(x.shape, type(x))\n    return x.logistic() * 2\n--- main\nimport m\nr = m.f(A)\n"
        out = self.symdump("--verify=numpy", self.program(text, A=(2, 3))).out
        self.assertIn("module 1\n", out)
        self.assertIn("verified", out)

    def test_what_numpy_raises_names_the_file(self):
        text = "--- m.py\nimport numpy as np\ndef f(x):\n    return np.linalg.inv(x * 0)\n--- main\nimport m\nr = m.f(A)\n"
        done = self.symdump("--run", self.program(text, A=(2, 2)), status=2)
        self.assertRegex(done.err, r"m\.py:3:\d+: .*\n +return np\.linalg\.inv")

    def test_the_list_names_the_files(self):
        path = self.program(LAYERS + "--- main\nfrom layers import Dense\nd = Dense(3, 2)\ny = d.forward(A)\n", A=(2, 3))
        listing = self.symdump(path).out
        self.assertIn("\n# layers.py:18 Dense.forward: return relu(x @ self.W + self.b)\n", listing)
        self.assertIn("\n# layers.py:8 relu: return np.maximum(x, 0) * SCALE\n", listing)
        self.assertIn("output d_W", listing)
        self.assertIn("# layers.py:8 relu: ", self.symdump("--emit", "tree", path).out)
        self.assertIn("# layers.py:8 relu: ", self.symdump("--emit", "cudamat-py", path).out)
        self.assertIn("// layers.py:8 relu: ", self.symdump("--emit", "cudamat-cpp", path).out)
        self.assertIn(f", {path.parent}/layers.py:18\n", self.symdump("--memory", path).out)
        self.assertIn("layers.py:8-layers.py:18", self.symdump("--memory", path).out)
        data = json.loads(self.symdump("--emit", "json", path).out)
        self.assertEqual({(s.get("file"), s["line"]) for s in data["statements"] if s.get("file")},
                         {(f"{path.parent}/layers.py", n) for n in (8, 15, 16, 18)})
        self.assertEqual({(s["line"], s["function"]) for s in data["statements"] if s.get("function")},
                         {(8, "relu"), (15, "Dense.__init__"), (16, "Dense.__init__"), (18, "Dense.forward")})
        self.assertEqual(data["source_lines"][f"{path.parent}/layers.py:8"], "return np.maximum(x, 0) * SCALE")
        # A printed list that is read says the same.
        saved = self.file(listing, "saved.list")
        self.assertEqual(self.symdump("--from", saved).out, listing)
        self.assertEqual(self.symdump("--diff", path, saved).out.count("# layers.py:8 relu: return np.maximum(x, 0)"), 2)

    def test_methods_are_named(self):
        text = "import numpy as np\nA: (2, 3)\nclass Dense:\n    def forward(self, x):\n        return np.tanh(x)\nd = Dense()\ny = d.forward(A)\nz = y + 1\n"
        listing = self.symdump(self.file(text)).out
        self.assertIn("\n# 5 Dense.forward: return np.tanh(x)\n", listing)
        self.assertIn("\n# 8: z = y + 1\n", listing)
        self.assertEqual(self.symdump("--from", self.file(listing, "saved.list")).out, listing)


if __name__ == "__main__":
    sys.exit(main())
