"""symdump --from and --diff: printed lists, read again as they are or edited by hand.

    from_test.py SYMDUMP [unittest arguments]
"""

import contextlib
import io
import json
import re
from pathlib import Path

import numpy as np

from cli import GRADIENT, SYMDUMP, Cli, main
from emitted import run_module
from terminal import shown_on_a_terminal

# What people would make of the list of GRADIENT's third line: no copy of X, one matrix throughout.
LOOP = """input X: (2, 3)
a = cm.empty((2, 3))
t = cm.empty((2, 1))
s = cm.empty((2, 1))
a.assign(X)
for i in range(4):
  x = a.slice(0, 1)
  cm.exp(x, target=t)
  a.mult(2)
  t.add(x, target=s)
output s: (2, 1)
"""

EDITED = """# edited by hand
input X: (6, 4)
input W: (4, 3)

h = cm.empty((6, 3))
cm.dot(X, W, target=h)
cm.sigmoid(h)

# 5: grad = X.T @ (h * (1 - h))
d = cm.CUDAMatrix(np.ones((6, 3)))
d.mult_by_sigmoid_deriv(h)
grad = cm.empty((4, 3))
cm.dot(X.T, d, target=grad)
d.free_device_memory()

sums = cm.empty((4, 1))
grad.sum(axis=1, target=sums)
total = cm.empty((1, 1))
sums.sum(axis=0, target=total)
sums.free_device_memory()

output h: (6, 3)
output grad: (4, 3)
output total: ()
"""

# A program with loops, as a person would write it.
LOOPS = """# written by hand
input X: (4, 12)

w = cm.CUDAMatrix(np.ones((4, 1)))
for epoch in range(2):
  for batch in range(0, 3):
    x = X.slice(4 * batch, 4 * batch + 4)
    s = cm.empty((4, 1))
    x.sum(axis=1, target=s)
    w.add_mult(s, 0.5)
    s.free_device_memory()
  total = cm.empty((1, 1))
  w.sum(axis=0, target=total)
  print("epoch {} of 2: total {:.9f}\\n", epoch + 1, total)
  total.free_device_memory()

output w: (4, 1)
"""

EXPERT = Path(__file__).resolve().parent.parent / "data" / "expert_rbm.list"


class Lists(Cli):
    def refused_edit(self, text, old, new, line, says):
        self.assertIn(old, text)
        path = self.file(text.replace(old, new, 1), "list.txt")
        for arguments in (["--from", path], ["--from", path, "--run"], ["--diff", path, path]):
            error = self.refused(*arguments, says=rf"^{re.escape(str(path))}:{line}:\d+: .*{says}")
            self.assertIn("^", error)


