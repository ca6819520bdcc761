import numpy as np
xs = np.linspace(-2, 2, 21)
ys = np.linspace(-1, 1, 11)
X, Y = np.meshgrid(xs, ys)
Z = np.sin(X) * np.cosh(Y) + np.tan(Y / 2)
gy, gx = np.gradient(Z)
mag = np.hypot(gx, gy)
best = mag.max().item()
col = Z[:, 10].copy()
