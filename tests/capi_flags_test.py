"""Every function of the C interface with every pattern of transposed flags, as the table data/capi/flags.txt has it:
the status, the numbers against NumPy's, and that nothing but the target is written. Of the libraries, which
LD_LIBRARY_PATH finds, only the C interface is used.

usage: capi_flags_test.py FOLDER      where cudamat.map and cudalearn.map are, whose functions the table must have
"""

import ctypes as ct
import math
import re
import sys
import unittest
from pathlib import Path

import numpy as np

TABLE = Path(__file__).resolve().parent / "data" / "capi" / "flags.txt"
LIBRARIES = {name: ct.CDLL(f"lib{name}.so") for name in ("cudamat", "cudalearn")}
WITHOUT_OPERANDS = set("get_last_cuda_error get_last_clib_error cublas_init cublas_shutdown cuda_set_device "
                       "cuda_sync_threads init_random init_empty init_from_array".split())
exports_folder = None


class Struct(ct.Structure):
    _fields_ = [("data_host", ct.POINTER(ct.c_float)), ("data_device", ct.POINTER(ct.c_float)), ("on_device", ct.c_int),
                ("on_host", ct.c_int), ("size", ct.c_int * 2), ("is_trans", ct.c_int), ("owns_data", ct.c_int)]


class Rnd(ct.Structure):
    _fields_ = [("dev_mults", ct.c_void_p), ("dev_words", ct.c_void_p)]


def function(name):
    library = LIBRARIES["cudalearn" if name == "mult_by_sigmoid_deriv" else "cudamat"]
    result = getattr(library, name)
    result.restype = ct.c_float if name in ("vdot", "euclid_norm", "manhattan_norm") else ct.c_int
    return result


class Operand:
    """A struct, what lies in its memory, and the matrix that it stands for."""

    def __init__(self, values, flagged):
        self.host = np.asfortranarray(values, dtype=np.float32)
        self.struct = Struct()
        self.pointer = ct.byref(self.struct)
        function("init_from_array")(self.pointer, self.host.ctypes.data_as(ct.POINTER(ct.c_float)), *self.host.shape)
        assert function("copy_to_device")(self.pointer) == 0
        self.before = self.host.copy()
        function("set_transpose")(self.pointer, int(flagged))

    def __del__(self):
        function("free_device_memory")(self.pointer)

    @property
    def shown(self):
        return self.before.T if self.struct.is_trans else self.before

    def memory(self):
        if not self.struct.on_device:
            return self.before
        assert function("copy_to_host")(self.pointer) == 0
        return self.host


def float32_of(f):
    return lambda *operands: f(*[x.astype(np.float64) for x in operands]).astype(np.float32)


def correlated(mat, kernel):
    up, left = kernel.shape[0] // 2, kernel.shape[1] // 2
    padded = np.pad(mat, ((up, up), (left, left)))
    return sum(kernel[p, q] * padded[p:p + mat.shape[0], q:q + mat.shape[1]]
               for p in range(kernel.shape[0]) for q in range(kernel.shape[1]))


def select(source, target, indices):
    result = target.copy()
    result[:, :indices.size] = source[:, indices.ravel().astype(int)]
    return result


def set_selected(target, source, indices):
    result = target.copy()
    result[:, indices.ravel().astype(int)] = source[:, :indices.size]
    return result


def set_rows(source, target):
    result = target.copy()
    result[1:3] = source
    return result


FULL, COLUMN, ROW, ROWS = (4, 5), (4, 1), (1, 5), (2, 5)
ROUNDED = 2e-6


class Case:
    """A function's stored shapes, the numbers of the call (in front of operand `before`), which operand is written, and
    what it then holds: `numpy` of the operands' memory."""

    def __init__(self, shapes, numpy, *numbers, before=None, written=-1, rtol=0.0):
        self.shapes, self.numpy, self.rtol = shapes, numpy, rtol
        self.written, self.before = written % len(shapes), len(shapes) if before is None else before
        self.numbers = [ct.c_float(x) if isinstance(x, float) else ct.c_int(x) for x in numbers]


