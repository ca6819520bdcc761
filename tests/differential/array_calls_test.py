"""Every call that a statement list can have, printed for NumPy, CuPy and PyTorch and run: the results of symdump --run.

    array_calls_test.py SYMDUMP

What symdump --run computes is compared with NumPy and with other references by the conformance tests. CuPy is a
stand-in over NumPy; PyTorch is run where it is installed.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from array_modules_test import cupy_stand_in, run_module
from op_table import ROWS

SYMDUMP = sys.argv.pop(1)
A = np.array([[0.5, -1.5, np.nan, 3.0], [-0.0, np.inf, 2.5, -7.0], [1e-3, 0.0, -np.inf, 0.75]])
B = np.array([[2.0, -3.0, 1.0, 3.0], [4.0, 0.0, -2.5, 7.0], [-1.0, 2.0, 3.0, np.nan]])
COLUMN, ROW = np.array([[2.0], [-0.5], [3.0]]), np.array([[1.0, -2.0, 0.5, 4.0]])
M = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
RANDOM = np.random.default_rng(0)
WIDE, TALL = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((4, 3))
PLACES, KEYS = np.array([[1.0, -1, 0, 1]]), np.array([[1.0, 0, 4, 1, 1]])
NUMBERS = np.array([[5.0, -3, 2**31 - 1, 0], [-2**31, 2**32 - 1, 77, -1], [2**40 + 1, 8, -100, 12345]])
WHOLE = np.array([[3.0, -7, 13, 0], [31, 5, -2, 1], [1000003, -4, 64, 2**20]])
DATA = {"a": A, "b": B, "col": COLUMN, "row": ROW, "m": M, "wide": WIDE, "tall": TALL, "places": PLACES, "keys": KEYS,
        "numbers": NUMBERS, "whole": WHOLE, "weights": np.array([[0.5, 2, 1, 1, 0.25]])}

# The calls beside those of element-wise rows: the target's shape and the statement, of t before them all 0.5.
CALLS = [
    ((3, 4), "cm.soft_threshold(a, 0.75, target=t)"), ((3, 4), "a.add_col_mult(col, 0.3, target=t)"),
    ((3, 4), "t.add_mult(a, 0.3)"), ((3, 4), "t.add_mult(a)"), ((3, 4), "t.subtract_mult(a, 0.3)"),
    ((3, 4), "t.mult_by_sigmoid_deriv(b)"), ((3, 4), "cm.where(a, b, wide, target=t)"),
    ((3, 4), "cm.where(a, t, b, target=t)"), ((1, 1), "t.assign(m.euclid_norm())"),
    ((1, 1), "t.assign(m.manhattan_norm())"), ((1, 1), "t.assign(a.allfinite())"),
    ((1, 1), "t.assign(m.allfinite())"), ((1, 1), "t.assign(cm.vdot(wide, wide))"),
    ((1, 1), "t.assign(m.total_sum())"), ((1, 1), "t.assign(a.total_max())"), ((1, 1), "t.assign(m.total_mean())"),
    ((3, 4), "t.assign(a)"), ((3, 4), "t.assign(-0.25)"), ((3, 3), "cm.dot(wide, tall, target=t)"),
    ((3, 3), "cm.dot(wide, wide.T, target=t)"), ((4, 4), "cm.dot(wide.T, tall.T, target=t)"),
    ((3, 3), "cm.dot(wide, tall, target=t, beta=0.25, alpha=-2)"),
    ((3, 3), "cm.dot(wide, tall, target=t, beta=0, alpha=3)"), ((3, 3), "t.add_dot(wide, tall)"),
    ((3, 3), "t.add_dot(wide, tall, mult=2, beta=0.5)"), ((3, 3), "t.subtract_dot(wide, tall)"),
    ((3, 3), "t.subtract_dot(wide, tall, mult=2, beta=0)"), ((4, 3), "a.transpose(target=t)"),
    ((2, 4), "a.get_row_slice(1, 3, target=t)"), ((3, 2), "a.get_col_slice(1, 3, target=t)"),
    ((0, 4), "a.get_row_slice(1, 1, target=t)"), ((5, 4), "t.set_row_slice(2, 5, a)"),
    ((3, 6), "t.set_col_slice(1, 5, a)"), ((3, 4), "a.select_columns(places, target=t)"),
    ((3, 5), "t.set_selected_columns(places, a)"), ((3, 4), "b.cumsum(target=t)"), ((3, 4), "a.sort(target=t)"),
    ((3, 4), "a.argsort(target=t)"), ((1, 4), "t.add_sums(wide, axis=0, mult=-1, beta=0.5)"),
    ((3, 1), "t.add_sums(wide, axis=1)"), ((4, 1), "t.add_sums(wide.T, axis=1, mult=2)"),
    ((1, 4), "t.add_sums(wide, axis=0, mult=3, beta=0)"), ((1, 4), "wide.sum(axis=0, target=t, mult=0.5)"),
    ((1, 3), "wide.T.sum(axis=0, target=t)"), ((3, 4), "cm.solve(m, wide, target=t)"),
    ((3, 3), "cm.inv(m, target=t)"), ((3, 3), "cm.cholesky(m, target=t)"), ((1, 1), "cm.det(m, target=t)"),
    ((1, 2), "cm.slogdet(m, target=t)"), ((1, 13), "cm.lstsq(tall, tall, -4, target=t)"),
    ((1, 3), "cm.eigh(m, target=t)"), ((1, 12), "cm.eigh(m, target=t)"), ((1, 3), "cm.svd(wide, target=t)"),
    ((1, 24), "cm.svd(wide, target=t)"), ((1, 28), "cm.svd(tall, target=t)"), ((1, 12), "cm.qr(wide, target=t)"),
    ((1, 21), "cm.qr(wide, target=t)"), ((1, 9), "cm.qr(tall, target=t)"), ((1, 21), "cm.qr(tall, target=t)"),
    ((1, 28), "cm.qr(tall, target=t)"), ((1, 6), "cm.bincount(keys, weights, target=t)"),
]
REDUCED = "sum mean max min prod any all argmax argmin".split()
LACKING = {"torch": {"gamma"}}
ONE_SIGN = ("svd", "eigh", "qr")  # their vectors may have the other sign: sizes are compared


def elementwise():
    """(operation, target's shape, statement)"""
    for row in ROWS.values():
        if row.family == "Unary":
            yield row.name, (3, 4), "@1"
        elif "kWhole" in row.facts:
            yield row.name, (3, 4), "@32" if "wrap" in row.name else "@whole"
            yield row.name, (3, 4), "@4"
        elif row.family == "Binary":
            yield row.name, (3, 4), "@b"
            yield row.name, (3, 4), "@2.5"
        elif row.family in ("ColBroadcast", "RowBroadcast"):
            yield row.name, (3, 4), "@col" if row.family == "ColBroadcast" else "@row"
    for name in REDUCED:
        for of in ("a", "b"):
            yield name, (1, 4), f"{of}.{name}(axis=0, target=t)"
            yield name, (3, 1), f"{of}.{name}(axis=1, target=t)"
            yield name, (4, 1), f"{of}.T.{name}(axis=1, target=t)"


class Calls(unittest.TestCase):
    libraries = ["numpy", "cupy"] + ["torch"] * (importlib.util.find_spec("torch") is not None)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="array-calls-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, value in DATA.items():
            np.save(self.folder / f"in_{name}.npy", value)

    def symdump(self, *arguments, precision="64"):
        command = [SYMDUMP, "--from", self.folder / "list.txt", "--precision", precision, *arguments]
        return subprocess.run(command, capture_output=True, check=False, encoding="utf-8")

    def check(self, op, shape, call):
        spelled = [call]
        if call.startswith("@"):
            second = "" if call == "@1" else call[1:] + ", "
            first = "numbers" if "kWhole" in ROWS[op].facts else "a"
            spelled = [f"{first}.{op}({second}target=t)", f"cm.{op}({first}, {second}target=t)"]
        used = [name for name in DATA if name in re.findall(r"\w+", spelled[0])]
        for statement in spelled:
            (self.folder / "list.txt").write_text(
                "".join(f"input {name}: {DATA[name].shape}\n" for name in used) +
                f"t = cm.empty({shape})\nt.assign(0.5)\n{statement}\noutput t: {shape}\n")
            given = [f"--input={name}={self.folder}/in_{name}.npy" for name in used]
            done = self.symdump(*given, "--save", f"t={self.folder}/t.npy")
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, f"{spelled}: {done.stderr}")
        want = np.load(self.folder / "t.npy")
        for library in self.libraries:
            printed = self.symdump("--emit", library)
            if op in LACKING.get(library, ()):
                self.assertIn(f"[{library}]", printed.stderr)
                continue
            self.assertEqual(printed.returncode, 0, printed.stderr)
            results, _, raised, _ = run_module(printed.stdout, {name: DATA[name].copy() for name in used})
            self.assertIsNone(raised, f"{statement}: {raised!r}\n{printed.stdout}")
            got = results["t"]
            if any(f"cm.{name}(" in statement for name in ONE_SIGN):
                got, want = np.abs(got), np.abs(want)
            np.testing.assert_allclose(got, want, 1e-11, 1e-11, err_msg=f"{library}: {statement}")

    def test_element_wise_calls_and_reductions(self):
        for op, shape, call in elementwise():
            with self.subTest(op=op, call=call):
                self.check(op, shape, call)

    def test_other_calls(self):
        for shape, call in CALLS:
            with self.subTest(call=call):
                self.check("", shape, call)

    def test_indices_out_of_bounds_are_errors(self):
        (self.folder / "list.txt").write_text("input a: (3, 4)\ninput places: (1, 4)\nt = cm.empty((3, 4))\n"
                                              "a.select_columns(places, target=t)\noutput t: (3, 4)\n")
        for places in ([0, 1, 4, 0], [0, -5, 1, 1], [0, 0.5, 1, 1], [0, np.nan, 1, 1]):
            for library in self.libraries:
                text = self.symdump("--emit", library).stdout
                raised = run_module(text, {"a": A, "places": np.array([places], float)})[2]
                self.assertIsInstance(raised, IndexError, f"{library}: {places}")

    def test_inputs_are_checked(self):
        (self.folder / "list.txt").write_text("input a: (3, 4)\ninput 'class' as class_: (2,)\nt = cm.empty((3, 4))\n"
                                              "t.assign(a)\noutput t: (3, 4)\n")
        for library in self.libraries:
            text = self.symdump("--emit", library).stdout
            self.assertIsNone(run_module(text, {"a": A, "class": np.zeros(2)})[2])
            self.assertIsInstance(run_module(text, {"a": A.T, "class": np.zeros(2)})[2], ValueError)
            self.assertIsInstance(run_module(text, {"a": A})[2], TypeError)

    def test_no_array_is_allocated_in_a_loop(self):
        (self.folder / "list.txt").write_text(
            "input a: (3, 4)\ns = cm.empty((3, 4))\ns.assign(0)\nfor i in range(5):\n  t = cm.empty((3, 4))\n"
            "  a.mult(2, target=t)\n  s.add_mult(t, 0.5)\n  t.free_device_memory()\noutput s: (3, 4)\n")
        for library in self.libraries:
            text = self.symdump("--emit", library).stdout
            self.assertNotIn("empty(", text[text.index("for i in"):])
            np.testing.assert_allclose(run_module(text, {"a": B})[0]["s"], 5 * B)

    def test_a_loop_may_do_nothing(self):
        (self.folder / "list.txt").write_text(
            "input a: (3, 4)\ns = cm.empty((3, 4))\ns.assign(a)\nfor i in range(5):\n  t = cm.empty((3, 4))\n"
            "  t.free_device_memory()\noutput s: (3, 4)\n")
        for library in self.libraries:
            np.testing.assert_array_equal(run_module(self.symdump("--emit", library).stdout, {"a": B})[0]["s"], B)

    def test_vectors_are_broadcast(self):
        (self.folder / "list.txt").write_text(
            "input a: (3, 4)\ninput col: (3, 1)\nv = cm.empty((3, 1))\ncol.mult(2, target=v)\nt = cm.empty((3, 4))\n"
            "t.assign(1)\nt.mult_by_col(v)\nv.free_device_memory()\nw = cm.empty((3, 4))\na.maximum(t, target=w)\n"
            "t.free_device_memory()\ns = cm.empty((3, 4))\ns.assign(1)\ns.assign(2)\noutput w: (3, 4)\n"
            "output s: (3, 4)\n")
        for library in self.libraries:
            text = self.symdump("--emit", library).stdout
            self.assertIn("maximum(a, v, out=w)", text)
            results = run_module(text, {"a": A, "col": COLUMN})[0]
            np.testing.assert_array_equal(results["w"], np.maximum(A, 2 * COLUMN))
            np.testing.assert_array_equal(results["s"], np.full((3, 4), 2.0))

    def test_long_double_is_numpys_alone(self):
        (self.folder / "list.txt").write_text(
            "input a: (3, 4)\nt = cm.empty((3, 4))\ncm.exp(a, target=t)\noutput t: (3, 4)\n")
        text = self.symdump("--emit", "numpy", precision="128").stdout
        self.assertEqual(run_module(text, {"a": WIDE})[0]["t"].dtype, np.longdouble)
        for library in ("cupy", "torch"):
            done = self.symdump("--emit", library, precision="128")
            self.assertEqual(done.returncode, 2)
            self.assertIn("no long double", done.stderr)


if __name__ == "__main__":
    sys.modules.update(cupy_stand_in())
    if "torch" not in Calls.libraries:
        print("skipped: the modules for PyTorch, which this Python does not have")
    unittest.main()