class From(Lists):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.data = {name: rng.standard_normal(shape) for name, shape in (("X", (6, 4)), ("W", (4, 3)))}
        self.inputs = []
        for name, data in self.data.items():
            self.inputs += ["--input", f"{name}={self.array(data, name + '.npy')}"]
        h = 1 / (1 + np.exp(-self.data["X"] @ self.data["W"]))
        grad = self.data["X"].T @ (h * (1 - h))
        self.expected = {"h": h, "grad": grad, "total": grad.sum()}

    def check(self, folder):
        for name, value in self.expected.items():
            got = np.load(folder / f"{name}.npy")
            self.assertEqual(got.shape, value.shape)
            np.testing.assert_allclose(got, value, rtol=1e-13, atol=1e-13)

    def test_a_printed_list_prints_as_the_program_does(self):
        program = self.file(GRADIENT)
        for precision in (32, 64, 128):
            printed = self.file(self.symdump("--precision", precision, program).stdout, "list.txt")
            for form in ("statements", "cudamat-py", "cudamat-cpp", "json"):
                wanted = self.symdump("--emit", form, "--precision", precision, program).out
                got = self.symdump("--emit", form, "--precision", precision, "--from", printed).out
                if form == "json":  # a list knows the lines of its source, not the columns
                    wanted, got = json.loads(wanted), json.loads(got)
                    for statement in wanted["statements"] + got["statements"]:
                        del statement["column"]
                self.assertEqual(got, wanted, form)

    def test_an_edited_list_computes_what_numpy_computes(self):
        edited = self.file(EDITED, "list.txt")
        out = self.folder / "o"
        text = self.symdump("--from", edited, "--precision", 64, *self.inputs, "--run", "--save-all", out).out
        self.assertIn("# ran 13 statements", text)
        self.check(out)

    def test_an_edited_list_in_the_other_forms(self):
        edited = self.file(EDITED, "list.txt")
        module = self.symdump("--emit", "cudamat-py", "--from", edited).out
        results = run_module(module, {k: v.astype(np.float32) for k, v in self.data.items()})
        for name, value in self.expected.items():
            np.testing.assert_allclose(results[name], value, rtol=1e-5, atol=1e-5)
        self.assertEqual(len(json.loads(self.symdump("--emit", "json", "--from", edited).out)["statements"]), 13)

    def test_a_selection_is_cut_to_its_length_without_the_program(self):
        X = np.array([1.5, -2, 0.25, 3, -0.5])
        given, out = ["--input", f"X={self.array(X, 'X.npy')}"], self.folder / "o"
        program = self.file("import numpy as np\nX: (5,)\nr = X[X > 0]\n")
        printed = self.file(self.symdump(program).stdout, "list.txt")
        self.symdump("--from", printed, "--precision", 64, *given, "--save-all", out)
        np.testing.assert_array_equal(np.load(out / "r.npy"), X[X > 0])
        rows = self.file("import numpy as np\nX: (5,)\nr = X.reshape(5, 1)[X > 0]\n")
        printed = self.file(self.symdump(rows).stdout, "rows.txt")
        self.refused("--from", printed, *given, "--save-all", out, says="along which axis r has r_length elements")
        self.symdump("--from", printed, "--verify", rows, "--precision", 64, *given, "--save-all", out)
        np.testing.assert_array_equal(np.load(out / "r.npy"), X.reshape(5, 1)[X > 0])

    def test_the_program_judges_an_edited_list(self):
        program, edited = self.file(GRADIENT), self.file(EDITED, "list.txt")
        text = self.symdump("--from", edited, "--verify", program, "--precision", 64, *self.inputs).out
        self.assertIn("verified:", text)
        wrong = self.file(EDITED.replace("cm.sigmoid(h)", "cm.tanh(h)"), "wrong.txt")
        text = self.symdump("--from", wrong, "--verify", program, *self.inputs, status=1).out
        self.assertIn("NOT VERIFIED", text)
        other = self.file(EDITED.replace("output h:", "output h as other:"), "other.txt")
        self.refused("--from", other, "--verify", program, says="program does not assign other")
        narrow = self.file(EDITED.replace("total: ()", "total: (1,)"), "narrow.txt")
        self.refused("--from", narrow, "--verify", program, says=r"output total has the shape \(\) in the program")
        self.refused("--from", edited, "--verify", self.file(GRADIENT.replace("(6, 4)", "(7, 4)")),
                     says=r"input X has the shape \(7, 4\) in the program, \(6, 4\) in the list")

    def test_an_illegal_edit_is_refused_with_its_line(self):
        for old, new, line, says in (
                ("h = cm.empty((6, 3))\n", "", 5, r"'?h'? is"),
                ("(4, 3))", "(3, 4))", 13, r"\[dot\] target must be 4x3 for m1 .* and m2 .*; got 3x4"),
                ("target=grad", "target=X", 13, r"\[dot\]"),
                ("d.mult_by", "grad.mult_by", 11, "grad is used before it is defined in line 12"),
                ("output total: ()", "output sums: (4, 1)", 24, "sums.*freed"),
                ("cm.sigmoid(h)", "cm.sigmoud(h)", 7, "no statement has a call 'sigmoud'")):
            with self.subTest(says):
                self.refused_edit(EDITED, old, new, line, says)

    def test_errors_of_a_run_name_the_source(self):
        text = "# big.py as Cudamat statements, float32\n# 3: y = f(x)\ny = cm.empty((3000000, 3000000))\n" \
               "y.fill_with_rand()\noutput y: (3000000, 3000000)\n# 2 statements: 1 call\n"
        error = self.refused("--from", self.file(text, "list.txt"), "--run", says="memory")
        self.assertIn("big.py:3:1", error)

    def test_standard_input(self):
        done = self.symdump("--from", "-", input=EDITED.encode())
        self.assertIn("peak", done.out)
        self.refused("--from", "-", input=b"x.add(1)\n", says="<stdin>:1:1: 'x' is not defined")
        self.assertIn("0 statements", self.symdump("--from", "-", input=b"\n").out)

    def test_the_flow_of_a_list_as_trees(self):
        text = self.symdump("--from", self.file(LOOP, "list.txt"), "--emit", "tree").out
        self.assertEqual(text, """\
%2 a.assign(X)             2x3
└─ X                       2x3
for i in range(0, 4):
  %5 a.mult(2)             2x3
  └─ %2                    2x3
  %6 t.add(x, target=s)    2x1
  ├─ cm.exp(x, target=t)   2x1
  │  └─ x = a.slice(0, 1)  2x1
  │     └─ %2              2x3
  └─ %5                    2x3
""")

    def test_the_flow_of_a_list_as_a_graph(self):
        text = self.symdump("--from", self.file(LOOP, "list.txt"), "--emit", "dot").out
        edges = re.findall(r"(?m)^  n(\d) -> n(\d)( \[style=dashed, constraint=false\])?;$", text)
        plain = {(a, b) for a, b, dashed in edges if not dashed}
        self.assertEqual(plain, {("1", "2"), ("2", "3"), ("3", "4"), ("2", "5"), ("4", "6"), ("5", "6")})
        self.assertEqual({(a, b) for a, b, dashed in edges if dashed}, {("5", "3"), ("5", "5")})
        inside = text[text.index("subgraph"):text.index("}")]
        self.assertIn('label="for i in range(0, 4)"', inside)
        self.assertEqual(re.findall(r"(?m)^  n(\d) \[", inside), list("3456"))
        self.assertIn('n6 [label="t.add(x, target=s)\\n2x1", style="rounded,bold"];', text)

    def test_what_needs_a_program(self):
        path, program = self.file(EDITED, "list.txt"), self.file(GRADIENT)
        self.refused("--from", path, "--verify", says="--from LIST --verify PROGRAM")
        self.refused("--from", path, program, says="exclude each other")
        self.refused("--from", path, "--outputs", "h", says="--outputs")
        self.refused("--from", path, "--shape", "X=6x4", says="--shape")
        self.refused("--from", path, "--run", "--input", f"Z={self.folder}/X.npy", says="the list has no input")
        self.refused("--from", path, "--run", "--input", f"X={self.folder}/W.npy", says=r"\(6, 4\).*\(4, 3\)")
        self.refused("--from", self.folder / "none.txt", says="No such file")
        self.refused(says="PROGRAM")

    def test_not_a_list(self):
        self.refused("--from", self.file(GRADIENT), says=r"prog.py:1:")
        self.refused("--from", self.file(bytes(range(256)), "list.txt"), says="list.txt:1:")


