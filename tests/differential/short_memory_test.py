"""Short memory: whatever address space there is, a run ends with the right result or says what it lacks.

    short_memory_test.py SYMDUMP [--all] [unittest arguments]

--all: limits from 100 MB to 1.5 GB in small steps, not a few.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

from cli import SYMDUMP, Cli, main

ALL = sys.argv[2:3] == ["--all"]
if ALL:
    del sys.argv[2]
MEGABYTES = [*range(100, 700, 10), *range(700, 1500, 50)] if ALL else [150, 330, 400, 460, 500, 560, 800]
SECONDS = 120  # a run takes less than one; one that hangs takes for ever

PROGRAMS = {
    "product": "A = np.random.rand(64, 64)\ns = np.dot(A, A).sum()\n",
    "large product": "A = np.random.rand(700, 700)\ns = np.dot(A, A).sum()\n",
    "factorisations": """A = np.random.rand(40, 40)
S = np.dot(A, A.T) + 40 * np.eye(40)
L = np.linalg.cholesky(S)
x = np.linalg.solve(S, A[:, 0])
w, V = np.linalg.eigh(S)
U, s, Vt = np.linalg.svd(A)
""",
    "sorting": "x = np.random.rand(300000)\ny = np.sort(x)\nm = np.median(x)\n",
    "random numbers": "x = np.random.randn(1000, 1000)\nm = x.mean(axis=0)\nn = x.std()\n",
    "convolution": "x = np.random.rand(50000)\ny = np.convolve(x, np.ones(50) / 50)\n",
    "loops": "x = np.random.randn(300, 1000)\ny = np.exp(-x) * x + np.tanh(x) * 3\nz = (y * y).sum(axis=0)\n",
}


class ShortMemory(Cli):
    def outcomes(self, program, megabytes, *options, **environment):
        """Of one run, None for all memory: its status, what it printed, and what it said."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if megabytes:
                resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6,) * 2)
        path = self.file("import numpy as np\n" + program)
        run = subprocess.run([SYMDUMP, "--run", *options, path], capture_output=True, text=True, timeout=SECONDS,
                             preexec_fn=limit, env=self.environment | environment, stdin=subprocess.DEVNULL, check=False)
        return run.returncode, run.stdout, run.stderr

    def each_limit(self, *options, **environment):
        for name, program in PROGRAMS.items():
            status, right, _ = self.outcomes(program, None, *options, **environment)
            self.assertEqual(status, 0)
            for megabytes in MEGABYTES:
                with self.subTest(name, megabytes=megabytes):
                    status, printed, said = self.outcomes(program, megabytes, *options, **environment)
                    if status == 0:
                        self.assertEqual(printed, right)
                    else:
                        self.assertEqual(status, 2, said)
                        self.assertRegex(said, "out of memory|and less is available; allow more")
                        self.assertNotRegex(said, "terminate called|internal error")

    def test_single(self):
        self.each_limit("--precision", "32")

    def test_double(self):
        self.each_limit("--precision", "64")

    def test_with_both_libraries(self):  # as on processors without AVX-512
        if "avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            self.each_limit("--precision", "32", CUDAMAT_CPU_VECTORS="avx2")
        else:
            self.skipTest("the processor has no AVX2")

    def test_one_thread(self):
        self.each_limit("--precision", "64", OMP_NUM_THREADS="1")

    def test_compiled_loops(self):
        self.each_limit("--precision", "32", "--passes", "all", CUDAMAT_COMPILE="now",
                        XDG_CACHE_HOME=str(self.folder / "cache"))

    def test_without_threads(self):
        def limit():
            if os.getuid() == 0:  # whom the limit is not for
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

        program = "import numpy as np\n" + "".join(PROGRAMS.values())
        for options in (("--run",), ("--run", "--passes", "all", "--precision", "64"), ("--verify",)):
            command = [SYMDUMP, *options, "-"]
            right = subprocess.run(command, input=program, capture_output=True, text=True, timeout=SECONDS,
                                   env=self.environment, check=True)
            try:
                run = subprocess.run(command, input=program, capture_output=True, text=True, timeout=SECONDS,
                                     env=self.environment, preexec_fn=limit, check=False)
            except PermissionError as error:
                self.skipTest(f"another user may not run it: {error}")
            self.assertEqual((run.returncode, run.stdout), (0, right.stdout), run.stderr)

    def test_enough_is_enough(self):
        for program in PROGRAMS.values():
            self.assertEqual(self.outcomes(program, 1500)[0], 0)


if __name__ == "__main__":
    main()
