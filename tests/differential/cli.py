"""What the tests of symdump's command line share: symdump run on files of a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from numpy_server import folder_of_python3

SYMDUMP = os.path.abspath(sys.argv[1])
GRADIENT = """import numpy as np
X: (6, 4)
W: (4, 3)
h = 1 / (1 + np.exp(-X @ W))  # hidden
grad = X.T @ (h * (1 - h))
total = grad.sum()
"""


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cudamat-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith("GNUMPY_") and k not in ("NO_COLOR", "CLICOLOR")}
        self.environment["PATH"] = folder_of_python3() + ":" + os.environ.get("PATH", "")

    def file(self, text, name="prog.py"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def array(self, data, name):
        path = self.folder / name
        np.save(path, np.asarray(data))
        return path

    def symdump(self, *arguments, status=0, timeout=300, environment=None, **options):
        done = subprocess.run([SYMDUMP, *map(str, arguments)], capture_output=True, timeout=timeout, check=False,
                              env=self.environment | (environment or {}), **options)
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.out[-2000:]}\n{done.err[-2000:]}")
        return done

    def refused(self, *arguments, says="", **options):
        done = self.symdump(*arguments, status=2, **options)
        self.assertEqual(done.out, "", "a refusal prints nothing on standard output")
        self.assertRegex(done.err, re.compile(says, re.IGNORECASE | re.DOTALL))
        self.assertNotRegex(done.err, "internal error|terminate called|Assertion")
        return done.err


def main():
    """Runs the tests of the script that was started as `SCRIPT SYMDUMP [unittest arguments]`."""
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
