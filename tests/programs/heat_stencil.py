# Heat on a plate, two buffers in turn, and a row that is heated while time goes by.
import numpy as np

plate: (7, 9)

old = plate.copy()
new = plate.copy()
top = np.zeros((6, 9))
for t in range(6):
    new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    new[0] += 0.125 * t
    top[t] = new[0]
    old, new = new, old
mean_heat = old.mean()
a, b = np.zeros(3), np.ones(3)
for i in range(9, -1, -1):
    a, b = b, a + b / (i + 1)
