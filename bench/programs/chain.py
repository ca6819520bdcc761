# A chain of element-wise operations. a, b: matrices.
import numpy as np

r = np.sqrt(np.abs(np.tanh((a * b + 1) * (a - b)) * 0.5 + 0.25) * a) + b * b
