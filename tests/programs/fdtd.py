# Finite differences in the time domain, two dimensions, with a source that changes.
import numpy as np

ex: (9, 10)
ey: (9, 10)
hz: (9, 10)
fict: (4,)

for t in range(4):
    ey[0, :] = fict[t]
    ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
