"""NumPy's functions, one by one: symdump_batch gives NumPy's values, shapes, types and signs of zeros, or refuses.

    numpy_functions_test.py SYMDUMP_BATCH
"""

import ast
import re
import sys
import unittest

import numpy as np

from batch import Batch, Ended

A = np.array([[1.5, -2.0, 0.25, 3.0], [-0.5, 0.75, -1.25, 2.0], [4.0, -3.5, 0.5, -0.125]])
INPUTS = {
    "A": A, "B": A[::-1] * 0.5 + 1, "S": A[:, :3] + 2 * np.eye(3),
    "v": np.array([0.5, -1.5, 2.0, 0.0, 3.25]), "w": np.array([2.0, 0.25, -1.0]),
    "N": np.array([[np.nan, 1.0, -2.0], [np.inf, np.nan, 3.0], [0.5, -np.inf, np.nan]]),
    "n": np.array([np.nan, 2.0, -1.0, np.nan, 0.5]), "Z": np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]),
    "I": np.array([[3, -1, 0], [2, 5, -4]]), "i": np.array([4, -2, 0, 7]), "T": A > 0, "t": np.array([True, False, True]),
    "E": np.zeros((0, 3)), "e": np.zeros(0), "U": np.array([[0.1, 0.9, 0.5], [0.3, 0.7, 0.2]]),
}

