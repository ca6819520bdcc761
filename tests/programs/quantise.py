# Numbers rounded to levels, and what is left of them; angles brought into one turn.
import numpy as np

X: (6, 5)
angles: (8,)

level = 0.25
down = X // level * level
rest = X % level
nearest = np.rint(X / level) * level
outwards = np.where(X < 0, np.floor(X), np.ceil(X))
inwards = np.trunc(X)
coarse = np.round(X * 100, -1)
fine = X.round(1)
turn = 2 * np.pi
angles *= 10
angles %= turn
backwards = angles % -turn
numbers = np.array([[-7, -1, 0, 5, 12]])
halves, parity = numbers // 2, numbers % 2
colours = np.zeros((6, 5))
for k in range(3):
    colours += np.mod(X * 10, k + 1)
colours //= 2
