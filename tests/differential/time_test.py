"""symdump --time: a row for every statement, bytes and operations as a run in Python counts them, sums that add up.

    time_test.py SYMDUMP [unittest arguments]
"""

import re
import signal
import subprocess
import tempfile
from collections import namedtuple
from pathlib import Path

import numpy as np

from cli import GRADIENT, SYMDUMP, Cli, main

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
Row = namedtuple("Row", "times total each bytes flops rate part", defaults=(None,) * 7)

TRIANGLE = """import numpy as np
A: (7, 7)
x: (7,)
L = np.zeros((7, 7))
for j in range(7):
  L[j, :j] = A[j, :j] * 2
  for k in range(j + 1, 7):
    x[k] = x[k] - A[k, :j] @ A[j, :j]
s = L.sum()
"""
MIXED = """import numpy as np
A: (5, 8)
B: (5, 8)
v: (8,)
C = np.where(A > B, A, B) + v
S = np.cumsum(C, axis=1)
P = C[:, [0, 3, 3]]
C[:, [1, 2]] = 0.5
n = np.linalg.norm(A)
D = A * A
E = (A @ B.T) @ (A @ B.T)
m = E.max(axis=0) - E.mean(axis=1)
"""


# ---- a printed list, run by Python itself ----

class Matrix:
    """A matrix of a list, without values: each call adds what it moves to the counts of the statement that runs."""

    counts = []  # by statement: executions, elements moved, operations of products
    now = 0
    # These name their target first; what they do with what it holds.
    UPDATES = {"add_mult": True, "subtract_mult": True, "mult_by_sigmoid_deriv": True, "add_sums": None,
               "add_dot": None, "subtract_dot": None, "assign": False, "fill_with_rand": False,
               "fill_with_randn": False}
    WITHOUT_WORK = {"sort", "argsort", "solve", "inv", "cholesky", "det", "slogdet", "lstsq", "eigh", "svd", "qr"}

    def __init__(self, shape, base=None):
        self.shape, self.base = shape, base

    @property
    def T(self):
        return Matrix(self.shape[::-1], self)

    @property
    def size(self):
        return self.shape[0] * self.shape[1]

    @property
    def itself(self):
        return self.base or self

    def slice(self, first, last):
        return Matrix((self.shape[0], last - first))

    def view(self, shape):
        assert shape[0] * shape[1] == self.size
        return Matrix(shape)

    def free_device_memory(self):
        pass

    @classmethod
    def note(cls, elements, operations=0):
        cls.counts[cls.now][1] += elements
        cls.counts[cls.now][2] += operations

    @classmethod
    def runs(cls, statement):
        cls.now = statement
        cls.counts[statement][0] += 1

    # Copies move what they copy, however large that is from which they copy.
    def get_row_slice(self, first, last, target):
        self.note(2 * (last - first) * self.shape[1])
        assert target.shape == (last - first, self.shape[1])

    def get_col_slice(self, first, last, target):
        self.note(2 * (last - first) * self.shape[0])
        assert target.shape == (self.shape[0], last - first)

    def set_row_slice(self, first, last, values):
        self.note(2 * (last - first) * self.shape[1])
        assert values.shape == (last - first, self.shape[1])

    def set_col_slice(self, first, last, values):
        self.note(2 * (last - first) * self.shape[0])
        assert values.shape == (self.shape[0], last - first)

    def select_columns(self, indices, target):
        self.note(2 * self.shape[0] * indices.size + indices.size)
        assert target.shape == (self.shape[0], indices.size)

    def set_selected_columns(self, indices, values):
        self.note(2 * self.shape[0] * indices.size + indices.size)
        assert values.shape == (self.shape[0], indices.size)

    def __getattr__(self, op):
        if op.startswith("__"):
            raise AttributeError(op)
        return lambda *args, **named: self.call(op, *args, **named)

    def call(self, op, *args, target=None, **named):
        if op in self.WITHOUT_WORK:
            return None
        operands = [x for x in (self, *args) if isinstance(x, Matrix)]
        if op in self.UPDATES:
            target = self
            reads = self.UPDATES[op]
            if reads is None:  # t = beta * t + ...
                reads = named.get("beta", 1) != 0
            operands = operands[1:] + ([self] if reads else [])
        elif op == "dot":
            if named.get("beta", 0) != 0:
                operands.append(target)
        elif op in ("euclid_norm", "manhattan_norm", "total_sum", "total_max", "total_mean", "allfinite", "vdot"):
            self.note(sum({id(x.itself): x.size for x in operands}.values()))
            return 0.0  # the assign() around it writes the number
        target = target or self
        operations = 0
        if op in ("dot", "add_dot", "subtract_dot"):
            a, b = [x for x in (self, *args) if isinstance(x, Matrix)][-2:]
            assert a.shape[1] == b.shape[0] and target.shape == (a.shape[0], b.shape[1])
            operations = 2 * a.shape[0] * a.shape[1] * b.shape[1]
        distinct = {id(x.itself): x.size for x in operands}
        self.note(sum(distinct.values()) + target.size, operations)
        return None


