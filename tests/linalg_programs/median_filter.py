import numpy as np


def shifted(img, i, j):
    h, w = img.shape
    return img[i:h - 2 + i, j:w - 2 + j].reshape(1, (h - 2) * (w - 2))


def median_filter(img):
    h, w = img.shape
    stack = np.concatenate([shifted(img, 0, 0), shifted(img, 0, 1), shifted(img, 0, 2),
                            shifted(img, 1, 0), shifted(img, 1, 1), shifted(img, 1, 2),
                            shifted(img, 2, 0), shifted(img, 2, 1), shifted(img, 2, 2)])
    return np.median(stack, axis=0).reshape(h - 2, w - 2)


img: (12, 9)

smooth = median_filter(img)
overall = np.median(img)
per_row = np.median(img, axis=1, keepdims=True)
