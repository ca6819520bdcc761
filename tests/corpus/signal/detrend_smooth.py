import numpy as np

rng = np.random.default_rng(4)
t = np.linspace(0, 10, 300)
y = 0.5 * t + np.sin(2 * t) + 0.2 * rng.standard_normal(t.size)
coef = np.polyfit(t, y, 1)
detrended = y - np.polyval(coef, t)
kernel = np.ones(11) / 11
smooth = np.convolve(detrended, kernel, mode="same")
crossings = np.where(np.diff(np.sign(smooth)))[0]
print("slope %.3f" % coef[0])
print("zero crossings", len(crossings))
print("rms", np.sqrt(np.mean(smooth ** 2)))
