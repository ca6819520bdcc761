# Five operations on small matrices, again and again. a, b: matrices; steps: a number.
for step in range(steps):
    a = (a * b + 0.5) * (a - b) * 0.25