class FromLoops(Lists):
    def setUp(self):
        super().setUp()
        self.data = np.random.default_rng(6).standard_normal((4, 12))
        self.inputs = ["--input", f"X={self.array(self.data, 'X.npy')}", "--precision", 64]

    def check(self, text, batches, mult=0.5):
        """The list computes and prints what NumPy does with these columns of each iteration."""
        out = self.folder / "o"
        printed = self.symdump("--from", self.file(text, "list.txt"), *self.inputs, "--run", "--save-all", out).out
        w, lines = np.ones((4, 1)), []
        for epoch in range(2):
            for batch in batches:
                w += mult * self.data[:, batch].sum(axis=1, keepdims=True)
            lines.append((f"epoch {epoch + 1} of 2: total", w.sum()))
        np.testing.assert_allclose(np.load(out / "w.npy"), w, rtol=1e-13)
        found = re.findall(r"(?m)^(epoch \d of \d: total) (\S+)$", printed)
        self.assertEqual([line for line, _ in found], [line for line, _ in lines])
        np.testing.assert_allclose([float(total) for _, total in found], [total for _, total in lines], atol=1e-9)

    def test_edits_in_a_loop_compute_what_numpy_computes(self):
        self.check(LOOPS, [slice(0, 4), slice(4, 8), slice(8, 12)])
        for old, new, *expected in (
                ("4 * batch, 4 * batch + 4", "batch + 7, 2 + 7 + batch", [slice(7, 9), slice(8, 10), slice(9, 11)]),
                ("4 * batch, 4 * batch + 4", "-3 * batch + 9, -3 * batch + 12",
                 [slice(9, 12), slice(6, 9), slice(3, 6)]),
                ("4 * batch, 4 * batch + 4", "(epoch - epoch + 1) * 5, 6", [slice(5, 6)] * 3),
                ("range(0, 3)", "range(2, -1, -2)", [slice(8, 12), slice(0, 4)]),
                ("s, 0.5", "s, -0.25", [slice(0, 4), slice(4, 8), slice(8, 12)], -0.25),
                ("    s.free", "    w.add(s)\n    s.free", [slice(0, 4), slice(4, 8), slice(8, 12)], 1.5)):
            with self.subTest(new):
                self.assertIn(old, LOOPS)
                self.check(LOOPS.replace(old, new, 1), *expected)

    def test_an_illegal_edit_in_a_loop_is_refused_with_its_line(self):
        for old, new, line, says in (
                ("    s = cm.empty((4, 1))\n", "", 8, "'s' is not defined"),
                ("w.add_mult(s, 0.5)", "w.add_mult(total, 0.5)", 10, "total is used before it is defined in line 12"),
                ("x.sum(axis=1, target=s)", "w.add_mult(s)", 9, r"\[add_mult\] operand s is read before"),
                ("x.sum(axis=1, target=s)", "X.set_col_slice(4*batch, 4*batch + 4, x)", 9,
                 "self .* overlaps mat .*, which is read while it is written"),
                ("s = cm.empty((4, 1))", "s = cm.empty((4, 2))", 9, r"\[sum\] target must be 4x1 to match \(axis 1\) mat .*; got 4x2"),
                ("batch + 4)", "batch + 5)", 7, "columns 0:13 do not lie within 0:12"),
                ("range(0, 3)", "range(0, 4)", 7, "columns 0:16 do not lie within 0:12"),
                ("4 * batch + 4)", "4 * epoch + 4)", 7, "columns 8:4 do not lie within 0:12"),
                ("    s.free_device_memory()\n", "", 8, "the loop's body does not free s"),
                ("s.free_device_memory()", "w.free_device_memory()", 11, "w is freed in another loop than it is made"),
                ("w.sum(axis=0", "x.sum(axis=0", 13, "x is used outside the loop that defines it"),
                ("w.sum(axis=0", "s.sum(axis=0", 13, "s is used outside the loop that defines it"),
                ("epoch + 1, total", "batch + 1, total", 14, "batch is the variable of the loop in line 6"),
                ("epoch + 1, total", "epoch + 1", 14, "a number for each of the string's 2 replacement fields"),
                ("  total.free", "    total.free", 15, "indented more")):
            with self.subTest(says):
                self.refused_edit(LOOPS, old, new, line, says)

    def test_loops_in_the_other_forms(self):
        path = self.file(LOOPS, "list.txt")
        statements = json.loads(self.symdump("--emit", "json", "--from", path).out)["statements"]
        self.assertEqual([s["kind"] for s in statements].count("loop"), 2)
        module = self.symdump("--emit", "cudamat-py", "--from", path).out
        self.assertIn("for batch in range(0, 3):", module)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            results = run_module(module, {"X": self.data.astype(np.float32)})
        self.assertRegex(printed.getvalue(), r"^epoch 1 of 2: total \S+\nepoch 2 of 2: total \S+\n$")
        expected = 1 + self.data.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(results["w"], expected, rtol=1e-5, atol=1e-5)
        text = self.symdump("--from", path).out
        self.assertEqual(self.symdump("--from", self.file(text, "again.txt")).out, text)


