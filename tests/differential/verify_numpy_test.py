"""symdump --verify=numpy: what NumPy itself makes of a program, against the run of its statements.

    verify_numpy_test.py SYMDUMP [unittest arguments]
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from cli import GRADIENT, SYMDUMP, Cli, main

RANDOM = """import numpy as np
import gnumpy as gpu
A: (3, 4)
h = (A @ A.T).logistic()
sampled = h.rand() < h
u = np.random.rand(2, 3) + gpu.rand((2, 3))
np.random.seed(7)
n = np.random.randn(5)
for k in range(3):
    n = n + np.random.standard_normal(5) * np.random.random_sample()
"""
DISTRIBUTIONS = """import numpy as np
np.random.seed(4)
X: (3, 4)
a = np.random.normal(2.0, 3.0, (4, 5)) + np.random.normal(size=5)
b = np.random.uniform(-1, 2, size=6) * np.random.uniform(high=np.array([1.0, 2.0]), low=0)[1]
c = np.random.randint(3, 9, size=(5, 4)) + np.random.randint(7)
d = np.random.exponential(0.5, 8) + np.random.lognormal(0.5, 0.25)
m = np.random.multivariate_normal([0, 4], [[1, 0.3], [0.3, 2]], 5)
e = np.random.choice(6, (2, 3)) + np.random.choice(3, p=[0.2, 0.5, 0.3], size=3) + np.random.binomial(1, X[0, :3])
rng = np.random.default_rng(11)
f = rng.normal(size=(2, 3)) + rng.random(3) + rng.uniform(0, 1) + rng.standard_normal() + rng.integers(5)
old = np.random.RandomState(4)
g = old.rand(2, 3) * old.randn(3) + old.random_sample(3) + old.uniform(size=3)
h = rng.integers(1, 6, size=40, endpoint=True)
def noisy(x, rng):
    return x + 0.1 * rng.standard_normal(x.shape)
for k in range(3):
    X = noisy(X, rng) * np.random.uniform(0.5, 1)
"""
# Integers of NumPy wrap, as the README says that these do not: reader and evaluation agree on the other value.
WRAPS = "import numpy as np\nx = np.array([4611686018427387904, 1])\ny = x + x + x\n"
SLOW = "import numpy as np\nx = np.ones(3)\nfor k in range(3000000):\n    x = x * 1.0\n"
FUNCTION = """import numpy as np

def scaled(x, by=2):
    return x * by

def train(X: (4, 3), rate, epochs=2):
    w = np.zeros(3)
    for epoch in range(epochs):
        for i in range(X.shape[0]):
            w += rate * X[i]
        print("epoch", epoch)
    return w, scaled(w).sum(), epochs

