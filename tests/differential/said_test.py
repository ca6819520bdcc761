"""What symdump is given and cannot use is said, not passed over.

    said_test.py SYMDUMP [unittest arguments]
"""

import ast
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

from cli import GRADIENT, Cli, main

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = ("cudamat", "npmat", "gnumpy", "rewriter", "tools")
# What messages, the comments of headers and pages do not say, and what they say instead.
INSTEAD = {
    r"outside (of )?(this|the) notation|(is|are) (not )?in the notation": "not supported",
    r"the run (decides|computes|knows|chose|finds)|only the run|when the program runs": "at run time, data-dependent",
    r"stands? beside": "is combined with",
    r"g(o|oes|one) through": "iterates over",
    r"behind": "after",
    r"beside(?!-)": "next to, combined with, compared with, in the folder of",
    r"(its|their) kin": "and the like, such as",
    r"in front of": "before",
    r"refus(es|ed|als?)": "raises an error, is not supported",
    r"(left|leaves?) out": "ignored, omitted",
    r"written out(?! of)": "unrolled",
    r"a loop again": "rolled back into a loop",
    r"what a mask selects": "a masked selection",
    r"truth values|truths": "booleans",
}

SCALED = "import numpy as np\nx: (3, 4)\ny = x * factor\nz = y + 1\n"
FUNCTION = "import numpy as np\n\ndef train(X: (3, 4), rate, epochs=3):\n    return X * rate * epochs\n"


