import numpy as np
from collections import deque


class FIRFilter:
    """Streaming FIR filter; feed it one sample at a time."""

    def __init__(self, taps):
        self.taps = np.asarray(taps, dtype=float)
        self._delay = deque([0.0] * len(self.taps), maxlen=len(self.taps))

    @classmethod
    def lowpass(cls, cutoff, n_taps=15):
        m = np.arange(n_taps) - (n_taps - 1) / 2
        h = np.sinc(2 * cutoff * m) * np.hamming(n_taps)
        return cls(h / h.sum())

    def __call__(self, sample):
        self._delay.appendleft(sample)
        return float(np.dot(self.taps, self._delay))

    def process(self, signal):
        return np.array([self(s) for s in signal])

    def response(self, freqs):
        k = np.arange(len(self.taps))
        return np.abs([np.sum(self.taps * np.exp(-2j * np.pi * f * k)) for f in freqs])


class ImageFilter:
    def __or__(self, other):
        """blur | edges runs blur first"""
        return Chain(self, other)

    def apply(self, img):
        raise NotImplementedError


class Chain(ImageFilter):
    def __init__(self, *filters):
        self.children = []
        for f in filters:
            self.children.extend(f.children if isinstance(f, Chain) else [f])

    def apply(self, img):
        for f in self.children:
            img = f.apply(img)
        return img


class Convolution(ImageFilter):
    kernel = np.ones((1, 1))

    def apply(self, img):
        kh, kw = self.kernel.shape
        padded = np.pad(img, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="edge")
        out = np.zeros_like(img, dtype=float)
        for i in range(kh):
            for j in range(kw):
                out += self.kernel[i, j] * padded[i:i + img.shape[0], j:j + img.shape[1]]
        return out


class Blur(Convolution):
    kernel = np.outer([1, 2, 1], [1, 2, 1]) / 16


class Laplace(Convolution):
    kernel = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]])


class Threshold(ImageFilter):
    def __init__(self, level):
        self.level = level

    def apply(self, img):
        return np.where(np.abs(img) > self.level, 1.0, 0.0)


t = np.arange(120) / 120
noisy = np.sin(2 * np.pi * 3 * t) + 0.5 * np.sin(2 * np.pi * 45 * t)
fir = FIRFilter.lowpass(0.1)
smooth = fir.process(noisy)
gain = fir.response(np.linspace(0, 0.5, 11))

yy, xx = np.mgrid[0:20, 0:24]
disc = ((yy - 9.5) ** 2 + (xx - 12) ** 2 < 36).astype(float)
pipeline = Blur() | Laplace() | Threshold(0.1)
edges = pipeline.apply(disc)
edge_fraction = edges.mean()
