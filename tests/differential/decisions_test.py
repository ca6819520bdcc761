"""What a program decides by numbers that it makes itself, as keys of dictionaries and bounds of lists, is known when it is
read: the lists of such programs compute NumPy's values, given the random numbers that they draw.

    decisions_test.py SYMDUMP
"""

import sys

from cli import Cli, main

PROGRAMS = {
    "keys of a dictionary": "np.random.seed(3)\ny = np.random.randint(0, 4, 12)\ncounts = {}\nfor label in y:\n"
                            "    counts[int(label)] = counts.get(int(label), 0) + 1\n"
                            "r = np.array([counts[k] for k in sorted(counts)])",
    "an object by its index": "class Arm:\n    def __init__(self, mean):\n        self.mean, self.pulls = mean, 0\n    def pull(self):\n"
                              "        self.pulls += 1\n        return self.mean + rng.normal()\n"
                              "rng = np.random.default_rng(1)\narms = [Arm(m) for m in (0.5, 1.5, 1.0)]\ntotal = 0.0\n"
                              "for t in range(30):\n    total += arms[rng.integers(3)].pull()\n"
                              "best = max(arms, key=lambda a: a.pulls)\nbest.mean = 9.0\nr = np.array([[a.mean, a.pulls] for a in arms])",
    "the largest of objects": "class P:\n    def __init__(self):\n        self.v = np.random.randn(2)\n        self.chosen = False\n"
                              "    def __lt__(self, other):\n        return self.v.sum() < other.v.sum()\n"
                              "np.random.seed(0)\nps = [P() for _ in range(6)]\nmax(ps, key=lambda p: np.linalg.norm(p.v)).chosen = True\n"
                              "ps.sort(key=lambda p: p.v[0])\nr = np.array([p.v for p in sorted(ps)])\nwhich = np.array([p.chosen for p in ps])",
    "an exception": "class Unstable(ValueError):\n    pass\nclass Rod:\n    def __init__(self, n):\n        self.dx = np.linspace(0, 1, n)[1]\n"
                    "        self.u, self.steps = np.ones(n), 0\n    def step(self, dt):\n        self.steps += 1\n        r = dt / self.dx ** 2\n"
                    "        if r > 0.5:\n            raise Unstable(f'{r:.2f}')\n        self.u[1:-1] += r * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])\n"
                    "rod, dt = Rod(11), 0.008\ntry:\n    rod.step(dt)\nexcept Unstable as error:\n    print('refused', error)\n    dt /= 4\n    rod.step(dt)\n"
                    "steps = rod.steps",
    "None or a number": "def hit(b):\n    d = b @ b - 2.0\n    return np.sqrt(d) if d > 0 else None\nnp.random.seed(5)\n"
                        "hits = [(t, k) for k in range(8) if (t := hit(np.random.randn(3))) is not None]\nt, k = min(hits, key=lambda h: h[0])\n"
                        "n = len(hits)\nfirst = t * 1.0",
    "a list that grows while a condition holds": "xs = [2.0]\nwhile abs(xs[-1] ** 2 - 2) > 1e-5:\n    xs.append(np.float64((xs[-1] + 2 / xs[-1]) / 2))\n"
                                                 "r = np.array(xs)",
    "until something is found": "def find():\n    trace = []\n    lo, hi = np.array(2.0), np.array(3.0)\n    while True:\n        m = (lo + hi) / 2\n"
                                "        trace.append(float(m))\n        if hi - lo < 1e-5:\n            return m, trace\n        if m ** 3 - 2 * m - 5 > 0:\n"
                                "            hi = m\n        else:\n            lo = m\nroot, trace = find()\nlength = len(trace)",
    "bounds of lists": "np.random.seed(2)\ntour = list(range(8))\nd = np.random.rand(8, 8)\nfor _ in range(20):\n"
                       "    i, j = sorted(np.random.choice(8, 2, replace=False))\n    new = tour[:i] + tour[i:j + 1][::-1] + tour[j + 1:]\n"
                       "    if sum(d[a, b] for a, b in zip(new, new[1:])) < sum(d[a, b] for a, b in zip(tour, tour[1:])):\n        tour = new\n"
                       "r = np.array(tour)",
    "what a generator yields": "def adaptive(y, h):\n    t = 0.0\n    while t < 1:\n        h = min(h, 1 - t)\n        low, high = y - h * y, y * np.exp(-h)\n"
                               "        if abs(high - low).max() < 1e-3:\n            t, y = t + h, high\n            yield t, y\n        else:\n            h /= 2\n"
                               "steps = list(adaptive(np.array([1.0, 2.0]), 0.3))\nts = np.array([t for t, _ in steps])\nend = steps[-1][1]",
    "events in order": "import heapq\nclass Event:\n    def __init__(self, time, what):\n        self.time, self.what = time, what\n"
                       "    def __lt__(self, other):\n        return self.time < other.time\nrng = np.random.default_rng(0)\nqueue, log = [], []\n"
                       "for k in range(4):\n    heapq.heappush(queue, Event(rng.exponential(), k))\nwhile queue and len(log) < 12:\n"
                       "    event = heapq.heappop(queue)\n    log.append(event.what + event.time)\n"
                       "    if rng.random() < 0.5:\n        heapq.heappush(queue, Event(event.time + rng.exponential(), event.what * 2))\nr = np.array(log)",
    "which elements a mask selects": "np.random.seed(1)\ntruth = np.random.choice(3, size=40)\ns = np.random.randn(40)\npos, neg = s[truth == 1], s[truth != 1]\n"
                                     "wins = (pos[:, None] > neg[None, :]).sum()\nr = wins / (pos.size * neg.size)",
    "normals and uniforms by turns": "rng = np.random.default_rng(7)\nx = rng.normal(size=(3, 3))\np = rng.permutation(5)\nu = rng.normal(size=3)\n"
                                     "z = np.random.RandomState(7).rand()\nd = {int(k): i for i, k in enumerate(p)}\nr = np.array([d[k] for k in range(5)])\n"
                                     "kinds = np.array([len('positive' if e > 0 else 'no') for e in [*x.ravel(), *u, z - 0.5]])",
    "draws in a loop before": "np.random.seed(4)\ntotal = 0.0\nfor i in range(6):\n    total += np.random.rand()\ny = np.random.randint(0, 3, 5)\n"
                              "seen = {}\nfor k in y:\n    seen[int(k)] = len(seen)\nr = np.array(list(seen.items()))",
    "draws while a condition holds": "np.random.seed(1)\nt = 0.0\nwhile t < 3:\n    t = t + np.random.rand()\nk = np.random.randint(0, 5, 4)\n"
                                     "d = {int(e): i for i, e in enumerate(k)}\nr = np.array(sorted(d))",
    "a set": "np.random.seed(12)\nx = np.random.randint(0, 6, 10)\ns = set(x.tolist())\nr = np.array([len(s), 3 in s] + sorted(s))",
    "draws of one side of a condition": "np.random.seed(1)\nx = np.random.rand(4)\nif x.sum() > 2:\n    y = np.random.rand()\nelse:\n    y = 0.0\n"
                                        "k = np.random.randint(0, 3, 4)\nd = {}\nfor e in k:\n    d[int(e)] = 1\nr = np.array(sorted(d))",
    "exceptions between draws": "np.random.seed(8)\nlog, n = [], 0\ndef f():\n    v = np.random.rand()\n    if v > 0.5:\n        raise ValueError(v)\n    log.append(np.random.rand())\n"
                                "for i in range(10):\n    try:\n        f()\n    except ValueError:\n        n += 1\n    finally:\n        log.append(0.5)\nr = np.array(log)\n"
                                "z = np.random.rand()",
    "what loops leave": "np.random.seed(6)\nx = np.random.rand(5)\ns = 0.0\nfor i in range(5):\n    if x[i] > 0.5:\n        s += x[i] * i\n    else:\n        s -= 0.1\n"
                        "    for j in range(i):\n        s += x[j] * 0.01\nw = s\nwhile w > 0.3:\n    w *= 0.7\nd = {int(s * 1000): 1, int(w * 1000): 2}\nr = np.array(list(d))",
    "in a function that the module calls": "def main():\n    np.random.seed(8)\n    names = ['a', 'b', 'c']\n    w = np.zeros(3)\n    for epoch in range(10):\n"
                                           "        x = np.random.randn(3)\n        w += 0.1 * x\n    best = names[int(np.argmax(w))]\n"
                                           "    return w, {'a': 1, 'b': 2, 'c': 3}[best]\nw, k = main()",
}


