# Conway's game of life on a board with a dead border, and its population.
import numpy as np

start: (10, 12)

rows, columns = start.shape
board = (start > 0.2) * 1.0
population = []
for generation in range(6):
    padded = np.zeros((rows + 2, columns + 2))
    padded[1:rows + 1, 1:columns + 1] = board
    neighbours = np.zeros((rows, columns))
    for dy in range(3):
        for dx in range(3):
            neighbours += padded[dy:dy + rows, dx:dx + columns]
    neighbours -= board
    born = (board == 0) * (neighbours == 3)
    survives = (board == 1) * ((neighbours == 2) + (neighbours == 3))
    board = (born + survives) * 1.0
    population.append(board.sum())
history = np.array(population)
