# call: render(24, 18)
import numpy as np


def normalize(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def render(width, height):
    """Shade one sphere with one light."""
    ys, xs = np.meshgrid(np.linspace(1, -1, height), np.linspace(-1.3, 1.3, width), indexing="ij")
    directions = normalize(np.stack([xs, ys, np.ones_like(xs)], axis=-1))
    center = np.array([0.0, 0.0, 3.0])
    radius = 1.0
    b = np.sum(directions * -center, axis=-1)
    c = np.dot(center, center) - radius ** 2
    disc = b ** 2 - c
    hit = disc > 0
    t = -b - np.sqrt(np.where(hit, disc, 0))
    points = t[..., None] * directions
    normals = normalize(points - center)
    light = normalize(np.array([1.0, 1.0, -1.0]))
    shade = np.clip(np.sum(normals * light, axis=-1), 0.1, 1)
    return np.where(hit, shade, 0.0)
