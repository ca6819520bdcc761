# call: move_left(board); board = 2 ** ints(0, 4, 4, 4) * ints(0, 2, 4, 4)
import numpy as np


def move_left(board):
    """Slide and merge the rows of a 2048 board to the left."""
    out = np.zeros_like(board)
    score = 0
    for r in range(4):
        row = board[r][board[r] != 0]
        c = 0
        i = 0
        while i < len(row):
            if i + 1 < len(row) and row[i] == row[i + 1]:
                out[r, c] = 2 * row[i]
                score += out[r, c]
                i += 2
            else:
                out[r, c] = row[i]
                i += 1
            c += 1
    return out, score
