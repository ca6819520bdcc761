import numpy as np


class Particle:
    """A point particle that bounces in the unit square."""
    count = 0

    def __init__(self, pos, vel, mass=1.0):
        self.pos = np.array(pos, dtype=float)
        self.vel = np.array(vel, dtype=float)
        self.mass = mass
        self.id = Particle.count
        Particle.count += 1

    @property
    def kinetic_energy(self):
        return 0.5 * self.mass * np.dot(self.vel, self.vel)

    def move(self, dt, gravity):
        self.vel += dt * gravity
        self.pos += dt * self.vel
        for axis in range(2):
            if self.pos[axis] < 0:
                self.pos[axis] = -self.pos[axis]
                self.vel[axis] = -self.vel[axis]
            elif self.pos[axis] > 1:
                self.pos[axis] = 2 - self.pos[axis]
                self.vel[axis] *= -1

    def __repr__(self):
        return f"<Particle {self.id} at {self.pos.round(2)}>"


np.random.seed(0)
gravity = np.array([0.0, -1.0])
particles = []
for _ in range(8):
    particles.append(Particle(np.random.rand(2), np.random.randn(2), mass=np.random.uniform(0.5, 2)))

energies = []
for n in range(100):
    for p in particles:
        p.move(0.02, gravity)
    energies.append(sum(p.kinetic_energy + p.mass * p.pos[1] for p in particles))

energies = np.array(energies)
positions = np.array([p.pos for p in particles])
fastest = max(particles, key=lambda p: p.kinetic_energy)
top_speed = np.linalg.norm(fastest.vel)
print(fastest, "is the fastest of", Particle.count)
