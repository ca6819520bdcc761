# rounding: 1e-7
import numpy as np

fs = 1000
t = np.arange(0, 1, 1 / fs)
x = np.sin(2 * np.pi * (50 * t + 100 * t ** 2))
win, hop = 128, 64
window = np.hanning(win)
frames = [x[i:i + win] * window for i in range(0, len(x) - win + 1, hop)]
S = np.abs(np.fft.rfft(np.array(frames), axis=1)) ** 2
freqs = np.fft.rfftfreq(win, 1 / fs)
peak = freqs[S.argmax(axis=1)]
print(S.shape)
print("peaks", peak)
log_s = 10 * np.log10(S + 1e-10)
print("dynamic range", log_s.max() - log_s.min())