class Decisions(Cli):
    def test_programs(self):
        for name, text in PROGRAMS.items():
            program = self.file("import numpy as np\n" + text + "\n")
            for precision in ("32", "64"):
                with self.subTest(name, precision=precision):
                    self.assertIn("verified: ", self.symdump("--verify=numpy", "--precision", precision, program).out)

    def test_what_depends_on_an_input_is_refused_as_before(self):
        program = self.file("import numpy as np\nx: (3,)\nd = {}\nd[int(x[0])] = 1\nr = d[2] * x\n")
        self.refused(program, says="a key of a dictionary")

    def test_the_errors_of_both_readings_are_told(self):
        text = "import numpy as np\ndef main():\n    t = ['a', 'bb'][int(np.argmax(np.arange(2.0) / 3))]\n    n = len(t)\n" \
               "    return np.base_repr(n)\nr = np.ones(3) * int(main())\n"
        self.refused(self.file(text), says="has no length")
        self.refused(self.file(text), says="decided by the values of what is static, it fails at")
        self.refused(self.file(text), says="np.base_repr is not supported")

    def test_random_numbers_without_a_seed_are_the_runs(self):
        program = self.file("import numpy as np\nd = {}\nd[np.random.randint(3)] = 1\nr = np.array(list(d))\n")
        self.refused(program, says="a key of a dictionary")

    def test_loops_that_need_no_decision_stay_loops(self):
        text = "import numpy as np\nnp.random.seed(0)\nw = np.zeros(3)\nfor i in range(100):\n    w += np.ones(3) * i\n" \
               "d = {int(np.random.randint(3)): 1}\nr = np.array(list(d))\n"
        done = self.symdump(self.file(text))
        self.assertIn("for i in range(0, 100):", done.out)
        self.assertIn("conditions on values that the program computes or draws", done.err)


if __name__ == "__main__":
    sys.exit(main())
