"""tools/gpu-check-run in a folder of stand-ins for the programs that tools/gpu-check puts there.

usage: gpu_check_test.py TOOLS/gpu-check-run
"""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

RUN = Path(sys.argv.pop())
PROGRAMS = (
    "cuda_gpu_test cuda_bench programs_bench layers_bench rbm symdump gnumpy_test gnumpy_dot_test gnumpy_threads_test lists_gpu_test "
    "kernels_device_test capi_test"
).split()
GPU = 'A "GPU", 80 GiB'


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="gpu check "))  # with a space
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("bin", "lib", "bench", "programs"):
            (self.folder / name).mkdir()
        (self.folder / "programs" / "one.py").write_text("y = 1\n")
        (self.folder / "bench" / "peers_gpu.py").write_text("print('peers')\n")
        for name in PROGRAMS:
            self.program(name, f"echo '{name}' \"$@\"")
        self.program("cuda_gpu_test", f"echo '{GPU}'")
        self.program("symdump", "echo 1")
        shutil.copy(RUN, self.folder / "run")

    def program(self, name, script):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_it(self, *arguments, expected=0):
        done = subprocess.run(
            [self.folder / "run", *arguments], capture_output=True, text=True, cwd="/", timeout=100, check=False
        )
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done

    def summary(self, out=None):
        return json.loads(((out or self.folder / "results") / "summary.json").read_text())

    def verdicts(self, out=None):
        return {stage["name"]: stage["verdict"] for stage in self.summary(out)["stages"]}

    def test_all_stages_in_order_correctness_of_each_family_first_sanitizers_last(self):
        self.run_it()
        verdicts = self.verdicts()
        names = list(verdicts)
        self.assertEqual(names[:5], ["device", "families", "bench", "programs", "layers"])
        self.assertLess(names.index("peers"), names.index("tests"))
        self.assertEqual(names[-3:], ["memcheck", "racecheck", "initcheck"])
        self.assertEqual({verdicts[name] for name in names[:-3]}, {"passed"}, self.summary())
        self.assertEqual(self.summary()["gpu"], GPU)
        listed = [line.split()[0] for line in self.run_it("--list").stdout.splitlines()]
        self.assertEqual(listed, names)

    def test_what_passed_is_kept_when_it_is_resumed(self):
        self.program("rbm", "exit 3")
        self.run_it("--stage", "rbm", "--stage", "time", expected=1)
        self.program("rbm", "echo again")
        self.program("symdump", "exit 3")
        self.run_it("--stage", "rbm", "--stage", "time", "--resume")
        self.assertEqual(self.verdicts(), {"time": "passed", "rbm": "passed"})

    def test_a_deadline_cuts_stages_and_leaves_out_those_without_time(self):
        self.program("rbm", "sleep 100")
        start = time.monotonic()
        self.run_it("--stage", "rbm", "--stage", "capi", "--deadline", "6", expected=1)
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(self.verdicts(), {"rbm": "too long", "capi": "left out"})
        self.assertEqual(self.summary()["stages"][1]["note"], "no time was left")

    def test_results_are_packed_into_three_files(self):
        pack = self.folder / "packed"
        self.run_it("--stage", "rbm", "--stage", "replay", "--pack", str(pack))
        self.assertEqual(sorted(file.name for file in pack.iterdir()), ["results.tar.gz", "summary.json", "summary.md"])
        with tarfile.open(pack / "results.tar.gz") as archive:
            self.assertIn("rbm.log", archive.getnames())
            self.assertIn("eager.txt", archive.getnames())
        self.assertIn("| replay | passed |", (pack / "summary.md").read_text())

    def test_a_benchmark_that_was_cut_off_leaves_its_rows(self):
        shutil.copy(RUN.parent.parent / "bench" / "table.py", self.folder / "bench")
        report = '{"benchmarks": [\n    {"name": "add/x", "fraction": 0.5, "target": 0.9, "real_time": 12.0\n    },'
        self.program("cuda_bench", f"""printf '{report}\n    {{"name": "su' > bench.json; sleep 100""")
        self.run_it("--stage", "bench", "--limit", "1", expected=1)
        self.assertIn("| add/x | 12.0 | 0.50 (short) | 0.90 |", (self.folder / "results" / "summary.md").read_text())

    def test_pythons_libraries_are_found_from_an_empty_environment(self):
        packages = self.folder / "packages"
        (packages / "nvidia" / "cu13" / "lib").mkdir(parents=True)
        python = self.folder / "python3"
        python.write_text(f"#!/bin/sh\necho '{packages}'\n")
        python.chmod(0o755)
        self.program("rbm", 'echo "$LD_LIBRARY_PATH"')
        done = subprocess.run(
            [sys.executable, self.folder / "run", "--stage", "rbm"],
            env={"PATH": f"{self.folder}:/usr/bin:/bin"}, capture_output=True, check=False, timeout=100,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{packages}/nvidia/cu13/lib", (self.folder / "results" / "rbm.log").read_text())

    def test_stages_that_were_asked_for_into_a_folder(self):
        out = self.folder / "elsewhere" / "deep"
        done = self.run_it("--stage", "rbm", "--stage", "capi", "--out", str(out))
        self.assertEqual(self.verdicts(out), {"rbm": "passed", "capi": "passed"})
        self.assertIn("\nrbm --compare --engine cudamat --epochs 3\n", (out / "rbm.log").read_text())
        self.assertIn("| capi | passed |", done.stdout)
        self.assertIn("| capi | passed |", (out / "summary.md").read_text())

    def test_a_stage_that_fails_does_not_stop_the_others(self):
        self.program("rbm", "echo one; echo 'bad | \"news\"'; exit 3")
        done = self.run_it("--stage", "rbm", "--stage", "capi", expected=1)
        self.assertEqual(self.verdicts(), {"rbm": "FAILED", "capi": "passed"})
        self.assertEqual(self.summary()["stages"][0]["note"], 'exit status 3, 1 of 1, rbm.log; bad / "news"')
        self.assertIn("FAILED", done.stdout)

    def test_a_stage_that_takes_too_long_is_ended_with_all_that_it_started(self):
        mark = self.folder / "still here"
        self.program("rbm", f"(sleep 4; touch '{mark}') & sleep 100")
        start = time.monotonic()
        self.run_it("--stage", "rbm", "--stage", "capi", "--limit", "1", expected=1)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(self.verdicts(), {"rbm": "too long", "capi": "passed"})
        time.sleep(4)
        self.assertFalse(mark.exists())

    def test_replay_compares_outputs(self):
        self.program("symdump", 'case "$*" in *replay=off*) echo 1 ;; *) echo 2 ;; esac')
        self.run_it("--stage", "replay", expected=1)
        self.program("symdump", "echo 1")
        self.run_it("--stage", "replay")

    def test_a_program_that_differs_fails(self):
        (self.folder / "programs" / "two.py").write_text("y = 2\n")
        self.program("symdump", 'case "$*" in *one.py) exit 1 ;; *) echo fine ;; esac')
        self.run_it("--stage", "symdump", expected=1)
        self.assertIn("exit status 1, 1 of 2, symdump.log", self.summary()["stages"][0]["note"])

    def test_without_a_gpu(self):
        self.program("cuda_gpu_test", "echo 'no usable GPU: none'; exit 77")
        self.run_it(expected=77)
        self.assertEqual(set(self.verdicts().values()), {"left out"})
        self.assertEqual(self.summary()["gpu"], "no usable GPU: none")

    def test_interrupted_it_leaves_what_was_done(self):
        self.program("capi_test", "sleep 100")
        with subprocess.Popen(
            [self.folder / "run", "--stage", "rbm", "--stage", "capi"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            while not (self.folder / "results" / "capi.log").exists():
                self.assertIsNone(running.poll())
                time.sleep(0.1)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(60), 130)
        self.assertEqual(self.verdicts(), {"rbm": "passed", "capi": "interrupted"})

    def test_ctrl_c_in_a_terminal(self):
        self.program("rbm", "sleep 100")
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(self.folder / "run", [str(self.folder / "run"), "--stage", "capi", "--stage", "rbm"])
        while not (self.folder / "results" / "rbm.log").exists():
            time.sleep(0.1)
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        try:
            while os.read(terminal, 1000):
                pass
        except OSError:  # it has ended
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130)
        os.close(terminal)
        self.assertEqual(self.verdicts(), {"rbm": "interrupted"})

    def test_sanitizers_that_are_not_installed_are_left_out(self):
        if shutil.which("compute-sanitizer") or list(Path("/usr/local").glob("cuda*/bin/compute-sanitizer")):
            self.skipTest("compute-sanitizer is installed")
        self.run_it("--stage", "memcheck")
        self.assertEqual(self.verdicts(), {"memcheck": "left out"})

    def test_what_was_measured_before_is_not_shown(self):
        self.run_it("--stage", "rbm")
        self.assertIn("--epochs 3", self.run_it("--stage", "rbm").stdout)
        self.assertNotIn("--epochs 3", self.run_it("--stage", "capi").stdout)

    def test_bad_options(self):
        for arguments, text in (
            (["--stage", "nothing"], "there is no stage 'nothing'"),
            (["--stage"], "argument --stage: expected one argument"),
            (["--limit", "soon"], "argument --limit: needs a number of seconds; got 'soon'"),
            (["--fast"], "unrecognized arguments: --fast"),
        ):
            self.assertEqual(self.run_it(*arguments, expected=2).stderr, f"run: {text} (see run --help)\n")
        self.assertIn("--stage NAME", self.run_it("--help").stdout)


if __name__ == "__main__":
    os.environ.pop("LD_LIBRARY_PATH", None)
    unittest.main()
