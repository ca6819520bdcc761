import numpy as np
def getAcc(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2)
    I = inv_r3 > 0
    inv_r3 = np.where(I, inv_r3**(-1.5), inv_r3)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    a = np.hstack((ax, ay, az))
    return a
def getEnergy(pos, vel, mass, G):
    KE = 0.5 * np.sum(mass * vel**2)
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2)
    I = inv_r > 0
    inv_r = np.where(I, 1.0 / np.where(I, inv_r, 1.0), inv_r)
    PE = G * np.sum(np.triu(-(mass * mass.T) * inv_r, 1))
    return KE, PE
np.random.seed(17)
N = 10
mass = 20.0 * np.ones((N, 1)) / N
pos = np.random.randn(N, 3)
vel = np.random.randn(N, 3)
vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
acc = getAcc(pos, mass, 1.0, 0.1)
dt = 0.01
Nt = 5
KE = np.zeros(Nt + 1, dtype=np.float64)
PE = np.zeros_like(KE)
KE[0], PE[0] = getEnergy(pos, vel, mass, 1.0)
for i in range(Nt):
    vel += acc * dt / 2.0
    pos += vel * dt
    acc = getAcc(pos, mass, 1.0, 0.1)
    vel += acc * dt / 2.0
    KE[i + 1], PE[i + 1] = getEnergy(pos, vel, mass, 1.0)
