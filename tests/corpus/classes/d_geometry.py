"""Immutable 2-d geometry: points, affine transforms and polygons."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice, pairwise
from operator import matmul
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["Point", "Transform", "Polygon"]


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __sub__(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    def cross(self, other: Point) -> float:
        return self.x * other.y - self.y * other.x

    def __abs__(self) -> float:
        return math.hypot(self.x, self.y)

    def __iter__(self) -> Iterator[float]:
        yield self.x
        yield self.y


class Transform:
    __slots__ = ("_m",)

    def __init__(self, m: NDArray[np.float64]) -> None:
        self._m = m

    @classmethod
    def rotation(cls, degrees: float) -> Transform:
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        return cls(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))

    @classmethod
    def translation(cls, dx: float, dy: float) -> Transform:
        return cls(np.array([[1.0, 0.0, dx], [0.0, 1.0, dy], [0.0, 0.0, 1.0]]))

    @classmethod
    def scale(cls, factor: float) -> Transform:
        return cls(np.diag([factor, factor, 1.0]))

    def __matmul__(self, other: Transform) -> Transform:
        return Transform(self._m @ other._m)

    def __call__(self, p: Point) -> Point:
        x, y, _ = self._m @ np.array([*p, 1.0])
        return Point(float(x), float(y))

    def inverse(self) -> Transform:
        return Transform(np.linalg.inv(self._m))


@dataclass(frozen=True)
class Polygon:
    points: tuple[Point, ...]

    def edges(self) -> Iterator[tuple[Point, Point]]:
        return pairwise(chain(self.points, islice(self.points, 1)))

    @property
    def area(self) -> float:
        return 0.5 * sum(a.cross(b) for a, b in self.edges())

    def map(self, t: Transform) -> Polygon:
        return Polygon(tuple(t(p) for p in self.points))


house = Polygon((Point(0, 0), Point(2, 0), Point(2, 1), Point(1, 2), Point(0, 1)))
steps = [Transform.translation(1, -1), Transform.rotation(30), Transform.scale(2.0)]
combined = reduce(matmul, steps)
moved = house.map(combined)
coords = np.array([list(p) for p in moved.points])
areas = np.array([house.area, moved.area])
round_trip = max(abs(p - q) for p, q in zip(moved.map(combined.inverse()).points, house.points))
perimeter = sum(abs(b - a) for a, b in moved.edges())