train(1, 2)
"""


class VerifyNumpy(Cli):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary files"
        self.temporary.mkdir()
        self.environment["TMPDIR"] = str(self.temporary)
        self.environment["PATH"] = os.path.dirname(sys.executable) + ":/usr/bin:/bin"

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "what is temporary goes")

    def verified(self, *arguments, **options):
        done = self.symdump("--verify=numpy", *arguments, **options)
        self.assertRegex(done.out, rf"(?m)^verified: statements and NumPy {np.__version__} agree in npmat")
        return done.out

    def differs(self, *arguments, **options):
        done = self.symdump("--verify=numpy", *arguments, status=1, **options)
        self.assertIn("NOT VERIFIED", done.out)
        return done.out

    def python(self, text, folder):
        """A folder for PATH whose python3 runs this text."""
        path = self.folder / folder / "python3"
        path.parent.mkdir()
        path.write_text(f"#!{sys.executable} -S\n{text}")
        path.chmod(0o755)
        return str(path.parent)

    def altered(self, old, new):
        """An environment whose Python runs symdump's script with a change."""
        text = ("import sys\nscript = sys.argv[2]\ntext = open(script).read()\n"
                f"assert {old!r} in text\nopen(script, 'w').write(text.replace({old!r}, {new!r}))\n"
                f"import os\nos.execv({sys.executable!r}, ['python3', *sys.argv[1:]])\n")
        return {"PATH": self.python(text, "altered")}

    def test_what_is_known_is_compared(self):
        path = self.file("import numpy as np\nX: (4,)\nn, s, t, f = X.shape[0] // 3, 'a' + 'b', None, 0.1 + 0.2\ny = X + n\n")
        self.assertIn("# known when the program is read: n, s, t, f\n", self.verified(path))
        for change in ("results['n'] += 1", "results['s'] = 'a'", "results['t'] = 0", "results['f'] = 0.30001"):
            environment = self.altered("results, printed = check.first()", f"results, printed = check.first(); {change}")
            self.assertRegex(self.differs(path, environment=environment), r"(?m)^[nstf]  +DIFFERS: it is known otherwise")
            shutil.rmtree(self.folder / "altered")

    # ---- what agrees

    def test_numpy_computes_in_the_precision_of_the_run(self):
        made = "".join(f"r{i} = np.nan_to_num(X / {zeros})\n" for i, zeros in enumerate(
            ["np.zeros(4)", "np.array([0.0, 1, 0, -1])", "(X * 0)", "np.full(4, 0.0)", "np.arange(4.0)"]))
        path = self.file(f"import numpy as np\nX: (4,)\n{made}")
        for precision in (32, 64):
            for passes in ("none", "all", "fast"):
                self.verified("--precision", precision, "--passes", passes, path)

    def test_every_precision_and_passes(self):
        path = self.file(GRADIENT)
        for precision in (32, 64, 128):
            for passes in ("none", "default", "all"):
                text = self.verified("--precision", precision, "--passes", passes, path)
                self.assertRegex(text, r"(?m)^total +float +\(\) ")
        text = self.verified("--outputs", "grad", "--passes", "all", "--run=npmat", path)
        self.assertNotIn("total  float", text)

    def test_functions_of_scipy_and_truth_values(self):
        program = """from scipy.special import erf
import numpy as np
import gnumpy as gpu
import scipy.special
X: (3, 4)
a = erf(X) + scipy.special.erf(X.T).T + gpu.erf(X)
b = np.arctan2(X, -a)
c = np.any(X > 1, axis=0)
d = (b < 3).all(axis=1, keepdims=True)
e = np.any(X[:0]) + np.all(X[:0]) * 2
n = np.any(X * np.nan)
"""
        path, data = self.file(program), self.array(np.arange(-5.0, 7.0).reshape(3, 4) / 3, "x.npy")
        for precision in (32, 64):  # Python's erf, where SciPy is not there, has 64 bits
            text = self.verified("--precision", precision, "--input", f"X={data}", path)
            self.assertRegex(text, r"(?m)^c +bool +\(4,\) +0 +0$")
            self.assertRegex(text, r"(?m)^d +bool +\(3, 1\) +0 +0$")
        self.refused(self.file("from scipy.special import erf\nX: (2,)\ny = erf(X > 0)\n"),
                     says="SciPy computes this.*float32")

    def test_numpy_gets_the_numbers_that_the_run_drew(self):
        path = self.file(RANDOM)
        for precision in (32, 64, 128):
            text = self.verified("--precision", precision, "--seed", 3, path)
            self.assertRegex(text, r"(?m)^sampled +bool +\(3, 3\) +0 +0$")
        self.assertRegex(self.verified("--passes", "all", path), r"(?m)^u +float +\(2, 3\) +0 +0$")

    def test_draws_that_the_run_decides_about_and_of_many_dimensions(self):
        path = self.file("import numpy as np\nz = 0.0\nx = np.random.rand(2, 3, 4) + np.random.normal(1, 2, (4, 1, 3, 4))[0]\n"
                         "for i in range(30):\n    d = np.random.randn()\n"
                         "    if d < 0 or np.random.rand() < np.exp(-d):\n        z += d\n"
                         "    w = np.random.rand(2, 2) if z > 0 else np.random.randn(2, 2)\n")
        for passes in ("none", "all"):
            self.verified("--precision", 64, "--passes", passes, path)

    def test_modules_that_are_left_out_need_not_be_there(self):
        self.verified(self.file(
            "import numpy as np\nimport matplotlib.pyplot as plt\nfrom tqdm import tqdm\nfrom numba import njit\n"
            "@njit\ndef f(x):\n    return x * 2\ntotal = np.zeros(2)\nfor i in tqdm(range(3)):\n    total = f(total) + i\n"
            "fig, ax = plt.subplots(2, 2)\nax[0, 0].plot(total)\nplt.figure(figsize=(3, 4)).colorbar()\nplt.show()\n"))

    def test_modules_that_are_imported_meet_numpy_as_it_is(self):
        others = self.folder / "others"
        others.mkdir()
        (others / "other.py").write_text("import numpy as np\nReal = float | np.float64 | np.float32\n", encoding="utf-8")
        path = self.file("import numpy as np\nimport other\nX: (2, 2)\ny = X + 1\n")
        self.environment["PYTHONPATH"] = str(others)
        for precision in (32, 64):
            self.verified("--precision", precision, path)

    def test_distributions_are_made_of_those_numbers(self):
        path = self.file(DISTRIBUTIONS)
        for precision in (32, 64, 128):
            for passes in ("none", "all"):
                text = self.verified("--precision", precision, "--seed", 3, "--passes", passes, path)
                self.assertRegex(text, r"(?m)^c +int +\(5, 4\) +0 +0$")
                self.assertRegex(text, r"(?m)^h +int +\(40,\) +0 +0$")

    def test_draws_of_more_axes(self):
        path = self.file("import numpy as np\nnp.random.seed(4)\ng = np.random.randn(6, 5, 3)\nu = np.random.rand(3, 4)\n"
                         "h = np.random.rand(2, 3, 4, 5)\na = np.random.rand()\nE = np.random.rand(0, 3)\nw = np.random.rand(5)\n")
        for name in "guhaEw":
            self.assertRegex(self.verified("--precision", 64, path), rf"(?m)^{name} +float +\(.*\) +0 +0$")

    def test_data_and_types(self):
        data = np.asfortranarray(np.arange(12.0).reshape(3, 4)) / 8
        path = self.file("import numpy as np\ny = x * 2\nm = np.argmax(x, axis=1)\nb = x > 0.5\nv = x.reshape(-1)\n"
                         "v += 1\n")
        text = self.verified("--precision", 64, "--input", f"x={self.array(data, 'x.npy')}", path)
        for row in (r"y +float +\(3, 4\) +0 +0", r"m +int +\(3,\) +0 +0", r"b +bool +\(3, 4\) +0 +0"):
            self.assertRegex(text, f"(?m)^{row}$")

    def test_inputs_of_booleans_and_integers(self):
        path = self.file("import numpy as np\nq = x + x\nm = x.mean()\nh = x * 0.5\nr = -(x * 1)\nv = 1 / (1 + x.T)\n")
        for data, kind in ((np.eye(3) > 0, "bool"), (np.arange(-3, 3).reshape(2, 3) * 2, "int")):
            text = self.verified("--precision", 64, "--input", f"x={self.array(data, 'x.npy')}", path)
            self.assertRegex(text, rf"(?m)^q +{kind} +\(\d, 3\) +0 +0\nm +float +\(\) .*\nh +float .*\nr +int +")

    def test_a_scalar_reshaped_to_nothing_stays_a_scalar(self):
        self.verified("--precision", 64, self.file(
            "import numpy as np\nW: ()\ns = W.T - 3.0\nd = s.reshape(())\nv = d\nv += 1.0\n"
            "t = s < 0\nw = t.reshape(t.shape)\nw *= 2\n"))

    def test_functions_and_numbers(self):
        path = self.file(FUNCTION)
        text = self.verified("--function", "train", "--set", "rate=0.5", "--precision", 64, path)
        self.assertRegex(text, r"(?m)^w +float +\(3,\) .*\nresult_2 +float .*\nepochs +int +\(\) +0 +0$")
        self.verified("--function", "train", "--set", "rate=1e-3", "--set", "epochs=3", path)
        self.verified("--set", "n=3", "--set", "s=2.0", self.file("import numpy as np\ny = np.ones(n) * s\n"))

    def test_functions_that_return_none_on_one_path(self):
        program = "import numpy as np\ndef f(x: (3,), y: (3,)):\n    x += y\n    if {}:\n        return{}\n    {}\n"
        for condition in "x.sum() < 100", "x.sum() > 100":
            for nothing, value in ("", "return x * 2"), (" None", "return x * 2, y"), (" x * 2", "x += 1"):
                path = self.file(program.format(condition, nothing, value))
                self.assertRegex(self.verified("--function", "f", path), r"(?m)^result_is_set +bool ")
        change = self.altered("is not None", "is None")
        self.differs("--function", "f", path, environment=change)

    def test_functions_of_numpy_that_return_several_arrays(self):
        self.verified(self.file("import numpy as np\nt, step = np.linspace(0, 1, 5, retstep=True)\ny = t * step\n"))

    def test_edges_of_functions(self):
        for text in (
                "x: (4, 3, 2)\ny = np.ones(np.prod(x.shape[1:])) * np.all(np.array([2, -3]))\nz = x.reshape(4, np.prod(x.shape[1:]))",
                "z = np.zeros(np.all(np.array([2, 0, -3])) + np.prod([2, 3]))",
                "x = np.zeros((0, 3))\ny = np.max(x, axis=0, initial=5)\nz = x.min(initial=-2.5)\n"
                "w = np.max(x, axis=1, initial=1)\nv = np.max(np.ones((2, 3)), axis=0, initial=0.5)",
                "x: (5,)\nh, e = np.histogram(x[x > 5], bins=3)\ng, d = np.histogram(x[x > 0.3], bins=3)\n"
                "n = np.arange(6)\nk, f = np.histogram(n[n > 9])\nw, c = np.histogram(x[x > 5], weights=x[x > 5])",
                "A = np.array([[1 + 1j, 2], [0, 3j]])\ny = np.linalg.solve(A, [1, 2])\nx: (2, 2)\n"
                "z = np.linalg.solve(A, [[1, 2.5], [3, 4]])\nw = np.linalg.solve(A, x)",
                "x = np.random.binomial(10, 0.3, size=(4, 2))\np: (3,)\ny = np.random.binomial(5, p)\n"
                "z = np.random.binomial(0, p) + np.random.binomial(7, 0.5)\nr = np.random.default_rng(1).binomial(3, p, (2, 3))"):
            self.verified("--precision", 64, self.file(f"import numpy as np\n{text}\n"))

    def test_the_program_on_standard_input_and_names_that_a_shell_would_read(self):
        self.verified("-", input=GRADIENT.encode())
        path = self.file("import numpy as np\nλ: (2,)\ny = λ * 2\n", "$(touch pwned) 'a' \"b\"; touch pwned.py")
        data = self.array([1, 2.5], "`touch pwned`.npy")
        self.verified("--input", f"λ={data}", path, cwd=self.folder)
        self.assertFalse(any("pwned" == p.name for p in self.folder.iterdir()))

    # ---- what differs

    def test_what_reader_and_evaluation_have_wrong_in_the_same_way(self):
        path = self.file(WRAPS)
        self.assertIn("verified: ", self.symdump("--verify", "--precision", 64, path).out)
        text = self.differs("--precision", 64, path)
        self.assertRegex(text, r"(?m)^x +int +\(2,\) +0 +0$")
        self.assertRegex(text, r"(?m)^y +int +\(2,\) +1\.84467e\+19 +1   DIFFERS$")

    def test_ints_do_not_round(self):
        path = self.file("import numpy as np\ns = np.cumsum(np.arange(8000))\n")
        self.assertRegex(self.differs(path), r"(?m)^s +int +\(8000,\) +\d+ +\d+   DIFFERS$")
        self.assertIn("verified: ", self.symdump("--verify=numpy", "--precision", 64, path).out)

    def test_prints_are_compared(self):
        program = self.file("import numpy as np\nx = np.array([1.5, 2, 3])\nfor i in range(3):\n    print('round', i, f'{x.sum() / 7:.3f}', x.mean() / 3)\n    print(x)\n"
                            "m = max(x[0], 7)\nn = max(x[0], 1)\nprint(m, f'{n} of {m}', end='!\\n')\ny = x + 1\n")
        for precision in (32, 64):
            done = self.symdump("--verify=numpy", "--precision", precision, "--outputs", "y", program)
            self.assertRegex(done.out, r"(?m)^7 1\.5 of 7!\n")
            self.assertRegex(done.out, "(?m)^verified")
            self.assertNotIn("prints nothing", done.err)
        edited = self.file(self.symdump(program).out.replace("round", "turn"), "list.txt")
        self.symdump("--from", edited, "--verify", program)
        self.assertRegex(self.differs("--from", edited, program),
                         r"(?m)^print +DIFFERS: line 1 is 'turn 0 0\.929 0\.72.*', in NumPy 'round 0 0\.929 0\.72.*'$")

    def test_an_edited_list(self):
        program = self.file(GRADIENT)
        text = self.symdump("--passes", "default", program).out
        self.verified("--from", self.file(text, "same.txt"), program)
        edited = self.file(text.replace("cm.exp(", "cm.tanh("), "edited.txt")
        self.assertRegex(self.differs("--from", edited, program), r"(?m)^total .* DIFFERS$")

    def test_types_and_shapes(self):
        path = self.file("import numpy as np\nx: (3,)\ny = x > 0.5\nz = 1.0 * x\n")
        text = self.differs(path, environment=self.altered("asarray(results[name])", "asarray(results[name]) * 1"))
        self.assertRegex(text, r"(?m)^y +bool +\(3,\) +0 +0   DIFFERS: in NumPy: int$")
        self.assertRegex(text, r"(?m)^z +float +\(3,\) +0 +0$")

    def test_an_integer_beyond_64_bits(self):
        path = self.file("import numpy as np\ns = 1\nfor i in range(70):\n    s = s * 2\n")
        self.assertRegex(self.differs(path), r"(?m)^s .* DIFFERS: in NumPy: an integer beyond 64 bits$")

    def test_shapes_and_what_is_no_array(self):
        path = self.file("import numpy as np\nx: (3,)\nz = 1.0 * x\n")
        change = self.altered("asarray(results[name])", "asarray(results[name])[None]")
        self.assertRegex(self.differs(path, environment=change),
                         r"(?m)^z +float +\(3,\) +- +-   DIFFERS: in NumPy: float \(1, 3\)$")

    def test_a_program_that_numpy_does_not_run(self):
        path = self.file(f"import numpy as np\n\nx = {'-' * 20000}1.0 * np.ones(3)\n")
        self.symdump("--verify", path)
        self.assertRegex(self.differs(path), r"prog\.py:\d+: \w+Error: .*\nNOT VERIFIED: NumPy .* does not run")
        change = self.altered("def logistic(x):\n", "def logistic(x):\n    raise ValueError('no')\n")
        path = self.file("import numpy as np\nx: (3,)\ny = x + 1\nz = y.logistic()\n")
        self.assertRegex(self.differs(path, environment=change), r"(?m)^\S*prog\.py:4: ValueError: no$")

    def test_a_selection_is_combined_with_as_many_elements(self):
        data = self.array([1.0, -1, 2, 3], "x.npy")
        for value in "x[x > 0] + np.ones({})", "x[x > 0] * np.ones(4)[np.arange(4) < {}]":
            program = f"import numpy as np\nx: (4,)\ny = {value}\n"
            self.verified("--input", f"x={data}", self.file(program.format(3)))
            for count in 2, 4:
                done = self.symdump("--run", "--input", f"x={data}", self.file(program.format(count)), status=2)
                self.assertIn("a check at run time fails: lengths differ", done.err)

    def test_the_tolerance_is_of_the_arithmetic(self):
        """Three hundred roundings are wrong where a result has two, and right where what it is made of cancels."""
        change = self.altered("asarray(results[name])", "asarray(results[name] * (1 + 300 * np.finfo(results[name].dtype).eps))")
        for precision in (32, 64, 128):
            # At 128 bits NumPy has no wider floats: what one rounding of the inputs does not change says nothing.
            for made in ("x * 0.7", "np.random.rand(3) * 3", *["np.ones(3) / 3", "x * 0.7 + 2"] * (precision < 128)):
                path = self.file(f"import numpy as np\nx: (3,)\ny = {made}\n")
                self.verified("--precision", precision, path)
                self.assertRegex(self.differs("--precision", precision, path, environment=change), r"(?m)^y .* DIFFERS$")
            for made in "(x + 40000) - 40000", "np.random.rand(3) + 50000 - 50000":
                path = self.file(f"import numpy as np\nx: (3,)\ny = {made}\n")
                self.verified("--precision", precision, "--outputs", "y", path, environment=change)

    def test_the_tolerance_of_what_is_printed(self):
        change = self.altered("answers.readline()", "answers.readline().replace(b'0.1234', b'0.1235')")
        for made, is_exact in ("x * 0.12345", True), ("x * 0.12345 + 40000 - 40000", False):
            path = self.file(f"import numpy as np\nx = np.ones(2) / 3\nprint('round', 1, f'{{({made}).sum() * 1.5:.9f}}')\n")
            self.verified("--outputs", "x", path)
            if is_exact:
                self.assertRegex(self.differs("--outputs", "x", path, environment=change),
                                 r"(?m)^print +DIFFERS: line 1 is 'round 1 0.1235\d+', in NumPy 'round 1 0.1234\d+'$")
            else:
                self.verified("--outputs", "x", path, environment=change)

    def test_runs_that_say_how_far_roundings_are_begin_anew(self):
        """Modules of the program, random numbers and what it draws under conditions are those of the first run."""
        self.file("import numpy as np\ncount = [0]\nscale = np.ones(3) / 3\n", "scales.py")
        path = self.file("import numpy as np\nimport scales\nx: (3,)\nscales.count.append(1)\n"
                         "y = x * scales.scale * np.random.rand(3) * len(scales.count) + 1000 - 1000\n"
                         "for k in range(5):\n    if y.sum() > 0.5:\n        y = y * np.random.rand(3)\n")
        self.verified("--outputs", "y", path)

    # ---- what hinders

    def test_no_python_and_none_with_numpy(self):
        path = self.file(GRADIENT)
        self.refused("--verify=numpy", path, environment={"PATH": "/nonexistent"}, says="no python3 on PATH")
        bare = self.python("import sys\nprint('No module named numpy', file=sys.stderr)\nsys.exit(3)\n", "bare")
        self.refused("--verify=numpy", path, environment={"PATH": bare},
                     says="none on PATH has it.*bare/python3: No module named numpy")
        self.verified(path, environment={"PATH": bare + ":" + self.environment["PATH"]})
        self.refused("--verify=nump", path, says="--verify: expects tree or numpy")

    def test_a_python_that_breaks(self):
        path = self.file(GRADIENT)
        killed = self.altered("draws.say(\"done\")", "os.kill(os.getpid(), 9)")
        self.refused("--verify=numpy", path, environment=killed, says="python3 was ended by signal 9")

    def test_no_space_for_the_results(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        path = self.file("import numpy as np\ny = np.ones((400, 400))\n")
        self.refused("--verify=numpy", path, preexec_fn=limit, says=r"python3 ended with status 1: .*OSError")
        path = self.file("import numpy as np\nx: (400, 400)\ny = x + 1\n")
        self.refused("--verify=numpy", path, preexec_fn=limit, says="input-0.npy.*File too large")

    def test_interrupted(self):
        path = self.file(SLOW)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([SYMDUMP, "--verify=numpy", path], env=self.environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.monotonic() + 60
            while not list(self.temporary.iterdir()) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (128 + number, b""), err)
            self.assertIn(b"interrupted", err)
            self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    main()
