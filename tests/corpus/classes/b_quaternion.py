from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Quaternion:
    w: float
    x: float
    y: float
    z: float

    @staticmethod
    def identity() -> Quaternion:
        return Quaternion(1.0, 0.0, 0.0, 0.0)

    @classmethod
    def from_axis_angle(cls, axis, angle: float) -> Quaternion:
        axis = np.asarray(axis, dtype=float)
        axis = axis / np.linalg.norm(axis)
        s = math.sin(angle / 2)
        return cls(math.cos(angle / 2), *(s * axis))

    def __add__(self, o: Quaternion) -> Quaternion:
        return Quaternion(self.w + o.w, self.x + o.x, self.y + o.y, self.z + o.z)

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return -1.0 * self

    def __abs__(self):
        return math.sqrt(self.w ** 2 + self.x ** 2 + self.y ** 2 + self.z ** 2)

    def conj(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def normalized(self):
        return self * (1.0 / abs(self))

    def rotate(self, v):
        p = self * Quaternion(0.0, *v) * self.conj()
        return np.array([p.x, p.y, p.z])

    def to_array(self):
        return np.array([self.w, self.x, self.y, self.z])


# integrate dq/dt = q * omega / 2 for a spinning body
dt = 0.02
q = Quaternion.identity()
path = []
for k in range(100):
    omega = Quaternion(0.0, 0.3, math.sin(0.05 * k), 1.0)
    q = (q + 0.5 * dt * (q * omega)).normalized()
    path.append(q.rotate([1.0, 0.0, 0.0]))

path = np.array(path)
final_q = q.to_array()

turn = Quaternion.from_axis_angle([0, 0, 1], math.pi / 2)
quarter = turn.rotate([1.0, 0.0, 0.0])
half = (turn * turn).rotate([1.0, 0.0, 0.0])
double_cover = np.abs((-turn).rotate([1.0, 2.0, 3.0]) - turn.rotate([1.0, 2.0, 3.0])).max()
print(f"|q| = {abs(q):.12f}; e_x after a quarter turn: {quarter.round(6)}")
