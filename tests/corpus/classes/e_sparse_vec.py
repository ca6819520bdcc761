import numpy as np
from collections.abc import MutableMapping


class SparseVector(dict):
    def __missing__(self, key):
        return 0.0

    def __add__(self, other):
        out = SparseVector(self)
        for k, v in other.items():
            out[k] += v
            if out[k] == 0:
                del out[k]
        return out

    def __mul__(self, s):
        return SparseVector((k, v * s) for k, v in self.items())

    __rmul__ = __mul__

    def dot(self, other):
        small, big = (self, other) if len(self) < len(other) else (other, self)
        return sum(v * big[k] for k, v in small.items())

    def norm(self):
        return self.dot(self) ** 0.5

    def dense(self, n):
        x = np.zeros(n)
        for k, v in self.items():
            x[k] = v
        return x

    @classmethod
    def from_dense(cls, values):
        return cls({i: float(v) for i, v in enumerate(values) if v})

    @staticmethod
    def cosine(a, b):
        try:
            return a.dot(b) / (a.norm() * b.norm())
        except ZeroDivisionError:
            return None


u = SparseVector.from_dense([0, 1, 0, 2, 0])
v = SparseVector({1: -1.0, 4: 3.0})
w = u + 2 * v
print(dict(w), w.dot(u), round(w.norm(), 4), u[100])
print(SparseVector.cosine(u, v), SparseVector.cosine(u, SparseVector()))
s = u + v
print(sorted(s), 1 in s, s.get(3), s.pop(4, None), s.pop(4, None))
d = dict.fromkeys("abc", 0)
d |= {"z": 26}
print(d, list(d.items())[-1], d.popitem(), len(d))
dense = w.dense(6)
