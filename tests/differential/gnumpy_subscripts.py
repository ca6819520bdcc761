"""Random subscripts for the programs of gnumpy_programs.py: ranges, numbers, index lists, masks."""

import numpy as np

from gnumpy_numpy import NEW, New, Truths

COMPARISONS = "lt le gt ge eq ne".split()


class Subscripts:
    """Of a Maker: `rng`, `machine`, `masks` and number() are its."""

    def slices(self, shape):
        """Integers and ranges of any step."""
        items = []
        for extent in shape[:self.rng.randint(1, max(len(shape), 1))]:
            if self.rng.random() < 0.3 and extent > 0:
                items.append(self.rng.randrange(-extent, extent))
            else:
                items.append(self.range(extent, [None, None, 1, 2, 3, -1, -1, -2]))
        if self.rng.random() < 0.15:
            items.insert(self.rng.randint(0, len(items)), NEW)
        return items if items else [Ellipsis]

    def masked(self, shape):
        """A mask for some of the axes."""
        first = self.rng.randrange(len(shape))
        last = self.rng.randint(first + 1, len(shape))
        items = [slice(None)] * first if self.rng.random() < 0.6 else [
            self.range(extent, [None, 1, 2, -1]) for extent in shape[:first]]
        items.append(Truths(self.truths(self.rng.randint(0, 2), tuple(shape[first:last]))))
        roll = self.rng.random()
        if last < len(shape) and roll < 0.3:
            items.append(self.range(shape[last], [None, 1, 2, -1]))
        elif last < len(shape) and first == 0 and roll < 0.5 and shape[last] > 0:
            items.append([self.rng.randrange(-shape[last], shape[last])])
        return items

    def at(self, depth):
        base = self.expr(depth)
        value = self.value(base)
        return base if value is None else ("at", base, self.subscripts(value.shape))

    def alias(self, name):
        shape = self.machine.names[name].shape
        if not shape or self.rng.random() < 0.3:
            return ("reshape", name, self.other_shape(shape)) if self.rng.random() < 0.7 else (".ravel", name)
        if self.rng.random() < 0.3 and shape[0] > 0:
            return ("at", name, [self.rng.randrange(-shape[0], shape[0])])
        return ("at", name, [self.range(shape[0], [None, None, 1])])

    def range(self, extent, steps):
        low, high = -extent - 1, extent + 1
        bounds = [None if self.rng.random() < 0.3 else self.rng.randint(low, high) for _ in range(2)]
        if self.rng.random() < 0.5 and None not in bounds:
            bounds.sort(key=lambda b: b + extent if b < 0 else b)
        return slice(*bounds, self.rng.choice(steps))

    def subscripts(self, shape):
        if shape and self.rng.random() < 0.15:
            return self.masked(shape)
        count = self.rng.randint(0, len(shape)) if self.rng.random() < 0.5 else len(shape)
        skipped = self.rng.randint(0, count) if count < len(shape) and self.rng.random() < 0.4 else None
        items, by_number, axis, pair = [], None, 0, self.rng.randint(1, 4)
        for k in range(count):
            if skipped == k:
                items.append(Ellipsis)
                axis += len(shape) - count
            extent = shape[axis]
            roll = self.rng.random()
            next_to = by_number is not None and by_number[0] == axis - 1 and by_number[1] < 2 and len(items) and \
                isinstance(items[-1], list)
            if (roll < 0.18 and by_number is None or next_to and roll < 0.7) and extent > 0:
                count_now = 1 if self.rng.random() < 0.1 else pair
                items.append([self.rng.randrange(-extent, extent) for _ in range(count_now)])
                by_number = (axis, 1 if by_number is None else 2)
            elif roll < 0.45 and extent > 0:
                items.append(self.rng.randrange(-extent, extent))
            elif roll < 0.6:
                items.append(slice(None))
            else:
                items.append(self.range(extent, [None, None, 1, 2, 3, -1, -1, -2]))
            axis += 1
        for _ in range(self.rng.choice([0, 0, 0, 1, 1, 2])):
            items.insert(self.rng.randint(0, len(items)), NEW)
        if self.rng.random() < 0.03:
            items.insert(self.rng.randint(0, len(items)), self.rng.choice([9, -9, [0, 9], slice(None), Ellipsis]))
        for unwanted in (int, New, list):
            if self.separated(items):
                items = [slice(None) if isinstance(item, unwanted) else item for item in items]
        return items if items else [Ellipsis]

    @staticmethod
    def separated(items):
        """Whether garray refuses it although NumPy does not: index arrays that do not neighbour each other, or whose
        axis NumPy would move to the front."""
        lists = [k for k, item in enumerate(items) if isinstance(item, list)]
        numbered = [k for k, item in enumerate(items) if isinstance(item, list) or type(item) is int]
        if not lists or numbered[-1] - numbered[0] + 1 == len(numbered):
            return lists and any(type(item) is int for item in items[lists[0]:lists[-1]])
        between = [item for item in items[lists[0] + 1:lists[-1]] if item is not NEW]
        moved = any(type(item) is not int for item in items[:lists[0]])
        return moved or any(not isinstance(item, list) for item in between)

    def truths(self, depth, shape=None):
        """Truth values; of the shape, if one is given."""
        if depth <= 0:
            names = [n for n in sorted(self.machine.names) if shape is None or self.machine.names[n].shape == shape]
            masks = [n for n in names if n in self.masks]
            if masks and self.rng.random() < 0.5:
                return self.rng.choice(masks)
            if not names:
                bare = ("full", list(shape), 0.0)
                return (self.rng.choice(COMPARISONS), bare, self.rng.choice([0.0, 1.0]))
            return (self.rng.choice(COMPARISONS), self.rng.choice(names), self.number())
        a = self.truths(depth - 1, shape)
        own = np.shape(self.machine.evaluate(a))
        kind = self.rng.choice(["and", "or", "mul", "maximum", "not", "isnan", "T", "reshape", "at", "where", "copy"])
        if kind in ("and", "or", "mul", "maximum"):
            return (kind, a, self.truths(depth - 1, own))
        if kind == "where":
            return (kind, self.truths(0, own), a, self.truths(depth - 1, own))
        if kind in ("not", "isnan"):
            return (kind, a)
        if shape is None and kind == "T":
            return (".T", a)
        if shape is None and kind == "at" and len(own) > 0:
            return ("at", a, self.slices(own))
        if shape is None and kind == "reshape":
            return ("reshape", a, list(own) + [1])
        return a
