import numpy as np
import itertools as it


class Schedule:
    def __init__(self, start, steps):
        self.start, self.steps = start, steps

    def __iter__(self):
        for i in range(self.steps):
            yield self.at(i)

    def at(self, i):
        return self.start

    def __or__(self, other):
        return Chain(self, other)


class Linear(Schedule):
    def __init__(self, start, end, steps):
        super().__init__(start, steps)
        self.end = end

    def at(self, i):
        return self.start + (self.end - self.start) * i / (self.steps - 1)


class Cosine(Linear):
    def at(self, i):
        return self.end + 0.5 * (self.start - self.end) * (1 + np.cos(np.pi * i / (self.steps - 1)))


class Chain(Schedule):
    def __init__(self, *parts):
        self.parts = parts

    def __iter__(self):
        return it.chain.from_iterable(self.parts)


warm = Linear(0.0, 0.1, 5) | Cosine(0.1, 0.01, 10)
w = np.array([3.0, -2.0])
hist = []
for t, lr in enumerate(warm):
    w = w - lr * 2 * w
    hist.append(float(np.sum(w ** 2)))
lrs = np.fromiter(warm, dtype=float)
print(len(lrs), [round(float(v), 4) for v in it.islice(warm, 3, 7)])
print(list(it.accumulate([1, 2, 3, 4], lambda a, b: a * b)), list(it.pairwise("abcd")))
for k, group in it.groupby(sorted(["apple", "avocado", "bean", "beet", "corn"]), key=lambda s: s[0]):
    print(k, list(group))
print([*it.takewhile(lambda v: v < 3, [1, 2, 5, 1])], [*it.dropwhile(lambda v: v < 3, [1, 2, 5, 1])], [*it.compress("abcd", [1, 0, 1, 0])])
print(list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.zip_longest([1, 2], "a", fillvalue="-")), list(it.product("ab", [0, 1]))[:3])
print(list(it.combinations(range(4), 2))[-2:], list(it.repeat(7, 2)), next(it.filterfalse(str.isdigit, "12x3")))
total = lrs.sum()
