import numpy as np
X: (8, 6)
train, test = np.split(X, [6])
f, g = np.hsplit(train, 2)
z = np.concatenate([f * 2, g], axis=1)
batches = np.array_split(train, 3)
s = batches[0].sum() + batches[2].mean()
aug = np.column_stack((np.ones(6), train))
gates = np.tile(np.array([1.0, 0.0]), (6, 3)) * train
rep = np.repeat(np.arange(3), 2) * 1.0
