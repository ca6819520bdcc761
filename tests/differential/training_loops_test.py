"""Loops of training programs stay loops of the list: a last mini-batch that is shorter, histories in dictionaries and
objects, keys that the first iteration makes. NumPy runs the same programs; the list must not grow with the iterations.

    training_loops_test.py SYMDUMP SYMDUMP_BATCH
"""

import re
import sys

from cli import main
from same_programs import SamePrograms

MOST_LINES = 500  # of a list; unrolled, each of these programs has more than 1,500

DATA = "X = np.sin(np.arange(303.0)).reshape(101, 3)\nt = X @ np.array([0.5, -1.0, 2.0]) + np.cos(np.arange(101.0))\nw = np.zeros(3)\n"
STEP = "err = xb @ w - tb\n        w = w - 0.1 * xb.T @ err / len(xb)\n"
LOOPS = {
    "a last batch that is shorter":
        "for e in range(30):\n    for s in range(0, 101, 4):\n        xb, tb = X[s:s + 4], t[s:s + 4]\n        " + STEP,
    "batches of a permutation, and their losses":
        "history = []\nfor e in range(30):\n    p = np.argsort(np.cos(np.arange(101.0) * (e + 1)))\n    losses = []\n"
        "    for s in range(0, 101, 4):\n        at = p[s:s + 4]\n        xb, tb = X[at], t[at]\n        " + STEP +
        "        losses.append((err ** 2).mean())\n    history.append(np.mean(losses))\nh = np.array(history)",
    "batches of a generator":
        "def batches(X, t, size):\n    for s in range(0, len(X), size):\n        yield X[s:s + size], t[s:s + size]\n"
        "for e in range(30):\n    total = 0.0\n    for xb, tb in batches(X, t, 4):\n        " + STEP +
        "        total += (err ** 2).sum()\n",
    "by the number of the batch":
        "n = (len(X) + 3) // 4\nfor e in range(30):\n    for b in range(n):\n        xb, tb = X[b * 4:(b + 1) * 4], t[b * 4:(b + 1) * 4]\n        " + STEP,
    "backwards":
        "for e in range(30):\n    for s in range(100, -1, -4):\n        xb, tb = X[s:s + 4], t[s:s + 4]\n        " + STEP,
    "windows that begin before the array":
        "y = np.zeros(101)\nfor i in range(101):\n    y[i] = X[i - 2:i + 1, 0].sum()\n",
    "windows that end after the array":
        "y = np.zeros(101)\nfor i in range(101):\n    y[i] = t[i:i + 5].mean() * i\n",
    "a history in a dictionary":
        "history = {'loss': [], 'norm': [1.0]}\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n"
        "    history['loss'].append((err ** 2).mean())\n    history['norm'].append(np.abs(w).max())\n"
        "h = np.array(history['loss'])\nn = history['norm'][-1] + len(history['norm'])",
    "made by setdefault":
        "history = {}\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n"
        "    history.setdefault('loss', []).append((err ** 2).mean())\nh = np.array(history['loss'])",
    "a defaultdict":
        "from collections import defaultdict\nhistory = defaultdict(list)\nfor e in range(200):\n    err = X @ w - t\n"
        "    w = w - 0.1 * X.T @ err / 101\n    history['loss'].append((err ** 2).mean())\n    history['w'].append(w[0])\n"
        "h = np.array(history['loss']) + np.array(history['w'])",
    "in an object":
        "class Log:\n    def __init__(self):\n        self.values = {}\n    def add(self, **values):\n"
        "        for k, v in values.items():\n            self.values.setdefault(k, []).append(v)\n"
        "log = Log()\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n"
        "    log.add(loss=(err ** 2).mean(), step=e)\nh = np.array(log.values['loss']) * np.array(log.values['step'])",
    "in objects that the first iteration makes":
        "class Meter:\n    def __init__(self):\n        self.sum, self.count = 0.0, 0\n    def update(self, v, n=1):\n"
        "        self.sum += v * n\n        self.count += n\nmeters = {}\nfor e in range(200):\n    err = X @ w - t\n"
        "    w = w - 0.1 * X.T @ err / 101\n    for k, v in {'loss': (err ** 2).mean(), 'norm': w[0]}.items():\n"
        "        if k not in meters:\n            meters[k] = Meter()\n        meters[k].update(v, e % 3)\n"
        "h = np.array([[m.sum, m.count] for m in meters.values()])",
    "in a list of lists":
        "curves = [[], []]\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n"
        "    curves[0].append(err[0])\n    curves[1].append(err[1] * e)\nh = np.array(curves)",
    "in two loops":
        "history = {'loss': []}\nfor e in range(30):\n    for s in range(0, 100, 4):\n        xb, tb = X[s:s + 4], t[s:s + 4]\n        " + STEP +
        "        history['loss'].append(err[0])\n    history['loss'].append(0.5)\nh = np.array(history['loss'])",
    "of a function's argument":
        "def train(w, history, n):\n    for e in range(n):\n        err = X @ w - t\n        w = w - 0.1 * X.T @ err / 101\n"
        "        history['loss'].append((err ** 2).mean())\n    return w\nhistory = {'loss': []}\nw = train(w, history, 100)\n"
        "w = train(w, history, 100)\nh = np.array(history['loss'])",
    "the last loss printed":
        "losses = []\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n    losses.append((err ** 2).mean())\n"
        "    if e % 20 == 0:\n        w = w * (1 + losses[-1] / 100)\n    w[0] += losses[0] * 0.01\nh = np.array(losses)",
    "the mean of the last losses":
        "losses = [1.0]\nm = np.zeros(200)\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n"
        "    losses.append((err ** 2).mean())\n    m[e] = np.mean(losses[-5:]) + losses[-2]\nh = np.array(losses)",
    "until the losses stay the same":
        "losses = []\nfor e in range(200):\n    err = X @ w - t\n    w = w - 0.1 * X.T @ err / 101\n    losses.append((err ** 2).mean())\n"
        "    if len(losses) > 12 and max(losses[-3:]) > min(losses[-12:-6]) * 0.999:\n        break\nn, h = len(losses), sum(losses[2:-1])",
    "momentum whose state the first iteration makes":
        "params, state = {'w': w, 'b': 0.0}, {}\nfor e in range(200):\n    err = X @ params['w'] + params['b'] - t\n"
        "    grads = {'w': X.T @ err / 101, 'b': err.mean()}\n    for k in params:\n        if k not in state:\n"
        "            state[k] = np.zeros_like(grads[k])\n        state[k] = 0.9 * state[k] + grads[k]\n"
        "        params[k] = params[k] - 0.01 * state[k]\nw, b = params['w'], params['b'] * X",
}


class TrainingLoops(SamePrograms):
    passes = ("none", "default", "all", "fast")
    rtol, atol = 1e-11, 1e-13  # of sums of up to 600 steps, each of products that round otherwise

    def test_they_compute_what_numpy_does(self):
        self.each({name: DATA + text for name, text in LOOPS.items()})

    def test_they_stay_loops(self):
        for name, text in LOOPS.items():
            with self.subTest(name):
                listed = self.symdump(self.file("import numpy as np\n" + DATA + text))
                lines = len(re.findall(r"^ *[^#\s]", listed.out, re.M))
                self.assertLess(lines, MOST_LINES, listed.err)


if __name__ == "__main__":
    sys.exit(main())
