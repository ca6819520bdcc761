"""Ctrl-C and SIGTERM at any time: the program ends, with the status of the signal or its own, and nothing is left.

    interrupts_test.py SYMDUMP [--times N] [unittest arguments]

N: how often each program is interrupted, at random times; 6 without it.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from cli import SYMDUMP, Cli, main

TIMES = 6
if sys.argv[2:3] == ["--times"]:
    TIMES = int(sys.argv.pop(3))
    del sys.argv[2]

LOOKS = 50  # at what is left, each a tenth of a second

LOOP = "import numpy as np\nA = np.random.randn(200, 200)\n" + "A = np.tanh(A @ A)\n" * 60
LONG = LOOP + "for i in range(3000):\n    A = np.sin(A) + 1\n"
ONE = "import numpy as np\nA = np.ones((6000, 9000))\nB = np.dot(A.T, A)\n"  # one statement of seconds
CASES = {
    "reading": (LOOP * 10, ["--passes", "all"]),
    "run": (LONG, ["--passes", "all"]),
    "compile": (LONG, ["--passes", "all", "--run"]),
    "verify": (LONG, ["--verify"]),
    "numpy": (LONG, ["--verify=numpy"]),
    "time": (LONG, ["--time"]),
    "one statement": (ONE, ["--run"]),
}


def of_session(session):
    """Processes that are not zombies, but for those that have left while they were looked at."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (process / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == session and state not in "ZX":
            found.append(name)
    return found


class Interrupts(Cli):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment |= {"TMPDIR": str(self.temporary), "CUDAMAT_COMPILE": "now",  # and Python itself is the child
                             "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}

    def interrupt(self, case, number, after):
        text, options = CASES[case]
        cache = self.folder / f"cache-{random.random()}"
        out = self.folder / "out.npy"
        save = ["--save", f"A={out}"] if case != "reading" else []
        process = subprocess.Popen([SYMDUMP, *options, *save, self.file(text)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True,
                                   env=self.environment | {"XDG_CACHE_HOME": str(cache)})
        time.sleep(after)
        process.send_signal(number)
        _, error = process.communicate(timeout=600)
        self.assertIn(process.returncode, (0, -number, 128 + number), error)
        self.assertNotIn(b"Traceback", error)
        looks = 0  # a compiler tidies up
        while (left := of_session(process.pid) + [file.name for file in self.temporary.iterdir()]) and looks < LOOKS:
            time.sleep(0.1)
            looks += 1
        self.assertEqual(left, [])
        self.assertEqual([file.name for file in self.folder.glob(".*")], [])
        if out.exists():
            np.load(out)  # all of it
        out.unlink(missing_ok=True)
        return process.returncode

    def test_at_random_times(self):
        seed = random.randrange(10**6)
        chance = random.Random(seed)
        for case in CASES:
            for number in (signal.SIGINT, signal.SIGTERM):
                for _ in range(TIMES // 2):
                    after = 10 ** chance.uniform(-2.5, 0.3)
                    with self.subTest(case, number=number, after=after, seed=seed):
                        self.interrupt(case, number, after)

    def test_in_one_long_statement(self):
        self.assertIn(self.interrupt("one statement", signal.SIGTERM, 1.0), (-signal.SIGTERM, 143))


if __name__ == "__main__":
    main()
