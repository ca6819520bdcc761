"""symdump's files and limits: inputs and results as .npy, full disks, sizes, memory.

    cli_files_test.py SYMDUMP [unittest arguments]
"""

import os
import struct
import subprocess

import numpy as np

from cli import SYMDUMP, Cli, main


class Npy(Cli):
    def refused_data(self, data, says):
        path = self.file(data, "x.npy")
        error = self.refused("--input", f"X={path}", "--run", self.file("Y = X + 1\n"), says=says)
        self.assertIn("x.npy", error)

    @staticmethod
    def npy(header, data=b"", version=1):
        header = header.encode()
        size = struct.pack("<H" if version == 1 else "<I", len(header))
        return b"\x93NUMPY" + bytes([version, 0]) + size + header + data

    def test_damaged_files(self):
        good = self.array(np.arange(12.0).reshape(3, 4), "good.npy").read_bytes()
        self.refused_data(b"", "")
        self.refused_data(b"hello world, this is not an array at all", "npy|magic|NUMPY")
        for length in (3, 6, 8, 9, 20, 100, 127, 128, 130, len(good) - 1):
            self.refused_data(good[:length], "")
        self.refused_data(good[:6] + b"\x09" + good[7:], "version")

    def test_hostile_headers(self):
        form = "{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n"
        for header in (form.format("<f8", "False", "(4000000000, 4000000000)"),
                       form.format("<f8", "False", "(9223372036854775807,)"),
                       form.format("<f8", "False", "(99999999999999999999999,)"),
                       form.format("<f8", "False", "(-3,)"), form.format("<f8", "False", "(2, 3, 4)"),
                       form.format("<f8", "False", "(1000000, 1000000)"), form.format("|O", "False", "(3,)"),
                       form.format("<c16", "False", "(3,)"), form.format("<U5", "False", "(3,)"),
                       form.format("<M8[s]", "False", "(3,)"), form.format("<f8", "Perhaps", "(3,)"),
                       "{'descr': '<f8'}", "{}", "(((((((",
                       "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
                       "__import__('os').system('true')", "{" * 5000):
            self.refused_data(self.npy(header, b"\0" * 24), "")
        self.refused_data(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "")

    def test_every_type_is_converted(self):
        for dtype in ("f4", ">f4", "f8", ">f8", "i1", "i2", "i4", "i8", ">i8", "u1", "u2", "u4", "u8", "?", "f2"):
            data = np.array([[1, 0, 3], [2, 1, 0]]).astype(dtype)
            for order in "CF":
                path = self.array(np.asarray(data, order=order), "x.npy")
                arguments = ("--input", f"X={path}", "--precision", 64, "--save", f"Y={self.folder}/y.npy",
                             self.file("Y = X + 1.0\n"))
                if dtype == "f2":  # half precision may be refused, by name
                    done = subprocess.run([SYMDUMP, *map(str, arguments)], capture_output=True, check=False)
                    if done.returncode == 2:
                        self.assertIn(b"f2", done.stderr)
                        continue
                else:
                    self.symdump(*arguments)
                np.testing.assert_array_equal(np.load(self.folder / "y.npy"), data.astype(float) + 1)

    def test_shapes(self):
        for shape in ((), (0,), (1,), (7,), (0, 5), (5, 0), (0, 0), (1, 1), (1, 6), (6, 1)):
            data = np.ones(shape) * 3
            path = self.array(data, "x.npy")
            self.symdump("--input", f"X={path}", "--verify", "--save-all", self.folder / "o",
                         self.file("import numpy as np\nY = np.sqrt(X + 1)\ns = Y.sum()\nt = Y.T\n"))
            for name, value in (("Y", np.sqrt(data + 1)), ("s", np.sqrt(data + 1).sum()), ("t", (data - 1).T)):
                got = np.load(self.folder / f"o/{name}.npy")
                self.assertEqual(got.shape, np.shape(value))
                np.testing.assert_array_equal(got, value)

    def test_results_have_numpys_types(self):
        program = self.file("import numpy as np\nx: (5,)\na = x.argmin()\nb = x > 0.9\nc = (x * 9).astype(np.uint8)\nd = c.sum()\ne = x + 1\n"
                            "f = c.astype(np.int32) - 300\n")
        x = np.linspace(0.1, 1, 5)
        for precision, real in ((32, "float32"), (64, "float64")):
            self.symdump("--input", f"x={self.array(x, 'x.npy')}", "--precision", precision, "--save-all", self.folder / "o", program)
            c = (x * 9).astype(np.uint8)
            wanted = {"a": x.argmin(), "b": x > 0.9, "c": c, "d": c.sum(), "e": (x + 1).astype(real), "f": c.astype(np.int32) - 300}
            for name, want in wanted.items():
                got = np.load(self.folder / f"o/{name}.npy")
                self.assertEqual(got.dtype, want.dtype, name)
                np.testing.assert_allclose(got, want, rtol=1e-6)

    def test_missing_files(self):
        self.refused("--input", f"X={self.folder}/none.npy", self.file("Y = X\n"), says="none.npy.*No such file")
        self.refused("--input", f"X={self.folder}", self.file("Y = X\n"), says="directory|not a")