class Expert(Cli):
    """The hand-written Cudamat program of the Gnumpy report, listing 2.1, in data/expert_rbm.list."""

    VISIBLE, HIDDEN, CASES, BATCHES, EPOCHS = 12, 7, 8, 6, 3

    def numpy(self, dat, w_vh, draws):
        """Listing 2.1 in NumPy; `draws` are the random numbers in the order in which they are drawn."""
        def logistic(x):
            return 1 / (1 + np.exp(-x))
        w_v, w_h = np.zeros((self.VISIBLE, 1)), np.full((self.HIDDEN, 1), -4.0)
        wu_vh, wu_v, wu_h = np.zeros_like(w_vh), np.zeros_like(w_v), np.zeros_like(w_h)
        draws, errors = iter(draws), []
        for _ in range(self.EPOCHS):
            err = []
            for batch in range(self.BATCHES):
                v_true = dat[:, batch * self.CASES:(batch + 1) * self.CASES]
                h = logistic(w_vh.T @ v_true + w_h)
                wu_vh = wu_vh * 0.9 + v_true @ h.T
                wu_v = wu_v * 0.9 + v_true.sum(axis=1, keepdims=True)
                wu_h = wu_h * 0.9 + h.sum(axis=1, keepdims=True)
                v = logistic(w_vh @ (next(draws) < h) + w_v)
                h = logistic(w_vh.T @ v + w_h)
                wu_vh = wu_vh - v @ h.T
                wu_v = wu_v - v.sum(axis=1, keepdims=True)
                wu_h = wu_h - h.sum(axis=1, keepdims=True)
                w_vh = w_vh + wu_vh * (0.1 / self.CASES)
                w_v = w_v + wu_v * (0.1 / self.CASES)
                w_h = w_h + wu_h * (0.1 / self.CASES)
                err.append(np.linalg.norm(v - v_true) ** 2 / (self.VISIBLE * self.CASES))
            errors.append(np.mean(err))
        return {"w_vh": w_vh, "w_v": w_v, "w_h": w_h, "error": np.array([errors[-1:]])}, errors

    def test_it_trains_as_numpy_does(self):
        rng = np.random.default_rng(1)
        data = {"dev_dat": rng.random((self.VISIBLE, self.CASES * self.BATCHES)),
                "w_vh": 0.1 * rng.standard_normal((self.VISIBLE, self.HIDDEN))}
        # The random numbers of the list: init_random(1) starts them, matrices take them column by column.
        count = self.BATCHES * self.EPOCHS
        program = self.file("import gnumpy as gpu\ngpu.seed_rand(1)\n"
                            f"r = gpu.rand({self.HIDDEN}, {count * self.CASES})\n")
        self.symdump("--precision", 64, "--save", f"r={self.folder / 'r.npy'}", program)
        draws = np.split(np.load(self.folder / "r.npy"), count, axis=1)
        expected, errors = self.numpy(data["dev_dat"], data["w_vh"], draws)

        inputs = [f"--input={name}={self.array(value, name + '.npy')}" for name, value in data.items()]
        out = self.folder / "o"
        text = self.symdump("--from", EXPERT, "--precision", 64, *inputs, "--run", "--save-all", out).out
        for name, value in expected.items():
            np.testing.assert_allclose(np.load(out / f"{name}.npy"), value, rtol=1e-9, atol=1e-12)
        printed = [float(number) for number in re.findall(r"(?m)^Mean squared error: (\S+)$", text)]
        np.testing.assert_allclose(printed, errors, rtol=1e-9)
        self.assertEqual(re.findall(r"(?m)^Epoch (\d)$", text), ["1", "2", "3"])

    def test_it_prints_and_reads_the_same(self):
        text = self.symdump("--from", EXPERT).out
        self.assertIn("    v_true = dev_dat.slice(8 * batch, 8 * batch + 8) ", text)
        self.assertEqual(self.symdump("--from", self.file(text, "again.txt")).out, text)


