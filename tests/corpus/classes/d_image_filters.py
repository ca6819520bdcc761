from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import Enum
from typing import Callable, Dict, Optional

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float64]
Filter = Callable[[Image], Image]

FILTERS: Dict[str, Filter] = {}


class Padding(Enum):
    EDGE = "edge"
    REFLECT = "reflect"


class ShapeError(ValueError): ...


def image_filter(name: Optional[str] = None) -> Callable[[Filter], Filter]:
    """Register a filter and check that it gets a two-dimensional image."""
    def decorate(fn: Filter) -> Filter:
        @functools.wraps(fn)
        def wrapper(img: Image) -> Image:
            if img.ndim != 2:
                raise ShapeError(f"{fn.__name__}: expected 2-d image, got shape {img.shape}")
            return fn(img)
        FILTERS[name or fn.__name__] = wrapper
        return wrapper
    return decorate


@dataclass(frozen=True)
class Kernel:
    weights: Image
    padding: Padding = Padding.EDGE

    @classmethod
    def gaussian(cls, size: int, sigma: float) -> Kernel:
        ax = np.arange(size) - size // 2
        g = np.exp(-ax ** 2 / (2 * sigma ** 2))
        w = np.outer(g, g)
        return cls(w / w.sum(), Padding.REFLECT)

    def apply(self, img: Image) -> Image:
        kh, kw = self.weights.shape
        padded = np.pad(img, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode=self.padding.value)
        out = np.zeros_like(img)
        for i in range(kh):
            for j in range(kw):
                out += self.weights[i, j] * padded[i:i + img.shape[0], j:j + img.shape[1]]
        return out


SOBEL = Kernel(np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]))


@image_filter()
def blur(img: Image) -> Image:
    return Kernel.gaussian(5, 1.0).apply(img)


@image_filter("edges")
def gradient_magnitude(img: Image) -> Image:
    gx = SOBEL.apply(img)
    gy = Kernel(SOBEL.weights.T).apply(img)
    return np.hypot(gx, gy)


@image_filter()
def stretch(img: Image) -> Image:
    lo, hi = img.min(), img.max()
    return (img - lo) / (hi - lo) if hi > lo else np.zeros_like(img)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    yy, xx = np.mgrid[0:16, 0:16]
    picture = ((xx - 8) ** 2 + (yy - 7) ** 2 < 20).astype(float) + 0.1 * rng.standard_normal((16, 16))
    result = functools.reduce(lambda im, key: FILTERS[key](im), ["blur", "edges", "stretch"], picture)
    noise_ratio = float(np.std(FILTERS["blur"](picture)) / np.std(picture))
    try:
        blur(picture.ravel())
    except ShapeError as exc:
        print(exc)
