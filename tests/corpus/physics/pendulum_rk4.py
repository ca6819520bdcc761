import numpy as np

g, L, damping = 9.81, 1.0, 0.1


def deriv(t, y):
    theta, omega = y
    return np.array([omega, -damping * omega - g / L * np.sin(theta)])


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


t = np.linspace(0, 10, 501)
h = t[1] - t[0]
ys = np.zeros((len(t), 2))
ys[0] = [np.pi / 3, 0.0]
for i in range(len(t) - 1):
    ys[i + 1] = rk4_step(deriv, t[i], ys[i], h)

print("final angle  %.6f" % ys[-1, 0])
print("max speed    %.6f" % np.abs(ys[:, 1]).max())
