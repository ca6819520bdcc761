# call: fft_real(re, im); re = normal(32); im = normal(32)
import numpy as np


def fft_real(re, im):
    """In-place radix-2 transform with separate real and imaginary parts."""
    n = re.shape[0]
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        half = size // 2
        angle = -2 * np.pi * np.arange(half) / size
        wr, wi = np.cos(angle), np.sin(angle)
        for start in range(0, n, size):
            ur, ui = re[start:start + half].copy(), im[start:start + half].copy()
            vr = re[start + half:start + size] * wr - im[start + half:start + size] * wi
            vi = re[start + half:start + size] * wi + im[start + half:start + size] * wr
            re[start:start + half] = ur + vr
            im[start:start + half] = ui + vi
            re[start + half:start + size] = ur - vr
            im[start + half:start + size] = ui - vi
        size *= 2
