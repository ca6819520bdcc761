import argparse
import numpy as np
from enum import Enum, auto


class Boundary(Enum):
    WRAP = auto()
    DEAD = auto()

    @classmethod
    def parse(cls, text):
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"unknown boundary {text!r}; choose from {[b.name.lower() for b in cls]}")


class World:
    GLIDER = """
    .X.
    ..X
    XXX
    """

    def __init__(self, n, boundary=Boundary.WRAP):
        self.cells = np.zeros((n, n), dtype=int)
        self.boundary = boundary
        self.generation = 0

    def place(self, pattern, r=0, c=0):
        rows = [line.strip() for line in pattern.strip().splitlines()]
        for i, row in enumerate(rows):
            for j, ch in enumerate(row):
                if ch == "X":
                    self.cells[r + i, c + j] = 1
        return self

    def neighbours(self):
        total = np.zeros_like(self.cells)
        if self.boundary is Boundary.WRAP:
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if dr or dc:
                        total += np.roll(np.roll(self.cells, dr, 0), dc, 1)
        else:
            p = np.pad(self.cells, 1)
            n = len(self.cells)
            for dr in range(3):
                for dc in range(3):
                    if (dr, dc) != (1, 1):
                        total += p[dr:dr + n, dc:dc + n]
        return total

    def step(self, times=1):
        for _ in range(times):
            n = self.neighbours()
            self.cells = ((n == 3) | ((self.cells == 1) & (n == 2))).astype(int)
            self.generation += 1
        return self


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--boundary", default="wrap")
    args = parser.parse_args([])
    world = World(args.size, Boundary.parse(args.boundary)).place(World.GLIDER, 1, 1)
    world.step(args.steps)
    dead = World(args.size, Boundary.DEAD).place(World.GLIDER, 4, 4).step(args.steps)
    try:
        Boundary.parse("torus")
    except ValueError as e:
        print(e)
    print(world.generation, world.boundary, world.boundary.name, Boundary.DEAD.value)
    return world.cells, int(dead.cells.sum())


if __name__ == "__main__":
    cells, alive = main()
    print(alive)
