import numpy as np
x = np.linspace(-1, 1, 33)
c = [0.5, -1.0, 2.0, 0.25]
y = np.polyval(c, x)
yi = np.interp(0.3, [0, 1], [2, 4])
cs = np.cumsum(y)
V = np.stack([x**0, x, x**2, x**3], axis=1)
G = V.T @ V
i = np.identity(4)
sym = np.array_equal(G, G.T)
