from collections import deque, namedtuple

import numpy as np

Snapshot = namedtuple("Snapshot", "step time energy field")


class WaveSolver:
    """Leap-frog on a string with both ends fixed, keeping the last few snapshots."""

    def __init__(self, n=60, c=1.0, courant=0.9, keep=4):
        self.x = np.linspace(0.0, 1.0, n)
        self.dx = self.x[1] - self.x[0]
        self.c = c
        self.dt = courant * self.dx / c
        self.u = np.zeros(n)
        self.u_prev = np.zeros(n)
        self.step_no = 0
        self.snapshots = deque(maxlen=keep)

    def pluck(self, position=0.3, height=1.0):
        left = self.x / position
        right = (1 - self.x) / (1 - position)
        self.u = height * np.minimum(left, right)
        self.u_prev = self.u.copy()

    @property
    def time(self):
        return self.step_no * self.dt

    @property
    def energy(self):
        v = (self.u - self.u_prev) / self.dt
        s = np.diff(self.u) / self.dx
        return 0.5 * self.dx * (np.sum(v ** 2) + self.c ** 2 * np.sum(s ** 2))

    def __iter__(self):
        return self

    def __next__(self):
        r2 = (self.c * self.dt / self.dx) ** 2
        u_next = np.zeros_like(self.u)
        u_next[1:-1] = (2 * self.u[1:-1] - self.u_prev[1:-1]
                        + r2 * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2]))
        self.u_prev, self.u = self.u, u_next
        self.step_no += 1
        snap = Snapshot(self.step_no, self.time, self.energy, self.u.copy())
        if self.step_no % 10 == 0:
            self.snapshots.append(snap)
        return snap


def plot(solver):
    import matplotlib.pyplot as plt
    for s in solver.snapshots:
        plt.plot(solver.x, s.field, label=f"t={s.time:.2f}")
    plt.legend()
    plt.show()


def main(n_steps=80):
    solver = WaveSolver()
    solver.pluck(0.3)
    energies = []
    for snap in solver:
        energies.append(snap.energy)
        if snap.step >= n_steps:
            break
    fields = np.array([s.field for s in solver.snapshots])
    times = np.array([s.time for s in solver.snapshots])
    print("kept", len(solver.snapshots), "snapshots at", times.round(3))
    return np.array(energies), fields, times


if __name__ == "__main__":
    energies, fields, times = main()
