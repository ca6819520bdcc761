# call: greedy_decode(E, W, 3, 8); E = normal(11, 6); W = normal(6, 11)
import numpy as np


def greedy_decode(E, W, start, steps):
    """Follow the most likely next token."""
    tokens = [start]
    h = np.zeros(E.shape[1])
    total = 0.0
    for _ in range(steps):
        h = np.tanh(0.5 * h + E[tokens[-1]])
        logits = h @ W
        logp = logits - np.log(np.sum(np.exp(logits)))
        nxt = int(np.argmax(logp))
        total += logp[nxt]
        tokens.append(nxt)
    return np.array(tokens), total
