"""Random programs of nested loops whose ranges, slices and indices depend on each other's variables."""

import random

SIZE = 7
HEAD = f"A = A * 1\nx = x * 1\ny = y * 1\nn = {SIZE}\ns = 0.0\nw = x * 0.5\nr = A[0]\nB = np.zeros((n, n))\n"


class Triangles:
    """The program of a seed; it reads A of SIZE x SIZE, x and y of SIZE."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = []
        lines = []
        while not any("for" in line for line in lines):
            lines = self.block(0, 3)
        self.text = HEAD + "\n".join(lines)

    def choice(self, *choices):
        return self.random.choice(choices)

    def start(self):
        return self.choice("0", "1", *self.variables, *(f"{v} + 1" for v in self.variables))

    def stop(self):
        return self.choice("n", "n - 1", *self.variables, *(f"n - {v}" for v in self.variables),
                           *(f"{v} + 1" for v in self.variables))

    def index(self):
        variables = self.variables or ["0"]
        return self.choice("0", *variables, *(f"n - 1 - {v}" for v in variables))

    def slice(self):
        v = self.choice(*(self.variables or ["2"]))
        return self.choice(f":{v}", f"{v}:", f"{v} + 1:", f":{v} + 1", f":n - {v}", f"1:{v} + 1")

    def statements(self):
        i, j, k, part = self.index(), self.index(), self.index(), self.slice()
        return self.choice(
            [f"A[{i}, {j}] = A[{j}, {i}] * 0.5 + x[{k}]"],
            [f"s += A[{i}, {part}] @ x[{part}]"],
            [f"s = s * 0.5 + x[{part}].sum()"],
            [f"s = s + 0.1 * {i}"],
            [f"x[{part}] += 0.1 * y[{part}]"],
            [f"A[{part}, {j}] -= 0.01 * y[{part}] * x[{i}]"],
            [f"A[{part}, {self.slice()}] *= 0.9"],
            [f"B[{i}, {part}] = A[{j}, {part}]"],
            [f"B[{part}, {part}] += np.outer(x[{part}], y[{part}]) * 0.1"],
            [f"w = w * 0.9 + y * A[{i}, {j}]"],
            [f"w[{i}] = y[{j}]"],
            ["w, y = y, w"],
            [self.choice("w = x", "y = w", "w = y", "w = x * 1")],
            [f"r = A[{i}]"],
            [f"r = A[:, {i}]"],
            ["x += r * 0.1"],
            [f"r[{j}] += 0.5"],
            [f"x[{i}], x[{j}] = x[{j}], x[{i}]"],
            [f"t = x[{i}] * 2.0", f"y[{j}] = t + s * 0.01"],
            [f"if A[{i}, {j}] > x[{k}]:", f"    y[{i}] = y[{i}] * 0.7"])

    def loop(self, depth):
        start, stop, step = self.start(), self.stop(), ""
        how = self.random.random()
        if how < 0.2:
            start, stop, step = f"{stop} - 1", f"{start} - 1", ", -1"
        elif how < 0.3:
            step = ", 2"
        variable = "ijk"[len(self.variables)]
        self.variables.append(variable)
        body = self.block(1, depth - 1)
        self.variables.pop()
        return [f"for {variable} in range({start}, {stop}{step}):", *body]

    def block(self, indent, depth):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.loop(depth) if depth > 0 and self.random.random() < 0.6 else self.statements()
        return ["    " * indent + line for line in lines]
