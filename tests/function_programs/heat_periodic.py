import numpy as np
nx, ny = 16, 12
x = np.linspace(0, 1, nx)
y = np.linspace(0, 1, ny)
X, Y = np.meshgrid(x, y, indexing='ij')
T = np.sin(np.pi * X) * np.sin(np.pi * Y)
alpha = 0.1
for n in range(10):
    Tn = T.copy()
    lap = np.roll(Tn, 1, 0) + np.roll(Tn, -1, 0) + np.roll(Tn, 1, 1) + np.roll(Tn, -1, 1) - 4 * Tn
    T = Tn + alpha * lap
    T[0, :] = T[-1, :] = 0
    T[:, 0] = T[:, -1] = 0
m = T.max()
P = np.pad(T, ((1, 1), (1, 1)), mode='constant', constant_values=0.5)
S = np.sum(P, axis=(0, 1))
