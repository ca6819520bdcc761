"""Loops and chains with a compiler that is missing, broken, killed or shared, and with a cache that cannot be written: the
values are NumPy's in any case, and a run says at most once why nothing was compiled.

    regions_survive_test.py SYMDUMP [unittest arguments]
"""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from cli import SYMDUMP, Cli, main

PROGRAM = """import numpy as np
x = np.arange(9.0)
A = np.arange(25.0).reshape(5, 5) / 7
for i in range(1, 9):
    x[i] = x[i - 1] * 0.5 + x[i]
for i in range(5):
    A[i] = A[i] - A[4 - i] * x[i]
    for j in range(i):
        A[j, i] = A[i, j] * 0.5
u = x[0] + x[1]
v = u * x[2]
x[3] = v - x[4]
x[4] = x[3] * u
x[5] = np.sqrt(x[4] * x[4] + 1)
w = x[5] - v
x[6] = w * w
x[7] = x[6] + x[5] * u
x[8] = x[7] / (1 + x[6])
"""
SAID = "cudamat: fused statements are not compiled: "


class Survive(Cli):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.cache = self.folder / "cache"
        self.environment |= {"TMPDIR": str(self.temporary), "CUDAMAT_CACHE_DIR": str(self.cache),
                             "CUDAMAT_COMPILE": "now"}
        self.environment.pop("CXX", None)
        self.program = self.file(PROGRAM)
        self.expected = {}
        exec(PROGRAM, self.expected)  # pylint: disable=exec-used

    def compiler(self, script):
        path = self.folder / "compiler"
        path.write_text(f'#!/bin/sh\ncase "$*" in *--version) echo ours; exit;; esac\n{script}\n')
        path.chmod(0o700)
        return {"CXX": str(path)}

    def command(self, saved):
        return [SYMDUMP, "--run", "--precision", "64", "--passes", "fast", "--save-all", saved, self.program]

    def check(self, saved):
        for name in ("x", "A"):
            np.testing.assert_allclose(np.load(saved / f"{name}.npy"), self.expected[name], rtol=1e-13, err_msg=name)

    def right(self, environment=None):
        """Runs the program. What it says on standard error."""
        saved = self.folder / "saved"
        done = self.symdump(*self.command(saved)[1:], environment=environment)
        self.check(saved)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return done.err

    def test_each_failure_of_the_compiler_is_said_once(self):
        for says, script in {"out of order": "echo out of order >&2; exit 1", "failed": "echo half > fused.so; kill -9 $$",
                             "no-such-compiler": None}.items():
            with self.subTest(says):
                environment = self.compiler(script) if script else {"CXX": says}
                err = self.right(environment)
                self.assertEqual(err.count(SAID), 1, err)
                self.assertIn(says, err)
                self.assertFalse(self.cache.exists() and list(self.cache.glob("*")))

    def test_an_object_that_is_none(self):
        for made in ("echo nonsense > fused.so", ": > fused.so", "cp /bin/sh fused.so",
                     "echo 'int f() { return 1; }' > f.cpp; c++ -shared -fPIC -o fused.so f.cpp"):
            with self.subTest(made):
                environment = self.compiler(made)
                self.right(environment)
                self.right(environment)  # what is in the cache is of the same kind

    def test_a_process_that_is_killed_while_it_compiles(self):
        environment = self.environment | self.compiler(f"touch {self.folder}/begun; sleep 1; exec c++ \"$@\"")
        saved = self.folder / "killed"
        process = subprocess.Popen(self.command(saved), env=environment, stdout=subprocess.DEVNULL)
        while not (self.folder / "begun").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        while list(self.temporary.iterdir()):  # until the compiler of the killed process has tidied up
            time.sleep(0.05)
        self.assertEqual(self.right(), "")

    def test_a_compiler_that_hangs_in_the_background(self):
        text = PROGRAM + "for i in range(150000):\n    x[i % 9] = x[i % 9] * 0.5 + x[0]\n"
        self.program = self.file(text)
        exec(text, self.expected)  # pylint: disable=exec-used
        saved = self.folder / "saved"
        self.symdump(*self.command(saved)[1:], environment=self.compiler("sleep 100") | {"CUDAMAT_COMPILE": "auto"})
        self.check(saved)

    def test_processes_that_compile_the_same(self):
        folders = [self.folder / f"saved{i}" for i in range(4)]
        all_of_them = [subprocess.Popen(self.command(saved), env=self.environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE) for saved in folders]
        for process, saved in zip(all_of_them, folders):
            _, err = process.communicate(timeout=600)
            self.assertEqual((process.returncode, err), (0, b""))
            self.check(saved)
        files = sorted(self.cache.iterdir())
        self.assertTrue(files)
        self.assertEqual(self.right({"TMPDIR": "/nonexistent"}), "")  # all is found: there is no room to compile
        self.assertEqual(sorted(self.cache.iterdir()), files)

    def test_a_cache_that_cannot_be_written(self):
        self.cache.mkdir()
        self.cache.chmod(0o500)  # which does not stop root
        there_is_none = self.file("a file", "file")
        for cache in (self.cache, "/proc/self/cache", there_is_none / "cache", "/dev/full"):
            with self.subTest(cache):
                self.assertEqual(self.right({"CUDAMAT_CACHE_DIR": str(cache)}), "")
        self.cache.chmod(0o700)

    def test_a_cache_whose_files_are_damaged(self):
        self.right()
        for file in self.cache.iterdir():
            file.write_bytes(file.read_bytes()[:-100])
        self.assertEqual(self.right(), "")
        for file in self.cache.iterdir():
            size = file.stat().st_size
            with open(file, "r+b") as to:
                to.seek(size // 2)
                to.write(os.urandom(64))
        self.assertEqual(self.right(), "")

    def test_an_interrupt_in_a_compiled_loop(self):
        """The loop runs when the compiler has left its object in the cache."""
        self.program = self.file("import numpy as np\nx = np.ones(3)\nn = 0\nwhile n < 1e15:\n    x[0] = x[1] * 0.5\n    n += 1\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(self.command(self.folder / "saved"), env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (self.cache.exists() and any(not f.name.startswith(".") for f in self.cache.iterdir())):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            time.sleep(0.3)
            begin = time.monotonic()
            process.send_signal(number)
            self.assertIn(process.wait(timeout=600), (-number, 128 + number))
            print(f"{signal.Signals(number).name}: the process had ended after {1000 * (time.monotonic() - begin):.0f} ms")

    def test_many_loops_and_statements(self):
        """Regions are bounded: a list of 100,000 statements has no compilation of hours before its first result."""
        count = 4000
        parts = [f"for i in range(1, 7):\n    x[i] = x[i] * 0.5 + x[i - 1] * {k % 7} + {k}\n" if k % 4 == 0 else
                 "".join(f"x[{(j + k) % 9}] = x[{j % 9}] * 0.25 + {j}\n" for j in range(5)) for k in range(count)]
        text = "import numpy as np\nx = np.arange(9.0)\nA = np.ones(2)\n" + "".join(parts)
        self.program = self.file(text)
        exec(text, self.expected)  # pylint: disable=exec-used
        self.assertEqual(self.right(), "")


assert Path(SYMDUMP).exists()
if __name__ == "__main__":
    main()
