"""symdump as its users meet it: options, exit statuses, messages, files, limits, Ctrl-C.

    cli_test.py SYMDUMP [unittest arguments]
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bad_programs import BAD_PROGRAMS, HEAD
from cli import GRADIENT, SYMDUMP, Cli, main
from registry import known_passes
from terminal import shown_on_a_terminal

ROOT = Path(__file__).resolve().parents[2]


class Options(Cli):
    def test_help_has_every_option_and_examples(self):
        text = self.symdump("--help").out
        for option in ("--emit --from --diff --shape --input --function --set --run --precision --seed --outputs --save "
                       "--save-all --verify --time --repeat --passes --list-passes --list-functions --stop-after --print-after --remarks --time-passes --memory "
                       "--limit --version --help").split():
            self.assertIn(option, text)
        for word in ("Examples", "statements", "numpy", "cupy", "torch", "cudamat-py", "cudamat-cpp", "tree", "dot", "json", "Exit status"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_version(self):
        self.assertRegex(self.symdump("--version").out, r"^symdump \d+\.\d+")

    def test_statements_are_the_default_form(self):
        path = self.file(GRADIENT)
        self.assertEqual(self.symdump(path).out, self.symdump("--emit", "statements", path).out)
        self.assertEqual(self.symdump(path).out, self.symdump("--passes", "none", path).out)

    def test_every_form_is_the_same_twice(self):
        path = self.file(GRADIENT)
        for form in ("statements", "numpy", "cupy", "torch", "cudamat-py", "cudamat-cpp", "tree", "dot", "json"):
            first = self.symdump("--emit", form, path)
            self.assertTrue(first.out.endswith("\n"), form)
            self.assertEqual(first.stdout, self.symdump("--emit", form, path).stdout, form)

    def test_json_is_json(self):
        made = json.loads(self.symdump("--emit", "json", self.file(GRADIENT)).out)
        self.assertIsInstance(made, dict)

    def test_statements_show_the_source_line_shapes_and_bytes(self):
        text = self.symdump("--precision", 32, self.file(GRADIENT)).out
        self.assertIn("h = 1 / (1 + np.exp(-X @ W))", text)
        self.assertIn("6x3", text.replace(" ", ""))
        self.assertRegex(text, r"\b72\b")  # bytes of a 6x3 float32 matrix
        wide = self.symdump("--precision", 64, self.file(GRADIENT)).out
        self.assertRegex(wide, r"\b144\b")

    def test_shape_from_outside(self):
        path = self.file("import numpy as np\nY = np.exp(X) + s + v\n")
        for matrix, vector in (("4x3", "3"), ("(4, 3)", "(3,)"), ("(4,3)", "(3,)")):
            text = self.symdump("--shape", f"X={matrix}", "--shape=s=()", f"--shape=v={vector}", path).out
            self.assertIn("4x3", text.replace(" ", ""))

    def test_bad_shapes(self):
        path = self.file("Y = X + 1\n")
        for shape in ("X", "X=", "=3x4", "X=axb", "X=3x", "X=x3", "X=3,4", "X=-3x4", "X=3x4x", "X=3.5", "X=(3", "X=1e3",
                      "X=99999999999999999999"):
            self.refused("--shape", shape, path, says="--shape")

    def test_a_shape_that_disagrees(self):
        path = self.file("X: (4, 3)\nY = X + 1\n")
        error = self.refused("--shape", "X=3x4", path, says=r"\(4, 3\).*\(3, 4\)|\(3, 4\).*\(4, 3\)")
        self.assertIn("prog.py:1:", error)
        data = self.array(np.ones((3, 4)), "x.npy")
        self.refused("--input", f"X={data}", path, says=r"\(3, 4\)")
        self.refused("--input", f"X={data}", "--shape", "X=5x5", self.file("Y = X + 1\n", "q.py"), says="--shape")

    def test_input_gives_shape_and_data(self):
        data = np.arange(6.0).reshape(2, 3)
        path = self.array(data, "x.npy")
        out = self.folder / "y.npy"
        self.symdump("--input", f"X={path}", "--precision", 64, "--save", f"Y={out}", self.file("Y = X * 2\n"))
        np.testing.assert_array_equal(np.load(out), data * 2)
        self.assertEqual(np.load(out).dtype, np.float64)

    def test_precision_is_the_type_of_what_is_saved(self):
        path, out = self.file("X: (2, 3)\nY = X + 0.1\n"), self.folder / "y.npy"
        for precision, dtype in ((32, np.float32), (64, np.float64), (128, np.longdouble)):
            self.symdump("--precision", precision, "--save", f"Y={out}", path)
            self.assertEqual(np.load(out).dtype, dtype)
        self.symdump("--save", f"Y={out}", path)
        self.assertEqual(np.load(out).dtype, np.float32)
        self.symdump("--save", f"Y={out}", path, environment={"GNUMPY_CPU_PRECISION": "64"})
        self.assertEqual(np.load(out).dtype, np.float64)
        self.symdump("--precision", 32, "--save", f"Y={out}", path, environment={"GNUMPY_CPU_PRECISION": "64"})
        self.assertEqual(np.load(out).dtype, np.float32)
        self.refused("--precision", 16, path, says="precision")
        self.refused("--run", path, says="GNUMPY_CPU_PRECISION", environment={"GNUMPY_CPU_PRECISION": "16"})

    def test_run_prints_the_results(self):
        text = self.symdump("--run", self.file("import numpy as np\nY = np.full((2, 2), 1.25)\ns = Y.sum()\n")).out
        self.assertIn("1.25", text)
        self.assertRegex(text, r"\b5\b|5\.")
        self.assertIn("npmat", text)

    def test_engines(self):
        path = self.file("import numpy as np\nY = np.ones(3)\n")
        for run in ("--run", "--run=auto", "--run=npmat"):
            self.symdump(run, path)
        self.refused("--run=cuda", path, says="auto, npmat or cudamat")
        self.symdump("--run", path, environment={"GNUMPY_USE_GPU": "no"})
        self.refused("--run", path, environment={"GNUMPY_USE_GPU": "perhaps"}, says="GNUMPY_USE_GPU")

    def test_seed(self):
        path = self.file("import numpy as np\nR = np.random.rand(50, 40)\nN = np.random.randn(50, 40)\n")
        drawn = []
        for seed in (1, 1, 2):
            self.symdump("--seed", seed, "--precision", 64, "--save-all", self.folder / "o", path)
            drawn.append((np.load(self.folder / "o/R.npy"), np.load(self.folder / "o/N.npy")))
        (r, n), (r_again, n_again), (r_other, _) = drawn
        np.testing.assert_array_equal(r, r_again)
        np.testing.assert_array_equal(n, n_again)
        self.assertTrue((r != r_other).mean() > 0.99)
        self.assertTrue(r.min() > 0 and r.max() <= 1 and abs(r.mean() - 0.5) < 0.05 and abs(r.std() - 12**-0.5) < 0.02)
        self.assertTrue(abs(n.mean()) < 0.1 and abs(n.std() - 1) < 0.1)
        self.refused("--seed", "x", path, says="seed")
        self.refused("--seed", "-1", path, says="seed")

    def test_seed_in_the_program(self):
        path = self.file("import numpy as np\nnp.random.seed(7)\na = np.random.rand(5)\nnp.random.seed(7)\n"
                         "b = np.random.rand(5)\nc = np.random.rand(5)\n")
        for seed in (1, 2):
            self.symdump("--seed", seed, "--save-all", self.folder / f"o{seed}", "--verify", path)
        a, b, c = (np.load(self.folder / f"o1/{name}.npy") for name in "abc")
        np.testing.assert_array_equal(a, b)
        self.assertTrue((a != c).any())
        np.testing.assert_array_equal(a, np.load(self.folder / "o2/a.npy"))

    def test_outputs(self):
        path = self.file(GRADIENT)
        self.symdump("--outputs", "grad,total", "--save-all", self.folder / "o", path)
        self.assertEqual(sorted(p.name for p in (self.folder / "o").iterdir()), ["grad.npy", "total.npy"])
        self.refused("--outputs", "nothing", path, says="nothing")

    def test_save_all_makes_the_folder(self):
        self.symdump("--save-all", self.folder / "a/b/c", self.file(GRADIENT))
        self.assertEqual(sorted(p.stem for p in (self.folder / "a/b/c").iterdir()), ["grad", "h", "total"])

    def test_save_of_an_unknown_name(self):
        self.refused("--save", f"nothing={self.folder}/x.npy", self.file(GRADIENT), says="nothing.*grad")
        self.refused("--save", "grad", self.file(GRADIENT), says="NAME=")

    def test_verify(self):
        text = self.symdump("--verify", "--precision", 64, self.file(GRADIENT)).out
        self.assertIn("verified", text)
        self.assertRegex(text, r"X, W|X and W|without data")

    def test_form_and_run_together(self):
        text = self.symdump("--emit", "tree", "--run", "--verify", self.file(GRADIENT)).out
        self.assertIn("verified", text)
        self.assertIn("X", text.splitlines()[0] + text)

    def test_a_module_prints_the_digits_of_its_type(self):
        program = self.file("import numpy as np\nx = np.arange(1, 5) / 7\nprint(x[1], x[2] > 0)\nprint('%.3f' % x[0], f'{x[3]:6.2f}', x.argmax())\n"
                            "print('that is', x.sum())\ny = x * 2\n")
        module, main = self.folder / "m.py", "import runpy, sys; runpy.run_path(sys.argv[1])['program']()"
        for precision in (32, 64):
            run = self.symdump("--run", "--precision", precision, program).out
            module.write_text(self.symdump("--emit", "numpy", "--precision", precision, program).out, encoding="utf-8")
            done = subprocess.run([sys.executable, "-c", main, module], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.splitlines(), run.splitlines()[:3])

    def test_a_module_seeds_as_the_program_does(self):
        program = self.file("import numpy as np\nrng = np.random.default_rng(7)\na = rng.random((3, 4))\nother = np.random.default_rng(2**40)\n"
                            "b = other.normal(size=3)\nnp.random.seed(5)\nc = np.random.rand(2)\n")
        for library in ("numpy", "torch", "cupy"):
            seeds = re.findall(r"(?m)^    \w+ = \w+\.random\.default_rng\((\w+)\)", self.symdump("--emit", library, program).out)
            self.assertEqual(seeds, ["seed", "7", str(2**40), "5"])
        module, main = self.folder / "m.py", "import runpy, sys; print(runpy.run_path(sys.argv[1])['program']()['a'].tolist())"
        module.write_text(self.symdump("--emit", "numpy", "--precision", 64, program).out, encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", main, module], capture_output=True, text=True, check=True)
        np.testing.assert_array_equal(json.loads(done.stdout), 1 - np.random.default_rng(7).random((3, 4)))

    def test_a_module_of_pytorch_needs_no_function_of_a_late_version(self):
        program = self.file("import numpy as np\nX: (3, 4)\na = X.any()\nb = np.all(X > 0, axis=1)\nc = np.array_equal(X, X)\nd = np.isnan(X).any()\n")
        self.assertNotRegex(self.symdump("--emit", "torch", program).out, r"torch\.(any|all)\(.*dim=")

    def test_bad_options(self):
        path = self.file(GRADIENT)
        self.refused("--emit", "fortran", path, says="emit")
        self.refused("--frobnicate", path, says="frobnicate")
        self.refused("--passes", "everything", path, says="passes")
        self.refused("--input", "X", path, says="NAME=")
        self.refused(says="PROGRAM")
        self.refused(path, path)
        self.refused("--input", f"nothing={self.array(np.ones(3), 'n.npy')}", "--run", path, says="nothing")

    def test_standard_input(self):
        text = self.symdump("-", input=GRADIENT.encode()).out
        self.assertIn("grad", text)
        self.refused("-", input=b"y = 1 +\n", says="<stdin>:1:8")

    def test_an_unread_input_needs_no_program(self):
        self.assertIn("uniform", self.symdump("--run", self.file(GRADIENT)).out)

    def test_empty_programs(self):
        for text in ("", "\n\n", "# nothing\n", "import numpy as np\n", "X: (3, 4)\n", "n = 3\n", "pass"):
            for form in ("statements", "numpy", "cupy", "torch", "cudamat-py", "cudamat-cpp", "tree", "dot", "json"):
                self.symdump("--emit", form, self.file(text))
            self.symdump("--verify", self.file(text))

    def test_line_ends_and_byte_order_mark(self):
        expected = self.symdump(self.file(GRADIENT)).out
        self.assertEqual(self.symdump(self.file(GRADIENT.replace("\n", "\r\n"))).out, expected)
        self.assertEqual(self.symdump(self.file(b"\xef\xbb\xbf" + GRADIENT.encode())).out, expected)
        self.assertEqual(self.symdump(self.file(GRADIENT.rstrip("\n"))).out, expected)


class Errors(Cli):
    def test_bad_programs(self):
        for text, line, column, says in BAD_PROGRAMS:
            with self.subTest(program=text):
                path = self.file(HEAD + text + "\n")
                error = self.refused(path, says=says)
                found = re.match(rf"{re.escape(str(path))}:(\d+):(\d+): ", error)
                self.assertTrue(found, error)
                self.assertEqual(int(found[1]), line, error)
                if column is not None:
                    self.assertEqual(int(found[2]), column, error)
                lines = error.rstrip("\n").split("\n")
                source = (HEAD + text).split("\n")[line - 1]
                at = [k for k, shown in enumerate(lines) if source.strip() and source.strip() in shown]
                self.assertTrue(at, "the line is shown:\n" + error)
                under = lines[at[-1] + 1]
                indent = 0 if source in lines[at[-1]] else len(source) - len(source.lstrip())
                self.assertEqual(under.index("^"), lines[at[-1]].index(source[indent:]) + int(found[2]) - 1 - indent,
                                 "the caret is under the place:\n" + error)

    def test_after_a_loop_whose_condition_is_known_at_first(self):
        loop = "K: (3,)\nerr = 1.0\nwhile err > 1e-3:\n    K = K * 0.5\n    err = K.max()\n"
        for line, says in (("y = Kk + 1", "6:5: name 'Kk'"), ("import numpy as np\ny = np.nope(K)", "7:5: np.nope"), ("y = K[7]", "6:5: .*out of bounds")):
            with self.subTest(line):
                self.refused(self.file(loop + line + "\n"), says=says)
        self.refused(self.file("import numpy as np\nI: (3,)\ni = I.astype(int)\nr = np.gcd(i, 6)\ny = np.nope(i)\n"), says="5:5: np.nope")

    def test_strings_that_grow_without_end(self):
        self.refused(self.file("s = 'x'\nfor i in range(60): s = s + s\nV: (3,)\nr = V + len(s)\n"), says="the string is too long")

    def test_columns_count_characters(self):
        error = self.refused(self.file("é = 1\nλλ: (2,)\ny = λλ + wrong\n"), says=r"prog\.py:3:10: ")
        self.assertIn("^", error)

    def test_bytes_that_are_no_text(self):
        self.refused(self.file(b"x = 1\ny = \xff\xfe\n"), says=r"prog\.py:2:5.*UTF-8")
        self.refused(self.file(b"x = 1\x00\n"), says=r"prog\.py:1:6")
        self.refused(self.file(bytes(range(256))), says=r"prog\.py:1:")

    def test_missing_and_unreadable_programs(self):
        self.refused(self.folder / "none.py", says="none.py.*No such file")
        self.refused(self.folder, says="director")
        if os.path.exists("/proc/self/mem"):
            self.refused("/proc/self/mem", says="/proc/self/mem")

    def test_no_permission(self):
        program, tool = self.file(GRADIENT), self.folder / "symdump"
        shutil.copy(SYMDUMP, tool)
        locked = self.folder / "locked"
        locked.mkdir()
        (locked / "x.npy").write_bytes(b"")
        os.chmod(self.folder, 0o755)
        os.chmod(locked, 0o555)
        secret = self.file(GRADIENT, "secret.py")
        os.chmod(secret, 0)
        run = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        for arguments, says in ((["--save", f"total={locked}/y.npy", program], "y.npy.*Permission denied"),
                                (["--save-all", locked / "sub", program], "Permission denied"),
                                (["--save-all", locked, program], "Permission denied"),
                                ([secret], "secret.py.*Permission denied")):
            done = subprocess.run([tool, *map(str, arguments)], capture_output=True, check=False, **run)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr.decode(), re.compile(says, re.DOTALL))

    def test_processors_that_are_none(self):
        product = self.file("import numpy as np\nX: (800, 800)\nY = X @ X\n", "product.py")
        fused = self.file("import numpy as np\nX: (300, 300)\ne = np.exp(X)\nY = e / e.sum(1, keepdims=True)\n", "fused.py")
        for variable, value, path in (("VECTORS", "neon", product), ("VECTORS", "neon", fused), ("PREFETCH", "often", fused)):
            self.refused("--passes", "fast", "--run", path, says=rf"\[CUDAMAT_CPU_{variable}\] must be .*; got '{value}'",
                         environment={f"CUDAMAT_CPU_{variable}": value, "CUDAMAT_COMPILE": "now"})

    def test_full_disk(self):
        path = self.file(GRADIENT)
        for arguments in ([path], ["--run", path], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([SYMDUMP, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            self.assertIn(b"No space left", done.stderr)
        self.refused_file = self.symdump("--save", "grad=/dev/full", path, status=2).err
        self.assertIn("No space left", self.refused_file)

    def test_closed_pipe(self):
        path = self.file(GRADIENT)
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([SYMDUMP, str(path)], stdout=write_end, stderr=subprocess.PIPE, check=False)
        os.close(write_end)
        self.assertIn(done.returncode, (2, -signal.SIGPIPE, 141), done.stderr)

    def test_failed_save_leaves_no_part_of_a_file(self):
        big = self.folder / "small-disk"
        big.mkdir()
        done = subprocess.run(["sh", "-c", f"ulimit -f 8; trap '' XFSZ; exec {SYMDUMP} --shape X=200x200 --save-all "
                               f"{big} -"], input=b"Y = X + 1\n", capture_output=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(list(big.iterdir()), [])


class Passes(Cli):
    def test_lists_after_passes_are_a_story(self):
        path = self.file(GRADIENT)
        plain = self.symdump("--passes", "default", path).out
        story = self.symdump("--passes", "default", "--print-after", "all", path).out
        self.assertTrue(story.endswith(plain), "the list comes last, the same as without the story")
        self.assertIn("# inplace: ", story)
        self.assertIn("whose last use this is", story)
        self.assertRegex(story, r"not done: \w+ gets a matrix of its own: X is an input")
        one = self.symdump("--passes", "default", "--print-after", "inplace", path).out
        self.assertIn("# inplace: ", one)
        self.assertNotIn("# dead: ", one)
        self.assertNotIn("cm.empty", self.symdump("--passes", "default", "--remarks", path).out[: -len(plain)])

    def test_other_forms_stay_pure(self):
        path = self.file(GRADIENT)
        done = self.symdump("--passes", "all", "--remarks", "--emit", "json", path)
        json.loads(done.out)
        self.assertIn("# inplace: ", done.err)

    def test_time_goes_to_standard_error(self):
        path = self.file(GRADIENT)
        done = self.symdump("--passes", "default", "--time-passes", path)
        self.assertEqual(done.out, self.symdump("--passes", "default", path).out)
        self.assertRegex(done.err, r"reuse +[\d.]+ ms")

    def test_stop_after_is_the_pipeline_up_to_there(self):
        path = self.file(GRADIENT)
        self.assertEqual(self.symdump("--passes", "default", "--stop-after", "cse", path).out,
                         self.symdump("--passes", "simplify,cse", path).out)

    def test_older_names_are_understood(self):
        path = self.file(GRADIENT)
        new = self.symdump("--passes", "simplify,combine", "--print-after", "combine", "--remarks", path).out
        old = self.symdump("--passes", "fold,accumulate", "--print-after", "accumulate", "--receipts", path).out
        self.assertIn("# combine: ", new)
        self.assertEqual(old, new)
        self.assertEqual(self.symdump("--passes", "default", "--stop-after", "fold", path).out,
                         self.symdump("--passes", "default", "--stop-after", "simplify", path).out)

    def test_whatever_names_the_passes_has_them_all(self):
        names = known_passes(SYMDUMP)
        self.assertEqual(sorted(set(names)), sorted(names))
        options = re.sub(r",\n +", ",", self.symdump("--help").out)
        self.assertRegex(options, r"or some of\n +" + ",".join(names) + "\n")
        tables = []
        pages = [path for folder in (".", "*", "*/*") for path in ROOT.glob(f"{folder}/*.md")
                 if not path.relative_to(ROOT).parts[0].startswith((".", "build"))]
        for path in pages:
            for table in re.findall(r"(?:^\| `\w+` \|.*\n)+", path.read_text(encoding="utf-8"), re.M):
                rows = re.findall(r"^\| `(\w+)`", table, re.M)
                if names[0] in rows:
                    tables.append(rows)
        self.assertEqual(tables, [names] * max(len(tables), 1))

    def test_bad_choices(self):
        path = self.file(GRADIENT)
        for arguments in (["--passes", "ded"], ["--passes", "dead,"], ["--passes", "dead,default"],
                          ["--passes", "dead", "--stop-after", "cse"], ["--stop-after", "cse"],
                          ["--passes", "dead", "--print-after", "reuse"], ["--passes", "all", "--print-after", "x"]):
            self.refused(*arguments, path, says=f"{arguments[-2]}: .*pass")

    def test_with_passes_only_the_last_values_survive(self):
        path = self.file(GRADIENT)
        names = lambda *options: re.findall(r"^output (\w+)", self.symdump(*options, path).out, re.M)
        self.assertEqual(names(), ["h", "grad", "total"])
        self.assertEqual(names("--passes", "dead"), ["total"])
        self.assertEqual(names("--passes", "dead", "--outputs", "grad"), ["grad"])
        saved = self.folder / "h.npy"
        self.symdump("--passes", "all", "--save", f"h={saved}", path)
        self.assertEqual(np.load(saved).shape, (6, 3))

    def test_memory_plan(self):
        path = self.file(GRADIENT)
        text = self.symdump("--memory", "--precision", 64, path).out
        peak = re.search(r"# peak ([\d,]+) bytes", text).group(1)
        self.assertIn(f"peak {peak} bytes", self.symdump("--precision", 64, path).out)
        formula = re.search(r"= (8\*\([^)]*\))", text).group(1)
        symbols = {name: int(value) for name, value in re.findall(r"#   (n\d) = (\d+) ", text)}
        self.assertEqual(symbols, {"n1": 6, "n2": 4, "n3": 3})
        self.assertEqual(eval(formula, {}, symbols), int(peak.replace(",", "")))
        self.assertNotIn("cm.empty((6", text.split("# peak")[0])

    def test_a_run_takes_the_arena_of_the_plan(self):
        path = self.file("X: (3, 5)\ny = X + 1\nz = y * 2\n")  # 60 bytes each, at 0, 64 and 128
        text = self.symdump("--memory", path).out
        self.assertEqual(re.findall(r"^#  [Xyz] +3x5 +60 +(\d+) ", text, re.M), ["0", "64", "128"])
        self.assertIn("# arena 188 bytes, all that a run allocates for them: the peak; "
                      "8 bytes so that each begins at a multiple of 64\n", text)
        self.assertIn("peak 180 bytes in an arena of 188\n", self.symdump("--run", path).out)
        self.symdump("--limit", 188, path)
        self.refused("--limit", 187, path, says="needs 188 bytes.* 1 byte more than allowed")

    def test_limit(self):
        path = self.file("import numpy as np\nX: (100, 100)\ny = np.tanh(np.exp(X))\n")
        self.symdump("--limit", "120000", "--run", path)
        error = self.refused("--limit", "100kB", "--run", path, says=r"120,000 bytes.*20,000 bytes.*more")
        self.assertRegex(error, r"y = cm.empty\(\(100, 100\)\), .*prog.py:3")
        self.assertRegex(error, "--passes fuse would need 80,000 bytes")
        self.symdump("--limit", "100kB", "--run", "--passes", "fuse", path)
        self.symdump("--limit", "100kB", "--run", "--passes", "inplace", path)
        self.refused("--limit", "1KiB", path, says="no passes make it fit.*80,000")
        for size in ("", "x", "-1", "1XB", "12 MB", "1e400", "nan"):
            self.refused("--limit", size, path, says="--limit|size") if size else None


class Interrupts(Cli):
    def test_ctrl_c(self):
        text = "import numpy as np\nA = np.random.randn(1200, 1200)\n" + "A = np.tanh(A @ A)\n" * 4000
        path, out = self.file(text), self.folder / "o"
        process = subprocess.Popen([SYMDUMP, "--save-all", str(out), str(path)], stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        time.sleep(1.5)
        self.assertIsNone(process.poll(), "it should still run")
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        _, error = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, error)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(b"interrupted", error)
        self.assertFalse(out.exists() and list(out.iterdir()))


class Colour(Cli):
    def on_a_terminal(self, *arguments, environment=None):
        return shown_on_a_terminal([SYMDUMP, *arguments], stderr=subprocess.DEVNULL,
                                   env=self.environment | {"TERM": "xterm"} | (environment or {}))

    def test_only_on_a_terminal(self):
        path = self.file(GRADIENT)
        plain = self.symdump(path).stdout
        self.assertNotIn(b"\x1b", plain)
        coloured = self.on_a_terminal(path)
        self.assertIn(b"\x1b[", coloured)
        stripped = re.sub(rb"\x1b\[[0-9;]*m", b"", coloured).replace(b"\r\n", b"\n")
        self.assertEqual(stripped, plain)
        self.assertNotIn(b"\x1b", self.on_a_terminal(path, environment={"NO_COLOR": "1"}))
        self.assertNotIn(b"\x1b", self.on_a_terminal("--colour", "never", path))
        self.assertIn(b"\x1b", self.symdump("--colour=always", path).stdout)
        for form in ("cudamat-py", "cudamat-cpp", "json", "dot"):
            self.assertNotIn(b"\x1b", self.on_a_terminal("--emit", form, path), form)


if __name__ == "__main__":
    main()
