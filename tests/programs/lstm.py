import numpy as np
X: (6, 3)
Wi: (3, 16)
Wh: (4, 16)

def sigmoid(x):
    return 1 / (1 + np.exp(-x))

def lstm(inputs, params, hidden=4):
    """Run an LSTM over the sequence."""
    h = np.zeros(hidden)
    c = np.zeros(hidden)
    outputs = []
    for t, x in enumerate(inputs):
        gates = x @ params['Wi'] + h @ params['Wh'] + params.get('b', 0.0)
        i, f, o, g = [gates[k * hidden:(k + 1) * hidden] for k in range(4)]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return outputs, (h, c)

params = dict(Wi=Wi, Wh=Wh)
outputs, (h, c) = lstm(X, params)
last = outputs[-1]
total = sum(outputs)
