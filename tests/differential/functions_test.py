"""symdump on programs with functions and loops, from the command line.

    functions_test.py SYMDUMP [unittest arguments]
"""

import re

import numpy as np

from cli import Cli, main

TRAINING = """import numpy as np

def train(X: (6, 3), rate, epochs=3):
    w = np.zeros(3)
    for epoch in range(epochs):
        losses = []
        for i in range(X.shape[0]):
            w += rate * X[i]
            losses.append(np.sum(w * w))
        print("epoch", epoch + 1, "loss %.3f" % np.mean(losses))
    return w, np.mean(losses)

train(1, 2)
"""


class Loops(Cli):
    def test_a_function_with_its_numbers_and_prints(self):
        path, out = self.file(TRAINING), self.folder / "o"
        data = np.arange(18.0).reshape(6, 3) / 8
        given = ["--input", f"X={self.array(data, 'x.npy')}", "--function", "train", "--precision", 64]
        done = self.symdump(*given, "--set", "rate=0.5", "--set", "epochs=2", "--save-all", out, path)
        expected = {}
        text = TRAINING.replace("X: (6, 3)", "X").replace("train(1, 2)", "")
        lines = []
        expected["w"], expected["result_2"] = self.python_train(text, data, lines)
        for name, value in expected.items():
            np.testing.assert_allclose(np.load(out / f"{name}.npy"), value, rtol=1e-14)
        self.assertEqual(done.out.splitlines()[:2], lines)
        self.assertIn("verified", self.symdump(*given, "--set", "rate=1e-1", "--verify", path).out)

    @staticmethod
    def python_train(text, data, lines):
        scope = {"print": lambda *a: lines.append(" ".join(map(str, a)))}
        exec(text, scope)
        return scope["train"](data, 0.5, 2)

    def test_a_function_that_is_not_there(self):
        path = self.file(TRAINING)
        self.refused("--function", "test", path, says="no function 'test'")
        self.refused("--function", "train", path, says=r"prog\.py:3:22.*rate.*--set rate=NUMBER")
        self.refused("--function", "train", "--set", "rate=x", path, says="--set.*not a number")
        self.refused("--function", "train", "--set", "rate", path, says="--set.*NAME=VALUE")

    def test_results_whose_length_is_known_at_run_time_are_outputs(self):
        results = {
            "return x[x > 0.3]": ["result"], "return x[x > 0.3], x.sum()": ["result_1"], "y = x[x > 0.3]\n    return y": ["y"],
            "y = x[x > 0.3]\n    return {'m': np.sort(y)[:3], 'n': [np.nonzero(x > 0.3)[0]]}": ["result_m", "result_n_0"],
        }
        for body, names in results.items():
            path = self.file(f"import numpy as np\ndef f(x):\n    {body}\n")
            with self.subTest(body):
                said = self.symdump("--verify=numpy", "--function=f", "--shape=x=9", path).out
                for name in names:
                    self.assertRegex(said, rf"(?m)^{name} ")
                    self.assertRegex(said, rf"(?m)^{name}_length ")
        path = self.file("import numpy as np\nx: (9,)\nq = [x[x > 0.3], x * 4]\nd = {'m': x[x > 0.3], 's': x * 5}\n")
        said = self.symdump("--verify=numpy", path).out
        for name in ("q_0", "q_0_length", "q_1", "d_m", "d_m_length", "d_s"):
            self.assertRegex(said, rf"(?m)^{name} ")

    def test_what_a_function_writes_to_is_its_output(self):
        bodies = {
            "C[:] = D * 2": ["C"], "C[0] += D[1]\n    E = C * 1\n    return E": ["C", "E"],
            "E = C\n    E[1] = D[0]\n    return E": ["C", "E"], "row(C[0])\n    return D": ["C", "D"],
            "C = C + 1\n    C += D\n    return C": ["C"], "C += 1\n    return C, D * 2": ["C", "result_2"],
            "C[0] = 1\n    C = C * 2": ["C"], "C[0] = 1\n    C = C * 2\n    return C": ["C", "result"],
            "for i in range(2):\n        C[0] = 3\n        C = C + D": ["C"],
            "for i in range(3):\n        D[0, 1:] = C[0, :-1]\n        C, D = D, C": ["C", "D"],
            "for i in range(1):\n        E = D\n        D = C\n        E[0] = 3\n    return D": ["D", "result"],
            "for i in range(2):\n        C[i] = C[i] + D[0] * i": ["C"],
        }
        data = {"C": np.arange(6.0).reshape(2, 3), "D": np.arange(6.0).reshape(2, 3) / 4 - 1}
        given = [f"--input={name}={self.array(value, name + '.npy')}" for name, value in data.items()]
        for body, names in bodies.items():
            text = f"def row(x):\n    x *= 3\ndef f(C, D):\n    {body}\n"
            scope, arrays = {}, {name: value.copy() for name, value in data.items()}
            exec(text, scope)
            returned = scope["f"](**arrays)
            returned = returned if isinstance(returned, tuple) else (returned,)
            expected = dict(arrays)
            expected.update((name, value) for name, value in zip((n for n in names if n not in data), returned[-1:]))
            if "C = C + 1" in body:
                expected["C"] = returned[0]
            for passes in ("none", "default", "all"):
                with self.subTest(body, passes=passes):
                    out = self.folder / f"o{len(list(self.folder.iterdir()))}"
                    self.symdump(*given, "--function", "f", "--precision", 64, "--passes", passes, "--verify",
                                 "--save-all", out, self.file(text))
                    saved = {path.stem: np.load(path) for path in out.iterdir()}
                    self.assertEqual(sorted(saved), sorted(names))
                    for name, value in saved.items():
                        np.testing.assert_array_equal(value, expected[name], name)

    def test_a_number_from_outside(self):
        path, out = self.file("import numpy as np\ny = np.ones(n) * s\n"), self.folder / "y.npy"
        self.symdump("--set", "n=3", "--set", "s=2.5", "--save", f"y={out}", path)
        np.testing.assert_array_equal(np.load(out), [2.5, 2.5, 2.5])

    def test_statements_are_indented_in_loops(self):
        text = self.symdump("--function", "train", "--set", "rate=1", self.file(TRAINING)).out
        self.assertRegex(text, r"(?m)^for epoch in range\(0, 3\):$")
        self.assertRegex(text, r"(?m)^  for i in range\(0, 6\):$")
        self.assertRegex(text, r"(?m)^    X\.get_row_slice\(i, i \+ 1, target=")
        self.assertRegex(text, r"(?m)^    losses\.set_col_slice\(i, i \+ 1, ")
        self.assertRegex(text, r'(?m)^  print\("epoch \{\} loss \{:\.3f\}\\n", epoch \+ 1, ')
        self.assertIn("2 loops", text)

    def test_lists_with_loops_are_compared(self):
        path = self.file("X: (4, 3)\ns = X[0]\nfor i in range(4):\n    s = s + X[i]\n")
        text = self.symdump("--diff", path, path).out
        self.assertRegex(text, r"for i in range\(0, 4\): +for i in range\(0, 4\):")
        calls, launches = (re.search(rf"{row} +(\d+)", text)[1] for row in ("calls", "kernel launches"))
        self.assertGreater(int(launches), int(calls), "a body runs four times")


if __name__ == "__main__":
    main()
