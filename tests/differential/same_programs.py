"""Programs that NumPy runs, too: what symdump makes of them has NumPy's values, shapes and signs of zeros.

    A_TEST.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import re
import sys

import numpy as np

from batch import Batch, Ended
from cli import Cli
from parts import with_lengths, with_parts

BATCH = Batch(sys.argv.pop(2))


class SamePrograms(Cli):
    """`inputs`: arrays by name, given to the programs that mention them; `passes`: all runs of a program;
    `zeros`: whether these have NumPy's signs; `folders`: of the modules that they import."""

    inputs = {}
    folders = ()
    passes = ("none", "default", "all", "fuse", "fast")
    rtol, atol, zeros = 1e-13, 0.0, True

    def given(self, text):
        return {name: value for name, value in self.inputs.items() if re.search(rf"\b{name}\b", text)}

    def ask(self, text, passes, precision=64):
        try:
            return BATCH.ask(text, self.given(text), precision, 0, [(how, None) for how in passes],
                             folders=self.folders)
        except Ended as ended:
            return self.fail(f"{ended}\n{text}")

    def numpy(self, text):
        names = {name: value.copy() for name, value in self.inputs.items()}
        with np.errstate(all="ignore"):
            exec(text, names)  # pylint: disable=exec-used
        return names

    def compare(self, text, passes, reply, expected):
        self.assertEqual(reply.failure, "", f"{text}\n{passes}: {reply.detail}")
        self.assertTrue(reply.arrays)
        for name, got in with_lengths(reply.arrays, expected).items():
            if expected.get(name) is None:  # what a condition that did not hold assigns
                self.assertTrue(np.all(np.isnan(got) | (got == 0)), f"{text}\n{name}")
                continue
            want = np.asarray(expected[name])
            label = f"{text}\n{passes}: {name} is {want.tolist()} of {want.dtype}, got {got.tolist()}"
            self.assertEqual(got.shape, want.shape, label)
            want = want.astype(float)
            np.testing.assert_allclose(got, want, rtol=self.rtol, atol=self.atol, err_msg=label)
            zeros = (want == 0) & (got == 0)
            self.assertTrue(not self.zeros or (np.signbit(got) == np.signbit(want))[zeros].all(), label)

    def each(self, programs):
        for name, text in programs.items():
            text = "import numpy as np\n" + text + "\n"
            expected = with_parts(self.numpy(text))
            replies = self.ask(text, self.passes)
            for passes, reply in zip(self.passes, replies):
                with self.subTest(name, passes=passes):
                    self.compare(text, passes, reply, expected)

    def each_refused(self, programs):
        for text, says in programs.items():
            with self.subTest(text):
                reply = self.ask("import numpy as np\n" + text + "\n", ("none",))[0]
                self.assertEqual(reply.failure, "refused", reply)
                self.assertRegex(reply.detail, re.compile(says, re.IGNORECASE | re.DOTALL))
