#!/usr/bin/env python3
"""How the time that symdump takes grows with the program: for each kind of program the processor time at N, 2N and 4N
and the ratio of the last two, which is 2 where the time is linear in the list. A line each, for each of some options.

    bench/growth.py build/tools/symdump [N [KIND...]]
"""

import os
import subprocess
import sys
import tempfile

OPTIONS = ["", "--passes default,layout", "--passes all", "--passes fast", "--emit tree", "--emit json", "--memory",
           "--passes default --remarks"]
HEAD = "import numpy as np\na: (8, 5)\nW: (5, 5)\n"

FILTER = """def step(x, P, z, F, Q):
    x = F @ x
    P = F @ P @ F.T + Q
    return x + P[:, :1] * (z - x[0]), P * 0.5
x, P = W[:, :1] * 1, W * 1
means = []
for i, (F, Q) in enumerate(zip([W * (k % 3) for k in range(N)], [W] * N)):
    x, P = step(x, P, i, F, Q)
    if P[0, 0] > 10:
        P = P * 0.5
    means.append(x)
"""
LSTM = """def gate(z):
    return 1 / (1 + np.exp(-z))
h = c = np.zeros((8, 5))
hs = []
for t in range(N):
    z = np.hstack([a * (t % 3), h @ W, c @ W, h])
    c = gate(z[:, :5]) * c + gate(z[:, 5:10]) * np.tanh(z[:, 10:15])
    h = gate(z[:, 15:]) * np.tanh(c)
    hs.append(h)
"""


def repeated(line):
    return lambda n: "".join(line.replace("#", str(i)) + "\n" for i in range(n))


KINDS = {
    "statements": lambda n: "y = a\n" + repeated("y = y * #.5 + a")(n),
    "names": lambda n: "y0 = a\n" + "".join(f"y{i + 1} = y{i} * {i}.5 + a\n" for i in range(n)),
    "wide": lambda n: "y = a" + "".join(f" + a * {i}.5" for i in range(n)) + "\n",
    "in_place": lambda n: "y = a * 1\n" + "".join(f"y[{i % 8}] += {i}\n" for i in range(n)),
    "views": lambda n: "".join(f"v{i} = a[{i % 8}] * 1\nw{i} = v{i}[1:]\nw{i} += {i}\n" for i in range(n)),
    "body": lambda n: "y = a\nfor k in range(5):\n" + repeated("    y = y * #.5 + a")(n),
    "carried": lambda n: repeated("y# = a * #")(n) + "for k in range(5):\n" + repeated("    y# = y# + a[k]")(n),
    "loops": repeated("y# = a * #\nfor k in range(9):\n    y# = y# + a[0]"),
    "ifs": lambda n: "y = a * 1\n" + repeated("if y.sum() > #:\n    y = y + #")(n),
    "choices": lambda n: "y = a * 1\n" + repeated("y = y + # if y.sum() > # else y")(n),
    "functions": lambda n: "y = a\n" + repeated("def f#(x):\n    if x.sum() > #:\n        return x * #\n    return x\n"
                                                "y = f#(y)")(n),
    "filter": lambda n: FILTER.replace("N", str(n)),
    "lstm": lambda n: LSTM.replace("N", str(n)),
    "list": lambda n: f"r = [a * k for k in range({n})]\nfor k in range({n}):\n    r[k] = r[k] + r[k * 7 % {n}]\n",
}


def seconds(symdump, options, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.py")
        with open(path, "w") as file:
            file.write(HEAD + text)
        child = subprocess.Popen([symdump, *options.split(), path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        error = child.stderr.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
    if status != 0:
        raise SystemExit(f"{options}:\n{text[:500]}\n{error}")
    return used.ru_utime + used.ru_stime


def main():
    symdump, n, kinds = sys.argv[1], int((sys.argv[2:] or [1000])[0]), sys.argv[3:] or KINDS
    for options in OPTIONS:
        for kind in kinds:
            times = [seconds(symdump, options, KINDS[kind](n * k)) for k in (1, 2, 4)]
            print(f"{options or 'statements':28}{kind:12}" + "".join(f"{t:9.3f} s" for t in times)
                  + f"   x{times[2] / times[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
