import numpy as np


class Positive:
    """A descriptor that validates."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, got {value}")
        setattr(obj, self.name, value)


class Gas:
    R = 8.314
    n = Positive()
    V = Positive()

    def __init__(self, n, V, T):
        self.n, self.V = n, V
        self._T = T
        self.history = []

    @property
    def T(self):
        return self._T

    @T.setter
    def T(self, value):
        if value < 0:
            raise ValueError("below absolute zero")
        self.history.append(self._T)
        self._T = value

    @property
    def p(self):
        return self.n * self.R * self.T / self.V

    def expand(self, factor, gamma=5 / 3):
        self.V *= factor
        self.T = self.T * factor ** (1 - gamma)
        return self

    def isotherm(self, volumes):
        return self.n * self.R * self.T / np.asarray(volumes)


g = Gas(1.0, 0.0248, 298.15)
print(f"p = {g.p:,.1f} Pa")
for _ in range(3):
    g.expand(1.5)
print(f"T = {g.T:.3f} K, p = {g.p:.3e} Pa, history {[round(h, 1) for h in g.history]}")
for attr, val in (("T", -5), ("V", 0), ("n", 2.0)):
    try:
        setattr(g, attr, val)
        print("set", attr, getattr(g, attr))
    except ValueError as e:
        print("ValueError:", e)
w = np.trapz(g.isotherm(np.linspace(0.02, 0.04, 21)), dx=0.001)
print(f"work {w:10.4f} J")
