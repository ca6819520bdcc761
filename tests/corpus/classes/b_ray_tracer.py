import numpy as np
from dataclasses import dataclass, field


def normalize(v):
    return v / np.linalg.norm(v)


@dataclass
class Ray:
    origin: np.ndarray
    direction: np.ndarray


@dataclass
class Material:
    color: np.ndarray
    specular: float = 0.4
    reflect: float = 0.0


class Shape:
    def __init__(self, material):
        self.material = material

    def hit(self, ray):
        raise NotImplementedError


class Sphere(Shape):
    def __init__(self, center, radius, material):
        super().__init__(material)
        self.center, self.radius = np.array(center), radius

    def hit(self, ray):
        oc = ray.origin - self.center
        b = np.dot(oc, ray.direction)
        disc = b * b - np.dot(oc, oc) + self.radius ** 2
        if disc < 0:
            return None
        t = -b - np.sqrt(disc)
        return t if t > 1e-4 else None

    def normal(self, p):
        return (p - self.center) / self.radius


class Floor(Shape):
    def hit(self, ray):
        return -ray.origin[1] / ray.direction[1] if ray.direction[1] < -1e-9 else None

    def normal(self, p):
        return np.array([0.0, 1.0, 0.0])


@dataclass
class Scene:
    light: np.ndarray
    shapes: list = field(default_factory=list)

    def trace(self, ray, depth=0):
        hits = [(t, s) for s in self.shapes if (t := s.hit(ray)) is not None]
        if not hits:
            return np.array([0.2, 0.3, 0.5]) * (1 - abs(ray.direction[1]))
        t, shape = min(hits, key=lambda h: h[0])
        p, m = ray.origin + t * ray.direction, shape.material
        n, to_light = shape.normal(p), normalize(self.light - p)
        shade = max(np.dot(n, to_light), 0.0)
        color = m.color * (0.1 + shade)
        color = color + m.specular * max(np.dot(n, normalize(to_light - ray.direction)), 0.0) ** 30
        if m.reflect > 0 and depth < 2:
            r = ray.direction - 2 * np.dot(ray.direction, n) * n
            color = (1 - m.reflect) * color + m.reflect * self.trace(Ray(p + 1e-3 * n, r), depth + 1)
        return color


def main(width=14, height=10):
    scene = Scene(light=np.array([3.0, 5.0, -4.0]))
    scene.shapes.append(Sphere([0, 1, 1], 1.0, Material(np.array([0.9, 0.2, 0.2]), reflect=0.3)))
    scene.shapes.append(Floor(Material(np.array([0.5, 0.5, 0.5]), specular=0.0)))
    eye, image = np.array([0.0, 1.0, -3.0]), np.zeros((height, width, 3))
    for i, v in enumerate(np.linspace(1, -1, height)):
        for j, u in enumerate(np.linspace(-1.4, 1.4, width)):
            image[i, j] = scene.trace(Ray(eye, normalize(np.array([u, v, 2.0]))))
    return np.clip(image, 0, 1)


if __name__ == "__main__":
    image = main()
    brightness = image.mean()
