# call: frequency(x, 100.0); x = np.cos(2 * np.pi * 7 * np.arange(64) / 100.0) + 0.01 * normal(64)
import numpy as np


def frequency(x, fs):
    n = len(x)
    X = np.fft.fft(x * np.bartlett(n))
    h = np.zeros(n)
    h[0] = h[n // 2] = 1
    h[1:n // 2] = 2
    analytic = np.fft.ifft(X * h)
    phase = np.unwrap(np.angle(analytic))
    return phase, np.diff(phase) / (2.0 * np.pi) * fs