# Each line is a program: expressions, each of which is a result, or statements with `=`.
PROGRAMS = {
    "ranges": r"""
        np.arange(5); np.arange(2, 9); np.arange(9, 2, -3); np.arange(0); np.arange(3.0); np.arange(5, dtype=float)
        np.arange(0, 1, 0.1); np.arange(1, 2.05, 0.25); np.arange(-1, 1, 0.3); np.arange(4, dtype=np.int64) * 0.5
        np.arange(6).reshape(2, 3); np.arange(6).reshape(2, 3).T * A[0, 0]; np.arange(1, -1, -0.25)
        np.linspace(0, 1, 5); np.linspace(-1, 2, 7, endpoint=False); np.linspace(3, 3, 4); np.linspace(0, 1, 1)
        np.linspace(2, 5, num=0)
        np.linspace(0, 10); np.linspace(0, 1, 4, retstep=True)[0] * np.linspace(0, 1, 4, retstep=True)[1]
        np.linspace(A[0, 0], A[0, 1], 4)
        np.linspace(v[0], 2, 3, endpoint=False); np.linspace(w, 1, 4); np.logspace(0, 2, 4)
        np.logspace(0, 3, 4, base=2); np.geomspace(1, 1000, 4)
        np.geomspace(-1, -8, 4, endpoint=False); np.tri(3); np.tri(2, 4, 1); np.tri(3, 3, -1, dtype=int)
        np.identity(3); np.identity(2, dtype=bool)
        s = np.zeros((3, 2)); k = np.zeros(3)\nfor j in range(3):\n    s[j] = np.arange(j, j + 2)\n    k = k + np.arange(3) * j
    """,
    "filled": r"""
        np.zeros(3, dtype=int) + 1; np.ones((2, 2), dtype=bool); np.zeros(2, bool); np.full((2, 3), 7, dtype=float)
        np.full(2, 2.75, dtype=int)
        np.full((2, 2), True); np.full_like(A, 3); np.full_like(I, 2.7); np.full_like(A, np.nan); np.zeros_like(I)
        np.ones_like(A, dtype=int)
        np.full(3, A[0, 0]); np.full((2, 3), w); np.full_like(I, A[0, 0]); np.eye(3, dtype=int); np.ones_like(T)
        np.zeros_like(A, dtype=bool)
        r = np.empty((2, 3)); r[0] = 1; r[1] = w; z = r * 2
        r = np.empty_like(A); r[:] = A; z = r + 1
    """,
    "types": r"""
        A.astype(int); (A * 10).astype(np.int64); A.astype(bool); I.astype(float) / 2; I.astype(bool)
        T.astype(int) + T.astype(int); T.astype(float)
        A.astype(A.dtype); A.astype(I.dtype); np.zeros(3, dtype=A.dtype); np.zeros(3, dtype=I.dtype)
        np.ones(2, dtype=T.dtype); Z[:4].astype(int)
        np.array([1, 2, 3], dtype=float) / 2; np.array([1.7, -2.7], dtype=int); np.array([0, 2], dtype=bool)
        np.array(I, dtype=float); np.array(A, dtype=int)
        np.asarray(I, dtype=np.float64); np.asarray(A); np.ascontiguousarray(A.T)
        np.array([[1, 2], [3, 4]], dtype=np.float64); np.array(A, copy=True)
        np.int64(3.7) * A; np.float64(3) * A; np.bool_(2) * A; np.int64(v) + 1; np.bool_(v); A * np.finfo(float).eps
        A * np.finfo(np.float64).max
        v * np.finfo(np.float32).eps; i + np.iinfo(np.int64).max * 0; A * np.finfo(A.dtype).tiny; A.item(2) * A
        A.item(1, 2) * A; v.item(-1) * A; np.sum(A).item() * A
        A * sum(v.tolist()); A * I.tolist()[0][1]; A * np.float64("1.5" == "1.5")
    """,
    "arrays of lists": r"""
        np.array([A[0], A[1]]); np.array([A[0, 0], A[1, 1], 3.0]); np.array([[A[0, 0], 1], [2, A[1, 1]]])
        np.array([v, v * 2]).T; np.array([1, A[0, 0]])
        np.array([t, t]); np.array([i, v[:4]]); np.array([[1, 2], w[:2]]); np.array([[np.sum(v), np.max(v)]])
        np.array([i[0], 2]); np.array([np.cos(w[0]), -np.sin(w[0])])
        np.array([]); np.array([[]]); np.array([[1.0], [2.0]]); np.array((1, 2)); np.array([(1, 2), (3, 4)])
        np.array(3)
    """,
    "joined": r"""
        np.stack([v, v * 2]); np.stack((v, v + 1), axis=1); np.stack([v, v], axis=-1); np.hstack([v, w])
        np.hstack((A, B)); np.vstack([v, v]); np.vstack((A, B))
        np.vstack([A, B[0]]); np.column_stack([v, v * 2]); np.column_stack((A, w)); np.column_stack([w, S])
        np.row_stack([w, w]); np.append(v, 3); np.append(v, w); np.append(A, B, axis=0)
        np.append(A, B); np.append(i, 2); np.delete(v, 1); np.delete(A, -1, axis=0); np.delete(A, 2, 1)
        np.insert(v, 2, 7.5); np.insert(A, 1, v[:4], axis=0); np.insert(i, 1, 9)
        np.insert(A, 4, w, axis=1); np.stack([i, i]); np.hstack([t, t]); np.vstack([T, T]); np.hstack([i, v])
        np.stack(A); np.concatenate([e, v]); np.vstack([E, w]); np.hstack([3, v])
    """,
    "split": r"""
        a, b = np.split(A, 2, axis=1); r = a * 2 + b
        a, b, c = np.array_split(v, 3); r = a.sum() + b * 2
        a, b = np.split(v, [2]); r = a.sum() + b
        a, b, c = np.vsplit(A, 3); r = a + b * c
        a, b = np.hsplit(A, 2); a += 1; r = A * 1
        a, b, c = np.split(v, [1, 3]); r = a * b; s = c * 2
        np.array_split(i, 3)[0] + 1; np.split(A, 3)[1]; np.array_split(v, 4)[2]; np.array_split(v, 9)[7]
        """,
    "repeated in loops": r"""
        r = np.zeros((6, 4)); s = np.zeros((3, 8)); k = np.zeros((6, 6))\nfor j in range(3):\n    r = r + np.repeat(A, 2, axis=0) * j\n    s = s + np.tile(A, (1, 2))\n    k = k + np.kron(np.eye(2), S) * j
        r = np.zeros((30, 4)); s = np.zeros(50); u = np.zeros((3, 40))\nfor j in range(3):\n    r += np.tile(A, (10, 1))\n    s += np.tile(v, 10) + np.repeat(v, 10)\n    u += np.tile(A, 10) + np.repeat(A, 10, axis=1)
    """,
    "repeated": r"""
        np.tile(v, 3); np.tile(v, (2, 1)); np.tile(A, 2); np.tile(A, (2, 3)); np.tile(w, (4, 2)); np.tile(v, 1)
        np.tile(3.0, 4); np.tile(A, (10, 1)); np.tile(v, 12); np.tile(v[:, None], (1, 3))
        np.tile(A, 0); np.tile(i, 2); np.repeat(v, 2); np.repeat(A, 2); np.repeat(A, 3, axis=0)
        np.repeat(A, 2, axis=1); np.repeat(w, [1, 0, 2]); np.repeat(3, 4); v.repeat(2); A.repeat(2, axis=0)
        np.repeat(A, [2, 1, 0], axis=0); np.repeat(i, 2); np.repeat(t, 2); np.repeat(v, 0)
        np.broadcast_to(w, (2, 3)); np.broadcast_to(3.0, (2, 2)); np.broadcast_to(i, (3, 4))
    """,
    "inserted, trimmed and broadcast": r"""
        np.insert(v, [1, 3], 9); np.insert(v, [3, 1, 1], w); np.insert(A, [0, 3], A[:2], axis=0); np.insert(A, [-1], 2, axis=1)
        np.insert(A, [1, 2], [[1, 2], [3, 4], [5, 6]], axis=1); np.insert(i, 1, [5, 6])
        np.repeat(v, np.array([0, 2, 1, 0, 3])); np.repeat(A, [2, 0, 1], axis=0); np.repeat(I, np.arange(3), axis=1)
        np.trim_zeros(np.array([0, 0, 3, 0, 5, 0])) * 2; np.trim_zeros([0, 1, 0], "f") * 1; np.resize(v, (2, 4)); np.resize(I, 4)
        np.broadcast_arrays(w, 2.0)[1] + w; np.broadcast_arrays(w[:, None], v)[0] * 1; np.zeros(np.broadcast_shapes((2, 1), 3))
        np.apply_over_axes(np.sum, np.ones((2, 3, 4)), [0, 2]); np.apply_over_axes(np.max, A, 1)
        np.dsplit(np.arange(8.0).reshape(2, 2, 2), 2)[1] * 1; V = np.array([True, False, True]); z = w[V] * np.arange(2)
        np.linalg.tensorinv(np.eye(6).reshape(2, 3, 6) * 2, ind=2); np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3) * 4, I)
        np.linalg.matrix_rank(S, hermitian=True); np.linalg.pinv(S + S.T, hermitian=True); np.cross(A[:, :2], A[:, 1:])
        np.cross(A[:, :3], B[:, :3], axis=0); np.intersect1d(i, np.array([0, 4, 9])) * np.arange(2); np.triu(T); np.tril(I, 1)
    """,
    "what numbers are made of": r"""
        np.modf(np.array([1.5, -2.25, 3, -0.0, -0.5, np.inf, -np.inf, 1e300]))[0]; np.modf(np.array([1.5, -2.25, -0.5, np.inf, -0.0]))[1]; np.modf(v)[1]
        m, e = np.frexp(np.array([1.5, -2.25, 3, 0, -0.0, 1e300, 5e-324, -1e-310, 0.5, 1, 2 ** 52 - 0.5])); r = m * 1; s = e * 1
        np.frexp(i)[0]; np.frexp(np.array([np.inf, -np.inf]))[0]; np.ldexp(v, i[0]); np.ldexp(np.array([3e-300, 1, -5e-324]), np.array([1900, -1074, 1075]))
        np.gcd(i, 12); np.gcd(np.array([[12], [-18], [0]]), np.array([8, 0, 7])); np.gcd(0, 0) + 0 * v; np.lcm(np.array([4, -6, 0, 7]), 6); np.lcm(i, np.arange(len(i)))
    """,
    "moved": r"""
        np.roll(v, 1); np.roll(v, -2); np.roll(A, 1); np.roll(A, 1, axis=0); np.roll(A, -1, axis=1)
        np.roll(A, (1, 2), axis=(0, 1)); np.roll(v, 12); np.roll(i, 1); np.roll(e, 1); np.roll(A, 0)
        np.expand_dims(v, 0); np.expand_dims(v, 1); np.expand_dims(v, axis=-1); np.squeeze(A[0:1])
        np.squeeze(v[None]); A[:, 1:2].squeeze(); np.squeeze(v[:, None], axis=1); np.squeeze(A)
        np.atleast_1d(v); np.atleast_2d(v); np.atleast_1d(3.0); np.atleast_2d(A); np.atleast_1d(np.sum(A))
        np.atleast_2d(np.sum(A))
        x = v * 1; y = np.expand_dims(x, 0); y += 1; r = x * 2
        x = A * 1; y = x[0:1].squeeze(); y[1] = 7; r = x + 0
    """,
    "padded": r"""
        np.pad(A, 2, "mean"); np.pad(A, ((1, 2), (0, 1)), "maximum"); np.pad(I, 1, "minimum", stat_length=1); np.pad(v, 2, "median")
        np.pad(A, 1, constant_values=((1, 2), (3, 4))); np.pad(v, (2, 1), constant_values=(8, 9)); np.pad(v, 7, "reflect")
        np.pad(v, 2); np.pad(A, 1); np.pad(A, ((1, 0), (2, 1))); np.pad(A, (1, 2))
        np.pad(v, (2, 1), mode='constant', constant_values=5); np.pad(v, 2, 'edge'); np.pad(A, 1, mode='edge')
        np.pad(v, 2, mode='wrap'); np.pad(A, ((1, 1), (2, 2)), mode='wrap'); np.pad(v, 2, mode='reflect')
        np.pad(A, 1, mode='reflect'); np.pad(v, 3, mode='symmetric'); np.pad(A, ((2, 1), (0, 3)), 'symmetric')
        np.pad(w, 5, mode='reflect'); np.pad(w, 7, mode='symmetric'); np.pad(i, 1); np.pad(i, 1, constant_values=-1)
        np.pad(T, 1); np.pad(v, 0); np.pad(N, 1)
    """,
    "diagonals": r"""
        np.diag(v); np.diag(w, 1); np.diag(w, -2); np.diag(A); np.diag(A, 1); np.diag(A, -1); np.diag(A, 3)
        np.diag(A, 7); np.diag(A.T); np.diag(A.T, -2); np.diag(i); np.diag(t); np.diag(N); np.diag(n)
        np.diagflat(w); np.diagonal(S); S.diagonal(); np.diagonal(A, 1); np.trace(S); np.trace(A); np.trace(A, 1)
        S.trace(); np.trace(I); np.trace(N); np.tril(A); np.triu(A); np.tril(A, 1); np.triu(A, -1)
        np.tril(N); np.triu(I, 1); np.tril(T); np.triu(v); np.tril(S, -1); np.diag(np.diag(S)) * 2
        np.diag(A[:, 1:]); np.diag(A @ A.T)
        r = S * 1; np.fill_diagonal(r, 0); s = r * 2
        r = S * 1; d = np.diag(r); r[1, 1] = 7; s = d * 2; c = np.diag(r).copy(); c += 1; r[0, 0] = -3; u = d + c
        r = w * 1; b = np.broadcast_to(r, (2, 3)); r[1] = 7; s = b * 2
        r = S * 1; s = np.zeros(3)\nfor j in range(3):\n    d = np.diag(r)\n    r[j, j] = 4 + j\n    s = s + d * np.diag(r, 1).sum()
        r = A * 1; np.fill_diagonal(r, w[0])
        r = A.T * 1; np.fill_diagonal(r, 5)
        """,
    "joined by subscripts": r"""
        np.c_[v, v * 2]; np.c_[A, w]; np.c_[np.ones(3), A]; np.c_[v]; np.c_[1, 2]; np.c_[0:3, w]; np.c_[i, i]; np.c_[t, w]
        np.r_[v, w]; np.r_[A, B]; np.r_[1, v, 2.5]; np.r_[0:4, 9]; np.r_[0:1:0.25, w]; np.r_[v[0], np.sum(w)]; np.r_[0:3, 5:2:-1]
        np.r_[[1, 2], 3]; np.r_[t, t]; np.r_[e, v]; np.r_[i]; np.c_[A.T, v[:4]]; np.c_[A, B][:, 1] * 2; np.r_[True, i]
        c = np.c_[v, v]; c[0] = 3; r = v * 1; u = c * 2
        np.mgrid[0:3, 0:2]; np.mgrid[0:5] * 2; np.mgrid[1:4:0.5, 0:2]; np.mgrid[3:0:-1, 0:2, 1:3]
        X, Y = np.mgrid[0:3, -1:2]; r = X * 2 + Y; X[0] = 9; q = X + 0
        x, y = np.ogrid[0:3, 0:4]; r = x * 2 + y; np.ogrid[0:4] * v[:4]
        s = np.s_[1:3, ::2]; r = A[s] * 2; s = np.s_[::-1]; u = v[s] * 1
        s = slice(1, 3); r = A[s] * 2; q = A[:, slice(None, None, 2)]; u = A[slice(None), 1] + A[(slice(2), 0)].sum()
        for s in [slice(0, 2), slice(2, 4)]:\n    r = A[:, s] * 2
        r = A * 1; r[slice(0, 2), slice(None)] = 7; r[(slice(None), 1)] += 2
    """,
    "places": r"""
        A[np.ix_([0, 2], [1, 3])]; A[np.ix_([True, False, True], [0, 1])]; S[np.ix_(np.arange(2), [2, 0])]; v[np.ix_([1, 0])]
        r = A * 1; r[np.ix_([0, 1], [2, 0])] = 5; r[np.ix_([2], [1])] += 3
        k = np.argsort(w); r = S[np.ix_(k, k)]
        r = np.zeros((2, 3))\nfor p in np.ndindex(r.shape):\n    r[p] = p[0] * 10 + p[1]
        r = np.zeros((2, 3))\nfor p, q in np.ndindex(2, 3):\n    r[p, q] = A[p, q] * 2
        r = 0.0\nfor p, x in np.ndenumerate(w):\n    r = r + p[0] * x
        a, b = np.unravel_index(np.argmax(A), A.shape); r = A[a, b] * 1; s = a * 10 + b
        a, b = np.unravel_index(7, (3, 4)); r = A[a, b] * 1
        k = np.argsort(A, axis=None); a, b = np.unravel_index(k, A.shape); r = A[a, b] * 1; s = a * 10 + b
        a, b, c = np.unravel_index(np.array([[0, 5], [11, 7]]), (2, 3, 2)); r = a * 100 + b * 10 + c
        np.unravel_index(np.argmin(v), v.shape)[0] * 1
        np.ravel_multi_index((1, 2), (3, 4)) * w; np.ravel_multi_index(([1, 0], [2, 3]), (3, 4))
        np.ravel_multi_index((np.argmax(w), np.argmin(w)), (3, 4)) * 1
        a, b = np.diag_indices_from(S); r = S[a, b] * 1; S[np.diag_indices(3)] * 2; S[np.triu_indices(3, 1)]; S[np.tril_indices(3)] * 1
        np.indices((2, 3))[1] * 2; np.size(A, 0) * w; np.size(A, -1) * w; np.size(A, axis=1) * w
        np.take(v, [0, 2]); np.take(v, 3) * A; np.take(A, [5, 0]); np.take(A, [0, 2], axis=1); np.take(A, 1, axis=0); np.take(A, -1, 1)
        np.take(A, [[0, 1], [2, 0]], axis=0); np.take(v, np.argmax(v)) * A; np.take(A, np.argsort(w), axis=0); v.take([1, 1])
        np.take(v, [7, -1, 2], mode='wrap'); np.take(v, [7, -1, 2], mode='clip'); np.take(i, [True, False]); np.take(v, []); np.take(A, (0, 1), 1)
        np.take(A, np.argmax(w), axis=1)
        r = A * 1; q = np.take(r, 0, axis=0); r[0] = 5; s = q * 1; q[1] = 2; u = r * 1
        np.take_along_axis(A, np.argsort(A, axis=1), axis=1); np.take_along_axis(A, np.argmax(A, axis=0)[None], 0)
        np.take_along_axis(A, np.array([[0], [1], [-1]]), -1); np.take_along_axis(A, np.array([3, 1]), None)
        r = A * 1; np.put_along_axis(r, np.argmax(r, axis=1)[:, None], 9, axis=1)
        np.delete(v, [1, 2]); np.delete(v, [0, -1, 0]); np.delete(A, [0, 2], axis=1); np.delete(A, np.arange(2), 0); np.delete(v, slice(1, 4, 2))
        np.delete(v, []); np.delete(A, [1]); np.delete(i, [True, False, True, False]); np.delete(v, range(2)); np.delete(A.T, [0], 0); np.delete(v, np.s_[:2])
        np.rot90(A); np.rot90(A, 2); np.rot90(A, -1); np.rot90(A, 3); np.rot90(A, 4); np.rot90(A, k=1, axes=(1, 0)); np.rot90(I)
        r = A * 1; q = np.rot90(r); q[0, 0] = 9; s = r * 1
        np.isin(i, [4, 0]); np.isin(A, v); np.isin(I, [2, 3], invert=True); np.in1d(I, [3, 5]); np.isin(i, []); np.isin(v, 2.0); np.isin(n, [np.nan, 2.0]); np.isin(e, [1])
    """,
    "pieces": r"""
        np.piecewise(v, [v < 0, v >= 0], [-1, 1]); np.piecewise(A, [A < 0, A > 1], [lambda x: -x, lambda x: x * 2]); np.piecewise(v, [v > 1], [np.sin, 5]); np.piecewise(v, v > 1, [2, 3])
        np.piecewise(i, [i < 0, i > 3], [2.7, -1.5, 9]); np.piecewise(v, [v < 2, v < 1], [lambda x: x + 1, lambda x: x * 10, 3])
    """,
    "bits of integers": r"""
        I & 1; I & 3; I & 6; I & -2; I & 0; 5 & I; I | 4; I | -8; I ^ 5; I ^ -1; I & 1000003; ~I; ~i; I << 3; I >> 1; -I >> 2; i & True; i ^ False
        np.bitwise_and(I, 3); np.bitwise_or(i, 8); np.bitwise_xor(i, 5); np.invert(I); np.bitwise_not(T); np.left_shift(i, 2); np.right_shift(i, 1)
        np.bitwise_and(i, i[::-1]); np.bitwise_or(I, i[0]); np.left_shift(1, i); np.right_shift(i, i); np.left_shift(i, -1)
        (I & 1) == 0; A[:2, :3] * (I & 1); i & (i > 0); (i > 0) | i; i ^ (i > 3); t & 1; t | 2; i[0] & 3; np.sum(i) >> 1; ~i[0]; (i.max() & 1) * A
        np.bitwise_and(t, t); np.bitwise_and(i, [True, False, True, True])
        r = i * 1; r &= 3; s = r * 2; r |= 8; u = r + 0; r ^= 1; r <<= 2; r >>= 1
        r = i * 1; q = r[1:]; q &= 1; s = r * 1
        r = np.zeros(4, dtype=int)\nfor k in range(3):\n    r = r + ((i >> k) & 1 << k) + (((i >> k) & 1) << k)
        def bits(n):\n    return np.array([(n >> k) & 1 for k in range(4)])\nr = bits(np.arange(16)) * 1
    """,
    "quotients of integers": r"""
        I // i[:3]; I % i[:3]; i // (i - 4); i % (i + 2); -i // 3; I // np.array([2, -3, 0]); I % np.array([2, -3, 0]); np.mod(I, i[:3]); np.floor_divide(i, -i)
        np.remainder(I, -np.abs(I)); i[0] // i[1]; i[0] % i[1]; i[0] // i[2]; i[0] % i[2]; np.sum(I) // np.max(i); np.fmod(A, 2); np.fmod(I, i[:3]); np.fmod(-I, -i[:3]); np.fmod(i, i)
        a, b = np.divmod(I, i[:3]); r = a * 100 + b
        r = i * 1; r //= i; s = r * 1; r = I * 1; r %= i[:3]
        r = i * 1; q = r[1:]; q //= np.array([1, 0, -2]); s = r * 1; t % i[:3]; np.zeros(3, dtype=int) // -i[:3]; np.zeros(3, dtype=int) % -i[:3]
    """,
    "remainders and fits": r"""
        np.fmod(A, 0.75); np.fmod(-A, 0.75); np.fmod(A, B); np.fmod(Z, 2.0); np.fmod(3.0, Z); np.fmod(I, 3); np.fmod(-I, 2); np.fmod(n, 0.7); np.fmod(i, 1.5)
        np.ediff1d(v); np.ediff1d(A); np.ediff1d(i, to_end=9); np.ediff1d(v, to_begin=[1, 2], to_end=w); np.ediff1d(v[:1]); np.ediff1d(e)
        np.gradient(v, np.array([0.0, 1.0, 3.0, 3.5, 6.0])); np.gradient(v, np.cumsum(np.abs(v) + 1)); np.gradient(A, np.array([0, 1, 3, 7]), axis=1)
        np.gradient(v[:2], w[:2]); a, b = np.gradient(A, w, 2.0); r = a + b
        np.polyfit(v, v ** 2 - v, 2); np.polyfit(np.arange(5), v, 1); np.polyfit(v, v * 3, 0); np.polyfit(np.arange(4.0), A.T, 1); np.polyfit(v, np.sin(v), 2, w=v + 2)
    """,
    "others": r"""
        np.hanning(7); np.hamming(6); np.blackman(5); np.hanning(1); np.vander(w); np.vander(w, 4, increasing=True)
        np.vander(i, 2); np.block([A, B]); np.block([[S, S], [S, np.eye(3)]]); np.block([[1, 2], [3, 4]])
        np.block([v, w])
        np.diag_indices(3)[0] * 2; np.shape(A)[0] * A; np.size(A) * A; np.ndim(v) * A; np.conj(A); np.kron(v[:2], A)
        np.kron(A, i)
    """,
    "grids": r"""
        X, Y = np.meshgrid(v, w); r = X * 2 + Y
        X, Y = np.meshgrid(v, w, indexing='ij'); r = X * 2 + Y
        X, Y = np.meshgrid(np.arange(3), np.linspace(0, 1, 4)); r = X + Y; s = X * 1
        X, Y = np.meshgrid(v, w, sparse=True); r = X * 2 + Y
        def f(i, j):\n    return i * 2.5 + j\nr = np.fromfunction(f, (3, 4))
        def f(i, j):\n    return i + j\nr = np.fromfunction(f, (3, 2), dtype=int)
        def f(i):\n    return i * i\nr = np.fromfunction(f, (4,))
    """,
    "elementwise": r"""
        np.tan(A); np.arcsin(U); np.arccos(U); np.arctan(A); np.sinh(A); np.cosh(A); np.arcsinh(A)
        np.arccosh(np.abs(A) + 1); np.arctanh(U); np.cbrt(A); np.arcsin(N); np.arctanh(Z); np.cbrt(Z); np.arctan(I)
        np.hypot(A, B); np.hypot(N, 1.0); np.hypot(Z, Z[::1]); np.hypot(I, 2); np.copysign(A, -1.0)
        np.copysign(2, A); np.copysign(Z, -Z); np.hypot(v[0], v[1]); np.tan(0.5) * A; np.arctan(I[0, 0])
        np.isfinite(N); np.isfinite(A); np.isfinite(I); np.isfinite(T); np.isposinf(Z); np.isneginf(Z)
        np.signbit(Z[:6]); np.isfinite(v[0]); np.isfinite(3.0) * A; np.isfinite(np.sum(N))
        np.nan_to_num(N); np.nan_to_num(N, nan=1.5, posinf=9, neginf=-9); np.nan_to_num(I); np.nan_to_num(A)
        np.nan_to_num(n[0]); np.logaddexp(A, B); np.logaddexp(Z, 1.0); np.logaddexp(Z, Z); np.logaddexp(I, 0)
        np.logaddexp2(A, B); np.logaddexp2(Z, Z); np.fmax(N, 1.0); np.fmin(N, N.T); np.fmax(A, B); np.fmax(n, n * 2)
        np.fmin(I, 1); np.fmax(n[0], n[1]); np.deg2rad(A); np.rad2deg(A); np.radians(I)
        np.degrees(v) + np.degrees(2.0)
        np.exp2(A); np.exp2(I); np.exp2(Z); np.exp2(3.0) * A; np.heaviside(A, 0.5); np.heaviside(Z, 0.5)
        np.heaviside(I, 2); np.sinc(A); np.sinc(Z); np.sinc(v); np.logical_xor(T, A > 1); np.logical_xor(A, 0)
        np.logical_xor(I, I)
        np.positive(A); np.positive(I); np.isclose(A, B); np.isclose(N, N.T); np.isclose(Z, Z)
        np.isclose(Z, Z, equal_nan=True); np.isclose(A, A + 1e-9); np.isclose(A, A + 1e-3, atol=1e-2)
        np.isclose(I, I + 1, rtol=0.5)
        A * np.allclose(A, B); A * np.allclose(A, A + 1e-9); A * np.allclose(N, N)
        A * np.allclose(N, N, equal_nan=True); A * np.array_equal(A, A); A * np.array_equal(A, B)
        A * np.array_equal(A, v); A * np.array_equal(I, I + 0.0)
        q, r = np.divmod(A, 0.75); s = q * 2 + r
        np.select([A > 1, A < -1], [A * 2, -A]); np.select([A > 1, A < 0], [1, 2], default=7)
        np.select([T, A > 2], [I[0, 0], A], -1.5); np.interp(A, [0, 1, 2], [5.0, 7.0, -1.0])
        np.interp(Z, [0, 1, 2], [5.0, 7.0, -1.0])
        np.interp(v, np.array([0.0, 1.5, 2.0]), w); np.interp(1.25, [1, 2, 3], [3, 2, 0]) * A
        np.interp(A, [0.0, 1.0], [2.0, 3.0], left=-1, right=-2)
        np.interp(v, np.linspace(-2, 2, 9), np.linspace(-2, 2, 9) ** 2)
        np.interp([0.0, 2.0, 0.25], [0, 1, 2], [3.0, np.nan, 5.0])
        np.polyval([1, -2, 0.5], A); np.polyval(w, v); np.polyval([3], A); np.round(A, 1); np.round(A * 100, -1)
        A.round(2)
    """,
    "written": r"""
        r = A * 0; np.add(A, B, out=r); s = r * 2
        r = A * 0; x = np.multiply(A, 2, out=r); x += 1; s = r * 1
        r = A * 1; np.exp(r, out=r); s = r + 1
        r = A * 1; q = r[0]; np.maximum(q, 0, out=q); s = r + 0
        r = np.zeros(4); np.sum(A, axis=0, out=r); s = r + 1
        r = np.zeros((3, 3)); np.dot(S, S, out=r); s = r + 1
        r = np.zeros((3, 3)); np.matmul(S, S, out=r); s = r + 1
        r = A * 1; np.clip(r, -1, 1, out=r); s = r * 3
        r = A * 1; r.fill(2); s = r + A
        r = I * 1; r.fill(2.5); s = r + 0
        r = A * 1; np.copyto(r, B); s = r + 0
        r = A * 1; np.copyto(r[0], 3); s = r + 0
        r = A * 1; np.subtract(r, 1, r); s = r + 0
        r = np.zeros(3)\nfor j in range(4):\n    np.add(r, w, out=r)\n    np.sqrt(np.abs(r), out=r)\ns = r * 1
        r = I * 1; r[0] = w; s = r + 0
        r = i * 1; r[1] = 2.7; s = r * 2
        r = i * 1; r[0] += 0.5; s = r + 0
        r = i * 1; r[1:] = -v[1:4] * 0.9; s = 1.0 / r
        def f(x):\n    x.fill(1)\n    return x * 2\nr = A * 1\ns = f(r) + r
        """,
    "products": r"""
        np.inner(v, v); np.inner(A, B); np.inner(A, A[0]); np.inner(2, v); np.vdot(A, B); np.vdot(v, v)
        np.kron(w, v); np.kron(S, A); np.kron(np.eye(2), S); np.kron(I, w); np.kron(2.0, A); np.cross(w, w * 2 + 1)
        np.cross(S, w)
        np.cross(S, S.T); np.cross(A[:, :2], B[:, :2]); np.add.outer(v, w); np.subtract.outer(w, v)
        np.multiply.outer(v, w); np.maximum.outer(v, w); np.less.outer(v, w); np.add.outer(i, i)
        np.power.outer(np.abs(v), w); np.add.outer(2, v)
        np.equal.outer(i, np.arange(3)); np.outer(v, w)
    """,
    "reduced": r"""
        np.add.reduce(v); np.add.reduce(A); np.add.reduce(A, axis=1); np.multiply.reduce(A)
        np.maximum.reduce(A, axis=1); np.minimum.reduce(v); np.logical_and.reduce(T)
        np.logical_or.reduce(T, axis=1); np.add.reduce(I)
        np.ptp(A); np.ptp(A, axis=0); v.ptp(); np.ptp(I); A.ptp(axis=1, keepdims=True); np.count_nonzero(A > 0) * A
        np.count_nonzero(A, axis=0); np.count_nonzero(I) * 1.5 * A; np.count_nonzero(T, axis=1)
        np.count_nonzero(N) * A
        np.average(A); np.average(A, axis=0); np.average(A, axis=0, weights=[1, 2, 3]); np.average(A, weights=B)
        np.average(v, weights=np.arange(5) + 1.0); np.average(I); np.average(A, axis=1, weights=np.ones(4))
        np.average(i, weights=[1, 2, 3, 4])
        m, s = np.average(A, axis=0, weights=[1, 2, 3], returned=True); r = m * s
        np.nansum(N); np.nansum(N, axis=0); np.nanmean(n); np.nanmean(N[1:], axis=0); np.nanmax(N)
        np.nanmin(N, axis=1); np.nanmax(n); np.nanvar(n); np.nanstd(n); np.nanstd(n, ddof=1); np.nanprod(n)
        np.nansum(I); np.nanmean(I); np.nanmax(i)
        np.nanmean(A, axis=1, keepdims=True); np.nanargmax(n); np.nanargmin(n); np.nansum(n * np.nan)
        np.nanmean(n * np.nan); np.nanmax(n * np.nan); np.nansum(e); np.nancumsum(n); np.nancumprod(n)
        np.nanvar(A, axis=0); np.nansum(N, axis=1, keepdims=True)
        np.sum(A, axis=(0, 1)); np.mean(A, axis=(0, 1)); np.max(A, axis=(0, 1)); np.sum(A, axis=(0,))
        A.sum(axis=(1,), keepdims=True); np.std(A, axis=(0, 1)); np.sum(A, axis=(0, 1), keepdims=True)
        np.sum(I, dtype=float) / 4; np.any(T, axis=(0, 1))
    """,
    "moments": r"""
        np.cov(A); np.cov(A, rowvar=False); np.cov(v); np.cov(A, bias=True); np.cov(A, ddof=0); np.cov(v, v * 2 + 1)
        np.cov(A.T); np.corrcoef(A); np.corrcoef(A, rowvar=False); np.corrcoef(v, v ** 2)
        np.corrcoef(A[0], A[1])[0, 1]; np.cov(I)
    """,
    "neighbours": r"""
        np.diff(v); np.diff(A); np.diff(A, axis=0); np.diff(v, n=2); np.diff(v, 0); np.diff(i); np.diff(t)
        np.diff(T); np.diff(v, prepend=0); np.diff(v, append=[1.0, 2.0]); np.diff(A, axis=0, prepend=0); np.diff(e)
        np.diff(v, n=7)
        np.gradient(v); np.gradient(v, 0.5); np.gradient(A, axis=1); np.gradient(A)[0]; np.gradient(A, 0.5, 2.0)[1]
        np.gradient(i); np.trapz(v); np.trapz(A); np.trapz(v, dx=0.5); np.trapz(v, x=np.array([0, 1, 3, 4, 7.0]))
        np.trapz(A, axis=0); np.trapz(A, w, axis=0)
        np.convolve(v, w); np.convolve(v, w, 'same'); np.convolve(v, w, mode='valid'); np.convolve(w, v)
        np.convolve(w, v, 'same'); np.convolve(i, [1, 2]); np.convolve(v, [0.25, 0.5, 0.25, 1], 'same')
        np.convolve(Z, w); np.convolve(v, np.ones(3) / 3, 'valid')
        np.correlate(v, w); np.correlate(v, w, 'full'); np.correlate(v, w, 'same')
        np.correlate(v, [1.0, 2, 3, 4], 'same'); np.convolve(v, 2.0)
    """,
    "running": r"""
        np.cumsum(v); np.cumsum(A); np.cumsum(A, axis=0); np.cumsum(A, axis=1); v.cumsum(); A.cumsum(axis=-1)
        np.cumsum(i); np.cumsum(I, axis=1); np.cumsum(t); np.cumsum(e); np.cumsum(n); np.cumsum(Z)
        np.cumsum(i, dtype=float) / 2; np.cumsum(w[:1]); np.cumsum(np.ones(37))
        np.cumprod(v); np.cumprod(A, axis=0); np.cumprod(i); np.cumprod(A); v.cumprod(); np.cumprod(np.arange(1, 9))
        np.cumprod(t); np.maximum.accumulate(v); np.maximum.accumulate(A, axis=1); np.minimum.accumulate(n)
        np.add.accumulate(v); np.multiply.accumulate(A); np.maximum.accumulate(i); np.add.accumulate(t)
        np.multiply.accumulate(T, axis=1); np.maximum.accumulate(T, axis=1); np.add.accumulate(A, axis=1)
        np.minimum.accumulate(I)
        r = np.zeros(5); np.cumsum(v, out=r); s = r * 2
    """,
    "of more dimensions": r"""
        np.dstack([A, B])[0, 1]; np.stack([A, B])[1]; np.stack([A, B], axis=2)[1]; np.array([[A[0], A[1]]])[0]
        np.array([[[1.0], [2.0]], [[3.0], [4.0]]]).sum(axis=0)
    """,
    "scalars": r"""
        x = np.nanmean(v); y = x; x += 1; r = A * (x + y)
        x = np.average(v); y = x; x += 1; r = A * (x + y)
        x = np.nanmax(n); y = x; x += 1; r = A * (x + y)
        x = np.interp(0.25, [0, 1], w[:2]); y = x; x += 1; r = A * (x + y)
        x = np.logaddexp(v[0], v[1]); y = x; x += 1; r = A * (x + y)
        x = np.trace(S); y = x; x += 1; r = A * (x + y)
        x = np.ptp(v); y = x; x += 1; r = A * (x + y)
        x = v.item(0); y = x; x += 1; r = A * (x + y)
        x = np.cov(v); y = x; x += 1; r = A * (x + y)
        x = np.heaviside(v[0], 0.5); y = x; x += 1; r = A * (x + y)
        x = np.nan_to_num(n[0]); y = x; x += 1; r = A * (x + y)
        x = np.trapz(v); y = x; x += 1; r = A * (x + y)
        x = np.polyval([1, 2], 1.5); y = x; x += 1; r = A * (x + y)
        x = np.corrcoef(v); y = x; x += 1; r = A * (x + y)
        x = np.count_nonzero(v); y = x; x += 1; r = A * (x + y)
        x = np.stack([v[0], v[1]]); y = x; x += 1; r = x + y
    """,
    "reductions of what is asked for": r"""
        np.sum(A, where=A > 0); np.sum(A, axis=0, where=A > 0); A.sum(axis=1, keepdims=True, where=A > 0); np.sum(v, initial=3)
        np.prod(A, where=A > 0); np.prod(A, axis=1, initial=2.5); np.mean(A, where=A > 0); np.mean(A, axis=0, where=A > -1)
        np.max(A, initial=3.5); np.max(A, axis=0, initial=1.0); np.min(A, axis=1, initial=-1); np.min(I, initial=-2); np.sum(I, initial=5)
        np.max(A, axis=1, initial=0, where=A < 1); np.min(A, initial=9.0, where=A > 1); np.any(A > 1, axis=0, where=A < 2)
        np.all(A > 0, axis=1, where=A > -0.6); np.sum(T, where=A > 1); np.sum(I, where=I > 0); np.sum(A, where=[True, False, True, True])
        np.mean(I, where=I > 0); np.max(n, initial=0); np.sum(A, where=True)
    """,
    "without NaN": r"""
        np.median(A, axis=(0, 1)); np.median(A.reshape(2, 2, -1), axis=(2, 0), keepdims=True); np.median(A, axis=())
        np.percentile(A.reshape(2, 2, -1), [10, 60], axis=(0, 2)); np.nanmedian(A.reshape(2, 2, -1), axis=(2, 0))
        np.nanmedian(n); np.nanmedian(A); np.nanmedian(A, axis=0); np.nanmedian(n[:4]); np.nanmedian(I); np.nanmedian(A, axis=1, keepdims=True)
        np.nanmedian(np.where(A > 2, np.nan, A), axis=1); np.nanmedian(np.where(A > 1, np.nan, A)); np.nanmedian(A, keepdims=True)
        np.nanpercentile(n, 30); np.nanquantile(n, 0.75); np.nanquantile(A, 0.3, axis=0); np.nanquantile(np.where(A > 2, np.nan, A), 0.4, axis=1)
        np.nanpercentile(np.where(A > 2, np.nan, A), [10, 50, 100], axis=0); np.nanquantile(np.where(A > 2, np.nan, A), 0.9, axis=1, keepdims=True)
    """,
    "diagonals of more dimensions": r"""
        np.trace(np.arange(24.0).reshape(2, 3, 4)); np.trace(np.arange(24).reshape(2, 3, 4), 1, 1, 2)
        np.diagonal(np.arange(24.0).reshape(2, 3, 4)); np.diagonal(np.arange(24.0).reshape(2, 3, 4), -1, 2, 1)
        np.diagonal(A, 1, 1, 0); np.diagonal(A, offset=1); A.diagonal(-1); np.trace(A, axis1=1, axis2=0); np.trace(A, offset=1)
        np.diagonal(np.arange(24.0).reshape(2, 3, 4), 5); np.trace(S[None] * v[:, None, None], axis1=-2, axis2=-1)
    """,
    "compressed": r"""
        np.compress([True, False, True], A, axis=0); np.compress([0, 1, 0, 1], A, axis=1); np.compress([True, False, True], A)
        v.compress([True, False, True]); np.compress([False, False], v); np.compress(v > 0, v).sum(); np.compress(t, A, axis=0).sum(axis=0)
        np.array([np.isscalar(3), np.isscalar(A[0, 0]), np.isscalar(A), np.isscalar('a'), np.isscalar(np.array(1.0)), np.isscalar([1])])
    """,
    "constants": r"""
        A * np.pi + np.e; np.where(A > 0, np.inf, -np.inf); v[np.newaxis, :]; v[:, np.newaxis] * w; A * np.euler_gamma
        np.set_printoptions(precision=3); r = A * 1
    """,
}

