# The third step of Adam, in place. p, g, m, v: vectors.
import numpy as np

m *= 0.9
m += 0.1 * g
v *= 0.999
v += 0.001 * g * g
p -= 0.001 * (m / (1 - 0.9**3)) / (np.sqrt(v / (1 - 0.999**3)) + 1e-8)
