"""Programs that NumPy runs, too: symdump's results have NumPy's values, shapes and signs of zeros."""

import re
import shutil

import numpy as np

from cli import Cli
from parts import with_parts


class SamePrograms(Cli):
    """`inputs`: arrays by name, given to the programs that mention them; `passes`: all runs of a program;
    `zeros`: whether these have NumPy's signs."""

    inputs = {}
    passes = ("none", "default", "all")
    rtol, atol, zeros = 1e-13, 0.0, True

    def given(self, text):
        return [f"--input={name}={self.array(value, name + '.npy')}" for name, value in self.inputs.items()
                if re.search(rf"\b{name}\b", text)]

    def numpy(self, text):
        names = {name: value.copy() for name, value in self.inputs.items()}
        with np.errstate(all="ignore"):
            exec(text, names)  # pylint: disable=exec-used
        return names

    def compare(self, text, passes):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        self.symdump("--precision", 64, "--passes", passes, "--run=npmat", "--save-all", out, *self.given(text),
                     self.file(text))
        expected = with_parts(self.numpy(text))
        saved = list(out.iterdir())
        self.assertTrue(saved)
        for path in saved:
            got = np.load(path)
            if path.stem not in expected:  # what a condition that did not hold assigns
                self.assertTrue(np.all(np.isnan(got) | (got == 0)), f"{text}\n{path.stem}")
                continue
            want = np.asarray(expected[path.stem])
            label = f"{text}\n{passes}: {path.stem} is {want.tolist()} of {want.dtype}, got {got.tolist()}"
            self.assertEqual(got.shape, want.shape, label)
            want = want.astype(float)
            np.testing.assert_allclose(got, want, rtol=self.rtol, atol=self.atol, err_msg=label)
            zeros = (want == 0) & (got == 0)
            self.assertTrue(not self.zeros or (np.signbit(got) == np.signbit(want))[zeros].all(), label)

    def each(self, programs):
        for name, text in programs.items():
            for passes in self.passes:
                with self.subTest(name, passes=passes):
                    self.compare("import numpy as np\n" + text + "\n", passes)

    def each_refused(self, programs):
        for text, says in programs.items():
            with self.subTest(text):
                self.refused(*self.given(text), self.file("import numpy as np\n" + text + "\n"), says=says)
