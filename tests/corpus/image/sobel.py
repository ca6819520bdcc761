# call: sobel(img); img = uniform(32, 32)
import numpy as np


def convolve2d(image, kernel):
    kh, kw = kernel.shape
    h, w = image.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * image[i:i + h - kh + 1, j:j + w - kw + 1]
    return out


def sobel(img):
    Kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    Ky = Kx.T
    gx = convolve2d(img, Kx)
    gy = convolve2d(img, Ky)
    magnitude = np.hypot(gx, gy)
    direction = np.arctan2(gy, gx)
    return magnitude / magnitude.max(), direction
