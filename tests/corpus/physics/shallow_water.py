import numpy as np


def step(h, u, v, dt, dx, g=9.81):
    dhdx = (np.roll(h, -1, 1) - np.roll(h, 1, 1)) / (2 * dx)
    dhdy = (np.roll(h, -1, 0) - np.roll(h, 1, 0)) / (2 * dx)
    u = u - dt * g * dhdx
    v = v - dt * g * dhdy
    div = (np.roll(h * u, -1, 1) - np.roll(h * u, 1, 1) + np.roll(h * v, -1, 0) - np.roll(h * v, 1, 0)) / (2 * dx)
    return h - dt * div, u, v


def main():
    n = 32
    dx = 1.0 / n
    x, y = np.meshgrid(np.arange(n) * dx, np.arange(n) * dx, indexing="ij")
    h = 1 + 0.1 * np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / 0.01)
    u = np.zeros((n, n))
    v = np.zeros((n, n))
    t = 0.0
    for k in range(50):
        h, u, v = step(h, u, v, 1e-3, dx)
        t += 1e-3
        if k % 10 == 0:
            print(f"t={t:.3f} mass={h.sum() * dx * dx:.6f} max={h.max():.4f}")


if __name__ == "__main__":
    main()
