import numpy as np


def read(n):
    for i in range(n):
        yield {"id": i, "x": float(i) / n, "tag": "abc"[i % 3]}


def where(rows, **conditions):
    for row in rows:
        if all(row[k] == v for k, v in conditions.items()):
            yield row


def select(rows, *names):
    return (tuple(row[n] for n in names) for row in rows)


def chunks(it, size):
    buf = []
    for item in it:
        buf.append(item)
        if len(buf) == size:
            yield buf
            buf = []
    if buf:
        yield buf


def averager():
    total, n, value = 0.0, 0, None
    while True:
        x = yield value
        if x is None:
            break
        total += x
        n += 1
        value = total / n
    yield "done"


out = []
for block in chunks(select(where(read(20), tag="b"), "id", "x"), 3):
    ids, xs = zip(*block)
    out.append(np.mean(xs))
    print(ids, round(sum(xs), 3))

avg = averager()
next(avg)
print(avg.send(10), avg.send(20), avg.send(36.0))
print(avg.send(None))
means = np.array(out)

it = iter(range(10))
pairs = list(zip(it, it))
print(pairs, sum(a * b for a, b in pairs))
first = next((i for i, v in enumerate(means) if v > 0.5), -1)
