"""What `cmake --install` leaves is enough for others: a project outside of the tree is built with find_package, and
its programs run. So are the programs on the layers' pages, which print what the pages say.

    install_test.py CMAKE BUILD-FOLDER
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD = sys.argv[1], Path(sys.argv[2])
ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted(ROOT.glob("[a-z]*/README.md")), ROOT / "docs/exchange.md"]


def examples(page):
    """The C++ programs of a page, each with the output shown below it."""
    return re.findall(r"^```cpp\n(.*?)^```\n\n```\n(.*?)^```$", page, re.M | re.S)


def run(*command, **options):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GNUMPY_")} | {"GNUMPY_USE_GPU": "no"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def cached(name):
    text = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cudamat-install-")
        cls.addClassCleanup(cls.folder.cleanup)
        folder = Path(cls.folder.name)
        run(CMAKE, "--install", BUILD, "--prefix", folder / "first")
        cls.prefix = (folder / "first").rename(folder / "installed")  # it may be moved
        cls.examples = {}
        (folder / "examples").mkdir()
        for page in PAGES:
            for number, (program, output) in enumerate(examples(page.read_text(encoding="utf-8")), 1):
                name = f"{page.parent.name}_{number}"
                cls.examples[name] = output
                (folder / "examples" / f"{name}.cpp").write_text(program, encoding="utf-8")
        cls.outside = folder / "build"
        run(CMAKE, "-G", "Ninja", "-S", ROOT / "tests/data/outside_project", "-B", cls.outside,
            f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DEXAMPLES={folder / 'examples'}",
            *(f"-D{name}={cached(name)}" for name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")))
        run(CMAKE, "--build", cls.outside)

    def test_the_build_needs_nothing_of_the_tree(self):
        commands = run("ninja", "-C", self.outside, "-t", "commands", "all")
        for line in commands.splitlines():
            self.assertNotIn(str(BUILD), line)
            self.assertNotRegex(line, rf"-(I|isystem ?){re.escape(str(ROOT))}(?![\w.-])")
        for path in self.prefix.rglob("*.cmake"):
            self.assertNotIn(str(ROOT), path.read_text(encoding="utf-8"), path)

    def test_headers_need_only_installed_headers(self):
        include = self.prefix / "include"
        self.assertTrue((include / "cudamat/capi/cudamat.h").is_file())
        for header in include.rglob("*.hpp"):
            for needed in re.findall(r'^#include "(.*)"', header.read_text(encoding="utf-8"), re.M):
                self.assertTrue((include / needed).is_file(), f"{header} includes {needed}")

    def test_programs_compute_what_was_worked_out_by_hand(self):
        for name in ("matrices", "statements", "c_interface"):
            self.assertTrue(run(self.outside / name).endswith("as by hand\n"), name)

    def test_program_of_the_cuda_engine(self):
        if not (self.outside / "gpu").exists():
            self.skipTest("built without the CUDA engine")
        self.assertRegex(run(self.outside / "gpu"), "^(as by hand|no GPU: .*)\n$")

    def test_programs_of_the_pages_print_what_the_pages_say(self):
        self.assertGreaterEqual(len(PAGES), 3)
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            self.assertGreater(len(examples(text)), 0, page)
            self.assertEqual(len(examples(text)), text.count("```cpp"), f"{page}: a program without its output")
        for name, output in self.examples.items():
            self.assertEqual(run(self.outside / name), output, name)

    def test_tools_manual_and_licence(self):
        self.assertRegex(run(self.prefix / "bin/symdump", "--version"), r"^symdump \d")
        self.assertIn("--mnist", run(self.prefix / "bin/rbm", "--help"))
        for path in ("man/man1/symdump.1", "man/man1/rbm.1", "doc/cudamat/LICENSE", "doc/cudamat/README.md"):
            self.assertTrue((self.prefix / "share" / path).is_file(), path)

    def test_another_version_is_not_found(self):
        project = Path(self.folder.name) / "newer"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES CXX)\n"
                                                "find_package(cudamat 99 REQUIRED)\n", encoding="utf-8")
        with self.assertRaisesRegex(AssertionError, "99"):
            run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
