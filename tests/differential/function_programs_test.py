"""Programs as people write them, of NumPy's functions: NumPy itself verifies what symdump makes of them.

    function_programs_test.py SYMDUMP
"""

from pathlib import Path

from cli import Cli, main

PROGRAMS = sorted((Path(__file__).resolve().parents[1] / "function_programs").glob("*.py"))


class FunctionPrograms(Cli):
    def test_numpy_agrees(self):
        self.assertGreater(len(PROGRAMS), 20)
        for path in PROGRAMS:
            for precision, passes in ((64, "none"), (64, "all"), (32, "default")):
                with self.subTest(path.name, precision=precision, passes=passes):
                    done = self.symdump("--verify=numpy", "--precision", precision, "--passes", passes, path)
                    self.assertIn("verified: statements and NumPy", done.out)

    def test_they_are_printed_as_cpp(self):
        for path in PROGRAMS:
            with self.subTest(path.name):
                self.assertIn("cudamat", self.symdump("--emit", "cudamat-cpp", path).out)


if __name__ == "__main__":
    main()
