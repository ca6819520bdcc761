import numpy as np

np.random.seed(2)
rgb = np.random.randint(0, 256, size=(16, 24, 3))
gray = np.dot(rgb[..., :3], [0.299, 0.587, 0.114])
h, w = gray.shape
new_h, new_w = 11, 13
ys = np.linspace(0, h - 1, new_h)
xs = np.linspace(0, w - 1, new_w)
y0 = np.floor(ys).astype(int)
x0 = np.floor(xs).astype(int)
y1 = np.minimum(y0 + 1, h - 1)
x1 = np.minimum(x0 + 1, w - 1)
wy = (ys - y0)[:, None]
wx = (xs - x0)[None, :]
top = gray[np.ix_(y0, x0)] * (1 - wx) + gray[np.ix_(y0, x1)] * wx
bottom = gray[np.ix_(y1, x0)] * (1 - wx) + gray[np.ix_(y1, x1)] * wx
small = top * (1 - wy) + bottom * wy
print(small.shape, small.mean().round(3))
