import numpy as np
import numpy.linalg as la
from numpy import linalg as LA
from numpy.linalg import inv, norm

A: (3, 3)

S = A @ A.T + np.eye(3)
a = inv(S)
b = la.solve(S, A[0])
c = LA.det(S) + norm(A)
for k in range(4):
    A = A - 0.1 * la.inv(S) @ A
w, v = la.eigh(S)
