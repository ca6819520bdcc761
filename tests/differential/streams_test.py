"""symdump and rbm where standard streams are closed or full, and where files must not be large.

    streams_test.py SYMDUMP RBM [unittest arguments]
"""

import os
import subprocess
import sys

import numpy as np

from cli import SYMDUMP, Cli, main

RBM = os.path.abspath(sys.argv.pop(2))
FUSED = "import numpy as np\nX: (300, 100)\nY = np.sqrt(X * X + 1.0) * X\n"
COMPILED = {"CUDAMAT_COMPILE": "now"}


class Streams(Cli):
    def run_in_shell(self, command, status, **environment):
        done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, cwd=self.folder,
                              env=self.environment | environment)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stderr[-2000:]}")
        return done

    def test_errors_that_nobody_hears_are_errors(self):
        self.file("Y = 1 +\n", "bad.py")
        for command in (f"{SYMDUMP} missing.py", f"{SYMDUMP} bad.py", f"{SYMDUMP} --no-such-option", f"{RBM} --mnist missing",
                        f"{RBM} --no-such-option"):
            for stderr in ("2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"):
                with self.subTest(command, stderr=stderr):
                    self.run_in_shell(f"exec {command} {stderr}", 2)

    def test_what_is_said_beside_results_may_be_lost(self):
        self.file(FUSED)
        for command in (f"{SYMDUMP} --passes fast --time-passes --emit json prog.py", f"{SYMDUMP} --passes fast --verify prog.py",
                        f"{RBM} --compare --cases 20 --batch 10 --hidden 4 --epochs 1"):
            for stderr in ("2>&-", "2>/dev/full"):
                with self.subTest(command, stderr=stderr):
                    said = self.run_in_shell(f"exec {command} {stderr}", 0, CXX="no-such-compiler", **COMPILED).stdout
                    self.assertNotEqual(said, b"")

    def test_a_closed_standard_output_is_an_error(self):
        self.file(FUSED)
        for command in (f"{SYMDUMP} prog.py", f"{SYMDUMP} --help", f"{RBM} --help"):
            with self.subTest(command):
                self.run_in_shell(f"exec {command} >&-", 2)

    def test_files_do_not_take_the_place_of_a_closed_stream(self):
        self.file(FUSED)
        x = np.arange(30000.0).reshape(300, 100)
        self.array(x, "x.npy")
        self.run_in_shell(f"exec {SYMDUMP} --precision 64 --passes fast --input X=x.npy --save Y=y.npy prog.py "
                          "<&- 2>&-", 0, CXX="no-such-compiler", **COMPILED)
        np.testing.assert_allclose(np.load(self.folder / "y.npy"), np.sqrt(x * x + 1.0) * x, rtol=1e-15)

    def test_code_that_may_not_be_written_is_not_kept(self):
        self.file(FUSED)
        for blocks in (0, 1, 16, 64, 128):
            with self.subTest(blocks=blocks):
                self.run_in_shell(f"ulimit -f {blocks}; exec {SYMDUMP} --passes fast --verify prog.py", 0,
                                  CUDAMAT_CACHE_DIR=str(self.folder / "cache"), **COMPILED)
                for file in (self.folder / "cache").glob("*"):
                    self.assertLessEqual(file.stat().st_size, 512 * blocks)
                    self.assertFalse(file.name.startswith("writing-"))


if __name__ == "__main__":
    main()
