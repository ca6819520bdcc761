"""The programs of the Gnumpy report learn what the same equations learn in NumPy from the same random numbers. MNIST
where the environment's MNIST names the folder with t10k-images-idx3-ubyte.gz."""

import gzip
import os
import sys
import types
from pathlib import Path

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest

PROGRAMS = Path(__file__).parent / "programs"
EPOCHS, BATCH, HIDDEN = 3, 128, 48


def synthetic():
    """Bars on a 12 x 12 grid, one picture a column, as bytes."""
    random = np.random.default_rng(5)
    pictures = np.zeros((640, 12, 12))
    pictures[random.random((640, 12)) < 0.2] = 255
    return pictures.reshape(640, 144).T


def mnist():
    path = Path(os.environ.get("MNIST", "no folder")) / "t10k-images-idx3-ubyte.gz"
    if not path.exists():
        pytest.skip("no MNIST: set MNIST to the folder of t10k-images-idx3-ubyte.gz")
    data = np.frombuffer(gzip.decompress(path.read_bytes()), "uint8", offset=16)
    return data.reshape(-1, 784).T[:, :1280].astype(float)


@pytest.fixture(params=[synthetic, mnist], ids=lambda each: each.__name__)
def pictures(request, monkeypatch):
    dat = request.param()
    util = types.ModuleType("util")
    util.saved = {}
    util.load = lambda name, names=None: dat if names is None else names.update(dat=dat)
    util.save = lambda name, keys, values: util.saved.update(values)
    monkeypatch.setitem(sys.modules, "util", util)
    return dat


def run(listing):
    text = (PROGRAMS / listing).read_text()
    assert "num_hid = 4096" in text
    text = text.replace("num_hid = 4096", f"num_hid = {HIDDEN}").replace("num_epochs = 30", f"num_epochs = {EPOCHS}")
    names = {"__name__": "listing"}
    exec(compile(text, str(PROGRAMS / listing), "exec"), names)
    return names


def logistic(x):
    return 1 / (1 + np.exp(-x))


def learn(cases, w_vh, uniform):
    """Contrastive divergence on cases, one a row, in float64; uniform() draws the numbers of a batch."""
    epsilon, momentum = 0.1, 0.9
    num_vis = cases.shape[1]
    w_v, w_h = np.zeros(num_vis), np.full(HIDDEN, -4.0)
    wu_vh, wu_v, wu_h = np.zeros_like(w_vh), np.zeros(num_vis), np.zeros(HIDDEN)
    errors = []
    for _ in range(EPOCHS):
        error = []
        for batch in range(len(cases) // BATCH):
            v1 = cases[batch * BATCH : (batch + 1) * BATCH]
            h1 = logistic(v1 @ w_vh + w_h)
            sampled = (uniform() < h1) * 1.0
            v2 = logistic(sampled @ w_vh.T + w_v)
            h2 = logistic(v2 @ w_vh + w_h)
            wu_vh = wu_vh * momentum + v1.T @ h1 - v2.T @ h2
            wu_v = wu_v * momentum + v1.sum(0) - v2.sum(0)
            wu_h = wu_h * momentum + h1.sum(0) - h2.sum(0)
            w_vh = w_vh + wu_vh * (epsilon / BATCH)
            w_v = w_v + wu_v * (epsilon / BATCH)
            w_h = w_h + wu_h * (epsilon / BATCH)
            error.append(((v2 - v1) ** 2).sum() / (num_vis * BATCH))
        errors.append(np.mean(error))
    return errors, w_vh


def printed_errors(capsys):
    lines = capsys.readouterr().out.splitlines()
    return [float(line.split(": ")[1]) for line in lines if line.startswith("Mean squared error")]


def test_listing_2_1_learns_what_numpy_learns(pictures, capsys):
    np.random.seed(3)
    names = run("listing_2_1.py")
    errors = printed_errors(capsys)

    np.random.seed(3)
    weights = 0.1 * np.random.randn(len(pictures), HIDDEN)
    cm.CUDAMatrix.init_random(1)
    r = cm.empty((HIDDEN, BATCH))
    expected, weights = learn(pictures.T / 255, weights, lambda: r.fill_with_rand().asarray().T.astype("float64"))
    np.testing.assert_allclose(errors, expected, rtol=2e-3)
    assert errors[-1] < errors[0]
    np.testing.assert_allclose(names["w_vh"].asarray(), weights, atol=0.02)
    assert sys.modules["util"].saved["w_vh"].shape == weights.shape


def test_listing_2_2_learns_what_numpy_learns(pictures, capsys):
    gpu.seed_rand(4)
    w_vh, w_v, w_h = run("listing_2_2.py")["test_gnumpy"](EPOCHS)
    errors = printed_errors(capsys)

    gpu.seed_rand(4)
    weights = 0.1 * gpu.randn(len(pictures), HIDDEN).as_numpy_array()
    expected, weights = learn(pictures.T / 255, weights, lambda: gpu.rand(BATCH, HIDDEN).as_numpy_array())
    np.testing.assert_allclose(errors, expected, rtol=2e-3)
    assert errors[-1] < errors[0]
    np.testing.assert_allclose(w_vh.as_numpy_array(), weights, atol=0.02)