class Module:
    """cm: its functions are the methods of their first operand."""

    empty = staticmethod(Matrix)

    @staticmethod
    def CUDAMatrix(array):
        return Matrix(tuple([1, 1, *array.shape][-2:]))

    def __getattr__(self, op):
        return lambda first, *args, **named: first.call(op, *args, **named)


def statement_lines(listing):
    """The statements of a printed list, as the list has them."""
    lines = []
    for line in listing.splitlines():
        text = re.sub(r"\s+#.*$", "", line) if not line.lstrip().startswith(("#", "print(")) else line
        if text and not text.lstrip().startswith(("#", "input ", "output ")) and text.strip() != "pass":
            lines.append(text)
    return lines


def counted(listing):
    """What Python counts when it runs the list: [(statement, executions, elements, operations)]."""
    variables = {"cm": Module(), "np": np, "runs": Matrix.runs, "print": lambda *_, **__: None}
    for name, dims, transposed in re.findall(r"^input (\w+)[^:]*: \((.*?)\)(, transposed)?", listing, re.M):
        extents = [int(d) for d in dims.split(",") if d.strip()]
        assert len(extents) < 3
        shape = [1, 1, *extents][-2:]
        variables[name] = Matrix(tuple(shape[::-1] if transposed else shape))
    lines = statement_lines(listing)
    source = []
    for n, line in enumerate(lines):
        indent = " " * (len(line) - len(line.lstrip()))
        source += [line, f"{indent}  runs({n})"] if line.endswith(":") else [f"{indent}runs({n})", line]
    Matrix.counts = [[0, 0, 0] for _ in lines]
    exec(compile("\n".join(source), "list", "exec"), variables)
    return [(line, *counts) for line, counts in zip(lines, Matrix.counts)]


# ---- the table ----

def number(text):
    return float(text.replace(",", ""))


def cells_of(line):
    text, *cells = re.split(r"\s{2,}(?=[\d-])", line.rstrip())
    return text, cells


def row_of(line):
    text, cells = cells_of(line)
    rest = dict(zip(("times", "total", "each", "bytes"), map(number, cells[:4])))
    if len(cells) > 4:
        rest["rate"], rest["part"] = cells[-2:]
    if len(cells) == 7:
        rest["flops"] = number(cells[4])
    return text, Row(**rest)


def tables(text):
    """The rows by statement, in order; those by line of the program; those of the whole."""
    text = text.split("\n# compiled as a whole")[0]
    statements, lines, whole = re.split(r"^(?:statement|line|whole) .*\n", text, flags=re.M)[1:]
    rows = [row_of(line) for line in statements.splitlines() if line and not line.startswith("# ")]
    return rows, [cells_of(line) for line in lines.splitlines() if line], \
        dict(cells_of(line) for line in whole.splitlines() if line)


class Timed(Cli):
    def setUp(self):
        super().setUp()
        # Most of a run measures the machine, and no row depends on how fast it is.
        self.environment |= {"OMP_NUM_THREADS": "1", "SYMDUMP_LIMITS": "rough"}


