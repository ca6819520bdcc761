import enum
from collections import defaultdict

import numpy as np


class Edge(enum.Enum):
    WRAP = "wrap"
    DEAD = "dead"


class Pattern:
    GLIDER = [".#.", "..#", "###"]
    BLINKER = ["###"]
    R_PENTOMINO = [".##", "##.", ".#."]

    @staticmethod
    def parse(rows):
        return np.array([[1 if ch == "#" else 0 for ch in row] for row in rows])


class GameOfLife:
    def __init__(self, shape, edge=Edge.WRAP):
        self.cells = np.zeros(shape, dtype=int)
        self.edge = edge
        self.generation = 0
        self.stats = defaultdict(list)

    def place(self, rows, at):
        p = Pattern.parse(rows)
        r, c = at
        self.cells[r:r + p.shape[0], c:c + p.shape[1]] = p
        return self

    def neighbours(self):
        if self.edge is Edge.WRAP:
            shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
            return sum(np.roll(self.cells, s, axis=(0, 1)) for s in shifts)
        h, w = self.cells.shape
        p = np.pad(self.cells, 1)
        total = np.zeros_like(self.cells)
        for i in range(3):
            for j in range(3):
                if i != 1 or j != 1:
                    total += p[i:i + h, j:j + w]
        return total

    def step(self):
        n = self.neighbours()
        new = ((n == 3) | ((self.cells == 1) & (n == 2))).astype(int)
        self.stats["born"].append(np.sum((new == 1) & (self.cells == 0)))
        self.stats["died"].append(np.sum((new == 0) & (self.cells == 1)))
        self.cells = new
        self.stats["alive"].append(self.cells.sum())
        self.generation += 1

    def run(self, n):
        for _ in range(n):
            self.step()
        return self

    def __str__(self):
        return "\n".join("".join("#" if c else "." for c in row) for row in self.cells)


def main():
    torus = GameOfLife((12, 12)).place(Pattern.GLIDER, (1, 1)).place(Pattern.BLINKER, (9, 5)).run(20)
    bounded = GameOfLife((16, 16), edge=Edge.DEAD).place(Pattern.R_PENTOMINO, (6, 6))
    bounded.run(30)
    print(torus)
    print(f"generation {bounded.generation}: {bounded.cells.sum()} alive")
    return torus.cells, np.array(bounded.stats["alive"]), np.array(bounded.stats["born"])


if __name__ == "__main__":
    final, alive, born = main()
