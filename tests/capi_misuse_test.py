"""Every function of the C interface, misused in every way that has a status code: each operand null, not on the
device, of a wrong shape, negative. No call may write anything then, and a call
with everything in order succeeds. Then the text of the last error, per thread, and the choice of the engine.
The libraries are found by LD_LIBRARY_PATH.
"""

import ctypes as ct
import os
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "data" / "capi"))
import cudamat as cm  # noqa: E402: after the path

LIBRARY, LEARN = cm._cudamat, cm._cudalearn
SHAPE, OUT_OF_MEMORY, VIEW, GENERIC, NOT_ON_DEVICE, UNSUPPORTED = -1, -2, -4, -6, -8, -9

FULL, COLUMN, ROW = (4, 5), (4, 1), (1, 5)


def each(names, arguments):
    return {name: arguments for name in names.split()}


def number(value):
    return ct.c_float(value)


# The arguments of each function. Tuples are the shapes of matrices. What flags do: capi_flags_test.py.
FUNCTIONS = {
    **each("sign apply_sigmoid apply_tanh apply_abs apply_log_1_plus_exp apply_log apply_exp apply_gamma "
           "apply_lgamma apply_sqrt reciprocal copy_on_device", [FULL, FULL]),
    **each("less_than_scalar greater_than_scalar equals_scalar minimum_scalar maximum_scalar mult_by_scalar "
           "divide_by_scalar add_scalar apply_pow apply_soft_threshold", [FULL, number(2), FULL]),
    **each("less_than greater_than equals minimum maximum add_elementwise subtract_elementwise mult_elementwise "
           "divide_elementwise apply_pow_matrix", [FULL, FULL, FULL]),
    **each("add_mult", [FULL, FULL, number(2)]),
    **each("where", [FULL, FULL, FULL, FULL]),
    **each("mult_by_sigmoid_deriv", [FULL, FULL]),
    **each("add_col_vec mult_by_col_vec divide_by_col_vec", [FULL, COLUMN, FULL]),
    **each("add_row_vec mult_by_row_vec divide_by_row_vec", [FULL, ROW, FULL]),
    **each("add_col_mult", [FULL, COLUMN, FULL, number(2)]),
    **each("get_row_slice", [FULL, (2, 5), 1, 3]),
    **each("set_row_slice", [(2, 5), FULL, 1, 3]),
    **each("selectRows", [FULL, (4, 3), (1, 3)]),
    **each("setSelectedRows", [FULL, (4, 3), (1, 3)]),
    **each("correlate", [FULL, (3, 3), FULL]),
    **each("min_by_axis max_by_axis argmin_by_axis argmax_by_axis", [FULL, ROW, 0]),
    **each("dot", [(4, 3), (3, 5), FULL, number(0.5), number(2)]),
    **each("copy_transpose", [FULL, (5, 4)]),
}
ANY_SHAPE = {("correlate", 1)}  # operands that need not match another


def call(name, arguments):
    function = getattr(LEARN if name == "mult_by_sigmoid_deriv" else LIBRARY, name)
    return function(*[a.p_mat if isinstance(a, cm.CUDAMatrix) else a for a in arguments])


def matrix(shape):
    rng = np.random.default_rng(shape[0] * 100 + shape[1])
    return cm.CUDAMatrix(rng.uniform(0.2, 2, shape))