class Saves(Cli):
    def setUp(self):
        super().setUp()
        self.a, self.x = self.folder / "a.npy", self.array(np.ones((3, 4)), "x.npy")
        self.program = self.file("y = X + 1\nz = X * 2\n")
        os.symlink("a.npy", self.folder / "link.npy")  # whose file is not there yet
        os.link(self.x, self.folder / "hard.npy")
        os.symlink(self.program, self.folder / "program.npy")

    def refused_saves(self, *arguments, says, files=()):
        before = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        self.refused("--run", "--input", f"X={self.x}", *arguments, *(files or [self.program]), says=says)
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}, before)

    def test_two_results_in_one_file(self):
        folder = self.folder
        for other in (self.a, f"{folder}/./a.npy", f"{folder}/none/../a.npy", folder / "link.npy", os.path.relpath(self.a)):
            self.refused_saves("--save", f"y={self.a}", "--save", f"z={other}",
                               says="--save z would write over .*, which is also the file of --save y")
        self.refused_saves("--save-all", folder, "--save", f"z={folder}/y.npy", says="--save-all would .* --save z")
        self.refused_saves("--save", f"y={self.a}", "--save", f"y={self.a}", says="also the file of --save y")

    def test_over_what_is_read(self):
        folder = self.folder
        for path in (self.x, folder / "hard.npy", f"{folder}/../{folder.name}/x.npy"):
            self.refused_saves("--save", f"y={path}", says="also the file of --input X")
        for path in (self.program, folder / "program.npy"):
            self.refused_saves("--save", f"y={path}", says="also the file of PROGRAM")
        text = self.symdump("--shape", "X=3x4", self.program).out
        listed = self.file(text, "list.txt")
        self.refused_saves("--from", listed, "--save", f"y={listed}", files=("--seed", 0), says="the file of --from")
        self.file("x = X + 1\n")
        self.refused_saves("--save-all", folder, says="--save-all would write over .*x.npy.* of --input X")

    def test_files_of_their_own(self):
        self.symdump("--input", f"X={self.x}", "--save", f"y={self.a}", "--save", f"z={self.folder}/b.npy",
                     "--save-all", self.folder / "out", self.program)
        self.symdump("--input", f"X={self.x}", "--save", f"y={self.folder}/link.npy", self.program)
        np.testing.assert_array_equal(np.load(self.a), np.full((3, 4), 2.0))
        self.symdump("--input", f"X={self.x}", "--save", "y=/dev/null", "--save", "z=/dev/null", self.program)


class Limits(Cli):
    def test_products_of_extents_beyond_32_and_63_bits(self):
        path = self.file("Y = X + 1\n")
        self.symdump("--shape", "X=70000x70000", path)
        self.refused("--shape", "X=4000000000x4000000000", path, says=r"4000000000.*2\^63|elements")
        self.refused("--shape", "X=10000000x10000000", "--run", path, says="memory: input X.*400000000000000 bytes")
        text = "import numpy as np\nZ = np.zeros((60000, 60000)) @ np.ones((60000, 1))\n"
        self.symdump(self.file(text))
        big = self.file("import numpy as np\nZ = np.zeros((3000000, 3000000))\nW = Z + 1\n")
        error = self.refused("--run", big, says="memory")
        self.assertIn("prog.py:2", error)
        self.refused(self.file("import numpy as np\nZ = np.eye(10000000)\n"), says="memory|bytes")

    def test_names_that_clash(self):
        names = ("t1 t2 t3 delete_ template double cm result program inputs outputs main std NULL auto this operator "
                 "int class_ new char numpy_array λ T").split()
        text = "import numpy as np\nx: (2, 3)\n" + "".join(f"{n} = np.exp(x) * {k} + x\n" for k, n in enumerate(names))
        path = self.file(text)
        for form in ("statements", "cudamat-py", "cudamat-cpp", "tree", "dot", "json"):
            self.symdump("--emit", form, path)
        compile(self.symdump("--emit", "cudamat-py", path).out, "emitted", "exec")
        self.symdump("--verify", "--save-all", self.folder / "o", path)
        self.assertEqual(sorted(p.stem for p in (self.folder / "o").iterdir()), sorted(names))


if __name__ == "__main__":
    main()
