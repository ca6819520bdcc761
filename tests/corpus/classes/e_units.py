import numpy as np
from functools import total_ordering
import math


@total_ordering
class Quantity:
    def __init__(self, value, unit=""):
        self.value = value
        self.unit = unit

    def _check(self, other):
        if not isinstance(other, Quantity):
            return NotImplemented
        if other.unit != self.unit:
            raise TypeError(f"cannot combine {self.unit!r} and {other.unit!r}")

    def __add__(self, other):
        if self._check(other) is NotImplemented:
            return NotImplemented
        return Quantity(self.value + other.value, self.unit)

    def __mul__(self, k):
        if isinstance(k, (int, float)):
            return Quantity(self.value * k, self.unit)
        return NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other):
        return (self.value, self.unit) == (other.value, other.unit)

    def __lt__(self, other):
        self._check(other)
        return self.value < other.value

    def __hash__(self):
        return hash((self.value, self.unit))

    def __neg__(self):
        return Quantity(-self.value, self.unit)

    def __format__(self, spec):
        return format(self.value, spec or "g") + self.unit

    def __repr__(self):
        return f"Quantity({self.value!r}, {self.unit!r})"


a, b, t = Quantity(3.0, "m"), Quantity(4.5, "m"), Quantity(2, "s")
print(a + b, 2 * a, f"{b:.2f}", a < b, a >= b, max(a, b), sorted([b, a, -a]))
for left, right in ((a, t), (a, b)):
    try:
        print(left + right)
    except TypeError as e:
        print("TypeError:", e)
try:
    a + 5
except TypeError:
    print("no ints")
seen = {a, b, Quantity(3.0, "m")}
print(len(seen), a in seen, t in seen)
print(math.isclose(math.hypot(3, 4), 5.0), math.gcd(12, 18), math.prod([1, 2, 3, 4]), math.comb(5, 2))
print(math.degrees(math.pi), math.floor(-2.5), math.ceil(2.1), math.trunc(-2.7), math.fsum([.1] * 10))
vals = np.array([q.value for q in (a, b)])