class Misuse(unittest.TestCase):
    def made(self, name, changed=None, change=matrix):
        """The arguments of a call, all in order but for operand `changed`."""
        return [(change if i == changed else matrix)(a) if isinstance(a, tuple) else a
                for i, a in enumerate(FUNCTIONS[name])]

    def refused(self, name, arguments, code):
        operands = [a for a in arguments if isinstance(a, cm.CUDAMatrix) and a.mat.on_device]
        before = [a.asarray().copy() for a in operands]
        with self.subTest(function=name, arguments=[getattr(a, "shape", a) for a in arguments]):
            self.assertEqual(call(name, arguments), code)
            self.assertRegex(cm.get_last_cuda_error(), r"^\[\w+\] \w")
            for mat, values in zip(operands, before):
                np.testing.assert_array_equal(mat.asarray(), values)

    def operands(self):
        for name, arguments in FUNCTIONS.items():
            for i, argument in enumerate(arguments):
                if isinstance(argument, tuple):
                    yield name, i

    def test_calls_in_order_succeed(self):
        for name in FUNCTIONS:
            with self.subTest(function=name):
                self.assertEqual(call(name, self.made(name)), 0)

    def test_null_pointers(self):
        for name, i in self.operands():
            self.refused(name, self.made(name, i, lambda shape: None), GENERIC)

    def test_not_on_device(self):
        def freed(shape):
            result = matrix(shape)
            result.free_device_memory()
            return result

        def only_said_to_be_there(shape):
            result = freed(shape)
            result.mat.on_device = 1
            return result

        for name, i in self.operands():
            self.refused(name, self.made(name, i, freed), NOT_ON_DEVICE)
            arguments = self.made(name, i, only_said_to_be_there)
            self.assertEqual(call(name, arguments), NOT_ON_DEVICE)

    def test_wrong_shapes(self):
        for name, i in self.operands():
            if (name, i) not in ANY_SHAPE:
                self.refused(name, self.made(name, i, lambda shape: matrix((7, 2))), SHAPE)

    def test_negative_sizes(self):
        def negative(shape):
            result = matrix(shape)
            result.mat.size[1] = -shape[1]
            return result

        for name, i in self.operands():
            arguments = self.made(name, i, negative)
            with self.subTest(function=name, operand=i):
                self.assertEqual(call(name, arguments), SHAPE)

    def test_axis(self):
        for name in ("min_by_axis", "max_by_axis", "argmin_by_axis", "argmax_by_axis"):
            for axis in (-1, 2, 1 << 30):  # like 1
                self.refused(name, [matrix(FULL), matrix(ROW), axis], SHAPE)
                targets = matrix(COLUMN), matrix(COLUMN)
                for target, as_axis in zip(targets, (axis, 1)):
                    self.assertEqual(call(name, [matrix(FULL), target, as_axis]), 0)
                np.testing.assert_array_equal(*[target.asarray() for target in targets])
            self.refused(name, [matrix((0, 5)), matrix(ROW), 0], UNSUPPORTED)

    def test_kernels(self):
        for kernel in ((2, 3), (3, 2), (5, 1), (1, 7), (0, 3)):  # even, or larger than the matrix
            self.refused("correlate", [matrix(FULL), matrix(kernel), matrix(FULL)], SHAPE)

    def test_narrow_partners_of_indices(self):
        for name in ("selectRows", "setSelectedRows"):
            self.refused(name, [matrix(FULL), matrix((4, 2)), matrix((1, 3))], SHAPE)

    def test_slices_out_of_range(self):
        view = cm.cudamat()
        for name in ("get_slice", "get_vector_slice"):
            source = matrix(FULL if name == "get_slice" else COLUMN)
            for first, last in ((0, 6), (3, 2), (2, 2), (0, 0), (-2, 5), (7, 7)):
                self.refused(name, [source, ct.pointer(view), first, last], SHAPE)
            self.refused(name, [source, None, 0, 1], GENERIC)
            self.refused(name, [source, source, 0, 1], GENERIC)
            self.refused(name, [None, ct.pointer(view), 0, 1], GENERIC)
        self.refused("get_vector_slice", [matrix(FULL), ct.pointer(view), 0, 1], GENERIC)
        for start, end in ((0, 5), (3, 2), (1, 1), (-1, 1)):
            self.refused("get_row_slice", [matrix(FULL), matrix((2, 5)), start, end], SHAPE)
            self.refused("set_row_slice", [matrix((2, 5)), matrix(FULL), start, end], SHAPE)
        self.refused("get_row_slice", [matrix(FULL), matrix((0, 5)), 1, 1], SHAPE)
        self.refused("set_row_slice", [matrix((0, 5)), matrix(FULL), 1, 1], SHAPE)

    def test_reshape(self):
        mat = matrix(FULL)
        for m, n in ((4, 6), (-4, -5), (1 << 31, 0), (0, 0)):
            self.refused("reshape", [mat, ct.c_uint(m), ct.c_uint(n)], SHAPE)
        self.assertEqual(mat.shape, FULL)
        self.refused("reshape", [None, 5, 4], GENERIC)

    def test_overlapping_targets(self):
        mat = matrix((4, 4))
        self.refused("dot", [mat, matrix((4, 4)), mat, number(0), number(1)], GENERIC)
        self.refused("copy_transpose", [mat, mat], GENERIC)
        self.refused("apply_exp", [mat.slice(0, 2), mat.slice(1, 3)], GENERIC)
        self.refused("mult_by_sigmoid_deriv", [mat.slice(0, 2), mat.slice(1, 3)], GENERIC)
        self.assertEqual(call("mult_by_sigmoid_deriv", [mat, mat]), 0)

    def test_numbers(self):
        for name, count in (("vdot", 2), ("euclid_norm", 1), ("manhattan_norm", 1)):
            function = getattr(LIBRARY, name)
            gone = matrix(FULL)
            gone.free_device_memory()
            for operand, code in ((None, GENERIC), (gone.p_mat, NOT_ON_DEVICE)):
                status = ct.c_int(0)
                failed = 0 if name == "vdot" else -1
                self.assertEqual(function(*[operand] * count, ct.byref(status)), failed)
                self.assertEqual(status.value, code)
                self.assertEqual(function(*[operand] * count, None), failed)
        status = ct.c_int(0)
        self.assertEqual(call("vdot", [matrix(FULL), matrix((5, 4)), ct.byref(status)]), 0)
        self.assertEqual(status.value, SHAPE)

    def test_random_numbers(self):
        state, mat = ct.pointer(cm.rnd_struct()), matrix(FULL)
        gone = matrix(FULL)
        gone.free_device_memory()
        self.assertEqual(LIBRARY.init_random(None, 1, None), GENERIC)
        for name in ("fill_with_rand", "fill_with_randn"):
            self.refused(name, [None, mat], GENERIC)
            self.refused(name, [state, None], GENERIC)
            self.refused(name, [state, gone], NOT_ON_DEVICE)
            self.assertEqual(call(name, [state, mat]), 0)

    def test_memory(self):
        for name in ("allocate_device_memory", "free_device_memory", "copy_to_host", "copy_to_device"):
            self.refused(name, [None], GENERIC)
        self.refused("init_empty", [None, 2, 3], GENERIC)
        mat = cm.empty((2, 3))
        self.refused("copy_to_host", [ct.pointer(mat.mat)], GENERIC)  # no host memory
        self.refused("copy_to_device", [ct.pointer(mat.mat)], GENERIC)
        self.assertEqual(LIBRARY.init_empty(ct.pointer(cm.cudamat()), 1 << 30, 1 << 30), OUT_OF_MEMORY)
        self.assertIn("cannot allocate", cm.get_last_cuda_error())
        view = mat.slice(0, 1)
        view.mat.on_device = 0
        self.refused("allocate_device_memory", [ct.pointer(view.mat)], VIEW)
        only_on_host = cm.CUDAMatrix(np.ones((2, 3)), copy_to_device=False)
        self.refused("copy_to_host", [ct.pointer(only_on_host.mat)], NOT_ON_DEVICE)
        self.assertEqual(only_on_host.reshape((3, 2)).shape, (3, 2))
        only_on_host.copy_to_device()
        np.testing.assert_array_equal(only_on_host.asarray(), 1)

    def test_no_such_device(self):
        for device in (-1, 1000):
            self.refused("cuda_set_device", [device], -3)
        self.assertEqual(LIBRARY.cuda_set_device(0), 0)


