"""Types of results where NumPy 1 and NumPy 2 differ: the examples of NEP 50 and their kin, under --numpy 1 and 2.

    numpy_versions_test.py SYMDUMP

The expectations are those that NEP 50 prints; those of the version that is installed are computed by NumPy as well.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

INSTALLED = int(np.__version__.partition(".")[0])
OVERFLOW = "out of bounds"
UNKNOWN = "depends on a number that is known only at run time"  # in NumPy 1, on its value
CHOSEN = "which of two numbers of different types is chosen at run time"
KIND = "whether an int or a float is chosen at run time"
# A program's last line, what r is under NumPy 1, and under NumPy 2: type and value, or the text of an error.
PROGRAMS = [
    ("r = np.uint8(1) + 2", ("int64", 3), ("uint8", 3)),
    ("r = np.uint8(100) + 200", ("int64", 300), ("uint8", 44)),
    ("r = np.uint8(1) + 300", ("int64", 301), OVERFLOW),
    ("r = U + np.int64(1)", ("uint8", [2, 201]), ("int64", [2, 201])),
    ("r = U + np.array(1, np.int64)", ("uint8", [2, 201]), ("int64", [2, 201])),
    ("r = U + 300", ("uint16", [301, 500]), OVERFLOW),
    ("r = U + (-1)", ("int16", [0, 199]), OVERFLOW),
    ("r = U + 100", ("uint8", [101, 44]), ("uint8", [101, 44])),
    ("r = U * U.sum()", UNKNOWN, ("uint64", [201, 40200])),
    ("r = np.maximum(U, np.int16(-5))", ("int16", [1, 200]), ("int16", [1, 200])),
    ("r = np.where(U > 1, U, 7)", ("uint8", [7, 200]), ("uint8", [7, 200])),
    ("r = U < 300", ("bool", [True, True]), ("bool", [True, True])),
    ("r = U == -1", ("bool", [False, False]), ("bool", [False, False])),
    ("r = U + 1.5", ("float64", [2.5, 201.5]), ("float64", [2.5, 201.5])),
    ("r = np.array([True, False]) + 2", ("int64", [3, 2]), ("int64", [3, 2])),
    ("r = np.full(2, 300, np.uint8)", ("uint8", [44, 44]), OVERFLOW),
    ("r = np.array([1, 300], np.uint8)", ("uint8", [1, 44]), OVERFLOW),
    ("r = np.array([1, 300]).astype(np.uint8)", ("uint8", [1, 44]), ("uint8", [1, 44])),
    ("r = U\nr[0] = 300", ("uint8", [44, 200]), OVERFLOW),
    ("r = U\nr += 300", ("uint8", [45, 244]), OVERFLOW),
    ("r = I - np.int64(1)", ("int8", [-6, 99]), ("int64", [-6, 99])),
    ("r = I.max() + 100", ("int64", 200), ("int8", -56)),
    ("r = np.floor(np.array([-5, 100]))", ("float64", [-5, 100]), ("int64", [-5, 100])),
    ("r = np.ceil(np.array([True, False]) + 0)", ("float64", [1, 0]), ("int64", [1, 0])),
    ("r = np.fix(7) + np.zeros(2, int)", ("float64", [7, 7]), ("int64", [7, 7])),
    ("r = np.array(isinstance(np.meshgrid(U, I), list))", ("bool", True), ("bool", False)),
    ("r = np.array(isinstance(np.gradient(np.eye(3)), list))", ("bool", True), ("bool", False)),
    ("r = np.array(isinstance(np.ogrid[0:2, 0:3], tuple))", ("bool", False), ("bool", True)),
    ("r = np.array(isinstance(np.atleast_2d(U, I), tuple))", ("bool", False), ("bool", True)),
    ("r = np.array(isinstance(np.broadcast_arrays(U, I), tuple))", ("bool", False), ("bool", True)),
    ("r = U[1] << 1", ("int64", 400), ("uint8", 144)),
    ("r = I[1] << 1", ("int64", 200), ("int8", -56)),
    ("r = U[1] >> 1", ("int64", 100), ("uint8", 100)),
    ("r = U << 1", ("uint8", [2, 144]), ("uint8", [2, 144])),
    ("r = U << np.int64(1)", ("uint8", [2, 144]), ("int64", [2, 400])),
    ("r = np.left_shift(I.max(), 1)", ("int64", 200), ("int8", -56)),
    ("r = sum(U)", ("int64", 201), ("uint8", 201)),
    ("r = sum([U[1], U[1]])", ("int64", 400), ("uint8", 144)),
    ("r = sum([I.max(), I.max()], 3)", ("int64", 203), ("int8", -53)),
    ("r = sum(np.array([U, U]))", ("uint8", [2, 144]), ("uint8", [2, 144])),
    ("r = max(U[1], 3) + 100", ("int64", 300), ("uint8", 44)),
    ("r = U * max(U[1], 3)", ("uint8", [200, 64]), ("uint8", [200, 64])),
    ("r = max(U[0], 250) + 100", ("int64", 350), ("int64", 350)),  # a Python int
    ("r = 2 * max(3, U[1] - 1, U[0] + 2, U[1])", ("int64", 400), ("uint8", 144)),
    ("r = min(100 - max(0, U[0] - 1), U[1]) - U[0]", CHOSEN, ("uint8", 99)),
    ("r = U[:1].copy()\nr[0] = max(0, U[1] + 56, U[0] - 1)", ("uint8", [0]), ("uint8", [0])),
    ("r = (U[1] if U[0] > 0 else 7) + 100", ("int64", 300), ("uint8", 44)),
    ("r = max(U[1], 300) + 1", ("int64", 301), CHOSEN),
    ("r = max(U[1], I[1]) + 1", ("int64", 201), CHOSEN),
    ("r = max(U[1], np.uint8(3)) + 100", ("int64", 300), ("uint8", 44)),
    ("r = U * max(U.mean(), 7)", KIND, KIND),
    ("r = U * (max(U.mean(), 7) + 1)", KIND, KIND),
    ("r = U * max(U.mean(), 7.0)", ("float64", [100.5, 20100]), ("float64", [100.5, 20100])),
    ("r = U * float(max(U.mean(), 7))", ("float64", [100.5, 20100]), ("float64", [100.5, 20100])),
    ("r = np.clip(I, -100, 50)", ("int8", [-5, 50]), ("int8", [-5, 50])),
]
HEAD = "import numpy as np\nU = np.array([1, 200], np.uint8)\nI = np.array([-5, 100], np.int8)\n"


class Versions(unittest.TestCase):
    def run_symdump(self, text, version, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "prog.py")
            program.write_text(f"{HEAD}{text}\nprint('type', r.dtype.name)\n")
            done = subprocess.run([SYMDUMP, "--numpy", str(version), "--precision", "64", "--save-all", folder, *options,
                                   program], capture_output=True, text=True, check=False)
            saved = Path(folder, "r.npy")
            return done, np.load(saved) if saved.exists() else None

    def test_programs(self):
        for text, *expected in PROGRAMS:
            for version, want in enumerate(expected, 1):
                for passes in ("none", "all"):
                    with self.subTest(text, version=version, passes=passes):
                        done, got = self.run_symdump(text, version, "--passes", passes)
                        if isinstance(want, str):
                            self.assertEqual(done.returncode, 2, done.stdout)
                            self.assertIn(want, done.stderr)
                        else:
                            self.assertEqual(done.returncode, 0, done.stderr)
                            self.assertIn(f"type {want[0]}\n", done.stdout)
                            self.assertEqual((got.dtype.name, got.tolist()), want)

    def test_expectations(self):
        """They are what the installed NumPy computes."""
        for text, *expected in PROGRAMS:
            want = expected[INSTALLED - 1]
            with self.subTest(text), np.errstate(all="ignore"):
                names = {}
                if want in (UNKNOWN, CHOSEN, KIND):
                    continue
                if isinstance(want, str):
                    with self.assertRaises(OverflowError):
                        exec(HEAD + text, names)  # pylint: disable=exec-used
                    continue
                exec(HEAD + text, names)  # pylint: disable=exec-used
                self.assertEqual((np.asarray(names["r"]).dtype, np.asarray(names["r"]).tolist()),
                                 (np.dtype(want[0]), want[1]))


if __name__ == "__main__":
    SYMDUMP = sys.argv.pop(1)
    unittest.main()
