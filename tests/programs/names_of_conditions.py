# A name that a condition binds first keeps its value in the iterations in which the condition does not hold.
import numpy as np

p: (5,)

w = np.zeros(5)
b = 0.0
for step in range(25):
    w -= 0.1 * (w - p)
    b -= 0.5 * np.mean(w)
    if step % 10 == 0:
        kept = np.mean(w) + b