class LastError(unittest.TestCase):
    def test_each_thread_has_its_own(self):
        texts, together = {}, threading.Barrier(4)

        def work(k):
            try:
                fresh = cm.get_last_cuda_error()
                together.wait()
                for _ in range(100):
                    call("add_elementwise", [matrix((k, 2)), matrix((k, 3)), matrix((k, 2))])
                together.wait()
                texts[k] = (fresh, cm.get_last_cuda_error())
            except BaseException:
                together.abort()  # the others do not wait for this one
                raise

        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for k in range(1, 5):
            self.assertEqual(texts.get(k), ("no error", f"[add] val must be {k}x2 to match mat; got {k}x3"))

    def test_a_success_keeps_it(self):
        call("apply_exp", [None, None])
        text = cm.get_last_cuda_error()
        call("apply_exp", [matrix(FULL), matrix(FULL)])
        self.assertEqual(cm.get_last_cuda_error(), text)
        self.assertEqual(LIBRARY.get_last_clib_error().decode(), text)


class Engine(unittest.TestCase):
    PROGRAM = ("import cudamat as cm; import numpy as np; cm.cublas_init(); "
               "print(cm.CUDAMatrix(np.ones((3, 2))).euclid_norm() ** 2)")

    def run_with(self, use):
        environment = dict(os.environ, PYTHONPATH=str(Path(cm.__file__).parent))
        environment.pop("GNUMPY_USE_GPU", None)
        if use is not None:
            environment["GNUMPY_USE_GPU"] = use
        return subprocess.run([sys.executable, "-B", "-c", self.PROGRAM], env=environment, capture_output=True,
                              text=True, check=False)

    def test_auto_says_what_it_took(self):
        for use in (None, "auto", ""):
            done = self.run_with(use)
            self.assertEqual((done.returncode, round(float(done.stdout))), (0, 6), done.stderr)
            self.assertRegex(done.stderr, r"^cudamat: computing on the (CPU|GPU) \(.*\)")

    def test_the_cpu(self):
        done = self.run_with("no")
        self.assertEqual((done.returncode, round(float(done.stdout)), done.stderr), (0, 6, ""))

    def test_a_gpu_demanded(self):
        done = self.run_with("yes")
        if "computing on the GPU" in self.run_with("auto").stderr:
            self.assertEqual((done.returncode, round(float(done.stdout))), (0, 6), done.stderr)
        else:
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"CUDA error: \[cudamat\] GNUMPY_USE_GPU=yes: .*GNUMPY_USE_GPU=no")

    def test_a_word_without_meaning(self):
        done = self.run_with("perhaps")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("CUDA error: [GNUMPY_USE_GPU] must be auto, yes or no; got 'perhaps'", done.stderr)


if __name__ == "__main__":
    cm.cublas_init()
    unittest.main()
