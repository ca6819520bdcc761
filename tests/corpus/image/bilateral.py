# call: bilateral(img, 2, 1.5, 0.2); img = uniform(20, 22)
import numpy as np


def bilateral(img: np.ndarray, radius: int, sigma_s: float, sigma_r: float) -> np.ndarray:
    """Bilateral filter written with shifted copies of the image."""
    h, w = img.shape
    padded = np.pad(img, radius, mode="symmetric")
    num = np.zeros((h, w))
    den = np.zeros((h, w))
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = padded[radius + dy:radius + dy + h, radius + dx:radius + dx + w]
            weight = np.exp(-(dx * dx + dy * dy) / (2 * sigma_s ** 2)
                            - (shifted - img) ** 2 / (2 * sigma_r ** 2))
            num += weight * shifted
            den += weight
    return num / den
