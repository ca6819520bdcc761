import numpy as np
np.random.seed(0)
n = 2000
x = np.random.uniform(-1, 1, n)
y = np.random.uniform(low=-1.0, high=1.0, size=(n,))
inside = np.hypot(x, y) <= 1.0
pi = 4.0 * np.count_nonzero(inside) / n
err = np.abs(pi - np.pi)
