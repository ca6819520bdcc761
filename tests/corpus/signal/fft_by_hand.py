# call: fft(x); x = normal(32) + 1j * normal(32)
import numpy as np


def fft(x):
    """Recursive radix-2 Cooley-Tukey transform."""
    N = len(x)
    if N == 1:
        return x
    even = fft(x[::2])
    odd = fft(x[1::2])
    factor = np.exp(-2j * np.pi * np.arange(N) / N)
    return np.concatenate([even + factor[:N // 2] * odd, even + factor[N // 2:] * odd])
