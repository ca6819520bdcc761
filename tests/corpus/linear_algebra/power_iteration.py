# call: power_iteration(A); A = spd(25)
import numpy as np


def power_iteration(A, num_iterations=100, tol=1e-9):
    """Dominant eigenvalue and eigenvector of a symmetric matrix.

    Parameters
    ----------
    A : (n, n) array_like
    num_iterations : int
    tol : float
        Stop when the eigenvalue changes by less than this.
    """
    A = np.asarray(A)
    assert A.ndim == 2 and A.shape[0] == A.shape[1], "matrix must be square"
    v = np.ones(A.shape[0]) / np.sqrt(A.shape[0])
    eigenvalue = 0.0
    for _ in range(num_iterations):
        w = A @ v
        v = w / np.linalg.norm(w)
        new_value = v @ A @ v
        if abs(new_value - eigenvalue) < tol:
            return new_value, v
        eigenvalue = new_value
    return eigenvalue, v
