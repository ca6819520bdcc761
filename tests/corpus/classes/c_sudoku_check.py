"""Check (and partly solve) sudoku grids. Zero means empty."""
import numpy as np

puzzle = [
    [5, 3, 0, 0, 7, 0, 0, 0, 0],
    [6, 0, 0, 1, 9, 5, 0, 0, 0],
    [0, 9, 8, 0, 0, 0, 0, 6, 0],
    [8, 0, 0, 0, 6, 0, 0, 0, 3],
    [4, 0, 0, 8, 0, 3, 0, 0, 1],
    [7, 0, 0, 0, 2, 0, 0, 0, 6],
    [0, 6, 0, 0, 0, 0, 2, 8, 0],
    [0, 0, 0, 4, 1, 9, 0, 0, 5],
    [0, 0, 0, 0, 8, 0, 0, 7, 9],
]


class Sudoku:
    def __init__(self, grid):
        self.grid = np.array(grid)
        if self.grid.shape != (9, 9):
            raise ValueError("a sudoku has 9 x 9 cells")
        self.filled_order = []

    def block(self, r, c):
        r0, c0 = 3 * (r // 3), 3 * (c // 3)
        return self.grid[r0:r0 + 3, c0:c0 + 3]

    def units(self):
        for i in range(9):
            yield self.grid[i, :]
            yield self.grid[:, i]
            yield self.block(3 * (i // 3), 3 * (i % 3)).ravel()

    def is_valid(self):
        for unit in self.units():
            digits = unit[unit > 0]
            if len(np.unique(digits)) != len(digits):
                return False
        return True

    def candidates(self, r, c):
        used = set(self.grid[r, :]) | set(self.grid[:, c]) | set(self.block(r, c).ravel())
        return [d for d in range(1, 10) if d not in used]

    def fill_singles(self):
        changed = 0
        for r in range(9):
            for c in range(9):
                if self.grid[r, c] == 0:
                    cand = self.candidates(r, c)
                    if len(cand) == 1:
                        self.grid[r, c] = cand[0]
                        self.filled_order.append((r, c, cand[0]))
                        changed += 1
        return changed

    def solve(self):
        passes = []
        while True:
            n = self.fill_singles()
            if n == 0:
                break
            passes.append(n)
        return passes


s = Sudoku(puzzle)
assert s.is_valid()
start_empty = float((s.grid == 0).sum())
passes = np.array(s.solve())
solution = s.grid
remaining = float((solution == 0).sum())
print(solution)
print("filled per pass:", passes, "remaining: %d" % remaining)

broken = Sudoku(puzzle)
broken.grid[0, 2] = 5
flags = np.array([s.is_valid(), broken.is_valid()], dtype=float)
