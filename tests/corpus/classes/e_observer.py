import numpy as np
import weakref


class Observable:
    def __init__(self):
        self._observers = []

    def subscribe(self, fn):
        self._observers.append(fn)

        def unsubscribe():
            self._observers.remove(fn)
        return unsubscribe

    def notify(self, *args):
        for fn in list(self._observers):
            fn(*args)


class Variable(Observable):
    def __init__(self, value):
        super().__init__()
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        old, self._value = self._value, new
        if not np.array_equal(old, new):
            self.notify(old, new)

    @value.deleter
    def value(self):
        raise AttributeError("cannot delete")


class Computed:
    def __init__(self, fn, *sources):
        self.fn, self.sources = fn, sources
        self.updates = 0
        for s in sources:
            s.subscribe(self._refresh)
        self._refresh()

    def _refresh(self, *ignored):
        self.result = self.fn(*(s.value for s in self.sources))
        self.updates += 1


a, b = Variable(2), Variable(5)
area = Computed(lambda x, y: x * y, a, b)
log = []
stop = a.subscribe(lambda old, new: log.append(f"{old}->{new}"))
a.value = 3
a.value = 3
b.value = 10
stop()
a.value = 4
print(area.result, area.updates, log)
try:
    stop()
except ValueError:
    print("already unsubscribed")
try:
    del a.value
except AttributeError as e:
    print(e)
try:
    area.missing
except AttributeError as e:
    print(e)
v = Variable(np.zeros(3))
norm = Computed(lambda x: float(np.sqrt((x ** 2).sum())), v)
for k in range(4):
    v.value = v.value + k
r = norm.result
