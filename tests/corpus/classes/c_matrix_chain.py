# Matrix chain multiplication: best order, with a dict memo, then do it
import numpy as np

np.random.seed(0)


class Chain:
    def __init__(self, *mats):
        for A, B in zip(mats[:-1], mats[1:]):
            if A.shape[1] != B.shape[0]:
                raise ValueError("shapes %s and %s do not match" % (A.shape, B.shape))
        self.mats = mats
        self.dims = [m.shape[0] for m in mats] + [mats[-1].shape[1]]
        self.memo = {}
        self.multiplications = 0

    def best(self, i, j):
        if i == j:
            return 0, None
        key = (i, j)
        if key in self.memo:
            return self.memo[key]
        best_cost, best_k = None, None
        for k in range(i, j):
            cost = (self.best(i, k)[0] + self.best(k + 1, j)[0]
                    + self.dims[i] * self.dims[k + 1] * self.dims[j + 1])
            if best_cost is None or cost < best_cost:
                best_cost, best_k = cost, k
        self.memo[key] = (best_cost, best_k)
        return self.memo[key]

    def multiply(self, i=0, j=None):
        if j is None:
            j = len(self.mats) - 1
        if i == j:
            return self.mats[i]
        _, k = self.best(i, j)
        left = self.multiply(i, k)
        right = self.multiply(k + 1, j)
        self.multiplications += left.shape[0] * left.shape[1] * right.shape[1]
        return left @ right

    def plan(self, i, j):
        if i == j:
            return "A%d" % i
        k = self.best(i, j)[1]
        return "(" + self.plan(i, k) + self.plan(k + 1, j) + ")"


dims = [6, 3, 8, 2, 7, 4]
mats = [np.random.rand(a, b) for a, b in zip(dims, dims[1:])]
chain = Chain(*mats)
product = chain.multiply()
cost = float(chain.best(0, len(mats) - 1)[0])
print(chain.plan(0, len(mats) - 1), cost)

naive = mats[0]
for m in mats[1:]:
    naive = naive @ m
error = np.abs(product - naive).max()
assert chain.multiplications == cost

try:
    Chain(mats[0], mats[2])
except ValueError as e:
    print(e)
