# Names that share memory after a loop, or in some of its iterations only: what is written later is seen by all of them.
import numpy as np

a: (3,)
b: (3,)
c: (3,)
X: (4, 3)

# each iteration binds a name to what another one held
p = a * 1
q = b * 1
r = c * 1
for i in range(2):
    p = q
    q = r
p *= 2

# both have what the body made in an iteration before
s = a + 1
t = b + 1
u = c + 1
v = a + 2
for i in range(3):
    made = a + i
    s = t
    t = made
    u = v
    v = made
s += 1
seen = u * 1

# two names of one array, bound anew
w = a * 3
x = w
y = b * 3
z = c * 3
for i in range(1):
    y = w
    z = x
    w = w * 1
    x = x * 1
y += 1
through_z = z * 1

# an odd number of swaps, an even number, and one that goes round
d = a * 4
e = b * 4
f = d
for i in range(3):
    d, e = e, d
e -= 1
g = a * 5
h = b * 5
for i in range(2):
    for j in range(2):
        g, h = h, g
    g = g + 1
k = a * 6
m = b * 6
n = c * 6
first = k
for i in range(4):
    k, m, n = m, n, k
n *= 3

# a stencil that swaps its two plates, in two loops
old = X * 1
new = np.zeros((4, 3))
for day in range(2):
    for hour in range(3):
        new[1:-1] = 0.5 * (old[:-2] + old[2:])
        old, new = new, old
warmest = old.max()
new += 1
