import numpy as np

nx, ny = 41, 41
alpha = 0.01
dx = 2 / (nx - 1)
dy = 2 / (ny - 1)
dt = 0.2 * dx * dy / alpha / 4

x = np.linspace(0, 2, nx)
y = np.linspace(0, 2, ny)
X, Y = np.meshgrid(x, y)
u = np.ones((ny, nx))
u[int(.5 / dy):int(1 / dy + 1), int(.5 / dx):int(1 / dx + 1)] = 2

for n in range(50):
    un = u.copy()
    u[1:-1, 1:-1] = (un[1:-1, 1:-1]
                     + alpha * dt / dx ** 2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
                     + alpha * dt / dy ** 2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1]))
    u[0, :] = 1
    u[-1, :] = 1
    u[:, 0] = 1
    u[:, -1] = 1
print("total heat", u.sum() * dx * dy)
print("centre of mass", (X * u).sum() / u.sum(), (Y * u).sum() / u.sum())
