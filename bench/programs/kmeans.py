# To which of the centres each point is nearest. points, centres: matrices, a point a row.
distance = (points * points).sum(axis=1, keepdims=True) - 2 * (points @ centres.T) + (centres * centres).sum(axis=1)
nearest = distance.argmin(axis=1)
