import numpy as np
L: (7, 7)
b: (7,)
x = np.zeros(7)
M = L + 5 * np.eye(7)
for i in range(7):
    x[i] = (b[i] - M[i, :i] @ x[:i]) / M[i, i]
z = np.zeros(7)
for i in range(6, -1, -1):
    z[i] = (x[i] - M[i, i + 1:] @ z[i + 1:]) / M[i, i]