# What NumPy 2 added: the same in names that NumPy 1 has.
NEWER = {
    "np.linalg.qr(A).R": "np.linalg.qr(A)[1]", "np.linalg.eigh(A.T @ A + np.eye(len(A.T))).eigenvalues": "np.linalg.eigh(A.T @ A + np.eye(len(A.T)))[0]",
    "np.linalg.svd(A).S": "np.linalg.svd(A)[1]", "np.linalg.slogdet(A.T @ A + np.eye(len(A.T))).logabsdet * w": "np.linalg.slogdet(A.T @ A + np.eye(len(A.T)))[1] * w",
    "np.concat([A, B], axis=1)": "np.concatenate([A, B], axis=1)", "np.permute_dims(A, (1, 0))": "A.T",
    "np.matrix_transpose(np.stack([A, B]))": "np.swapaxes(np.stack([A, B]), 1, 2)", "np.acos(U)": "np.arccos(U)",
    "np.atan2(A, B)": "np.arctan2(A, B)", "np.pow(A, 2)": "A ** 2", "np.asinh(A)": "np.arcsinh(A)",
    "np.bitwise_invert(T)": "~T", "np.unstack(A, axis=1)[2] * 1": "A[:, 2]", "np.astype(A, int)": "A.astype(int)",
    "np.matvec(np.stack([A, B]), A[:2])": "np.einsum('ijk,ik->ij', np.stack([A, B]), A[:2])",
    "np.vecmat(w, A)": "w @ A", "np.vecdot(A, B)": "np.sum(A * B, axis=-1)", "np.vecdot(I, I, axis=0)": "np.sum(I * I, axis=0)",
    "np.linalg.matrix_norm(np.stack([A, B]))": "np.linalg.norm(np.stack([A, B]), axis=(1, 2))",
    "np.linalg.vector_norm(A)": "np.linalg.norm(A)", "np.linalg.vector_norm(A, axis=1, ord=1)": "np.abs(A).sum(axis=1)",
    "np.linalg.vector_norm(A, keepdims=True, ord=1)": "np.abs(A).sum(keepdims=True)",
    "np.linalg.svdvals(A)": "np.linalg.svd(A, compute_uv=False)", "np.linalg.outer(v, w)": "np.outer(v, w)",
    "np.linalg.matrix_transpose(A)": "A.T", "np.linalg.vecdot(A, B)": "np.sum(A * B, axis=-1)",
    "np.linalg.trace(S)": "np.trace(S)", "np.linalg.trace(np.stack([A, B]))": "np.trace(np.stack([A, B]), axis1=1, axis2=2)",
    "np.linalg.diagonal(np.stack([A, B]), offset=1)": "np.diagonal(np.stack([A, B]), 1, 1, 2)",
    "np.linalg.cross(w, S)": "np.cross(w, S)",
}
REFUSED = {
    "r = np.max(A, where=A > 0)": "where= needs initial=", "r = np.sum(I, initial=0.5)": "for integers initial= must be an int",
    "d = np.diagonal(np.ones((2, 3, 4)) * 1)\nr = d * 1\nd += 1": "diagonal shares the memory",
    "r = np.mean(A, initial=1)": "unexpected keyword argument 'initial'",
    "r = np.arange(3, dtype=complex)": "complex numbers", "r = A.astype(np.float16)": "precision of the run",
    "r = A & 1": "expects arrays of booleans", "r = A << i": "expects arrays of booleans",
    "k = int(i.shape[0])\nr = i & 2 ** 60": "exact up to", "r = np.bitwise_and(A, A)": "booleans",
    "r = np.unravel_index(7, (2, 3))": "out of bounds", "r = np.c_(A)": "not called", "r = v[0:0.5]": "a bound of a slice",
    "r = np.delete(v, [9])": "out of bounds", "r = np.ix_(I)": "1 dimensional", "r = np.take(v, [0.5])": "must be integers",
    "r = np.take(v, 9)": "out of bounds", "r = np.rot90(v)": "out of range", "r = np.polyfit(A, v, 1)": "1D vector",
    "r = np.take_along_axis(A, np.array([1]), 1)": "same number of dimensions", "r = np.gradient(v, w)": "must match",
    "r = np.delete(v, v > 0)": "known only at run time", "r = np.isin(np.ones((20000, 1)), np.ones(9000))": "too much memory",
    "r = np.arange(A[0, 0])": "must be known",
    "r = np.arange(0, 5, 0)": "must not be 0", "r = np.diag(A)\nr[0] = 1": "read-only",
    "r = np.split(v, 2)": "equal division", "r = np.pad(v, 1, mode='linear_ramp')": "modes are",
    "r = np.array([[1, 2], [3]])": "nested evenly", "r = np.array([v, w])": "one shape",
    "r = np.array([None])": "None", "np.add(A, v, out=A)": "could not be broadcast",
    "np.add(A, 1, out=v)": "non-broadcastable",
    "r = I * 1\nnp.add(r, 0.5, out=r)": "Cannot cast", "r = I * 1\nnp.copyto(r, A[:2, :3])": "Cannot cast",
    "r = np.stack([v, w])": "must match exactly", "np.interp(A, v, w)": "not of the same length",
    "r = A.item()": "size 1",
    "r = np.random.default_rng(0)\ns = np.random.default_rng(0)\nx = r.random(3)": "same seed",
    "r = np.random.randint(3, 3)": "low >= high",
    "r = np.tile(v, -1)": "negative", "r = np.broadcast_to(v, (5, 4))": "broadcast",
    "A = A * 1\nr = np.broadcast_to(v, (2, 5))\nr[0] = 1": "read-only", "r = np.expand_dims(v, 3)": "out of bounds",
    "r = np.finfo(int)": "not a type of floats",
}


