import numpy as np
import math
from typing import List, Dict
X: (4, 6)

def fact(n: int) -> int:
    return 1 if n <= 1 else n * fact(n - 1)

def make(scale):
    def inner(x, *rest, power=1, **kw):
        y = x * scale
        for r in rest:
            y = y + r
        return y ** power + kw.get("bias", 0)
    return inner

f = make(3.0)
a = f(X, 1, 2, power=2, bias=0.5)
first, *middle, last = [X[i] for i in range(4)]
s = sum(middle)
g = lambda x, n=fact(4): np.sqrt((x * x).sum()) / n * math.sqrt(4)
norm = g(X)
table = {(i, j): X[i, j] for i in range(2) for j in range(2) if i != j}
cross = table[(0, 1)] - table[1, 0]
names: List[str] = ["a", "b"]
d: Dict[str, int] = {n: i for i, n in enumerate(names)}
assert d["b"] == 1 and "c" not in d, "wrong"
stacked = [X[0], X[1] * 2]
stacked += [X[2]]
stacked.insert(0, X[3])
alias = stacked
alias[1] = alias[1] + 1
e = stacked[1]
k = 0
while k < 3:
    e = e * 2
    k += 1
    if k == 2:
        continue
else:
    e = e - 1
n = 10
steps = 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
out = X * steps
best = max(X[0, 0], 0.25)
print(f"{steps=} {norm:.3f} {best:8.3f} {'x':>4} {math.pi:.3}", "%d" % steps, "{:>5} {b}".format(3, b=best))
big = 7 // -2 + (-7) % 3 + (1 << 4) + (250 >> 3)
q = X * big
del big
