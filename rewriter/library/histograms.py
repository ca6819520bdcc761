"""Two-dimensional histograms."""

import numpy as np


def _bins(bins, x, limits):
    edges = np.histogram_bin_edges(x, bins, limits) if np.ndim(bins) == 0 else np.asarray(bins)
    at = np.searchsorted(edges, x, side="right") - 1
    count = len(edges) - 1
    return edges, count, np.where(x == edges[-1], count - 1, at)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """The number of points (x, y) in each bin, and the edges of the bins of x and of y."""
    x, y = np.multiply(x, 1.0), np.multiply(y, 1.0)
    if "c" in (x.dtype.kind, y.dtype.kind):
        raise TypeError("complex numbers have no order")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("x and y must have the same length.")
    if np.ndim(bins) == 0 or len(bins) not in (1, 2):
        bins = [bins, bins]
    xedges, rows, i = _bins(bins[0], x, None if range is None else range[0])
    yedges, columns, j = _bins(bins[-1], y, None if range is None else range[1])
    inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
    bin = np.where(inside, i * columns + j, rows * columns)
    counts = np.bincount(bin, weights, minlength=rows * columns + 1)[:rows * columns]
    counts = np.reshape(np.multiply(counts, 1.0), (rows, columns))
    if density:
        counts = counts / np.diff(xedges)[:, None] / np.diff(yedges) / np.sum(counts)
    return counts, xedges, yedges