# Of many draws: the mean, the deviation, and between what they lie.
DRAWS = {
    "normal(2.0, 3.0, {})": (2, 3, -30, 30), "uniform(-1, 3, {})": (1, 4 / 12 ** 0.5, -1, 3),
    "exponential(2.0, {})": (2, 2, 0, 100),
    "randint(2, 8, {})": (4.5, (35 / 12) ** 0.5, 2, 7), "choice(4, {})": (1.5, (15 / 12) ** 0.5, 0, 3),
    "binomial(1, 0.25, {})": (0.25, 0.1875 ** 0.5, 0, 1),
    "choice(3, {}, p=[0.5, 0.25, 0.25])": (0.75, 0.6875 ** 0.5, 0, 2),
    "lognormal(0, 0.5, {})": (np.exp(0.125), np.exp(0.125) * np.expm1(0.25) ** 0.5, 0, 100),
}


WRITERS = re.compile(r"np\.(copyto|fill_diagonal|set_printoptions)|\w+\.fill|.*\bout=|np\.subtract\(r, 1, r\)")


def assigned(text):
    """The program of a line of the table: each expression becomes a result."""
    lines = []
    for number, piece in enumerate(text.split("; ")):
        piece = piece.replace("\\n", "\n")
        statements = ast.parse(piece).body
        is_result = len(statements) == 1 and isinstance(statements[0], ast.Expr) and not WRITERS.match(piece)
        lines.append(f"result_{number} = {piece}" if is_result else piece)
    return "import numpy as np\n" + "\n".join(lines) + "\n"


