import numpy as np

G = 1.0


class Body:
    def __init__(self, name, mass, position, velocity):
        self.name = name
        self.mass = mass
        self.r = np.asarray(position, dtype=float)
        self.v = np.asarray(velocity, dtype=float)
        self.a = np.zeros(3)
        self.trail = [self.r.copy()]

    def acceleration_from(self, other):
        d = other.r - self.r
        return G * other.mass * d / np.linalg.norm(d) ** 3


class System:
    def __init__(self, bodies):
        self.bodies = list(bodies)
        self.to_barycentre()
        self.compute_accelerations()

    @classmethod
    def sun_and_planets(cls, *planets):
        """planets: (name, mass, distance) on circular orbits."""
        bodies = [Body("sun", 1.0, [0, 0, 0], [0, 0, 0])]
        for i, (name, mass, a) in enumerate(planets):
            phi = i * 2.0
            speed = np.sqrt(G / a)
            bodies.append(Body(name, mass,
                               [a * np.cos(phi), a * np.sin(phi), 0.0],
                               [-speed * np.sin(phi), speed * np.cos(phi), 0.01 * i]))
        return cls(bodies)

    def __getitem__(self, name):
        for b in self.bodies:
            if b.name == name:
                return b
        raise KeyError(name)

    def to_barycentre(self):
        M = sum(b.mass for b in self.bodies)
        v_cm = sum(b.mass * b.v for b in self.bodies) / M
        for b in self.bodies:
            b.v = b.v - v_cm

    def compute_accelerations(self):
        for b in self.bodies:
            b.a = sum(b.acceleration_from(o) for o in self.bodies if o is not b)

    def leapfrog(self, dt):
        for b in self.bodies:
            b.v = b.v + 0.5 * dt * b.a
            b.r = b.r + dt * b.v
        self.compute_accelerations()
        for b in self.bodies:
            b.v = b.v + 0.5 * dt * b.a
            b.trail.append(b.r.copy())

    def energy(self):
        e = 0.0
        for i, b in enumerate(self.bodies):
            e += 0.5 * b.mass * b.v @ b.v
            for o in self.bodies[i + 1:]:
                e -= G * b.mass * o.mass / np.linalg.norm(b.r - o.r)
        return e


def main():
    system = System.sun_and_planets(("a", 1e-3, 1.0), ("b", 3e-4, 1.8), ("c", 1e-4, 2.9))
    e0 = system.energy()
    drift = []
    for step in range(120):
        system.leapfrog(0.03)
        drift.append(system.energy() / e0 - 1)
    print(f"max relative energy error: {max(np.abs(drift)):.2e}")
    return np.array(drift), np.array(system["b"].trail), system["sun"].r


if __name__ == "__main__":
    drift, trail_b, sun = main()
