import numpy as np
np.random.seed(1)
sizes = [4, 8, 3]
W1 = np.random.normal(loc=0.0, scale=np.sqrt(2 / sizes[0]), size=(sizes[0], sizes[1]))
b1 = np.zeros_like(W1[0])
W2 = np.random.standard_normal((sizes[1], sizes[2])) * 0.1
X = np.random.uniform(size=(16, 4))
t = np.random.randint(0, 3, size=16)
Y = np.equal.outer(t, np.arange(3)).astype(float)
h = np.fmax(X @ W1 + b1, 0)
z = h @ W2
p = np.exp(z - z.max(axis=1, keepdims=True))
p /= p.sum(axis=1, keepdims=True)
loss = -np.average(np.log(np.sum(p * Y, axis=1)))
acc = np.mean(np.argmax(p, axis=1) == t)