class Table(Timed):
    def timed(self, path, *options):
        return tables(self.symdump("--time", "--repeat", 1, *options, path).out)

    def check(self, path, *options, bits=32):
        options = ("--precision", bits, *options)
        rows, lines, _ = self.timed(path, *options)
        expected = counted(self.symdump(*options, path).out)
        self.assertEqual([text for text, _ in rows], [text for text, *_ in expected])
        with_work = 0
        for (text, row), (_, times, elements, operations) in zip(rows, expected):
            self.assertEqual(row.times, times, text)
            self.assertEqual(row.bytes or 0, elements * bits // 8, text)
            self.assertEqual(row.flops or 0, operations, text)
            with_work += elements > 0
        self.assertGreater(with_work, 2)
        self.assertEqual(number(lines[-1][1][2]), sum(e for *_, e, _ in expected) * bits // 8)
        return rows, expected

    def test_straight_programs(self):
        self.check(self.file(GRADIENT))
        self.check(self.file(GRADIENT), "--passes", "all")
        self.check(self.file(GRADIENT), bits=64)

    def test_calls_of_every_form(self):
        for passes in ("none", "all"):
            rows, _ = self.check(self.file(MIXED), "--passes", passes)
        products = [row for text, row in rows if row.flops]
        self.assertEqual(products[0].flops, 2 * 5 * 8 * 5)

    def test_a_training_in_loops(self):
        for passes in ("none", "default", "all"):
            rows, _ = self.check(PROGRAMS / "rbm_training.py", "--passes", passes)
            self.assertIn(18, [row.times for _, row in rows])  # 3 epochs of 6 batches

    def test_extents_that_vary(self):
        for passes in ("none", "default", "all"):
            rows, _ = self.check(self.file(TRIANGLE), "--passes", passes)
            loops = [row.times for text, row in rows if text.endswith(":")]
            self.assertEqual(loops, [6, 21])  # the last of the outer loop is written out
            written = sum(row.bytes for text, row in rows if "set_row_slice(" in text)
            self.assertEqual(written, 2 * 4 * sum(range(7)))
            self.assertEqual(sum(row.flops or 0 for _, row in rows),
                             2 * sum(len(range(j)) for j in range(7) for _ in range(j + 1, 7)))

    def test_conditions(self):
        path = self.file("import numpy as np\nx = np.array(1.0)\nn = 0\nwhile x < 100:\n  x = x * 3\n  n = n + 1\n"
                         "if x < 0:\n  x = x - 7\n")
        rows = dict(self.timed(path)[0])
        self.assertEqual([row.times for text, row in rows.items() if text.startswith("while")], [5])
        self.assertEqual([row.times for text, row in rows.items() if ".mult(3," in text], [5])
        self.assertEqual([row for text, row in rows.items() if "7" in text and "subtract" in text], [Row(times=0)])

    def test_fused_statements_say_whether_they_were_compiled(self):
        path = self.file("import numpy as np\nX: (100, 200)\nh = np.tanh(X) * X + 1\n")
        with_sin = self.file("import numpy as np\nX: (100, 200)\nh = np.sin(X) * X + 1\n", "sin.py")
        strips = self.file("import numpy as np\nX: (2000, 600)\ne = np.exp(X - X.max(axis=0))\nh = e / e.sum(axis=0)\n",
                           "strips.py")
        with tempfile.TemporaryDirectory() as folder:
            for program, mode, compiled in ((path, "now", True), (path, "off", False), (with_sin, "now", False),
                                            (strips, "now", True)):
                out = self.symdump("--time", "--passes", "default,fuse", program,
                                   environment={"CUDAMAT_COMPILE": mode, "CUDAMAT_CACHE_DIR": folder}).out
                rows = re.findall(r"(?m)^cm\.fused\(.*$", out)
                self.assertEqual([row.endswith("  compiled") for row in rows], [compiled], out)

    def test_sorts_and_equations_have_only_a_time(self):
        path = self.file("import numpy as np\nA: (4, 4)\nb: (4,)\nx = np.linalg.solve(A + 4 * np.eye(4), b)\n"
                         "s = np.sort(A, axis=0)\n")
        rows = self.timed(path)[0]
        found = [row for text, row in rows if "solve(" in text or ".sort(" in text]
        self.assertEqual([(row.times, row.bytes, row.rate) for row in found], [(1, None, None)] * 2)

    def test_sums_add_up(self):
        for path in (PROGRAMS / "rbm_training.py", self.file(TRIANGLE)):
            rows, lines, whole = self.timed(path)
            own = [row for text, row in rows if not text.endswith(":")]
            rounding = 0.5e-4 * (len(own) + len(lines) + 3)
            total = {text: number(cells[0]) for text, cells in lines}
            everything = total.pop("all lines")
            self.assertAlmostEqual(sum(row.total for row in own), everything, delta=rounding)
            self.assertAlmostEqual(sum(total.values()), everything, delta=rounding)
            self.assertEqual(sum(row.bytes or 0 for row in own), number(lines[-1][1][2]))
            parts = {text: number(cells[0]) for text, cells in whole.items()}
            self.assertAlmostEqual(parts["in calls"] + parts["in other statements"], everything, delta=rounding)
            self.assertAlmostEqual(everything + parts["between statements"], parts["a run"], delta=rounding)
            self.assertAlmostEqual(parts["a run"] - parts["in calls"],
                                   parts["the host's share: all but the calls"], delta=rounding)
            calls = [row for row in own if row.bytes is not None]
            self.assertAlmostEqual(sum(row.total for row in calls), parts["in calls"], delta=rounding)
            for text, row in rows:
                if row.times:
                    self.assertAlmostEqual(row.each * row.times, row.total * 1000,
                                           delta=0.005 * row.times + 0.05 + 1e-9, msg=text)

    def test_lines_have_their_text(self):
        path = self.file(GRADIENT)
        out = self.symdump("--time", path).out
        for n, text in ((4, "h = 1 / (1 + np.exp(-X @ W))"), (5, "grad = X.T @ (h * (1 - h))")):
            self.assertRegex(out, rf"(?m)^# {n}: {re.escape(text)}")
            self.assertRegex(out, rf"(?m)^{n}: {re.escape(text)} .*%$")

    def test_a_printed_list(self):
        path = self.file(GRADIENT)
        listing = self.file(self.symdump("--passes", "all", path).out, "list.txt")
        from_list = tables(self.symdump("--time", "--from", listing).out)[0]
        self.assertEqual([(text, row.bytes, row.flops) for text, row in from_list],
                         [(text, row.bytes, row.flops) for text, row in self.timed(path, "--passes", "all")[0]])


class Runs(Timed):
    def test_repeat(self):
        path = self.file(GRADIENT)
        for n in (1, 2, 5):
            out = self.symdump("--time", "--repeat", n, path).out
            self.assertRegex(out, rf"medians of {n} runs" if n > 1 else r": 1 run of")
        rows = [tables(self.symdump("--time", "--repeat", n, path).out)[0] for n in (1, 4)]
        self.assertEqual(*[[(text, row.times, row.bytes) for text, row in table] for table in rows])

    def test_every_run_has_fresh_inputs(self):
        data = np.arange(12, dtype=np.float32).reshape(3, 4)
        path = self.file("X: (3, 4)\nX *= 2\nX += 1\nif X[0, 0] < 1.5:\n  X -= 1\n")
        source = self.array(data, "x.npy")
        saved = []
        for n in (1, 3):
            out = self.folder / f"out{n}.npy"
            text = self.symdump("--time", "--repeat", n, "--passes", "all", "--input", f"X={source}", "--save",
                                f"X={out}", path).out
            saved.append(np.load(out))
            self.assertNotIn("without data", text)
        np.testing.assert_array_equal(saved[0], data * 2)
        np.testing.assert_array_equal(saved[1], data * 2)

    def test_prints_once_and_before_the_table(self):
        path = self.file('import numpy as np\nx = np.ones(3)\nfor i in range(2):\n  print("step", i)\nprint(x.sum())\n')
        out = self.symdump("--time", "--repeat", 3, path).out
        self.assertTrue(out.startswith("step 0\nstep 1\n3.0\n# times of "), out)
        self.assertEqual(out.count("\nstep"), 1)

    def test_beside_other_options(self):
        path = self.file("import numpy as np\nX: (3, 4)\nY = np.random.rand(3, 4) + X\n")
        alone = self.symdump("--run=npmat", "--seed", 3, path).out
        both = self.symdump("--run=npmat", "--seed", 3, "--time", path).out
        self.assertTrue(both.startswith(alone), both)
        self.assertIn("\nwhole ", both)
        two = {"OMP_NUM_THREADS": "2", "SYMDUMP_LIMITS": ""}
        self.assertIn("npmat float64", self.symdump("--time", "--precision", 64, path, environment=two).out)
        self.assertIn("npmat longdouble", self.symdump("--time", "--precision", 128, path).out)
        verified = self.symdump("--time", "--verify", "--passes", "all", path).out
        self.assertIn("verified: statements", verified)
        self.assertIn("\nwhole ", verified)
        self.assertIn("peak", self.symdump("--time", "--memory", path).out)
        self.assertIn("as Cudamat statements", self.symdump("--time", "--emit", "statements", path).out)

    def test_a_program_without_calls(self):
        self.assertIn("\nwhole ", self.symdump("--time", self.file("X: (2, 2)\n")).out)

    def test_what_makes_no_sense(self):
        path = self.file(GRADIENT)
        self.refused("--repeat", 3, path, says="--repeat.*--time")
        for n in ("0", "-1", "x", "1.5", ""):
            self.refused("--time", f"--repeat={n}", path, says="--repeat")
        for form in ("json", "cudamat-py", "cudamat-cpp", "dot", "tree"):
            self.refused("--time", "--emit", form, path, says=f"--time.*--emit {form}")
        self.refused("--time", "--verify=numpy", path, says="--time.*NumPy")
        self.refused("--time", "--diff", path, path, says="--diff")

    def test_ctrl_c_prints_what_was_measured(self):
        path = self.file("import numpy as np\nx = np.ones(3)\nfor i in range(1000000000):\n  x = x * 0.5\n"
                         "  if i < 1:\n    print(\"begun\")\n")
        with subprocess.Popen([SYMDUMP, "--time", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment) as process:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            process.send_signal(signal.SIGINT)
            out, error = process.communicate()
        self.assertEqual(process.returncode, 130, error)
        self.assertRegex(error.decode(), r"interrupted in run 1 of 3, at statement \d+ of \d+")
        rows = dict(tables(out.decode())[0])
        halved = [row for text, row in rows.items() if ".mult(0.5" in text]
        self.assertEqual(len(halved), 1)
        self.assertGreaterEqual(halved[0].times, 1)
        self.assertEqual(halved[0].bytes, halved[0].times * 2 * 3 * 4)
        self.assertIn("# interrupted in run 1 of 3", out.decode())


if __name__ == "__main__":
    main()