CASES = {
    "copy_on_device": Case([FULL, FULL], lambda a, t: a),
    "copy_transpose": Case([FULL, (5, 4)], lambda a, t: a.T),
    "get_row_slice": Case([FULL, ROWS], lambda a, t: a[1:3], 1, 3),
    "set_row_slice": Case([ROWS, FULL], set_rows, 1, 3),
    "add_mult": Case([FULL, FULL], lambda a, b: a + np.float32(0.5) * b, 0.5, written=0),
    "mult_by_sigmoid_deriv": Case([FULL, FULL], lambda t, a: t * (a * (1 - a)), written=0, rtol=ROUNDED),
    "correlate": Case([FULL, (3, 3), FULL], lambda a, k, t: correlated(a, k), rtol=1e-5),
    "selectRows": Case([FULL, (4, 4), (1, 3)], select, written=1),
    "setSelectedRows": Case([FULL, (4, 4), (1, 3)], set_selected, written=0),
    "where": Case([FULL] * 4, lambda c, a, b, t: np.where(c != 0, a, b)),
    "add_col_mult": Case([FULL, COLUMN, FULL], lambda a, v, t: a + np.float32(0.5) * v, 0.5),
    **{name: Case([FULL, FULL], lambda a, t, f=f: f(a), rtol=0 if exact else ROUNDED) for name, exact, f in [
        ("sign", True, np.sign), ("apply_abs", True, np.abs), ("apply_sqrt", True, np.sqrt),
        ("reciprocal", True, lambda x: 1 / x), ("apply_tanh", False, np.tanh), ("apply_log", False, np.log),
        ("apply_exp", False, np.exp), ("apply_sigmoid", False, lambda x: 1 / (1 + np.exp(-x))),
        ("apply_log_1_plus_exp", False, lambda x: np.log1p(np.exp(x))),
        ("apply_gamma", False, np.vectorize(math.gamma)), ("apply_lgamma", False, np.vectorize(math.lgamma))]},
    **{name: Case([FULL, FULL], lambda a, t, f=f: f(a, np.float32(0.75)), 0.75, before=1, rtol=rtol)
       for name, rtol, f in [
        ("mult_by_scalar", 0, np.multiply), ("divide_by_scalar", 0, np.divide), ("add_scalar", 0, np.add),
        ("less_than_scalar", 0, np.less), ("greater_than_scalar", 0, np.greater), ("equals_scalar", 0, np.equal),
        ("minimum_scalar", 0, np.minimum), ("maximum_scalar", 0, np.maximum), ("apply_pow", ROUNDED, np.power),
        ("apply_soft_threshold", 0, lambda a, s: np.sign(a) * np.maximum(np.abs(a) - s, 0))]},
    **{name: Case([FULL, FULL, FULL], lambda a, b, t, f=f: f(a, b), rtol=rtol) for name, rtol, f in [
        ("less_than", 0, np.less), ("greater_than", 0, np.greater), ("equals", 0, np.equal),
        ("minimum", 0, np.minimum), ("maximum", 0, np.maximum), ("add_elementwise", 0, np.add),
        ("subtract_elementwise", 0, np.subtract), ("mult_elementwise", 0, np.multiply),
        ("divide_elementwise", 0, np.divide), ("apply_pow_matrix", ROUNDED, np.power)]},
    **{name: Case([FULL, vec, FULL], lambda a, v, t, f=f: f(a, v)) for name, vec, f in [
        ("add_col_vec", COLUMN, np.add), ("add_row_vec", ROW, np.add), ("mult_by_col_vec", COLUMN, np.multiply),
        ("mult_by_row_vec", ROW, np.multiply), ("divide_by_col_vec", COLUMN, np.divide),
        ("divide_by_row_vec", ROW, np.divide)]},
    **{name: Case([FULL, ROW], lambda a, t, f=f: f(a, 0)[np.newaxis], 0) for name, f in [
        ("min_by_axis", np.min), ("max_by_axis", np.max), ("argmin_by_axis", np.argmin),
        ("argmax_by_axis", np.argmax)]},
}
# The shapes of dot's operands as the flags show them.
PRODUCTS = {"dot": [(4, 3), (3, 5), (4, 5)], "dot(square)": [(4, 3), (3, 4), (4, 4)],
            "dot(column)": [(4, 3), (3, 1), (4, 1)], "dot(row)": [(1, 3), (3, 5), (1, 5)],
            "dot(number)": [(1, 3), (3, 1), (1, 1)]}


