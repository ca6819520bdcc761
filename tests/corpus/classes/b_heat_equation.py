import numpy as np


class StabilityError(ValueError):
    """The explicit scheme would blow up."""


class HeatEquation:
    def __init__(self, n, alpha, left=0.0, right=0.0):
        self.x = np.linspace(0, 1, n)
        self.dx = self.x[1] - self.x[0]
        self.alpha = alpha
        self.left, self.right = left, right
        self.u = np.zeros(n)
        self.t = 0.0

    def set_initial(self, f):
        self.u = f(self.x)
        self.u[0], self.u[-1] = self.left, self.right

    def step(self, dt):
        r = self.alpha * dt / self.dx ** 2
        if r > 0.5:
            raise StabilityError(f"r = {r:.2f} > 0.5")
        self.u[1:-1] = self.u[1:-1] + r * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
        self.t += dt

    def solve(self, dt, steps):
        for _ in range(steps):
            self.step(dt)
        return self.u.copy()


rod = HeatEquation(41, alpha=1.0, right=1.0)
rod.set_initial(lambda x: np.sin(np.pi * x))
u_early = rod.solve(dt=0.0003, steps=50)
u_late = rod.solve(dt=0.0003, steps=150)

dt = 0.001
try:
    u_late = rod.solve(dt, 10)
except StabilityError as err:
    print("refused:", err)
    dt /= 4
    u_late = rod.solve(dt, 10)

steady_gap = np.abs(u_late - rod.x).max()
print(f"t = {rod.t:.4f}, distance to the steady state {steady_gap:.5f}")
