import numpy as np


def derivs(state, m1=1.0, m2=1.0, l1=1.0, l2=1.0, g=9.81):
    t1, w1, t2, w2 = state
    d = t2 - t1
    den1 = (m1 + m2) * l1 - m2 * l1 * np.cos(d) ** 2
    a1 = (m2 * l1 * w1 ** 2 * np.sin(d) * np.cos(d) + m2 * g * np.sin(t2) * np.cos(d)
          + m2 * l2 * w2 ** 2 * np.sin(d) - (m1 + m2) * g * np.sin(t1)) / den1
    den2 = (l2 / l1) * den1
    a2 = (-m2 * l2 * w2 ** 2 * np.sin(d) * np.cos(d)
          + (m1 + m2) * (g * np.sin(t1) * np.cos(d) - l1 * w1 ** 2 * np.sin(d) - g * np.sin(t2))) / den2
    return np.array([w1, a1, w2, a2])


state = np.radians([120.0, 0.0, -10.0, 0.0])
dt = 0.01
track = [state]
for _ in range(100):
    k1 = derivs(state)
    k2 = derivs(state + 0.5 * dt * k1)
    state = state + dt * k2
    track.append(state)
track = np.array(track)
print(track.shape, track[-1])
