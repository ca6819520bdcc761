"""scipy.linalg: functions with SciPy's parameters, and structured matrices."""

import numpy as np

MODULE = "scipy.linalg"
IN_ORDER = "inv solve pinv block_diag toeplitz solve_triangular"


def _matrix(a):
    if np.ndim(a) != 2:
        raise ValueError(f"expected a matrix; the shape is {np.shape(a)}")
    if np.asarray(a).dtype.kind in "biu" and np.asarray(a).dtype.itemsize < 4:
        raise NotImplementedError("SciPy computes this in floats of fewer bits; write a.astype(float)")
    return np.multiply(a, 1.0) if np.asarray(a).dtype.kind in "biu" else np.asarray(a)


def _square(a):
    if np.ndim(a) != 2 or np.shape(a)[0] != np.shape(a)[1]:
        raise ValueError(f"expected a square matrix; the shape is {np.shape(a)}")
    return _matrix(a)


def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of a matrix."""
    return np.linalg.inv(_square(a))


def det(a, overwrite_a=False, check_finite=True):
    """The determinant of a matrix."""
    return np.linalg.det(np.asarray(_square(a), dtype=float))


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    """The solution x of a @ x = b."""
    if assume_a not in (None, "gen"):
        raise NotImplementedError("of assume_a only 'gen' is supported")
    return np.linalg.solve(np.transpose(_square(a)) if transposed else _square(a), b)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """The solution x of a @ x = b, with a triangular matrix a."""
    if unit_diagonal:
        raise NotImplementedError("unit_diagonal=True is not supported")
    triangle = np.tril(_square(a)) if lower else np.triu(_square(a))
    return np.linalg.solve(triangle if trans in (0, "N") else np.transpose(triangle), b)


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The triangular factor of a positive definite matrix: a is U.T @ U."""
    factor = np.linalg.cholesky(_square(a))
    return factor if lower else np.ascontiguousarray(np.transpose(factor))


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """The QR decomposition of a matrix."""
    if pivoting or mode not in ("full", "economic", "r"):
        raise NotImplementedError("of mode only 'full', 'economic' and 'r' are supported, without pivoting")
    if mode == "economic":
        return np.linalg.qr(_matrix(a))
    factors = np.linalg.qr(_matrix(a), mode="complete")
    return (factors[1],) if mode == "r" else (factors[0], factors[1])


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """The singular value decomposition of a matrix."""
    if not compute_uv:
        return np.linalg.svd(_matrix(a), compute_uv=False)
    parts = np.linalg.svd(_matrix(a), full_matrices=full_matrices)
    return parts[0], parts[1], parts[2]


def svdvals(a, overwrite_a=False, check_finite=True):
    """The singular values of a matrix."""
    return np.linalg.svd(_matrix(a), compute_uv=False)


def eigvalsh(a, b=None, lower=True):
    """The eigenvalues of a symmetric matrix."""
    if b is not None:
        raise NotImplementedError("a second matrix is not supported")
    return np.linalg.eigvalsh(_square(a), "L" if lower else "U")


def pinv(a, atol=None, rtol=None, return_rank=False, check_finite=True):
    """The pseudo-inverse of a matrix."""
    if atol is not None or rtol is not None or return_rank:
        raise NotImplementedError("atol, rtol and return_rank are not supported")
    return np.linalg.pinv(_matrix(a), max(np.shape(a)) * np.finfo(_matrix(a).dtype).eps)


def block_diag(*arrs):
    """A block-diagonal matrix of the arrays."""
    blocks = [np.atleast_2d(each) for each in arrs] if arrs else [np.atleast_2d([])]
    made = np.zeros((sum([np.shape(each)[0] for each in blocks]), sum([np.shape(each)[1] for each in blocks])),
                    dtype=np.result_type(*blocks))
    row = column = 0
    for block in blocks:
        rows, columns = np.shape(block)
        made[row:row + rows, column:column + columns] = block
        row, column = row + rows, column + columns
    return made


def toeplitz(c, r=None):
    """The Toeplitz matrix with the first column c and the first row r."""
    column = np.asarray(c)
    row = np.conj(column) if r is None else np.asarray(r)
    if column.ndim != 1 or row.ndim != 1:
        raise NotImplementedError("c and r have one dimension here")
    both = np.concatenate((column[::-1], row[1:]))
    return both[np.shape(column)[0] - 1 - np.arange(np.shape(column)[0])[:, None] + np.arange(np.shape(row)[0])]
