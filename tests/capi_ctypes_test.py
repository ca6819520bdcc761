"""Programs for the original's Python package on the C interface, NumPy the judge: the calls of CUDAMatrix, the
report's RBM, and the Cudamat modules that symdump prints. The libraries are found by LD_LIBRARY_PATH.

usage: capi_ctypes_test.py [SYMDUMP]      without it the printed modules are left out
"""

import math
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS / "data" / "capi"), str(TESTS / "differential")]
import cudamat as cm  # noqa: E402: after the path
from cudamat import learn  # noqa: E402

symdump_path = None


def numbers(*shape, low=-2.0, high=2.0):
    rng = np.random.default_rng(hash(shape) % 1000)
    return np.asfortranarray(rng.uniform(low, high, shape).astype(np.float32))


def close(got, expected, rtol=1e-5, atol=1e-5):
    got = got.asarray() if isinstance(got, cm.CUDAMatrix) else got
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


class Calls(unittest.TestCase):
    def test_element_wise_with_and_without_a_target(self):
        x, y = numbers(33, 17, low=0.1), numbers(33, 17, low=0.2)
        for name, expected in dict(
                add=x + y, subtract=x - y, mult=x * y, divide=x / y, less_than=x < y, greater_than=x > y,
                equals=x == y, minimum=np.minimum(x, y), maximum=np.maximum(x, y)).items():
            a, b, t = cm.CUDAMatrix(x), cm.CUDAMatrix(y), cm.empty(x.shape)
            self.assertIs(getattr(a, name)(b, target=t), t)
            close(t, expected, 1e-6)
            close(a, x, 0, 0)
            self.assertIs(getattr(a, name)(b), a)
            close(a, expected, 1e-6)
        for name, expected in dict(
                add=x + 0.5, subtract=x - 0.5, mult=x * 0.5, divide=x / 0.5, less_than=x < 0.5,
                greater_than=x > 0.5, minimum=np.minimum(x, 0.5), maximum=np.maximum(x, 0.5)).items():
            close(getattr(cm.CUDAMatrix(x), name)(0.5), expected, 1e-6)

    def test_functions(self):
        x = numbers(33, 17, low=0.1)
        gamma = np.vectorize(math.gamma)
        lgamma = np.vectorize(math.lgamma)
        for name, f in dict(
                sigmoid=lambda v: 1 / (1 + np.exp(-v)), tanh=np.tanh, abs=np.abs, exp=np.exp, log=np.log, sqrt=np.sqrt,
                log_1_plus_exp=lambda v: np.log1p(np.exp(v)), gamma=gamma, lgamma=lgamma).items():
            t = cm.empty(x.shape)
            close(getattr(cm, name)(cm.CUDAMatrix(x), target=t), f(x.astype(float)))
            close(getattr(cm, name)(cm.CUDAMatrix(x)), f(x.astype(float)))
        close(cm.pow(cm.CUDAMatrix(x), 2.5), x ** 2.5)
        close(cm.pow(cm.CUDAMatrix(x), cm.CUDAMatrix(x)), x ** x)
        close(cm.soft_threshold(cm.CUDAMatrix(-x), 0.5), -np.maximum(x - 0.5, 0))
        close(cm.CUDAMatrix(x - 1).sign(), np.sign(x - 1))
        close(cm.CUDAMatrix(x).reciprocal(), 1 / x)
        close(learn.mult_by_sigmoid_deriv(cm.CUDAMatrix(x), cm.CUDAMatrix(x - 1)), x * (x - 1) * (2 - x))
        condition = cm.CUDAMatrix(x).less_than(1)
        close(cm.where(condition, cm.CUDAMatrix(x), cm.CUDAMatrix(-x)), np.where(x < 1, x, -x))

    def test_special_values_as_in_numpy(self):
        x = np.array([[np.nan, np.inf, -np.inf, 0., -0., 1.]], dtype=np.float32)
        y = np.array([[1., np.nan, np.inf, -0., 0., np.nan]], dtype=np.float32)
        with np.errstate(all="ignore"):
            for name, f in dict(maximum=np.maximum, minimum=np.minimum, divide=np.divide, less_than=np.less,
                                equals=np.equal).items():
                np.testing.assert_array_equal(getattr(cm.CUDAMatrix(x), name)(cm.CUDAMatrix(y)).asarray(), f(x, y))
        for name in ("max", "min", "argmax", "argmin"):
            f = getattr(np, name)
            np.testing.assert_array_equal(getattr(cm.CUDAMatrix(x), name)(1).asarray(), [[f(x)]])
        self.assertFalse(cm.CUDAMatrix(x).allfinite())
        self.assertTrue(cm.CUDAMatrix(np.ones((3, 3))).allfinite())

    def test_vectors_against_matrices(self):
        x, col, row = numbers(33, 17), numbers(33, 1, low=0.5), numbers(1, 17, low=0.5)
        for vec, name, expected in (
                (col, "add_col_vec", x + col), (col, "mult_by_col", x * col), (col, "div_by_col", x / col),
                (row, "add_row_vec", x + row), (row, "mult_by_row", x * row), (row, "div_by_row", x / row)):
            close(getattr(cm.CUDAMatrix(x), name)(cm.CUDAMatrix(vec)), expected, 1e-6)
        close(cm.CUDAMatrix(x).add_col_mult(cm.CUDAMatrix(col), -3.), x - 3 * col, 1e-6, 1e-6)

    def test_sums_through_ones(self):
        x = numbers(33, 17)
        for axis in (0, 1):
            mat = cm.CUDAMatrix(x)
            expected = x.sum(axis, keepdims=True)
            close(mat.sum(axis), expected)
            close(mat.sum(axis, mult=0.5), expected / 2)
            close(mat.mean(axis), x.mean(axis, keepdims=True))
            close(cm.sum(mat.T, axis=axis), x.T.sum(axis, keepdims=True))
            start = np.ones_like(expected)
            close(cm.CUDAMatrix(start).add_sums(mat, axis, mult=3., beta=0.25), 3 * expected + 0.25)
            mat.set_trans(True)
            close(mat.sum(axis), x.T.sum(axis, keepdims=True))
        close(cm.CUDAMatrix(np.ones((1, 200000))).sum(1), [[200000]])

    def test_sums_keep_their_digits(self):
        n = 10 ** 7
        cm.cublas_init(n)
        mat = cm.empty((1, n)).assign(0.1)
        exact = float(np.float32(0.1)) * n
        for form in ("lying", "standing"):
            axis = mat.shape.index(n)
            added = cm.empty((1, 1)).assign(1.).add_sums(mat, axis, beta=0.)
            for got in (mat.sum(axis), mat.mean(axis).mult(float(n)), added):
                self.assertLess(abs(got.asarray()[0, 0] / exact - 1), 1e-6, form)
            mat.reshape((n, 1))
        cm.cublas_init()

    def test_winners_over_an_axis(self):
        x = numbers(33, 17)
        for axis in (0, 1):
            for name in ("max", "min", "argmax", "argmin"):
                expected = np.expand_dims(getattr(np, name)(x, axis), axis)
                close(getattr(cm.CUDAMatrix(x), name)(axis), expected, 0, 0)
        close(cm.CUDAMatrix(numbers(1, 5000)).max(1), [[numbers(1, 5000).max()]], 0, 0)

    def test_products(self):
        a, b, c = numbers(33, 17), numbers(17, 21), numbers(33, 21)
        ga, gb, gc = cm.CUDAMatrix(a), cm.CUDAMatrix(b), cm.CUDAMatrix(c)
        at, bt = cm.CUDAMatrix(a.T), cm.CUDAMatrix(b.T)
        for m1 in (ga, at.T):
            for m2 in (gb, bt.T):
                close(cm.dot(m1, m2), a @ b, atol=1e-4)
                close(cm.dot(m1, m2, target=gc.copy(), beta=0.5, alpha=2.), 0.5 * c + 2 * (a @ b), atol=1e-4)
        close(gc.copy().add_dot(ga, gb), c + a @ b, atol=1e-4)
        close(gc.copy().subtract_dot(ga, gb, mult=2.), c - 2 * (a @ b), atol=1e-4)
        close(gc.copy().add_mult(gc, 0.5).subtract_mult(gc, 0.25), 1.25 * c)
        with self.assertRaisesRegex(cm.CUDAMatException, "transposed"):  # the original ignored the flag
            cm.dot(bt, at, target=cm.empty((33, 21)).T)

    def test_numbers_from_a_matrix(self):
        x, y = numbers(33, 17), numbers(33, 17, low=0.5)
        self.assertAlmostEqual(cm.CUDAMatrix(x).euclid_norm(), np.linalg.norm(x.astype(float)), places=4)
        self.assertAlmostEqual(cm.CUDAMatrix(x).manhattan_norm(), np.abs(x.astype(float)).sum(), places=3)
        self.assertAlmostEqual(cm.vdot(cm.CUDAMatrix(x), cm.CUDAMatrix(y)), np.vdot(x.astype(float), y), places=3)
        gone = cm.CUDAMatrix(x)
        gone.free_device_memory()
        with self.assertRaisesRegex(cm.CUDAMatException, "device memory"):  # the original returned the code
            cm.vdot(gone, cm.CUDAMatrix(y))

    def test_slices_share_memory(self):
        x = numbers(33, 17)
        mat = cm.CUDAMatrix(x)
        mat.slice(3, 9).mult(2.)
        expected = x.copy()
        expected[:, 3:9] *= 2
        close(mat, expected, 0, 0)
        mat.set_col_slice(0, 2, cm.CUDAMatrix(expected[:, 5:7]))
        expected[:, 0:2] = expected[:, 5:7]
        close(mat.get_col_slice(0, 9).slice(1, 3), expected[:, 1:3], 0, 0)
        mat.set_row_slice(30, 33, mat.get_row_slice(4, 7))
        expected[30:33] = expected[4:7]
        close(mat, expected, 0, 0)
        close(mat.transpose(), expected.T, 0, 0)
        mat.set_trans(True)  # which transpose() does not look at
        close(mat.transpose(), expected.T, 0, 0)
        mat.set_trans(False)
        for vec in (numbers(33, 1), numbers(1, 33)):
            part = cm.CUDAMatrix(vec).slice(5, 12)
            close(part, vec[5:12] if vec.shape[1] == 1 else vec[:, 5:12], 0, 0)
            part.copy_to_device()  # into the view, in place
            part.numpy_array[:] = 7
            part.copy_to_device()
            values = part.sliceof.asarray().ravel()
            self.assertEqual((values[4], values[5], values[11], values[12]),
                             (vec.ravel()[4], 7, 7, vec.ravel()[12]))

    def test_shapes(self):
        x = numbers(4, 6)
        mat = cm.CUDAMatrix(x).reshape((8, 3))
        self.assertEqual(mat.shape, (8, 3))
        close(mat, x.reshape((8, 3), order="F"), 0, 0)
        y = numbers(8, 2)
        close(cm.dot(mat.T, cm.CUDAMatrix(y)), x.reshape((8, 3), order="F").T @ y)

    def test_selected_columns(self):
        x = numbers(33, 17)
        indices = np.array([[3, 0, -1, 16, 99, -17, -18]], dtype=np.float32)
        got = cm.CUDAMatrix(x).select_columns(cm.CUDAMatrix(indices), target=cm.empty((33, 7))).asarray()
        np.testing.assert_array_equal(got[:, [0, 1, 2, 3, 5]], x[:, [3, 0, -1, 16, -17]])
        self.assertTrue(np.isnan(got[:, [4, 6]]).all())
        fractions = np.array([[0.9, 2.5, -0.9, -1.5, 16.99, 17, -17.5, -18, np.nan, np.inf, 1e30]], dtype=np.float32)
        wide = numbers(33, 13)
        got = cm.CUDAMatrix(x).select_columns(cm.CUDAMatrix(fractions), target=cm.CUDAMatrix(wide)).asarray()
        np.testing.assert_array_equal(got[:, [0, 1, 2, 3, 4, 6]], x[:, [0, 2, 0, -1, 16, -17]])
        self.assertTrue(np.isnan(got[:, [5, 7, 8, 9, 10]]).all())
        np.testing.assert_array_equal(got[:, 11:], wide[:, 11:])
        source = numbers(33, 3)
        mat = cm.CUDAMatrix(x)
        mat.set_selected_columns(cm.CUDAMatrix(np.array([[5, -2, 40]])), cm.CUDAMatrix(source))
        expected = x.copy()
        expected[:, [5, -2]] = source[:, :2]
        close(mat, expected, 0, 0)

    def test_correlation(self):
        x, kernel = numbers(9, 11), numbers(3, 5)
        padded = np.pad(x, ((1, 1), (2, 2)))
        expected = sum(kernel[p, q] * padded[p:p + 9, q:q + 11] for p in range(3) for q in range(5))
        close(cm.correlate(cm.CUDAMatrix(x), cm.CUDAMatrix(kernel)), expected)

    def test_random_numbers(self):
        cm.CUDAMatrix.init_random(42)
        first = cm.empty((300, 100)).fill_with_rand().asarray().copy()
        second = cm.empty((300, 100)).fill_with_rand().asarray()
        cm.CUDAMatrix.init_random(42)
        np.testing.assert_array_equal(cm.empty((300, 100)).fill_with_rand().asarray(), first)
        self.assertFalse((first == second).any(axis=None) and (first == second).mean() > 0.01)
        self.assertTrue((first > 0).all() and (first <= 1).all())
        self.assertAlmostEqual(first.mean(), 0.5, places=2)
        normal = cm.empty((300, 100)).fill_with_randn().asarray()
        self.assertLess(abs(normal.mean()), 0.03)
        self.assertLess(abs(normal.std() - 1), 0.03)

    def test_empty_matrices(self):
        self.assertEqual(cm.empty((0, 5)).add(1.).asarray().shape, (0, 5))
        close(cm.dot(cm.empty((3, 0)), cm.empty((0, 2))), np.zeros((3, 2)), 0, 0)

    def test_matrices_outlive_a_shutdown(self):
        mat = cm.CUDAMatrix(numbers(4, 6))
        cm.cublas_shutdown()
        cm.cublas_init()
        close(mat.mult(2.), 2 * numbers(4, 6), 0, 0)

    def test_threads(self):
        x = numbers(200, 100)
        wrong = []

        def work(k):
            for _ in range(20):
                mat = cm.CUDAMatrix(x).mult(float(k)).add(1.)
                if not np.array_equal(mat.asarray(), x * np.float32(k) + np.float32(1)):
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Programs(unittest.TestCase):
    def test_the_reports_rbm(self):
        """Section 2.1 of the gnumpy report on a small problem, beside NumPy with the same random numbers."""
        rng = np.random.default_rng(1)
        prototypes = rng.random((36, 4)) < 0.3
        dat = prototypes[:, rng.integers(0, 4, 256)] * 0.9 + 0.05
        epsilon, momentum, batch_size, num_epochs = 0.1, 0.9, 32, 8
        num_vis, num_hid = 36, 24
        start = 0.1 * rng.standard_normal((num_vis, num_hid))

        cm.CUDAMatrix.init_random(1)
        dev_dat = cm.CUDAMatrix(cm.reformat(dat))
        w_vh, wu_vh = cm.CUDAMatrix(start), cm.CUDAMatrix(np.zeros((num_vis, num_hid)))
        w_v, wu_v = cm.CUDAMatrix(np.zeros((num_vis, 1))), cm.CUDAMatrix(np.zeros((num_vis, 1)))
        w_h, wu_h = cm.CUDAMatrix(-4. * np.ones((num_hid, 1))), cm.CUDAMatrix(np.zeros((num_hid, 1)))
        v, h, r = cm.empty((num_vis, batch_size)), cm.empty((num_hid, batch_size)), cm.empty((num_hid, batch_size))
        n_vh, n_v, n_h = start.copy(), np.zeros((num_vis, 1)), -4. * np.ones((num_hid, 1))
        nu_vh, nu_v, nu_h = np.zeros_like(n_vh), np.zeros_like(n_v), np.zeros_like(n_h)

        def logistic(x):
            return 1 / (1 + np.exp(-x))

        means = []
        for _ in range(num_epochs):
            err = []
            for batch in range(dat.shape[1] // batch_size):
                v_true = dev_dat.slice(batch * batch_size, (batch + 1) * batch_size)
                v.assign(v_true)
                wu_vh.mult(momentum)
                wu_v.mult(momentum)
                wu_h.mult(momentum)
                cm.dot(w_vh.T, v, target=h)
                h.add_col_vec(w_h)
                h.apply_sigmoid()
                wu_vh.add_dot(v, h.T)
                wu_v.add_sums(v, axis=1)
                wu_h.add_sums(h, axis=1)
                r.fill_with_rand()
                drawn = r.asarray().astype(float)
                r.less_than(h, target=h)
                cm.dot(w_vh, h, target=v)
                v.add_col_vec(w_v)
                v.apply_sigmoid()
                cm.dot(w_vh.T, v, target=h)
                h.add_col_vec(w_h)
                h.apply_sigmoid()
                wu_vh.subtract_dot(v, h.T)
                wu_v.add_sums(v, axis=1, mult=-1.)
                wu_h.add_sums(h, axis=1, mult=-1.)
                w_vh.add_mult(wu_vh, epsilon / batch_size)
                w_v.add_mult(wu_v, epsilon / batch_size)
                w_h.add_mult(wu_h, epsilon / batch_size)
                v.subtract(v_true)
                err.append(v.euclid_norm() ** 2 / (num_vis * batch_size))

                data = dat[:, batch * batch_size:(batch + 1) * batch_size].astype(np.float32).astype(float)
                hidden = logistic(n_vh.T @ data + n_h)
                seen = logistic(n_vh @ (drawn < hidden) + n_v)
                again = logistic(n_vh.T @ seen + n_h)
                nu_vh = momentum * nu_vh + data @ hidden.T - seen @ again.T
                nu_v = momentum * nu_v + (data - seen).sum(1, keepdims=True)
                nu_h = momentum * nu_h + (hidden - again).sum(1, keepdims=True)
                n_vh += epsilon / batch_size * nu_vh
                n_v += epsilon / batch_size * nu_v
                n_h += epsilon / batch_size * nu_h
            means.append(np.mean(err))
        close(w_vh, n_vh, atol=1e-3)
        close(w_v, n_v, atol=1e-3)
        close(w_h, n_h, atol=1e-3)
        self.assertLess(means[-1], 0.75 * means[0])

    def test_printed_modules(self):
        if symdump_path is None:
            self.skipTest("no symdump was given")
        import emitted
        from comparison import Symdump
        from fixed_programs_test import NEEDS_DOUBLES, load
        emitted.STAND_IN = TESTS / "data" / "capi"
        ran = []
        with tempfile.TemporaryDirectory(prefix="cudamat-capi-") as scratch:
            symdump = Symdump(symdump_path, scratch)
            for path in sorted((TESTS / "programs").glob("*.py")):
                if path.name in NEEDS_DOUBLES:
                    continue
                program = load(path, 32)
                failure, done = emitted.check_module(symdump, program)
                with self.subTest(program=path.name):
                    self.assertIsNone(failure, failure and failure.detail)
                if done:
                    ran.append(path.name)
        self.assertGreater(len(ran), 20)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        symdump_path = sys.argv.pop(1)
    cm.cublas_init()
    unittest.main()
