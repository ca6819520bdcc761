# Contractions by einsum and tensordot.
import numpy as np

A: (3, 4)
B: (4, 5)
T: (2, 3, 4)
Q: (2, 4, 4)
v: (4,)

product = np.einsum('ij,jk->ik', A, B)
row_sums = np.einsum('ij->i', A)
diagonal_sum = np.einsum('bii->b', Q)
batched = np.einsum('bij,bjk->bik', T, Q)
bilinear = np.einsum('bij,j,ij->b', T, v, A)
scores = np.einsum('bid,bjd->bij', T, Q)
outer = np.einsum('i,j->ij', v, A[0])
turned = np.einsum('ijk->kji', T)
along = np.tensordot(T, A, axes=([1, 2], [0, 1]))
last = np.tensordot(T, B, axes=1)
inner = np.inner(T, A)
