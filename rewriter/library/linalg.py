"""numpy.linalg."""

import numpy as np

from _shared import count_of, index_of

MODULE = "numpy.linalg"
IN_ORDER = "pinv matmul outer"


def _check_square(a):
    if np.ndim(a) < 2 or np.shape(a)[-1] != np.shape(a)[-2]:
        raise np.linalg.LinAlgError(f"last 2 dimensions of the array must be square; the shape is {np.shape(a)}")


def _power(result, z, n):
    """result times z to the power of n: z is squared for each bit of n."""
    if n % 2 == 1:
        result = z if result is None else np.matmul(result, z)
    return result if n < 2 else _power(result, np.matmul(z, z), n // 2)


def matrix_power(a, n):
    """A square matrix to an integer power."""
    _check_square(a)
    if index_of(n) < 0:
        return matrix_power(np.linalg.inv(a), -n)
    if n == 0:
        one = np.eye(np.shape(a)[-1], dtype=np.result_type(a))
        return one if np.ndim(a) == 2 else np.copy(np.broadcast_to(one, np.shape(a)))
    if n == 1:
        return np.asarray(a)
    return np.matmul(np.matmul(a, a), a) if n == 3 else _power(None, a, n)


def _cheapest(extents, i, j, known):
    """The fewest multiplications that matrices i to j take, and the last one of the left factor."""
    if i == j:
        return 0, i
    if (i, j) not in known:
        known[i, j] = min((_cheapest(extents, i, k, known)[0] + _cheapest(extents, k + 1, j, known)[0]
                           + extents[i] * extents[k + 1] * extents[j + 1], k) for k in range(i, j))
    return known[i, j]


def _product(arrays, extents, i, j, known):
    if i == j:
        return arrays[i]
    k = _cheapest(extents, i, j, known)[1]
    return np.dot(_product(arrays, extents, i, k, known), _product(arrays, extents, k + 1, j, known))


def multi_dot(arrays, out=None):
    """The product of matrices, in the order with the fewest multiplications. T. H. Cormen et al., 15.2."""
    if len(arrays) < 2:
        raise ValueError(f"expects a list of two arrays or more; got {len(arrays)}")
    row, column = np.ndim(arrays[0]) == 1, np.ndim(arrays[-1]) == 1
    matrices = [np.reshape(arrays[0], (1, -1)) if row else arrays[0], *arrays[1:-1],
                np.reshape(arrays[-1], (-1, 1)) if column else arrays[-1]]
    for x in matrices:
        if np.ndim(x) != 2:
            raise ValueError(f"{np.ndim(x)}-dimensional array given. Array must be two-dimensional")
    extents = [np.shape(x)[0] for x in matrices] + [np.shape(matrices[-1])[1]]
    result = _product(matrices, extents, 0, len(matrices) - 1, {})
    if row and column:
        result = result[0, 0]
    elif row or column:
        result = np.ravel(result)
    if out is None:
        return result
    if np.shape(out) != np.shape(result):
        raise ValueError(f"output array is not acceptable: its shape is {np.shape(out)}; the product has {np.shape(result)}")
    out[...] = result
    return out


def _adjoint(x):
    return np.conj(x.T) if x.dtype.kind == "c" else x.T


def pinv(a, rcond=1e-15, hermitian=False):
    """The Moore-Penrose pseudo-inverse. Singular values up to rcond times the largest one count as 0."""
    if np.ndim(a) < 2:
        raise ValueError(f"{np.ndim(a)}-dimensional array given. Array must be at least two-dimensional")
    if 0 in np.shape(a):
        return np.zeros(np.shape(a)[::-1])
    if hermitian:
        s, u = np.linalg.eigh(a)
        vt, size = _adjoint(u), np.abs(s)
    else:
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        size = s
    inverse = np.where(size > rcond * np.max(size), 1.0 / s, 0.0)
    return np.matmul(_adjoint(vt), inverse[:, None] * _adjoint(u))


def matrix_rank(A, tol=None, hermitian=False):
    """The number of singular values above the tolerance."""
    if np.ndim(A) < 2:
        return int(np.any(np.not_equal(A, 0)))
    if 0 in np.shape(A):
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if tol is None and not hermitian:
        return np.int64(np.linalg.lstsq(A, np.zeros(np.shape(A)[0]), rcond=None)[2])
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else np.linalg.svd(A, compute_uv=False)
    if tol is None:
        tol = np.max(s) * (max(np.shape(A)) * np.finfo(s.dtype).eps)
    return np.count_nonzero(s > (tol if np.ndim(tol) == 0 else np.asarray(tol)[..., None]), axis=-1)


def cond(x, p=None):
    """The condition number: the norm of a matrix times that of its inverse."""
    if 0 in np.shape(x):
        raise ValueError("cond is not defined on empty arrays")
    if p not in (None, 2, -2):
        return np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)
    s = np.linalg.svd(x, compute_uv=False)
    ratio = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.where(np.isnan(ratio), np.inf, ratio)[()]


