"""symdump --from and --diff: printed lists, read again as they are or edited by hand.

    from_test.py SYMDUMP [unittest arguments]
"""

import json
import os
import pty
import re
import subprocess
import termios

import numpy as np

from cli import GRADIENT, SYMDUMP, Cli, main
from emitted import run_module

# What people would make of the list of GRADIENT's third line: no copy of X, one matrix throughout.
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


class From(Cli):
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

    def test_the_program_judges_an_edited_list(self):
        program, edited = self.file(GRADIENT), self.file(EDITED, "list.txt")
        text = self.symdump("--from", edited, "--verify", program, "--precision", 64, *self.inputs).out
        self.assertIn("verified:", text)
        wrong = self.file(EDITED.replace("cm.sigmoid(h)", "cm.tanh(h)"), "wrong.txt")
        text = self.symdump("--from", wrong, "--verify", program, *self.inputs, status=1).out
        self.assertIn("NOT VERIFIED", text)
        other = self.file(EDITED.replace("output h:", "output h as other:"), "other.txt")
        self.refused("--from", other, "--verify", program, says="program assigns no other")
        narrow = self.file(EDITED.replace("total: ()", "total: (1,)"), "narrow.txt")
        self.refused("--from", narrow, "--verify", program, says=r"output total has the shape \(\) in the program")
        self.refused("--from", edited, "--verify", self.file(GRADIENT.replace("(6, 4)", "(7, 4)")),
                     says=r"input X has the shape \(7, 4\) in the program, \(6, 4\) in the list")

    def test_an_illegal_edit_is_refused_with_its_line(self):
        for old, new, line, says in (
                ("h = cm.empty((6, 3))\n", "", 5, r"'?h'? is"),
                ("(4, 3))", "(3, 4))", 13, r"\[dot\] target must be 4x3; it is 3x4"),
                ("target=grad", "target=X", 13, r"\[dot\]"),
                ("d.mult_by", "grad.mult_by", 11, "grad is used before it is defined in line 12"),
                ("output total: ()", "output sums: (4, 1)", 24, "sums.*freed"),
                ("cm.sigmoid(h)", "cm.sigmoud(h)", 7, "no statement has a call 'sigmoud'")):
            with self.subTest(says):
                self.assertIn(old, EDITED)
                path = self.file(EDITED.replace(old, new, 1), "list.txt")
                for arguments in (["--from", path], ["--from", path, "--run"], ["--diff", path, path]):
                    error = self.refused(*arguments, says=rf"^{re.escape(str(path))}:{line}:\d+: .*{says}")
                    self.assertIn("^", error)

    def test_errors_of_a_run_name_the_source(self):
        text = "# big.py as Cudamat statements, float32\n# 3: y = f(x)\ny = cm.empty((3000000, 3000000))\n" \
               "y.fill_with_rand()\noutput y: (3000000, 3000000)\n"
        error = self.refused("--from", self.file(text, "list.txt"), "--run", says="memory")
        self.assertIn("big.py:3:1", error)

    def test_standard_input(self):
        done = self.symdump("--from", "-", input=EDITED.encode())
        self.assertIn("peak", done.out)
        self.refused("--from", "-", input=b"x.add(1)\n", says="<stdin>:1:1: 'x' is not defined")
        self.assertIn("0 statements", self.symdump("--from", "-", input=b"").out)

    def test_what_needs_a_program(self):
        path, program = self.file(EDITED, "list.txt"), self.file(GRADIENT)
        for form in ("tree", "dot"):
            self.refused("--from", path, "--emit", form, says=f"{form} needs a program")
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
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 81))
        done = subprocess.run([SYMDUMP, "--diff", path, path], stdout=slave, check=False)
        os.close(slave)
        text = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(done.returncode, 0)
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