def programs():
    for group, lines in PROGRAMS.items():
        for line in lines.strip().split("\n"):
            if line.strip():
                yield group, line.strip()


class NumpyFunctions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.batch = Batch(BATCH)

    def ask(self, text, runs=(("none", ()), ("default", ()), ("all", ()), ("tree", ()), ("text:all", ()))):
        inputs = {name: value for name, value in INPUTS.items() if name in text}
        try:
            return self.batch.ask(text, inputs, 64, 0, [(how, names) for how, names in runs])
        except Ended as error:
            return self.fail(f"{error}\n{text}")

    def check(self, text, may_be_refused=False, same=None):
        names = {name: value.copy() for name, value in INPUTS.items()}
        with np.errstate(all="ignore"):
            exec(same or text, names)  # pylint: disable=exec-used
        replies = self.ask(text)
        if may_be_refused and "0-d, 1-D and 2-D arrays are possible" in replies[0].detail:
            return
        for how, reply in zip(("none", "default", "all", "tree", "text:all"), replies):
            self.assertEqual(reply.failure, "", f"{text}\n{how}: {reply.detail}")
            self.assertTrue(reply.arrays)
            for name, got in reply.arrays.items():
                want = np.asarray(names[name])
                label = f"{text}\n{how}: {name} is {want.tolist()} of {want.dtype}, got {got.tolist()}"
                self.assertEqual(reply.kinds[name], want.dtype.kind, label)
                self.assertEqual(got.shape, want.shape, label)
                want = want.astype(float)
                np.testing.assert_allclose(got, want, rtol=2e-13, atol=1e-15, err_msg=label)
                zeros = (want == 0) & (got == 0)
                self.assertTrue((np.signbit(got) == np.signbit(want))[zeros].all(), label)

    def test_functions(self):
        for group, line in programs():
            with self.subTest(group, line=line):
                self.check(assigned(line), group == "of more dimensions")

    def test_newer_functions(self):
        for newer, same in NEWER.items():
            with self.subTest(newer):
                self.check(assigned(newer), same=assigned(same))

    def test_distributions(self):
        count = 100_000
        for call, (mean, deviation, least, most) in DRAWS.items():
            with self.subTest(call):
                text = f"import numpy as np\nx = np.random.{call.format(count)}\n"
                x = self.ask(text, [("none", ())])[0].arrays["x"]
                self.assertLess(abs(x.mean() - mean), 5 * deviation / count ** 0.5)
                self.assertLess(abs(x.std() / deviation - 1), 0.03)
                self.assertGreaterEqual(x.min(), least)
                self.assertLessEqual(x.max(), most)
                if "normal" not in call and "uniform" not in call and "exp" not in call:
                    np.testing.assert_array_equal(np.unique(x), np.arange(least, most + 1))

    def test_refusals(self):
        for text, says in REFUSED.items():
            with self.subTest(text):
                reply = self.ask("import numpy as np\n" + text + "\n")[0]
                self.assertEqual(reply.failure, "refused", reply)
                self.assertRegex(reply.detail, says)


if __name__ == "__main__":
    BATCH = sys.argv[1]
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