class Said(Cli):
    def test_a_number_for_a_name_that_takes_none(self):
        path = self.file(SCALED)
        self.symdump("--set", "factor=2", path)
        self.refused("--set", "factor=2", "--set", "faktor=3", path, says="--set faktor: the program reads no number")
        self.refused("--set", "factor=2", "--set", "y=3", path, says="--set y: the program reads no number")
        path = self.file(FUNCTION, "f.py")
        self.symdump("--function", "train", "--set", "rate=2", "--set", "epochs=1", path)
        self.refused("--function", "train", "--set", "rate=2", "--set", "epoch=1", path,
                     says="--set epoch: train reads no number of that name")

    def test_a_list_that_is_cut_off(self):
        text = self.symdump(self.file(GRADIENT)).out
        lines = text.splitlines(keepends=True)
        self.assertRegex(lines[-2], r"^# \d+ statements: ")
        self.symdump("--from", self.file("".join(lines[:-1]), "whole.txt"))
        for count in range(2, len(lines) - 1):
            self.refused("--from", self.file("".join(lines[:count]), "cut.txt"), says=r"cut\.txt:\d+:\d+: ")
        for count in range(lines.index(lines[-2]) + 1, len(lines)):
            self.symdump("--from", self.file("".join(lines[:count]), "cut.txt"))
        last = next(k for k, line in enumerate(lines) if line.startswith("output grad"))
        self.refused("--from", self.file("".join(lines[:last]), "cut.txt"), says="the list is cut off")
        own = "".join(lines[1:last + 1])  # without the title it is one's own
        self.symdump("--from", self.file(own, "own.txt"))

    def test_a_list_of_one_statement_is_whole(self):
        text = self.symdump(self.file("import numpy as np\nx: (2,)\nx += 1\n")).out
        self.assertRegex(text, r"(?m)^# 1 statement: ")
        self.symdump("--from", self.file(text, "list.txt"))

    def test_a_verification_of_nothing(self):
        path = self.file(FUNCTION)
        for option in ("--verify", "--verify=numpy"):
            text = self.symdump(option, path, environment={"PATH": os.path.dirname(sys.executable)}).out
            self.assertIn("# there are no outputs, and nothing to compare\nnothing was verified: ", text)
            self.assertNotRegex(text, "(?m)^verified")

    def test_plain_numbers_and_lists_are_not_verified(self):
        path = self.file("x = 3\ne = [1, 2]\ne.append(4)\n")
        for option in ("--verify", "--verify=numpy"):
            text = self.symdump(option, path, environment={"PATH": os.path.dirname(sys.executable)}).out
            self.assertRegex(text, r"(?m)^nothing was verified: .*np\.array\(x\)")
            self.assertNotRegex(text, "(?m)^verified")

    def test_programs_that_are_printed_say_which_check_fails(self):
        path = self.file("import numpy as np\nV: (5,)\nr = V[V > 0] + V[V < 0]\n")
        says = "[program] a check at run time fails: lengths differ"
        data = self.array([1.0, 2, -3, 4, 5], "V.npy")
        self.assertIn(says, self.symdump("--run", path, f"--input=V={data}", status=2).err)
        module = self.file(self.symdump("--emit", "numpy", path).out, "module.py")
        failed = subprocess.run([sys.executable, "-c", "import module, numpy\nmodule.program(V=numpy.load('V.npy'))"],
                                cwd=module.parent, capture_output=True, check=False)
        self.assertIn("ValueError: " + says, failed.stderr.decode())
        source = self.file(self.symdump("--emit", "cpp", path).out, "program.cpp")
        subprocess.run(["g++", "-std=c++17", "-O0", "-DNO_BLAS", source, "-o", self.folder / "program"], check=True)
        failed = subprocess.run([self.folder / "program", f"V={data}", self.folder], capture_output=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(says, failed.stderr.decode())

    def test_an_empty_standard_input(self):
        self.refused("-", input=b"", says="standard input is empty")
        self.refused("--from", "-", input=b"", says="standard input is empty")
        self.symdump("-", input=GRADIENT.encode())

    def test_the_square_of_a_float_is_a_product(self):
        head = "import numpy as np\nx: (9,)\nt = 0.0\n"
        for text in ("for i in range(9):\n    t += x[i] ** 2\n", "for v in x:\n    t += float(v) ** 2.0\n", "t = x.sum() ** 2\n"):
            made = self.symdump(self.file(head + text)).out
            self.assertRegex(made, r"(\w+)\.mult\(\1, ")
            self.assertNotIn("cm.pow", made)

    def test_a_seed_beyond_64_bits(self):
        path = self.file("import numpy as np\ny = np.random.rand(2)\n")
        self.symdump("--run", "--seed", 2**64 - 1, path)
        for seed in (2**64, 10**30):
            self.refused("--run", "--seed", seed, path, says=f"--seed.*{seed} is more than {2**64 - 1}")

    def test_an_input_declared_twice(self):
        self.refused(self.file("X: (3, 4)\n\nX: (4, 3)\ny = X + 1\n"),
                     says=r"prog\.py:3:1: the input X is declared twice, as \(3, 4\) in line 1 and as \(4, 3\) in line 3")
        self.refused(self.file("X: (3, 4)\ndef f():\n    X: (4, 3)\n    return X\ny = f()\n"),
                     says=r"in line 1 and as \(4, 3\) in line 3")
        self.refused("--function", "f", self.file("X: (3, 4)\ndef f(X: (4, 3)):\n    return X + 1\n"),
                     says=r"in line 1 and as \(4, 3\) in line 2")
        self.refused(self.file("X: (3, 4)\nX: (3, 4)\ny = X + 1\n"), says="X has a value already")

    def test_a_module_declares_a_functions_input(self):
        loss = "X: (3, 4)\ndef loss(X, k=2.0):\n    return X.sum() * k\n"
        path = self.array(np.arange(12.0).reshape(3, 4), "x.npy")
        for option in ("--verify", "--verify=numpy"):
            self.symdump("--function", "loss", option, "--precision", 64, "--input", f"X={path}", "--save",
                         f"result={self.folder}/r.npy", self.file(loss),
                         environment={"PATH": os.path.dirname(sys.executable)})
            self.assertEqual(np.load(self.folder / "r.npy"), 132.0)
            self.assertIn("without data: X;", self.symdump("--function", "loss", option, self.file(loss), environment={
                "PATH": os.path.dirname(sys.executable)}).out)
        for text in ("X += 1\n", "X = X * 2\n"):  # which of them is meant?
            self.refused("--function", "loss", self.file(loss + text), says="give its shape, --shape X=RxC")

    def test_an_index_outside(self):
        head = "import numpy as np\nX = np.ones((3, 2))\nfor i in range(3):\n"
        self.refused(self.file(head + "    y = X[i + 1]\n"), says="out of bounds for axis 0 with size 3")
        self.refused(self.file(head + "    y = X[2 * i - 1]\n"), says="out of bounds for axis 0 with size 3")

    def test_an_output_that_nothing_makes(self):
        path = self.file("X: (3, 4)\nfor i in range(0):\n    X[0] = 1\nif 1 > 2:\n    z = X * 2\ny = X + 1\n")
        self.refused("--outputs", "X", path, says="--outputs X: line 3, which assigns it, is not run: it is in a loop without iterations")
        self.refused("--outputs", "y,z", path, says="--outputs z: line 5, which assigns it, is not run.* in a branch that is not taken")
        self.symdump("--outputs", "y", path)
        self.symdump("--outputs", "z", self.file("X: (3, 4)\nif 1 > 2:\n    z = X * 2\nelse:\n    z = X\n"))

    def test_bytes_after_an_array(self):
        path = self.array(np.ones((3, 4)), "x.npy")
        program = self.file("y = x + 1\n")
        self.symdump("--run", "--input", f"x={path}", program)
        path.write_bytes(path.read_bytes() + b"more")
        self.refused("--run", "--input", f"x={path}", program,
                     says=r"x\.npy: 4 bytes follow the array of shape \(3, 4\)")


class Words(unittest.TestCase):
    """Texts for users are in plain technical English."""

    def look(self, path, text):
        words = " ".join(text.split())
        for pattern, instead in INSTEAD.items():
            found = re.search(rf"\b(?:{pattern})\b", words)
            with self.subTest(file=str(path.relative_to(ROOT)), say=instead):
                self.assertIsNone(found, found and words[max(found.start() - 60, 0):found.end() + 40])

    def sources(self, *endings):
        return [path for library in LIBRARIES for path in sorted((ROOT / library).rglob("*")) if path.suffix in endings]

    def test_messages(self):
        for path in self.sources(".cpp", ".hpp", ".cu", ".cuh"):
            code = re.sub(r"(?m)(?<![:\"\w])//.*$", "", path.read_text(encoding="utf-8"))
            literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", code))
            self.look(path, " | ".join(literals))

    def test_texts_of_python(self):
        for path in self.sources(".py"):
            texts = [node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                     if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value]
            self.look(path, " | ".join(texts))

    def test_comments_of_headers(self):
        for path in self.sources(".hpp", ".cuh", ".h"):
            comments = re.findall(r"(?m)(?<![:\"\w])///?<?(.*)$|^ \*(.*)$", path.read_text(encoding="utf-8"))
            self.look(path, " ".join(max(pair) for pair in comments))

    def test_pages(self):
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("tools/*.1")]
        self.assertGreater(len(pages), 20)
        for path in pages:
            if path.name != "CHANGELOG.md":
                self.look(path, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
