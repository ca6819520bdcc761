# Waves on a square, with the boundary set from within.
import numpy as np

u: (8, 9)

c = 0.4
u_prev = u.copy()
for step in range(5):
    u_next = 2 * u - u_prev
    u_next[1:-1, 1:-1] += c**2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] -
                                  4 * u[1:-1, 1:-1])
    u_next[0, :], u_next[-1, :] = u_next[1, :], u_next[-2, :]
    u_next[:, 0] = u_next[:, 1]
    u_next[:, -1] = u_next[:, -2]
    u_prev, u = u, u_next
every_other = u[::2, 1::2]
mirrored = u[::-1, ::-1]
