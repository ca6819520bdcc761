import numpy as np

B: (5, 5)

A = (B + B.T) / 2
Qs = np.eye(5)
for i in range(25):
    Q, R = np.linalg.qr(A)
    A = R @ Q
    Qs = Qs @ Q
