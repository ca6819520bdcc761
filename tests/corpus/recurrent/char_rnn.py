import numpy as np

data = "hello there hello world hello numpy "
chars = sorted(set(data))
V = len(chars)
ix = {ch: i for i, ch in enumerate(chars)}
np.random.seed(0)
H = 16
Wxh = np.random.randn(H, V) * 0.01
Whh = np.random.randn(H, H) * 0.01
Why = np.random.randn(V, H) * 0.01
bh = np.zeros((H, 1))
by = np.zeros((V, 1))


def loss_and_grads(inputs, targets, hprev):
    xs, hs, ps = {}, {-1: np.copy(hprev)}, {}
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((V, 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1] + bh)
        y = Why @ hs[t] + by
        ps[t] = np.exp(y) / np.sum(np.exp(y))
        loss += -np.log(ps[t][targets[t], 0])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dbh, dby = np.zeros_like(bh), np.zeros_like(by)
    dhnext = np.zeros_like(hs[0])
    for t in reversed(range(len(inputs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dWhy += dy @ hs[t].T
        dby += dy
        dh = Why.T @ dy + dhnext
        draw = (1 - hs[t] * hs[t]) * dh
        dbh += draw
        dWxh += draw @ xs[t].T
        dWhh += draw @ hs[t - 1].T
        dhnext = Whh.T @ draw
    for g in [dWxh, dWhh, dWhy, dbh, dby]:
        np.clip(g, -5, 5, out=g)
    return loss, dWxh, dWhh, dWhy, dbh, dby, hs[len(inputs) - 1]


hprev = np.zeros((H, 1))
seq = 8
p = 0
for n in range(40):
    if p + seq + 1 >= len(data):
        hprev = np.zeros((H, 1))
        p = 0
    inputs = [ix[c] for c in data[p:p + seq]]
    targets = [ix[c] for c in data[p + 1:p + seq + 1]]
    loss, *grads, hprev = loss_and_grads(inputs, targets, hprev)
    for w, g in zip([Wxh, Whh, Why, bh, by], grads):
        w -= 0.1 * g
    p += seq
    if n % 10 == 0:
        print("iter %d, loss %f" % (n, loss))
