# call: householder_qr(A); A = normal(20, 12)
from typing import Tuple

import numpy as np


def householder_qr(A: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """QR factorisation with Householder reflections."""
    m, n = A.shape
    R = A.copy()
    Q = np.eye(m)
    for k in range(n):
        x = R[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ v, v)
    return Q, np.triu(R)
