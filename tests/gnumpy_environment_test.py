"""What the environment chooses of gnumpy, on the example gradient_check.

usage: gnumpy_environment_test.py GRADIENT_CHECK
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

EXAMPLE = sys.argv[1]
SOURCE = Path(__file__).resolve().parent.parent / "gnumpy/gradient_check.cpp"


def run(**environment):
    others = {name: value for name, value in os.environ.items() if not name.startswith("GNUMPY_")}
    return subprocess.run([EXAMPLE], env=others | environment, capture_output=True, text=True, check=False)


def line_of(text):
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


class Trace(unittest.TestCase):
    def test_statements_stand_below_the_line_of_the_program(self):
        told = run(GNUMPY_TRACE="1", GNUMPY_USE_GPU="no").stderr
        before, _, after = told.partition("cm.tanh(")
        self.assertTrue(after)
        expression = before[before.rindex("gradient_check.cpp:"):]
        self.assertTrue(expression.startswith(f"gradient_check.cpp:{line_of('.tanh()')}\n"))
        self.assertIn("cm.dot(", expression)

    def test_what_is_done_at_once_is_traced_too(self):
        told = run(GNUMPY_TRACE="1", GNUMPY_USE_GPU="no").stderr
        place = f"gradient_check.cpp:{line_of('gpu::randn(20, 6)')}\n"
        self.assertIn(f"{place}t.fill_with_randn()                       #  6x20\n", told)
        self.assertIn(f"gradient_check.cpp:{line_of('gpu::zeros(')}\nt.assign(0) ", told)
        self.assertIn("is read on the host\n", told)

    def test_nothing_is_printed_unless_asked_for(self):
        self.assertEqual(run(GNUMPY_USE_GPU="no").stderr, "")
        self.assertEqual(run(GNUMPY_TRACE="0", GNUMPY_USE_GPU="no").stderr, "")


class Refusals(unittest.TestCase):
    def refused(self, says, **environment):
        done = run(**environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, says)

    def test_unknown_values(self):
        self.refused("GNUMPY_CPU_PRECISION.*must be 32, 64 or 128; got '16'", GNUMPY_CPU_PRECISION="16",
                     GNUMPY_USE_GPU="no")
        self.refused("GNUMPY_USE_GPU.*maybe", GNUMPY_USE_GPU="maybe")
        self.refused("quickest", GNUMPY_PASSES="quickest", GNUMPY_USE_GPU="no")


class Passes(unittest.TestCase):
    def test_the_result_is_the_same_with_all_of_them(self):
        expected = run(GNUMPY_CPU_PRECISION="64", GNUMPY_USE_GPU="no").stdout
        for passes in ("none", "default", "all", "fold,dead", "fast"):
            self.assertEqual(run(GNUMPY_CPU_PRECISION="64", GNUMPY_USE_GPU="no", GNUMPY_PASSES=passes).stdout, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
