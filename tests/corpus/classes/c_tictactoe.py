import numpy as np


class IllegalMove(Exception):
    pass


class Board:
    symbols = {1: "X", -1: "O", 0: "."}

    def __init__(self):
        self.cells = np.zeros((3, 3), dtype=int)
        self.turn = 1
        self.moves = []

    def free(self):
        return [(r, c) for r in range(3) for c in range(3) if self.cells[r, c] == 0]

    def play(self, r, c):
        if self.cells[r, c] != 0:
            raise IllegalMove("cell (%d, %d) is taken" % (r, c))
        self.cells[r, c] = self.turn
        self.moves.append((r, c))
        self.turn = -self.turn

    def undo(self):
        r, c = self.moves.pop()
        self.cells[r, c] = 0
        self.turn = -self.turn

    def winner(self):
        b = self.cells
        lines = list(b.sum(axis=0)) + list(b.sum(axis=1))
        lines += [np.trace(b), np.trace(np.fliplr(b))]
        if 3 in lines:
            return 1
        if -3 in lines:
            return -1
        return 0

    def __str__(self):
        return "\n".join("".join(self.symbols[int(v)] for v in row) for row in self.cells)


def choose(board):
    """Win if possible, otherwise block, otherwise the first of centre/corners/sides."""
    for player in (board.turn, -board.turn):
        for r, c in board.free():
            board.cells[r, c] = player
            won = board.winner() == player
            board.cells[r, c] = 0
            if won:
                return r, c
    order = [(1, 1), (0, 0), (0, 2), (2, 0), (2, 2), (0, 1), (1, 0), (1, 2), (2, 1)]
    for move in order:
        if move in board.free():
            return move


if __name__ == "__main__":
    np.random.seed(0)
    results = np.zeros(3)
    heat = np.zeros((3, 3))
    for game in range(12):
        board = Board()
        while board.winner() == 0 and board.free():
            if board.turn == 1:
                r, c = choose(board)
            else:
                free = board.free()
                r, c = free[np.random.randint(len(free))]
            board.play(r, c)
        results[board.winner() + 1] += 1
        heat += board.cells
    print(board)
    try:
        board.play(1, 1)
    except IllegalMove as e:
        print("illegal:", e)
    win_rate = results[2] / results.sum()
    print("O wins %d, draws %d, X wins %d" % tuple(results))
