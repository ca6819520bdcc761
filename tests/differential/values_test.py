"""Small programs whose values NumPy decides, types among them; and those that NumPy refuses, as it does.

    values_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import sys

import numpy as np

from cli import main
from parts import with_parts
from same_programs import SamePrograms, with_lengths

V = np.array([1.5, -2, 0.25, 3, -0.5])
INPUTS = {
    "V": V,
    "W": V[::-1] * 2,
    "X": np.array([[1.5, -2, 0.25], [3, -0.5, 1], [-1, 2, 4], [0.5, -3, 2.5]]),
    "K": np.array([3, -1, 0, 7, 2]),
    "U": np.array([200, 100, 3, 0, 255], np.uint8),
    "B": np.array([True, False, True, True, False]),
    "I8": np.array([-128, 127, 5, -7, 0], np.int8),
    "I16": np.array([300, -4, 5, 0, 7], np.int16),
    "k": np.array(3),
}
C = "C = V + 1j * W\n"  # complex, with the parts of V and W

# In place, where the type of the result is one that the array cannot have. NumPy's error is ours.
IN_PLACE = [
    "K[K > 0] /= 2", "K[:k] += .5", "B[V > 0] += 1", "K[K > 0] *= V[V > 1][0]", "K[np.array([0, 1])] /= 2",
    "K[np.where(K > 0)[0]] -= .5", "I8[I8 > 0] += K[K > 4][0] * 1000 * np.ones(1)", "U[U > 9] -= 1.5",
    "Y = K.reshape(1, 5)\nY[:, K > 0] /= 2", "c = K[K > 0]\nc /= 2", "c = [K[K > 0]]\nc[0] /= 2", "K[1:] **= .5",
    "c = K + 0\nc /= 2", "B[:k] *= 2", "K[1:k] += V[1:k]",
]
REFUSED = [
    "r = np.sum(X, axis=[0])", "r = X.mean(axis=[0])", "r = np.std(X, axis=[1])", "r = np.nansum(X, axis=[0])",
    "r = np.max(X, axis=[0, 1])", "r = np.ptp(X, axis=[0])", "r = np.count_nonzero(X, axis=[0])",
    "r = np.gradient(B)", "r = np.vsplit(V, 1)", "r = np.percentile(V[V > 100], 50)",
    "r = np.quantile(V[V > 100], .5)", "V[V > 100][0] = 9\nr = V + 1", "r = max(X[V[:4] > 0])", "r = min(X[:, X[0] > 0])",
]
JOINED = {
    "concatenate": "m = V > 0\nr = np.concatenate([V[m], V[~m]])",
    "hstack": "m = V > 0\nr = np.hstack([V[m], V[~m]])",
    "np.r_": "m = V > 0\nr = np.r_[V[m], V[~m]]",
    "a tuple": "m = V > 0\nr = np.concatenate((V[m], W[~m]))",
    "places": "m = V > 0\nr = np.concatenate([np.where(m)[0], np.where(~m)[0]])",
    "places of np.nonzero": "m = V > 0\nr = np.hstack([np.nonzero(m)[0], np.flatnonzero(~m)])",
    "rows": "m = V[:4] > 0\nr = np.concatenate([X[m], X[~m]])[:, 1]",
    "as an order": "m = V > 0\nr = V[np.concatenate([np.where(m)[0], np.where(~m)[0]])]",
    "append": "m = V > 0\nr = np.append(V[m], V[~m])",
    "the other first": "m = V > 0\nr = np.concatenate([V[~m], V[m]])",
    "slices of the run": "r = np.concatenate([V[:k], W[k:]])",
    "of other slices": "r = np.concatenate([V[k:], W[:k]])",
}
SUMS = {
    "rows": "r = sum(X[X[:, 0] > 0])",
    "elements": "r = np.array([sum(V[V > 0])])",
    "from a start": "r = sum(X[X[:, 0] > 0], 10)",
    "from an array": "r = sum(X[X[:, 0] > 0], X[0])",
    "argwhere": "r = sum(np.argwhere(V > 0))",
    "argwhere of a matrix": "r = sum(np.argwhere(X > 0))",
    "column_stack": "m = V > 0\nr = sum(np.column_stack([V[m], W[m]]))",
    "columns": "r = sum(X[:, X[0] > 0])",
    "a part": "r = sum(X[:k])",
    "a part of elements": "r = np.array([sum(V[:k])])",
    "ints": "r = np.array([sum(K[K > 0]), sum(U[U > 0]), sum(I8[I8 > 0]), sum(B[V > 0])])",
    "complex rows": "Z = X + 1j * X[::-1]\nr = sum(Z[X[:, 0] > 0])",
    "extremes": "r = np.array([max(V[V > 0]), min(V[V > 0])])",
}
MEMORY = {
    "conj": "a = C.conj()\nC[0] = 9\nr = a + 0",
    "np.conj": "a = np.conj(C)\nC[0] = 9\nr = a + 0",
    "conj changed": "a = C.conj()\na *= 2\nr = C + 0",
    "1 + C": "a = 1 + C\na *= 2\nr = C + 0",
    "C + 1": "a = C + 1\nC *= 2\nr = a + 0",
    "C - 1": "a = C - 1\na[1] = 5\nr = C + 0",
    "1 - C": "a = 1 - C\na[1] = 5\nr = C + 0",
    "C ** 1": "a = C ** 1\nC[0] = 9\nr = a + 0",
    "C - C.real": "a = C - C.real\nC[0] = 9j\nr = a + 0",
    "np.add": "a = np.add(C, V)\nC[0] = 9j\nr = a + 0",
    "of what is complex only by type": "D = V.astype(complex)\na = D.conj()\nD[0] = 9\nr = a + 0",
    "selections": "m = V > 0\nD = C[m]\na = 1 + D\na *= 2\nr = np.abs(D)",
    "views stay views": "a = C.real\na[0] = 9\nr = C + 0",
    "of real": "a = V + 1j * V\na *= 2\nr = V + 0",
    "imag of a sum": "a = V + 1j\nb = a.real\nb[0] = 7\nr = V + 0",
}
LAMBDAS = {
    "in another function":
        "def ap(g, x):\n    return g(x)\nr = ap(lambda v: v * 2 if v.sum() > 0 else v, V)",
    "the other side": "def ap(g, x):\n    return g(x)\nr = ap(lambda v: v * 2 if v.sum() < 0 else v, V)",
    "by a name": "g = lambda v: v * 2 if v.sum() > 0 else v\ndef ap(x):\n    return g(x) + 1\nr = ap(V)",
    "deeper": "def ap(g, x):\n    return g(x)\ndef twice(g, x):\n    return ap(g, ap(g, x))\n"
              "r = twice(lambda v: v - 1 if v.max() > 2 else v + 1, V)",
    "in a loop": "def ap(g, x):\n    return g(x)\nr = V + 0\nfor i in range(3):\n"
                 "    r = ap(lambda v: v * 2 if v[i] > 0 else v - 1, r)",
    "and": "def ap(g, x):\n    return g(x)\nr = ap(lambda v: (v.sum() > 0 and v.max() > 1) * v, V)",
    "of two": "def ap(g, x):\n    return g(x, 3)\nr = ap(lambda v, n: v.sum() if v[0] > n else v[1] * n, V) * V",
}


class Values(SamePrograms):
    inputs = INPUTS
    passes = ("none", "default", "all")

    def numpy(self, text):
        try:
            return super().numpy(text)
        except (TypeError, ValueError, IndexError) as error:
            return error

    def each(self, programs, head="", name="r"):
        for label, text in programs.items():
            text = f"import numpy as np\n{head}{text}\n"
            expected = with_parts(self.numpy(text))
            for passes, reply in zip(self.passes, self.ask(text, self.passes)):
                with self.subTest(label, passes=passes):
                    self.assertEqual(reply.failure, "", f"{text}\n{reply.detail}")
                    got = with_lengths(reply.arrays, expected)
                    names = [each for each in got if each == name or each.startswith(name + "_")]
                    self.assertTrue(names, f"{text}\n{sorted(got)}")
                    for each in names:
                        want = np.asarray(expected[each])
                        kind = reply.kinds[each]
                        self.assertEqual(kind in "f", want.dtype.kind == "f", f"{text}\n{each}: {kind}, {want.dtype}")
                        self.assertEqual(got[each].shape, want.shape, text)
                        np.testing.assert_allclose(got[each], want.astype(float), rtol=1e-13, err_msg=text)

    def each_raises(self, programs, says=None):
        for text in programs:
            text = "import numpy as np\n" + text + "\n"
            error = self.numpy(text)
            with self.subTest(text):
                self.assertIsInstance(error, Exception, f"NumPy computes this: {text}")
                reply = self.ask(text, ("none",))[0]
                self.assertIn(reply.failure, ("refused", "failed"), f"{text}\n{reply}")
                if says:
                    self.assertIn(says, str(error))
                    self.assertIn(str(error), reply.detail)

    def test_in_place_of_another_type(self):
        self.each_raises(IN_PLACE, "Cannot cast ufunc")

    def test_refused(self):
        self.each_raises(REFUSED)

    def test_joined_selections(self):
        self.each(JOINED)

    def test_sums_of_selected_rows(self):
        self.each(SUMS)

    def test_memory_of_complex_results(self):
        self.each(MEMORY, C)

    def test_conditional_lambdas(self):
        self.each(LAMBDAS)


if __name__ == "__main__":
    main()
