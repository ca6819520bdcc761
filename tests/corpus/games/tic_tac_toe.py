# call: winner(board); board = ints(-1, 2, 3, 3)
import numpy as np


def winner(board):
    """+1 or -1 for a won board, 0 otherwise."""
    for player in (1, -1):
        if np.any(np.all(board == player, axis=0)):
            return player
        if np.any(np.all(board == player, axis=1)):
            return player
        if np.all(np.diag(board) == player) or np.all(np.diag(np.fliplr(board)) == player):
            return player
    return 0
