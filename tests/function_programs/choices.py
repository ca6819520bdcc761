import numpy as np
np.random.seed(5)
p = np.array([0.2, 0.5, 0.3])
k = np.random.choice(3, size=50, p=p)
c = np.equal.outer(np.arange(3), k).sum(axis=1)
u = np.random.choice(10, size=(4, 5))
v = np.random.binomial(1, 0.3, size=20)
