"""Calls that Python or NumPy refuses, each with another reason; `NAMES` are the arrays and what else they mention."""

import numpy as np

NAMES = {
    "V": np.array([1.5, -2, 0.25, 3, -0.5]),
    "W": np.array([2.0, 1, 4]),
    "X": np.arange(12.0).reshape(4, 3) / 7 - 0.5,
    "Y": np.ones((5, 2)),
    "A": 2 * np.eye(3),
    "K": np.array([3, 1, 2]),
    "U": np.array([1, 2, 3], np.uint8),
    "B": np.array([True, False, True]),
    "C": np.array([1 + 2j, 3, 4j]),
    "E": np.zeros(0),
}
FUNCTIONS = """
def two(a, b):
    return a + b
def deflt(a, b=2, *, c=3):
    return a
"""
CALLS = """
return V[1.0]
return V[2.5]
return V["a"]
return V[None, 0, 0]
return V[5]
return V[-6]
return X[4]
return X[0, 3]
return X[0, 0, 0]
return X[:, 7]
V[9] = 1
X[0, 5] = 2
V[1.5] = 2
V[[0, 9]] = 1
return V[[0, 9]]
return V[np.array([0, 5])]
return V[np.array([True, False])]
return X[[0, 1], [0, 1, 2]]
return V.foo
return int(float("nan"))
return int(float("inf"))
return [1, 2][None]
return [1, 2][V[:2] > 0]
return [1, 2] * [1, 2]
return np.zeros(2.5)
return V[:2.5]
return np.foo
return np.linalg.foo(A)
return V.foo()
return undefined_name
return undefined_name(V)
return len(5)
return len(None)
return len(V.sum())
return len(np.array(5))
return 1 // 0
return 1 % 0
return 1 / 0
return 0 ** -1
return divmod(1, 0)
return V.size // 0
return np.concatenate([V, X])
return np.concatenate([X, Y])
return np.concatenate([])
return np.concatenate([V, W], axis=1)
return np.concatenate([1, 2])
return np.vstack([V, W])
return np.hstack([X, Y])
return np.hstack([X, V])
return np.dstack([X, Y])
return np.column_stack([V, W])
return np.stack([V, W])
return np.stack([])
return np.stack([V, V], axis=3)
return X @ Y
return V @ W
return X @ V
return V @ 2
return 2 @ V
return np.dot(X, Y)
return np.dot(V, W)
return np.matmul(X, 3)
return np.inner(X, Y)
return np.vdot(V, W)
return np.tensordot(X, Y)
return np.tensordot(X, Y, axes=1)
return np.einsum("ij,jk->ik", X, Y)
return np.einsum("ij", V)
return np.einsum("i,j->k", V, W)
return np.cross(V, W)
return V.reshape(2, 3)
return V.reshape(-1, -1)
return V.reshape(-1, 2)
return X.reshape(5)
return np.reshape(X, (7, 2))
return V.reshape("a")
return V.reshape(2.5)
return np.zeros(-1)
return np.zeros((2, -1))
return np.ones("a")
return np.zeros(2.5)
return np.empty()
return np.full(3)
return np.eye(-1)
return np.arange()
return np.arange(0, 5, 0)
return np.linspace(0, 1, -3)
return np.linspace(0)
return int("z")
return int("1.5")
return float("abc")
return int(None)
return int([1])
return float([1])
return float("")
return int(V)
return float(V)
return bool(V)
return two(1)
return two(1, 2, 3)
return two(1, b=2, c=3)
return two(1, a=2)
return two(c=2)
return deflt()
return deflt(1, 2, 3)
return deflt(1, d=3)
return np.sin()
return np.sin(V, V, V, V)
return np.sin([[1, 2], [3]])
return np.sum()
return np.sum(V, axis=1)
return np.sum(V, axis=-2)
return np.sum(V, foo=1)
return np.mean(X, axis=2)
return np.max(E)
return np.min(E)
return np.argmax(E)
return np.argmin(E)
return max([])
return min([])
return max(E)
return max(3)
return max()
return sum(3)
return np.add(V)
return np.add(V, W)
return V + W
return V + X
return X * Y
return V - "a"
return V + None
return V + [1]
return [1] + V
return [1] + 2
return [1] - [2]
return [1] * [2]
return [1] * 1.5
return "a" + 1
return 1 + "a"
return "a" - "b"
return "a" * "b"
return (1,) + [2]
return {1: 2} + {3: 4}
return None + 1
return -"a"
return -None
return -[1]
return ~1.5
return ~V
return V & 1
return V << 1
return V | V
return 1.5 & 1
return 1 << -1
return not_defined + V
return {"a": 1}["missing"]
return {"a": 1}[[1]]
return {[1]: 2}
return {[1]}
return [1, 2][5]
return [1, 2]["a"]
return [1, 2][1.0]
return (1, 2)[3]
return "abc"[7]
return "abc"["x"]
return 5[0]
return None[0]
return None.x
return (5).foo
return "abc".foo()
return [1].foo()
return {}.foo
a, b = 1, 2, 3; return a
a, b = V; return a
a, b = [1]; return a
a, b = 5; return a
a, *b = []; return a
a, b = X[0]; return a
(a, b), c = 1, 2; return a
for a, b in [1, 2]: pass
for a, b in [(1, 2, 3)]: pass
for i in 5: pass
for i in V.sum(): pass
for i in None: pass
return list(5)
return tuple(3)
return set(3)
return dict(3)
return dict([1])
return dict([(1, 2, 3)])
return sorted(5)
return sorted([1, "a"])
return enumerate(5)
return list(zip(5))
return list(map(two, [1]))
return range(1.5)
return range("a")
return range(1, 2, 0)
return range()
return list(range(3))[10]
return round(None)
return pow(2, "a")
return pow(2, -1, 0)
return chr(-1)
return ord("ab")
return ord(5)
return isinstance(1)
return isinstance(1, 5)
return str(1, 2, 3)
[].pop(); return 1
[1].pop(5); return 1
[1].remove(2); return 1
[1].index(2); return 1
{}.pop("a"); return 1
set().pop(); return 1
{1}.remove(2); return 1
[1].append(); return 1
[1].append(1, 2); return 1
[1].insert(1); return 1
return "a".join([1])
return "a".join(5)
return "abc".index("z")
return "a,b".split("")
return "{} {}".format(1)
return "{a}".format(b=1)
return "%d %d" % 1
return "%d" % "a"
return "%s" % (1, 2)
return f"{'a':d}"
return f"{1.5:d}"
x = 1; x[0] = 2
x = (1, 2); x[0] = 2
x = "ab"; x[0] = "c"
x = [1]; x[3] = 2
del [1][3]; return 1
d = {}; del d["a"]
d = {}; d.x = 1
x = 1; x.y = 1
y = y + 1; return y
if V: pass
if V > 0: return 1
while X: return 1
return V and 1
return 1 if V else 2
return V > 0 and V < 1
return not V
return [1] < 2
return "a" < 1
return None < 1
return 1 in 5
return 1 in "a"
return next(iter([]))
return next([1])
return 5()
return V()
return "a"()
return np.linalg.inv(X)
return np.linalg.inv(V)
return np.linalg.inv(np.zeros((2, 2)))
return np.linalg.solve(X, V)
return np.linalg.det(X)
return np.linalg.eigh(X)
return np.linalg.cholesky(X)
return np.linalg.cholesky(-np.eye(2))
return np.linalg.norm(X, "foo")
return np.linalg.norm(V, "fro")
return np.linalg.norm(X, 3)
return np.linalg.matrix_power(X, 2)
return np.linalg.qr(V)
return np.linalg.svd(V)
return np.trace(V)
return np.diag(np.zeros((2, 2, 2)))
return np.diagonal(V)
return V.T.dot()
return np.transpose(X, (0, 1, 2))
return np.transpose(X, (0, 0))
return np.transpose(X, 3)
return X.transpose(1)
return np.swapaxes(X, 0, 2)
return np.moveaxis(X, 0, 5)
return np.rollaxis(X, 5)
return np.squeeze(X, axis=0)
return np.expand_dims(V, 3)
return np.broadcast_to(V, (3, 4))
return np.broadcast_to(V, (2,))
return np.broadcast_arrays(V, W)
return np.repeat(V, [1, 2])
return np.repeat(V, -1)
return np.split(V, 2)
return np.split(V, 0)
return np.array_split(V, 0)
return np.hsplit(X, 2)
return np.vsplit(V, 1)
return np.dsplit(X, 1)
return np.delete(V, 9)
return np.insert(V, 9, 1)
return np.append(X, V, axis=0)
return np.take(V, 9)
return np.take_along_axis(V, np.array([[0]]), 0)
return np.put(V, 9, 1)
return np.where(V > 0, V)
return np.where(V > 0, V, W)
return np.where(V > 0, V, W, V)
return np.select([V > 0], [V, V])
return np.clip(V, W, 1)
return np.interp(1, V, W)
return np.interp(1, [], [])
return np.searchsorted(X, 1)
return np.searchsorted(V, 1, side="middle")
return np.digitize(V, np.array([1, 3, 2]))
return np.histogram(V, bins=0)
return np.histogram(V, bins=-1)
return np.histogram(V, bins=[3, 1])
return np.percentile(V, 150)
return np.quantile(V, 2)
return np.quantile(V, -.5)
return np.median(V, axis=1)
return np.std(V, axis=2)
return np.cumsum(V, axis=1)
return np.diff(V, n=-1)
return np.diff(V, axis=2)
return np.gradient(np.array([1.]))
return np.convolve(X, V)
return np.convolve(V, [])
return np.correlate(X, V)
return np.polyfit(V, W, 1)
return np.polyfit(V, V, -1)
return np.polyval(5)
return np.sort(V, axis=1)
return np.sort(V, kind="foo")
return np.argsort(V, axis=2)
return np.partition(V, 9)
return np.unique(V, foo=1)
return np.flip(V, axis=1)
return np.fliplr(V)
return np.flipud(5)
return np.rot90(V)
return np.roll(V, 1, axis=1)
return np.roll(V)
return np.pad(V, -1)
return np.meshgrid(X, indexing="zz")
return np.outer(V)
return np.linalg.norm(V, axis=1)
return np.array([[1, 2], [3]])
return np.array()
return np.array([V, W])
return V.astype()
return V.astype(int, foo=1)
return np.zeros(3, foo=1)
return V.sum(axis="a")
return V.sum(1, 2, 3, 4, 5, 6, 7)
return V.sum(foo=1)
return V.mean(3)
return V.item(9)
return V.item()
return X.item(9, 9)
return V.tolist(1)
return V.fill()
V[0] = [1, 2]; return 1
V[:] = W; return 1
V[:2] = W; return 1
X[0] = V; return 1
K[0] += .5; return 1
return U + 300
return B - B
return -B
return K ** -1
return C < 1 and True
return np.maximum(V, W)
return np.logical_and(V, W)
return np.bitwise_and(V, V)
return np.left_shift(V, 1)
return np.exp(None)
return int("12", 1)
return int("9", 8)
return [1, 2, 3][::0]
return V[::0]
return V[1:"a"]
return [1][1:"a"]
return np.ix_(X)
return np.ravel_multi_index((5, 5), (3, 3))
return np.unravel_index(20, (3, 3))
return np.fromiter(5, float)
return np.fromfunction(two, 3)
return np.trapz(V, W)
return np.cov(V, W)
return np.corrcoef(V, W)
return np.ptp(E)
return np.nanmax(E)
return np.fft.fft(V, n=0)
return np.add.reduce(V, axis=3)
return np.add.outer(V)
return np.maximum.reduce(E)
return np.minimum.accumulate(X, axis=5)
return V.argmax(axis=1)
return V.dot(W)
return V.clip()
return V.repeat()
return V.swapaxes(0, 1)
return V.squeeze(0)
return V.ravel(1, 2)
return V.copy(foo=1)
return V.sort(axis=1)
return V.argsort(axis=3)
return V.shape[1]
return V.shape["a"]
return X.shape[2]
a, b, c = X.shape; return a
a, b = V.shape; return a
return V.T.foo
return X[V]
return X[1.0, 0]
return X["a", 0]
return X[[0.5]]
return X[:, [5]]
return X[np.array([[9]])]
return X[X > 0, 0]
return X[V > 0]
return V[{}]
return V[()]()
return V[0][0]
return V[0].foo
return np.float64(1).foo
return np.pi()
return np.pi.foo
""".strip().split("\n")
