import numpy as np
t = np.linspace(0, 1, 200, endpoint=False)
s = np.sin(2 * np.pi * 5 * t) + 0.3 * np.cos(2 * np.pi * 40 * t)
kernel = np.ones(7) / 7.0
smooth = np.convolve(s, kernel, mode='same')
padded = np.pad(s, (3, 3), mode='edge')
valid = np.convolve(padded, kernel, mode='valid')
rms = np.sqrt(np.mean(np.square(smooth - valid)))
e = np.hstack((np.zeros(2), smooth, np.zeros(2)))
