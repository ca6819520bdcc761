# Gravity between bodies, with a mask that leaves out what is too near.
import numpy as np

mass: (7, 1)
pos: (7, 3)
vel: (7, 3)

G, softening, dt = 1.0, 0.1, 0.01


def getAcc(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2)
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0]**(-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    a = np.concatenate((ax, ay, az), axis=1)
    return a


vel -= np.mean(mass * vel, 0) / np.mean(mass * mass)
acc = getAcc(pos, mass, G, softening)
for i in range(4):
    vel += acc * dt / 2.0
    pos += vel * dt
    acc = getAcc(pos, mass, G, softening)
    vel += acc * dt / 2.0
energy = 0.5 * np.sum(np.sum(mass * vel**2))