def table():
    """(function, [(flags, outcome)]) for each line."""
    result, patterns = [], []
    for line in TABLE.read_text().split("\n"):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if all(re.fullmatch("[pf]+", word) for word in words[-2:]):
            patterns = [word for word in words if re.fullmatch("[pf]+", word)]
            assert len(patterns) == 2 ** len(patterns[0]) == len(set(patterns)), line
        else:
            assert len(words) == len(patterns) + 1, line
            result.append((words[0], list(zip(patterns, words[1:]))))
    return result


def numbers(shape, rng):
    return rng.uniform(0.3, 2, shape).astype(np.float32)


class Flags(unittest.TestCase):
    def check(self, name, pattern, outcome):
        rng = np.random.default_rng(len(name))
        flags = [flag == "f" for flag in pattern]
        if name in PRODUCTS:
            operands = [Operand(numbers(shape[::-1] if flag else shape, rng), flag)
                        for shape, flag in zip(PRODUCTS[name], flags)]
            status = function("dot")(*[x.pointer for x in operands], ct.c_float(0.5), ct.c_float(2))
            a, b, t = [x.shown.astype(np.float64) for x in operands]
            wanted = 0.5 * t + 2 * (a @ b)
            return self.judge(status, outcome, operands, 2, wanted.T if flags[2] else wanted, 1e-6)
        case = CASES[name]
        operands = [Operand(numbers(shape, rng), flag) for shape, flag in zip(case.shapes, flags)]
        if name in ("selectRows", "setSelectedRows"):
            operands[2] = Operand([[3, 0.9, -2]], flags[2])
        if name == "where":
            operands[0] = Operand(operands[0].before > 1, flags[0])
        arguments = [x.pointer for x in operands]
        arguments[case.before:case.before] = case.numbers
        status = function(name)(*arguments)
        memory = [x.before for x in operands]
        wanted = float32_of(case.numpy)(*memory) if case.rtol else case.numpy(*memory)
        self.judge(status, outcome, operands, case.written, wanted, case.rtol)

    def judge(self, status, outcome, operands, written, wanted, rtol):
        computes = outcome in ("ok", "as")
        self.assertEqual(status, 0 if computes else int(outcome))
        for k, operand in enumerate(operands):
            if computes and k == written:
                np.testing.assert_allclose(operand.memory(), np.asarray(wanted, np.float32), rtol=rtol, atol=0)
            else:
                np.testing.assert_array_equal(operand.memory(), operand.before)

    # ---- functions of one struct, and those that make views

    def check_single(self, name, pattern, outcome):
        flagged = pattern[0] == "f"
        operand = Operand(numbers(FULL, np.random.default_rng(1)), flagged)
        values, call, status = operand.before, function(name), ct.c_int(9)
        if name == "reshape":
            self.assertEqual(call(operand.pointer, ct.c_uint(2), ct.c_uint(10)), 0)
            self.assertEqual((*operand.struct.size, operand.struct.is_trans), (2, 10, int(flagged)))
            np.testing.assert_array_equal(operand.memory(), values)
        elif name in ("get_leading_dimension", "get_nonleading_dimension"):
            self.assertEqual(call(operand.pointer), operand.shown.shape[name == "get_nonleading_dimension"])
        elif name == "set_transpose":
            call(operand.pointer, ct.c_int(not flagged))
            self.assertEqual((*operand.struct.size, operand.struct.is_trans), (*FULL, int(not flagged)))
        elif name in ("euclid_norm", "manhattan_norm"):
            norm = np.linalg.norm(values.ravel().astype(np.float64), 2 if name == "euclid_norm" else 1)
            self.assertAlmostEqual(call(operand.pointer, ct.byref(status)) / norm, 1, places=6)
            self.assertEqual(status.value, 0)
        elif name.startswith("fill_with"):
            rnd, other = Rnd(), Operand(values, not flagged)
            for x in (operand, other):
                self.assertEqual(function("init_random")(ct.byref(rnd), 3, None), 0)
                self.assertEqual(call(ct.byref(rnd), x.pointer), 0)
            self.assertTrue((operand.memory() != values).all())
            np.testing.assert_array_equal(operand.memory(), other.memory())
        elif name == "assign_scalar":
            self.assertEqual(call(operand.pointer, ct.c_float(7)), 0)
            np.testing.assert_array_equal(operand.memory(), np.full(FULL, 7))
        elif name == "copy_to_device":
            operand.host[:] = 3 * values
            self.assertEqual(call(operand.pointer), 0)
            operand.host[:] = 0
            np.testing.assert_array_equal(operand.memory(), 3 * values)
        else:  # copy_to_host, allocate_device_memory, free_device_memory
            self.assertEqual(call(operand.pointer), 0)
            self.assertEqual(operand.struct.on_device, int(name != "free_device_memory"))
            np.testing.assert_array_equal(operand.memory(), values)
        self.assertIn(outcome, ("ok", "as"))

    def check_view(self, name, pattern, outcome):
        source = Operand(numbers(FULL if name == "get_slice" else COLUMN, np.random.default_rng(2)), pattern[0] == "f")
        view = Struct(is_trans=int(pattern[1] == "f"))
        status = function(name)(source.pointer, ct.byref(view), ct.c_uint(1), ct.c_uint(3))
        self.assertEqual(status, 0 if outcome == "ok" else int(outcome))
        if outcome == "ok":
            size, first = ((4, 2), 4) if name == "get_slice" else ((2, 1), 1)
            self.assertEqual((tuple(view.size), view.is_trans, view.owns_data), (size, 0, 0))
            self.assertEqual(ct.addressof(view.data_device.contents) - ct.addressof(source.struct.data_device.contents),
                             4 * first)

    def check_vdot(self, pattern, outcome):
        rng = np.random.default_rng(3)
        a, b = [Operand(numbers(FULL, rng), flag == "f") for flag in pattern]
        status = ct.c_int(9)
        result = function("vdot")(a.pointer, b.pointer, ct.byref(status))
        self.assertEqual(status.value, 0 if outcome == "ok" else int(outcome))
        wanted = np.vdot(a.before.astype(np.float64), b.before) if outcome == "ok" else 0
        self.assertAlmostEqual(result, wanted, places=4)

    def test_the_table(self):
        for name, outcomes in table():
            for pattern, outcome in outcomes:
                with self.subTest(function=name, flags=pattern):
                    if name == "vdot":
                        self.check_vdot(pattern, outcome)
                    elif name in ("get_slice", "get_vector_slice"):
                        self.check_view(name, pattern, outcome)
                    elif len(pattern) == 1:
                        self.check_single(name, pattern, outcome)
                    else:
                        self.check(name, pattern, outcome)

    def test_it_has_every_function(self):
        if exports_folder is None:
            self.skipTest("no folder with cudamat.map was given")
        exported = set()
        for library in LIBRARIES:
            text = re.sub(r"/\*.*?\*/", "", (exports_folder / f"{library}.map").read_text(), flags=re.S)
            exported |= set(re.findall(r"(\w+);", text))
        self.assertEqual({name.partition("(")[0] for name, _ in table()}, exported - WITHOUT_OPERANDS)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        exports_folder = Path(sys.argv.pop(1))
    unittest.main()
