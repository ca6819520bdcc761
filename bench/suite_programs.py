"""Programs whose statements need work in proportion to what they select, write or count: each a function of arrays as one
writes it in NumPy, that all peers run as it is. DATA has the arguments of each, of two sizes, made of a generator.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from loop_programs import forward_substitution


def sparse_product(indptr, indices, values, x):
    y = np.empty(indptr.size - 1)
    for i in range(indptr.size - 1):
        columns = indices[indptr[i]:indptr[i + 1]]
        y[i] = values[indptr[i]:indptr[i + 1]] @ x[columns]
    return y


def group_sums(starts, x):
    sums = np.zeros(starts.size - 1)
    for g in range(starts.size - 1):
        sums[g] = x[starts[g]:starts[g + 1]].sum()
    return sums


def radial_means(radius, data):
    rings = 50
    means = np.zeros(rings)
    most = radius.max()
    for i in range(rings):
        inner = most * i / rings
        outer = most * (i + 1) / rings
        means[i] = data[np.logical_and(inner <= radius, radius < outer)].mean()
    return means


def radial_histogram(radius, data):
    counts = np.histogram(radius, 100)[0]
    sums = np.histogram(radius, 100, weights=data)[0]
    return sums / np.maximum(counts, 1)


def uneven_histogram(x):
    edges = np.array([0.0, 0.01, 0.02, 0.04, 0.08, 0.1, 0.16, 0.2, 0.32, 0.4, 0.64, 0.7, 0.9, 0.95, 0.99, 1.0])
    return np.histogram(x, edges)[0]


def digits(x, edges):
    return np.bincount(np.digitize(x, edges), minlength=edges.size + 1)


def places_in_order(table, x):
    return np.searchsorted(table, x)


def escape_times(c_re, c_im):
    c = c_re + 1j * c_im
    z = np.zeros(c.shape, dtype=np.complex128)
    times = np.zeros(c.shape, dtype=np.int64)
    for step in range(40):
        inside = np.abs(z) < 2.0
        times[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    return times


def levinson(r):
    n = r.shape[0]
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def checksum(data):
    crc = 0xFFFF
    for i in range(data.shape[0]):
        cur = 0xFF & data[i]
        for _ in range(8):
            if (crc & 1) ^ (cur & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            cur >>= 1
    return np.array(crc)


def sliding_peak(x):
    return sliding_window_view(x, 25).max(axis=-1)


def sliding_middle(x):
    return np.median(sliding_window_view(x, 9), axis=-1)


def window_loop(x):
    w = 16
    y = np.empty(x.size - w + 1)
    for i in range(x.size - w + 1):
        y[i] = x[i:i + w].max()
    return y


def group_means(labels, x):
    sums = np.bincount(labels, weights=x, minlength=64)
    return sums / np.maximum(np.bincount(labels, minlength=64), 1)


def scattered_sums(labels, x):
    sums = np.zeros(64)
    np.add.at(sums, labels, x)
    return sums


def turned_points(turns, points):
    return turns @ points


def power_spectrum(x):
    return np.abs(np.fft.rfft(x)) ** 2


def convolved_by_fft(x, y):
    return np.fft.ifft(np.fft.fft(x) * np.fft.fft(y)).real


def marked(x, y):
    return ((x > 0.5) & (y < 0.25)) | np.isnan(x)


def _sparse(r, n):
    rows = np.sort(r.integers(0, n, 8 * n))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return [indptr, r.integers(0, n, 8 * n), r.random(8 * n), r.random(n)]


def _starts(r, n):
    return [np.sort(np.concatenate([[0, n], r.integers(0, n, n // 200)])), r.random(n)]


# The sizes, and the arguments of one.
DATA = {
    sparse_product: ((512, 4096), _sparse),
    group_sums: ((20_000, 200_000), _starts),
    radial_means: ((40_000, 400_000), lambda r, n: [r.random(n), r.random(n)]),
    radial_histogram: ((40_000, 400_000), lambda r, n: [r.random(n), r.random(n)]),
    uneven_histogram: ((40_000, 400_000), lambda r, n: [r.random(n)]),
    digits: ((40_000, 400_000), lambda r, n: [r.random(n), np.sort(r.random(100))]),
    places_in_order: ((20_000, 200_000), lambda r, n: [np.sort(r.random(n)), r.random(n)]),
    escape_times: ((100, 300), lambda r, n: [np.linspace(-1.75, 0.25, n), np.linspace(-1, 1, n)[:, None]]),
    levinson: ((200, 1000), lambda r, n: [r.random(n) / n]),
    checksum: ((200, 1000), lambda r, n: [r.integers(0, 256, n)]),
    sliding_peak: ((10_000, 100_000), lambda r, n: [r.random(n)]),
    sliding_middle: ((10_000, 100_000), lambda r, n: [r.random(n)]),
    window_loop: ((1000, 5000), lambda r, n: [r.random(n)]),
    forward_substitution: ((400, 2000), lambda r, n: [np.tril(r.random((n, n))) + n * np.eye(n), r.random(n)]),
    group_means: ((40_000, 400_000), lambda r, n: [r.integers(0, 64, n), r.random(n)]),
    turned_points: ((1000, 20_000), lambda r, n: [r.random((n, 3, 3)), r.random((n, 3, 4))]),
    power_spectrum: ((4096, 65_536), lambda r, n: [r.random(n)]),
    convolved_by_fft: ((4096, 65_536), lambda r, n: [r.random(n), r.random(n)]),
    marked: ((20_000, 200_000), lambda r, n: [r.random(n), r.random(n)]),
    scattered_sums: ((40_000, 400_000), lambda r, n: [r.integers(0, 64, n), r.random(n)]),
}