class Diff(Cli):
    def table(self, text):
        rows = {}
        for line in text.splitlines():
            found = re.fullmatch(r"([a-z ]+?) {2,}([\d,]+) +([\d,]+) +([+-]?[\d,]+)", line)
            if found:
                rows[found[1]] = [int(number.replace(",", "")) for number in found.groups()[1:]]
        return rows

    def test_what_two_lists_cost(self):
        program, edited = self.file(GRADIENT), self.file(EDITED, "list.txt")
        rows = self.table(self.symdump("--diff", program, edited, "--precision", 64).out)
        before, after = (json.loads(self.symdump("--emit", "json", "--precision", 64, *a).out)
                         for a in ([program], ["--from", edited]))
        for k, made in enumerate((before, after)):
            statements = made["statements"]
            made_by = [s for s in statements if s["kind"] in ("empty", "constant")]
            outputs = {o["variable"] for o in made["outputs"]}
            self.assertEqual(rows["statements"][k], len(statements))
            self.assertEqual(rows["calls"][k], sum(s["kind"] == "call" for s in statements))
            self.assertEqual(rows["temporaries"][k], sum(s["target"] not in outputs for s in made_by))
            self.assertEqual(rows["allocated bytes"][k], sum(s["bytes"] for s in made_by))
            self.assertEqual(rows["peak bytes"][k], made["peak"]["bytes"])
            self.assertEqual(rows["kernel launches"][k], sum(s["kind"] == "call" for s in statements))
            self.assertEqual(rows["kernel launches"][k], sum(s["launches"] for s in statements))
        for row in rows.values():
            self.assertEqual(row[2], row[1] - row[0])
        self.assertEqual(len(rows), 6)

    def test_lines_are_aligned(self):
        a = "input x: (2, 2)\nt = cm.empty((2, 2))\ncm.exp(x, target=t)\nt.add(1)\nt.assign(x)\n"
        b = a.replace("t.add(1)\n", "").replace("t.assign(x)", "t.assign(3)\nt.mult(2)\nt.sign(target=t)")
        out = self.symdump("--diff", self.file(a, "a.txt"), self.file(b, "b.txt")).out.split("\n\n")[0]
        marks = [line[61:62] for line in out.splitlines()]
        self.assertEqual("".join(marks), "    ||>")
        lines = [re.split(r"  +[<>|]? *", line) for line in out.splitlines()[1:4]]
        for line in lines:
            self.assertEqual(line[0], line[1])

    def test_the_same_list(self):
        path = self.file(EDITED, "list.txt")
        text = self.symdump("--diff", path, path).out
        self.assertNotRegex(text.split("\n\n")[0], r" [|<>] ")
        self.assertTrue(all(row[2] == 0 for row in self.table(text).values()))

    def test_thousands_of_statements(self):
        def chain(rows):
            text = ["input x: (2, 2)"]
            for k in rows:
                text += [f"v{k} = cm.empty((2, 2))", f"x.add({k}, target=v{k})"]
            return "\n".join(text) + "\n"
        a = self.file(chain(range(10000)), "a.txt")
        b = self.file(chain(k for k in range(10000) if k % 3), "b.txt")
        text = self.symdump("--diff", a, b).out
        self.assertEqual(sum(line[61:62] == "<" for line in text.splitlines()), 2 * 3334)
        self.assertNotIn(" | ", text)
        self.assertNotIn(" > ", text)

    def test_a_program_with_its_shape_from_outside(self):
        program = self.file("import numpy as np\nY = np.exp(X)\n")
        printed = self.file(self.symdump("--shape", "X=2x3", program).stdout, "list.txt")
        rows = self.table(self.symdump("--diff", program, printed, "--shape", "X=2x3").out)
        self.assertEqual(rows["statements"], [2, 2, 0])

    def test_it_is_as_wide_as_the_terminal(self):
        path = self.file("input x: (2, 3)\n", "list.txt")
        text = shown_on_a_terminal([SYMDUMP, "--diff", path, path], columns=81).decode()
        self.assertEqual(text.split("\r\n")[1], "input x: (2, 3)".ljust(42) + "input x: (2, 3)")

    def test_what_excludes_it(self):
        path = self.file(EDITED, "list.txt")
        self.refused("--diff", path, says="--diff")
        self.refused("--diff", path, path, "--run", says="--diff")
        self.refused("--diff", path, path, "--emit", "json", says="--diff")
        self.refused("--diff", path, path, "--from", path, says="exclude each other")
        self.refused("--diff", path, path, "--verify", says="--diff")
        self.refused("--diff", "-", "-", says="standard input")
        for option in (["--shape", "X=2x3"], ["--outputs", "h"], ["--input", f"X={path}"]):
            self.refused("--diff", path, path, *option, says="belong to programs")
        self.assertIn("statements", self.symdump("--diff", "-", path, input=EDITED.encode()).out)


if __name__ == "__main__":
    main()
