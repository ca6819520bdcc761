"""The Gnumpy report's listing 2.2, rewritten, against the expert's hand-written listing 2.1.

    touchstone_test.py SYMDUMP [unittest arguments]
"""

import gzip
import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from cli import SYMDUMP, Cli, main

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/touchstone"
MNIST = ROOT.parent / "shared/data/mnist"
FULL = {"visible": 784, "hidden": 4096, "batch": 128, "cases": 10000}


def load_tool():
    loader = importlib.machinery.SourceFileLoader("touchstone", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("touchstone", loader))
    loader.exec_module(module)
    return module


tool = load_tool()


class Touchstone(Cli):
    def touchstone(self, epochs=1, **sizes):
        return tool.Touchstone(SYMDUMP, self.folder, tool.Sizes(**sizes, epochs=epochs))


class Counts(Touchstone):
    def figures(self, **sizes):
        touchstone = self.touchstone(**sizes)
        return [touchstone.figures(column) for column in ("none", "default", "all", "fast", tool.EXPERT)]

    def peak(self, visible, hidden, batch, cases):
        """Of listing 2.1, by hand: data, weights and their updates, biases likewise, v, h and r, the errors."""
        elements = (cases * visible + 2 * visible * hidden + 2 * (visible + hidden)
                    + batch * (visible + 2 * hidden) + cases // batch + 1)
        return 4 * elements

    def test_the_rewritten_program_takes_no_more_than_the_experts(self):
        sizes = (FULL,
                 {"visible": 12, "hidden": 7, "batch": 8, "cases": 50},
                 {"visible": 784, "hidden": 100, "batch": 64, "cases": 640},
                 {"visible": 30, "hidden": 31, "batch": 200, "cases": 400})
        for size in sizes:
            with self.subTest(**size):
                none, default, best, fast, expert = self.figures(**size)
                self.assertEqual(expert["batch-sized buffers"], ["v", "h", "r"])
                self.assertLessEqual(len(best["batch-sized buffers"]), 2)
                self.assertLessEqual(len(fast["batch-sized buffers"]), 3)
                # Fused, half of the passes over batches go.
                moved = "  batch-sized reads and writes"
                self.assertLessEqual(2 * fast[moved], best[moved])
                self.assertLessEqual(2 * fast[moved], expert[moved])
                self.assertEqual(len(best["weight-sized buffers"]), 2)
                self.assertEqual(expert["peak, bytes"], self.peak(**size))
                self.assertLessEqual(best["peak, bytes"], expert["peak, bytes"])
                self.assertLessEqual(default["peak, bytes"], none["peak, bytes"])
                # The listing has 27 lines in that loop; the list computes the error by calls, not on the host.
                self.assertEqual(expert["minibatch loop: calls"], 29)
                self.assertLessEqual(best["minibatch loop: calls"], 27)
                self.assertLessEqual(best["minibatch loop: statements"], 27)
                self.assertLessEqual(best["minibatch loop: kernel launches"], expert["minibatch loop: kernel launches"])
                for figures in (default, best, expert):
                    self.assertEqual(figures["allocations in loops"], 0)
                    self.assertLessEqual(figures["minibatch loop: calls"], none["minibatch loop: calls"])


class Training(Touchstone):
    def test_on_mnist_default_is_the_literal_list_bit_for_bit(self):
        if not MNIST.is_dir():
            self.skipTest(f"there is no {MNIST}")
        pictures = tool.read_pictures(MNIST, 320)
        touchstone = self.touchstone(visible=784, hidden=48, batch=32, cases=320, epochs=3)
        errors, _, weights = touchstone.train("none", pictures, 1)
        self.assertEqual(len(errors), 3)
        self.assertLess(float(errors[-1]), 0.8 * float(errors[0]))
        same = touchstone.train("default", pictures, 1)
        self.assertEqual(same[0], errors)
        for name, array in weights.items():
            self.assertEqual(same[2][name].tobytes(), array.tobytes(), name)
        rounded = touchstone.train("all", pictures, 1)
        np.testing.assert_allclose(np.float64(rounded[0]), np.float64(errors), rtol=1e-3)
        expert = touchstone.train(tool.EXPERT, pictures, 1)  # from the same weights, with other samples
        np.testing.assert_allclose(np.float64(expert[0]), np.float64(errors), rtol=0.03)

    def test_both_listings_train_alike_where_they_draw_alike(self):
        """The expert's samples are drawn for hidden units by cases; here, as listing 2.2 has them, transposed."""
        sizes = {"visible": 12, "hidden": 7, "batch": 8, "cases": 50}
        touchstone = self.touchstone(**sizes, epochs=3)
        text = touchstone.sizes.listing_21()
        for old, new in (("input w_vh: (12, 7)\n", ""),
                         ("cm.CUDAMatrix.init_random(1)\n",
                          "w_vh = cm.empty((12, 7))\nw_vh.fill_with_randn()\nw_vh.mult(0.1)\nd = cm.empty((8, 7))\n"),
                         ("    r.fill_with_rand()\n", "    d.fill_with_rand()\n    d.transpose(target = r)\n"),
                         ("v.free_device", "d.free_device_memory()\nv.free_device")):
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        expert = self.file(text, "drawn_alike.list")
        data = np.random.default_rng(3).random((50, 12))
        runs = []
        for name, array, program in (("dat", data, ["--passes", "none", self.folder / "rbm_training.py"]),
                                     ("dev_dat", data.T.copy(), ["--from", expert])):
            out = self.folder / name
            printed = self.symdump("--run", "--precision", 64, "--seed", 4, "--save-all", out, *program,
                                   "--input", f"{name}={self.array(array, name + '.npy')}").out
            errors = [float(e) for e in re.findall(r"(?m)^Mean squared error: (\S+)$", printed)]
            runs.append((errors, [np.load(out / f"{w}.npy").ravel() for w in ("w_vh", "w_v", "w_h")]))
        self.assertEqual(len(runs[0][0]), 3)
        np.testing.assert_allclose(runs[0][0], runs[1][0], rtol=1e-9)
        for ours, theirs in zip(runs[0][1], runs[1][1]):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


class Tool(Touchstone):
    SMALL = ["--visible", "12", "--hidden", "7", "--batch", "8", "--cases", "50"]

    def call(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", TOOL, "--symdump", SYMDUMP, *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_it_trains_and_prints_a_row_for_each_epoch(self):
        pictures = np.random.default_rng(2).integers(0, 256, (60, 4, 3), dtype=np.uint8)
        header = np.array([0x803, 60, 4, 3], ">u4").tobytes()
        (self.folder / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + pictures.tobytes()))
        text = self.call(*self.SMALL, "--mnist", str(self.folder), "--epochs", "2",
                         "--rounds", "1")
        rows = [re.findall(rf"(?m)^error, epoch {epoch} +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)$", text) for epoch in (1, 2)]
        for (row,) in rows:
            self.assertEqual(row[0], row[1])
            self.assertAlmostEqual(float(row[0]), float(row[2]), delta=1e-5)
            self.assertEqual(row[2], row[3])
        self.assertRegex(text, r"(?m)^weights, beside those of none +every bit +every bit +\S.*other draws$")
        self.assertRegex(text, r"(?m)^  as a part of an epoch( +[\d.]+%){5}$")

    def test_pictures_are_read_from_0_to_1(self):
        data = np.array([0x803, 2, 2, 1], ">u4").tobytes() + bytes([0, 255, 51, 102])
        (self.folder / "train-images-idx3-ubyte").write_bytes(data)
        np.testing.assert_array_equal(tool.read_pictures(self.folder, 2), np.float32([[0, 1], [0.2, 0.4]]))

    def test_the_loops_side_by_side(self):
        lines = self.call("--loops", *self.SMALL).splitlines()
        self.assertRegex(lines[0], r"^--passes all +the expert's$")
        self.assertTrue(any(re.search(r"^wu_vh\.subtract_dot\(.*\) +wu_vh\.subtract_dot\(v, h\.T\)$", line)
                            for line in lines))

    def test_what_it_refuses(self):
        for arguments, says in ((["--cases", "5"], "cases for a batch"),
                                (["--hidden", "12"], "must differ"),
                                (["--mnist", str(self.folder)], "has none of train-images-idx3-ubyte"),
                                (["--mnist", str(self.folder), "--epochs", "1"], "needs --epochs 2 or more"),
                                (["--symdump", "/nowhere/symdump"], "there is no /nowhere/symdump")):
            with self.subTest(says):
                self.assertIn(says, self.call(*self.SMALL, *arguments, status=2))
        (self.folder / "t10k-images-idx3-ubyte").write_bytes(b"no IDX file, but long enough")
        self.assertIn("is no IDX file", self.call(*self.SMALL, "--mnist", str(self.folder), status=2))
        with self.assertRaisesRegex(tool.Failure, "has no 'dat: 1'"):
            tool.resized(tool.LISTING_22, {"dat: 1": "dat: 2"})


if __name__ == "__main__":
    main()
