"""rbm: every layer learns what listing 2.2 of the Gnumpy report (UTML TR 2010-002) learns in NumPy from the same
weights and random numbers; --compare says so; the pictures show it; what cannot be done is refused.

    rbm_test.py RBM SYMDUMP [unittest arguments]
"""

import gzip
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from pictures import grid, read_png

sys.path.insert(0, str(Path(__file__).resolve().parent / "differential"))
from terminal import shown_on_a_terminal  # noqa: E402: after the path

RBM, SYMDUMP = (os.path.abspath(path) for path in sys.argv[1:3])
LAYERS = (["--layer", "cudamat"], ["--layer", "gnumpy"], ["--layer", "rewriter"],
          ["--layer", "rewriter", "--passes", "default"], ["--layer", "rewriter", "--passes", "all"])
CASES, SIDE, HIDDEN, BATCH, EPOCHS, SEED = 70, 6, 9, 16, 3, 5
USED = CASES // BATCH * BATCH  # the rest fills no batch
SMALL = ("--mnist", "mnist", "--hidden", HIDDEN, "--batch", BATCH, "--seed", SEED)
TRAINED = (*SMALL, "--epochs", EPOCHS)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def listing_22(dat, w_vh, draws):
    """draws[epoch]: the numbers of an epoch, a row for each case. Returns the weights and each epoch's error."""
    epsilon, momentum = 0.1, 0.9
    num_vis, num_hid = w_vh.shape
    w_vh, w_v, w_h = w_vh.copy(), np.zeros(num_vis), -4. * np.ones(num_hid)
    wu_vh, wu_v, wu_h = np.zeros((num_vis, num_hid)), np.zeros(num_vis), np.zeros(num_hid)
    errors = []
    for uniform in draws:
        err = []
        for batch in range(len(dat) // BATCH):
            rows = slice(batch * BATCH, (batch + 1) * BATCH)
            v1 = dat[rows]
            h1 = logistic(v1 @ w_vh + w_h)
            sampled = (uniform[rows] < h1).astype(dat.dtype)
            v2 = logistic(sampled @ w_vh.T + w_v)
            h2 = logistic(v2 @ w_vh + w_h)
            wu_vh = wu_vh * momentum + v1.T @ h1 - v2.T @ h2
            wu_v = wu_v * momentum + v1.sum(0) - v2.sum(0)
            wu_h = wu_h * momentum + h1.sum(0) - h2.sum(0)
            w_vh += wu_vh * (epsilon / BATCH)
            w_v += wu_v * (epsilon / BATCH)
            w_h += wu_h * (epsilon / BATCH)
            err.append(np.square(v2 - v1).sum() / (num_vis * BATCH))
        errors.append(np.mean(err))
    return w_vh, w_v, w_h, errors


def filters(w_vh, side):
    order = np.argsort(-np.square(w_vh).sum(0), kind="stable")[:100]
    columns = [w_vh[:, unit] / np.abs(w_vh[:, unit]).max() for unit in order]
    return grid([np.rint(255 * (0.5 + column / 2)).astype(int).reshape(side, side) for column in columns])


def reconstructions(dat, w_vh, w_v, w_h, side):
    made = logistic(logistic(dat @ w_vh + w_h) @ w_vh.T + w_v)
    rows = np.rint(255 * np.concatenate([dat, made])).astype(int)
    return grid([row.reshape(side, side) for row in rows], columns=len(dat))


class Rbm(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cudamat-rbm-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GNUMPY_")}
        self.environment["GNUMPY_USE_GPU"] = "no"

    def rbm(self, *arguments, status=0, **options):
        done = subprocess.run([RBM, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=self.folder,
                              env=self.environment, **options)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done

    def refused(self, *arguments, says, **options):
        done = self.rbm(*arguments, status=2, **options)
        self.assertRegex(done.stderr, re.compile(says, re.DOTALL))
        self.assertNotRegex(done.stderr, "internal error|terminate called")
        return done

    def weights(self, *arguments):
        self.rbm(*arguments, "--save", "w.npy")
        return np.load(self.folder / "w.npy")

    def mnist(self, shape=(CASES, SIDE, SIDE), spoil=lambda data: data):
        """A folder with pictures in MNIST's form, and the pictures as rows in [0, 1]."""
        pixels = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
        pixels[pixels < 100] = 0
        head = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
        path = self.folder / "mnist" / "t10k-images-idx3-ubyte.gz"
        path.parent.mkdir()
        path.write_bytes(spoil(gzip.compress(head + pixels.tobytes())))
        return path.parent, pixels.reshape(shape[0], -1) / 255

    def uniform(self, count, precision=64):
        """The engine's first random numbers for the seed."""
        (self.folder / "draw.py").write_text(f"import numpy as np\nu = np.random.rand({count})\n", encoding="utf-8")
        subprocess.run([SYMDUMP, "--precision", str(precision), "--seed", str(SEED), "--save", "u=u.npy", "draw.py"],
                       check=True, cwd=self.folder, env=self.environment, capture_output=True)
        return np.load(self.folder / "u.npy")

    def pictures(self, name="out"):
        self.assertEqual(sorted(os.listdir(self.folder / name)), ["errors.svg", "filters.png", "reconstructions.png"])
        return read_png(self.folder / name / "filters.png"), read_png(self.folder / name / "reconstructions.png")


class Learning(Rbm):
    def reference(self, data, draws, precision=64):
        initial = self.weights(*SMALL, "--precision", precision, "--epochs", 0).astype(float)
        self.assertEqual(initial.shape, (SIDE * SIDE, HIDDEN))
        self.assertLess(abs(initial.std() - 0.1), 0.02)
        return listing_22(data[:USED], initial, draws)

    def test_every_layer_learns_what_numpy_learns(self):
        _, data = self.mnist()
        for precision, tolerance in ((32, 1e-5), (64, 1e-13), (128, 1e-13)):
            numbers = self.uniform(EPOCHS * USED * HIDDEN, precision).astype(float)
            for layer in LAYERS:
                with self.subTest(layer=layer, precision=precision):
                    blocks = numbers.reshape(EPOCHS, USED // BATCH, BATCH * HIDDEN)
                    if layer[1] == "rewriter":  # its arrays lie by columns
                        blocks = blocks.reshape(EPOCHS, -1, HIDDEN, BATCH).transpose(0, 1, 3, 2)
                    w_vh, _, _, errors = self.reference(data, blocks.reshape(EPOCHS, USED, HIDDEN), precision)
                    done = self.rbm(*TRAINED, *layer, "--precision", precision, "--save", "w.npy")
                    self.assertLess(np.abs(np.load(self.folder / "w.npy") - w_vh).max(), tolerance)
                    self.assertGreater(np.abs(w_vh).max(), 0.3, "something must have been learned")
                    printed = re.findall(r"^epoch +\d+  mean squared error (\S+)  time \S+ s$", done.stdout, re.M)
                    np.testing.assert_allclose(np.array(printed, float), errors, rtol=0, atol=1.5e-6)

    def test_compare_is_the_listing_in_every_layer(self):
        _, data = self.mnist()
        draws = self.uniform(USED * HIDDEN).reshape(USED, HIDDEN)
        errors = self.reference(data, [draws] * EPOCHS)[3]
        done = self.rbm(*TRAINED, "--compare", "--precision", 64)
        heading, *table = done.stdout.splitlines()
        self.assertIn("all layers on npmat float64", heading)
        self.assertRegex(table[0], "cudamat +gnumpy +rewriter none +rewriter all$")
        for epoch in range(EPOCHS):
            self.assertTrue(table[1 + epoch].startswith(f"epoch {epoch + 1:2}"))
            printed = np.array(table[1 + epoch].split()[2:], float)
            np.testing.assert_allclose(printed, [errors[epoch]] * 4, rtol=0, atol=1e-9)
        for likeness in re.split("  +", table[1 + EPOCHS])[1:]:
            self.assertLess(0 if likeness == "every bit" else float(likeness), 1e-12, table)
        self.assertEqual(float(table[-1].split()[2]), 1)
        self.assertEqual(len(re.findall("mean squared error", done.stderr)), 4 * EPOCHS)

    def test_first_epoch_of_compare_is_the_layers_own(self):
        options = ("--cases", 64, "--hidden", 36, "--batch", 32, "--epochs", 2)
        alone = self.rbm(*options).stdout.splitlines()[1:]
        table = self.rbm(*options, "--compare").stdout.splitlines()
        self.assertAlmostEqual(float(table[2].split()[2]), float(alone[0].split()[5]), delta=6e-7)
        self.assertNotAlmostEqual(float(table[3].split()[2]), float(alone[1].split()[5]), delta=6e-7)

    def test_precision_and_seed(self):
        options = ("--cases", 64, "--hidden", 20, "--batch", 32, "--epochs", 1)
        single = self.weights(*options)
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_array_equal(single, self.weights(*options, "--seed", 1))
        self.assertGreater(np.abs(single - self.weights(*options, "--seed", 2)).max(), 0.1)
        self.environment["GNUMPY_CPU_PRECISION"] = "64"
        self.assertEqual(self.weights(*options).dtype, np.float64)

    def test_bars_and_stripes(self):
        done = self.rbm("--cases", 640, "--hidden", 36, "--batch", 32, "--epochs", 2, "--pictures", "out")
        self.assertIn("RBM 784x36, 640 cases of bars and stripes, batches of 32, cudamat on npmat", done.stdout)
        cases = self.pictures()[1][2:58:2, 2:582:2]  # without the grid's gaps
        for k in range(10):
            case = cases[:, 29 * k:29 * k + 28] > 127
            lines = max((np.minimum(s, 28 - s).sum() for s in (case.sum(0), case.sum(1))), key=lambda flips: -flips)
            self.assertLess(lines, 28 * 28 * 0.15, "a tenth of the pixels is flipped")


class Pictures(Rbm):
    def test_filters_and_reconstructions_show_the_weights(self):
        _, data = self.mnist()
        draws = self.uniform(EPOCHS * USED * HIDDEN).reshape(EPOCHS, USED, HIDDEN)
        initial = self.weights(*SMALL, "--precision", 64, "--epochs", 0)
        w_vh, w_v, w_h, _ = listing_22(data[:USED], initial, draws)
        self.rbm(*TRAINED, "--precision", 64, "--pictures", "some/where")
        drawn, made = self.pictures("some/where")
        for picture, expected in ((drawn, filters(w_vh, SIDE)),
                                  (made, reconstructions(data[:10], w_vh, w_v, w_h, SIDE))):
            self.assertEqual(picture.shape, expected.shape)
            self.assertLessEqual(np.abs(picture - expected).max(), 1, "one step of 255 is rounding")
            self.assertGreater(len(np.unique(picture)), 50)

    def test_every_layer_draws_its_weights(self):
        for layer in LAYERS:
            with self.subTest(layer=layer):
                learned = self.weights(*layer, "--cases", 64, "--hidden", 120, "--batch", 32, "--epochs", 2,
                                       "--pictures", "out", "--precision", 64)
                drawn, _ = self.pictures()
                self.assertEqual(drawn.shape, (2 + 10 * 58, 2 + 10 * 58))
                self.assertLessEqual(np.abs(drawn - filters(learned, 28)).max(), 1)

    def curves(self):
        """The curves' names, and their values read off the axes."""
        svg = ElementTree.parse(self.folder / "out" / "errors.svg").getroot()
        self.assertEqual(svg.tag, "{http://www.w3.org/2000/svg}svg")
        texts = [(text.text, float(text.get("x", 0)), float(text.get("y", 0)), text.get("text-anchor"))
                 for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        ticks = [(float(text), y - 4) for text, _, y, anchor in texts if anchor == "end"]
        slope, offset = np.polyfit([y for _, y in ticks], [value for value, _ in ticks], 1)
        values = []
        for path in svg.iter("{http://www.w3.org/2000/svg}path"):
            points = re.fullmatch(r"M(\S+ \S+)((?: L\S+ \S+)*)", path.get("d"))
            values.append([slope * float(point.split()[1]) + offset
                           for point in [points[1], *points[2].split(" L")[1:]]])
        self.assertTrue({"epoch", "mean squared error"} <= {text for text, *_ in texts})
        return [text for text, _, _, anchor in texts if anchor == "start"], values

    def test_curve_of_errors(self):
        done = self.rbm("--cases", 96, "--hidden", 30, "--batch", 32, "--epochs", 4, "--pictures", "out")
        names, (values,) = self.curves()
        self.assertEqual(names, [], "one curve needs no legend")
        errors = np.array(re.findall(r"error (\S+)", done.stdout), float)
        self.assertEqual(len(errors), 4)
        np.testing.assert_allclose(values, errors, atol=np.ptp(errors) / 100)

    def test_curve_of_each_layer(self):
        done = self.rbm("--compare", "--cases", 96, "--hidden", 30, "--batch", 32, "--epochs", 3, "--pictures", "out")
        names, values = self.curves()
        self.assertEqual(names, ["cudamat", "gnumpy", "rewriter none", "rewriter all"])
        errors = np.array([row.split()[2:] for row in re.findall("^epoch .*$", done.stdout, re.M)], float)
        self.assertEqual(errors.shape, (3, 4))
        np.testing.assert_allclose(values, errors.T, atol=np.ptp(errors) / 100)
        self.pictures()

    def test_without_an_epoch_the_initial_weights_are_shown(self):
        options = ("--cases", 32, "--hidden", 5, "--batch", 32, "--epochs", 0, "--precision", 64)
        initial = self.weights(*options)
        for layer in LAYERS:
            with self.subTest(layer=layer):
                np.testing.assert_array_equal(self.weights(*options, *layer, "--pictures", "out"), initial)
                drawn, _ = self.pictures()
                self.assertLessEqual(np.abs(drawn - filters(initial, 28)).max(), 1)
                ElementTree.parse(self.folder / "out" / "errors.svg")


class Refusals(Rbm):
    def test_options(self):
        for arguments, says in (
                (("--layer", "numpy"), "--layer.*cudamat.*gnumpy.*rewriter"),
                (("--passes", "all"), "--passes: belongs to --layer rewriter"),
                (("--layer", "rewriter", "--passes", "faster"), "--passes.*no pass 'faster'; there are unroll, layout, simplify"),
                (("--compare", "--layer", "gnumpy"), "--layer: belongs to one layer"),
                (("--compare", "--passes", "all"), "--passes: belongs to"),
                (("--compare", "--save", "w.npy"), "--save: belongs to one layer"),
                (("--engine", "numpy"), "--engine.*npmat.*cudamat"),
                (("--precision", "16"), "--precision.*32.*64.*128"),
                (("--seed", "-1"), "--seed: expects a whole number, 0 or more; got '-1'"),
                (("--epochs", "-1"), "--epochs: expects a whole number, 0 or more; got '-1'"),
                (("--epochs", "1.5"), "--epochs"),
                (("--hidden", "0"), "--hidden: expects a whole number, 1 or more; got '0'"),
                (("--batch", "many"), "--batch: expects a whole number, 1 or more; got 'many'"),
                (("--cases", "99999999999999999999"), "--cases: 99999999999999999999 is too large"),
                (("--cases", "10"), "10 cases are fewer than one batch of 128"),
                (("--hidden", "100000000000"), "out of memory: .*initial weights, 784x100000000000"),
                (("--cases", "100000000000"), "out of memory: .*100000000000 cases"),
                (("more",), "more")):
            with self.subTest(arguments=arguments):
                done = self.refused(*arguments, "--pictures", "out", says=says)
                self.assertEqual(done.stdout, "")
                self.assertFalse((self.folder / "out").exists(), "nothing is written")

    def test_environment(self):
        self.environment["GNUMPY_USE_GPU"] = "perhaps"
        self.refused(says="GNUMPY_USE_GPU.*must be auto, yes or no; got 'perhaps'")
        self.rbm("--engine", "npmat", "--cases", 32, "--batch", 32, "--hidden", 3, "--epochs", 1)
        self.environment["GNUMPY_CPU_PRECISION"] = "16"
        self.refused("--engine", "npmat", says="GNUMPY_CPU_PRECISION: must be 32, 64 or 128; got '16'")

    def test_gpu_that_cannot_be_had(self):
        self.refused("--engine", "cudamat", "--precision", 128, says="128|no CUDA engine")

    def test_files_that_are_damaged(self):
        def cut(data):
            return data[:len(data) // 2]

        def flipped(data):
            return data[:200] + bytes([data[200] ^ 255]) + data[201:]

        for spoil, shape, says in ((cut, (CASES, SIDE, SIDE), "t10k-images-idx3-ubyte.gz"),
                                   (flipped, (CASES, SIDE, SIDE), "t10k-images-idx3-ubyte.gz"),
                                   (lambda data: b"digits", (CASES, SIDE, SIDE), "not.*IDX|IDX"),
                                   (lambda data: data, (CASES, SIDE), r"must hold pictures \(3 dimensions\); it has 2"),
                                   (lambda data: data, (CASES, 0, SIDE), "nothing to learn from"),
                                   (lambda data: data, (15, SIDE, SIDE), "15 cases are fewer than one batch of 16")):
            with self.subTest(says=says):
                self.mnist(shape, spoil)
                self.refused(*SMALL, "--pictures", "out", says=says)
                self.assertFalse((self.folder / "out").exists())
                shutil.rmtree(self.folder / "mnist")
        self.refused("--mnist", "nowhere", says="nowhere: .*t10k-images-idx3-ubyte")

    def test_what_cannot_be_written_is_found_out_before_the_training(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        (self.folder / "folder").mkdir()
        for arguments, says in ((("--pictures", "file"), "--pictures: cannot create the folder file"),
                                (("--pictures", "file/below"), "--pictures: cannot create the folder file/below"),
                                (("--save", "nowhere/w.npy"), "--save: cannot write nowhere/w.npy: No such file"),
                                (("--save", "folder"), "--save: folder is a folder")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refused(*arguments, says=says).stdout, "")

    def test_folder_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        (self.folder / "closed").mkdir(mode=0o500)
        self.assertEqual(self.refused("--pictures", "closed", says="Permission denied").stdout, "")
        self.assertEqual(self.refused("--save", "closed/w.npy", says="Permission denied").stdout, "")


class FullDisks(Rbm):
    SMALL = ("--cases", 64, "--hidden", 12, "--batch", 32, "--epochs", 1)

    def setUp(self):
        super().setUp()
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")

    def test_pictures(self):
        for name in ("filters.png", "reconstructions.png", "errors.svg"):
            with self.subTest(name=name):
                (self.folder / name.replace(".", "_")).mkdir()
                (self.folder / name.replace(".", "_") / name).symlink_to("/dev/full")
                done = self.refused(*self.SMALL, "--pictures", name.replace(".", "_"),
                                    says=f"{name}: writing failed after 0 bytes: No space left on device")
                self.assertEqual(done.stdout, "", "it is found out before the training")

    def test_weights(self):
        done = self.refused(*self.SMALL, "--save", "/dev/full", says="/dev/full: .*No space left on device")
        self.assertNotIn("written to", done.stdout)

    def test_limit_on_file_sizes(self):
        before = self.folder / "w.npy"
        before.write_bytes(b"old")
        self.refused(*self.SMALL, "--save", "w.npy", says="w.npy: writing failed after .* File too large",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        self.assertEqual(before.read_bytes(), b"old")
        self.assertEqual(os.listdir(self.folder), ["w.npy"])

    def test_standard_output(self):
        for arguments in ((), ("--help",), ("--compare",)):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([RBM, *map(str, arguments), *map(str, self.SMALL)], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False, env=self.environment)
                self.assertEqual(done.returncode, 2)
                self.assertIn("rbm: cannot write to standard output: No space left on device", done.stderr)


class Watching(Rbm):
    def test_interrupted_pictures_are_whole(self):
        for layer in LAYERS[:3]:
            with self.subTest(layer=layer):
                process = subprocess.Popen([RBM, *layer, "--hidden", "64", "--cases", "512", "--epochs", "1000000",
                                            "--pictures", "out", "--save", "w.npy"], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True, cwd=self.folder, env=self.environment)
                for line in process.stdout:
                    if line.startswith("epoch  2"):
                        break
                process.send_signal(signal.SIGINT)
                _, error = process.communicate()
                self.assertEqual(process.returncode, 130, error)
                self.assertIn("rbm: interrupted; nothing further was written", error)
                self.assertFalse((self.folder / "w.npy").exists())
                self.pictures()
                svg = ElementTree.parse(self.folder / "out" / "errors.svg").getroot()
                path = svg.find(".//{http://www.w3.org/2000/svg}path")
                self.assertGreaterEqual(path.get("d").count("L"), 1, "at least two epochs")

    def test_bar_on_a_terminal(self):
        with tempfile.TemporaryFile("w+") as out:
            shown = shown_on_a_terminal([RBM, "--hidden", "8", "--cases", "96", "--batch", "32", "--epochs", "2"],
                                        stream="stderr", stdout=out, env=self.environment).decode()
            out.seek(0)
            said = out.read()
        self.assertIn("\repoch 2/2 [##########                    ] batch 1/3", shown)
        self.assertRegex(shown, r"\r {70}\r$")
        self.assertIn("epoch  2", said)
        self.assertNotIn("batch 1/3", said)

    def test_help_and_version(self):
        text = self.rbm("--help").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        self.assertRegex(self.rbm("--version").stdout, r"^rbm \d+\.\d+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
