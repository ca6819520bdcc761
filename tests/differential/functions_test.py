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