def matrix_norm(x, *, keepdims=False, ord="fro"):
    """The norms of the matrices in the last two axes."""
    return np.linalg.norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


def tensorinv(a, ind=2):
    """The inverse of tensordot with a over ind axes."""
    if ind <= 0 or np.ndim(a) == 0:
        raise ValueError("Invalid ind argument.")
    left, right = np.shape(a)[:ind], np.shape(a)[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (-1, count_of(left)))), right + left)


def tensorsolve(a, b, axes=None):
    """The solution x of tensordot(a, x, x.ndim) = b."""
    if axes is not None:
        a = np.moveaxis(a, axes, [np.ndim(a) - len(axes) + i for i in range(len(axes))])
    shape = np.shape(a)[np.ndim(b):]
    size = count_of(shape)
    if count_of(np.shape(a)) != size * size:
        raise ValueError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return np.reshape(np.linalg.solve(np.reshape(a, (size, size)), np.ravel(b)), shape)


def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """The norms of vectors along one or several axes, or of all elements if axis is None."""
    if np.ndim(x) == 1 or not (axis is None or isinstance(axis, tuple)):
        return np.linalg.norm(x, ord, axis, keepdims)
    if axis is None and not keepdims:
        return np.linalg.norm(np.ravel(x), ord)
    ndim = np.ndim(x)
    axes = [axis % ndim for axis in (range(ndim) if axis is None else axis)]
    others = [k for k in range(ndim) if k not in axes]
    shape = [1 if k in axes else extent for k, extent in enumerate(np.shape(x))]
    rows = np.reshape(np.transpose(x, others + axes), [shape[k] for k in others] + [-1])
    norms = np.linalg.norm(rows, ord, -1)
    return np.reshape(norms, shape) if keepdims else norms


def svdvals(x):
    """The singular values."""
    return np.linalg.svd(x, compute_uv=False)


def matrix_transpose(x):
    """A view with the last two axes exchanged."""
    return np.matrix_transpose(x)


def vecdot(x1, x2, *, axis=-1):
    """The dot products along one axis, x1 conjugated."""
    return np.vecdot(x1, x2, axis=axis)


def cross(x1, x2, *, axis=-1):
    """The cross products of vectors."""
    if np.shape(x1)[axis] != 3 or np.shape(x2)[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, "
                         f"but they are {np.shape(x1)[axis]} and {np.shape(x2)[axis]} dimensional instead.")
    return np.cross(x1, x2, axis=axis)


def outer(x1, x2):
    """Each element of a vector times each of another."""
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError("Input arrays must be one-dimensional, "
                         f"but they are x1.ndim={np.ndim(x1)} and x2.ndim={np.ndim(x2)}.")
    return np.outer(x1, x2)


def diagonal(x, *, offset=0):
    """The diagonals of the matrices in the last two axes."""
    return np.diagonal(x, offset) if np.ndim(x) == 2 else np.diagonal(x, offset, -2, -1)


def trace(x, *, offset=0, dtype=None):
    """The sums along the diagonals of the matrices in the last two axes."""
    return np.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


matmul = np.matmul
tensordot = np.tensordot
