import numpy as np

Z: (30, 2)
dt = 0.1
F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
H = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
Q = 0.01 * np.eye(4)
R = 0.5 * np.eye(2)
x = np.zeros(4)
P = np.eye(4)
xs = []
def inv2(S):
    det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
    return np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det
for z in Z:
    x = F @ x
    P = F @ P @ F.T + Q
    y = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ inv2(S)
    x = x + K @ y
    P = (np.eye(4) - K @ H) @ P
    xs.append(x)
track = np.array(xs)


