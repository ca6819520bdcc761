# call: centroid(img, 0.8); img = uniform(12, 10)
import numpy as np


def centroid(img, level):
    places = np.argwhere(img > level)
    if len(places) == 0:
        raise ValueError("nothing is brighter than", level)
    centre = places.mean(axis=0)
    total = 0.0
    for i, j in places:
        total += img[i, j]
    dim = img.copy()
    np.putmask(dim, dim <= level, 0)
    np.put(dim, [0, -1], -1.0)
    return centre, total, dim
