import numpy as np

rng = np.random.default_rng(0)
vocab, dim, seq = 30, 8, 12
E = rng.normal(size=(vocab, dim))
tokens = rng.integers(0, vocab, size=seq)
h = E[tokens]
att = h @ h.T
att = np.exp(att - att.max(-1, keepdims=True))
att /= att.sum(-1, keepdims=True)
context = att @ h
logits = context @ E.T
print("predicted", logits.argmax(axis=-1))
entropy = -(att * np.log(att + 1e-12)).sum(axis=-1)
print("entropy", entropy.mean())
