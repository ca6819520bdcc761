# Pressure and velocity of a flow in a channel, periodic along it.
import numpy as np

u: (7, 8)
v: (7, 8)
p: (7, 8)

rho, nu, dt, dx, dy = 1.0, 0.1, 0.01, 0.25, 0.25
b = np.zeros_like(u)
for n in range(2):
    b[1:-1, 1:-1] = (rho * (1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) +
                                      (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) -
                            ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx))**2 - 2 *
                            ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) *
                             (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx)) -
                            ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))**2))
    # periodic boundary
    b[1:-1, -1] = (rho * (1 / dt * ((u[1:-1, 0] - u[1:-1, -2]) / (2 * dx))))
    b[1:-1, 0] = (rho * (1 / dt * ((u[1:-1, 1] - u[1:-1, -1]) / (2 * dx))))
    pn = np.zeros_like(p)
    for q in range(3):
        pn[...] = p
        p[1:-1, 1:-1] = (((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 +
                          (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (2 * (dx**2 + dy**2)) -
                         dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1])
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]
    un = u.copy()
    u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
    u[0, :] = 0
    u[-1, :] = 0
speed = np.sqrt(u**2 + v**2)
speed[speed > 1.0] = 1.0
