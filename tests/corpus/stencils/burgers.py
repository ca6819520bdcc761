import numpy as np

nx, nt, nu = 101, 60, 0.07
dx = 2 * np.pi / (nx - 1)
dt = dx * nu
x = np.linspace(0, 2 * np.pi, nx)
u = np.sin(x) + 0.5 * np.sin(2 * x)
for n in range(nt):
    un = u.copy()
    for i in range(1, nx - 1):
        u[i] = un[i] - un[i] * dt / dx * (un[i] - un[i - 1]) + nu * dt / dx ** 2 * (un[i + 1] - 2 * un[i] + un[i - 1])
    u[0] = un[0] - un[0] * dt / dx * (un[0] - un[-2]) + nu * dt / dx ** 2 * (un[1] - 2 * un[0] + un[-2])
    u[-1] = u[0]
print("max", u.max(), "min", u.min(), "mean", u.mean())
