from typing import NamedTuple

import numpy as np


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


class State(NamedTuple):
    h: np.ndarray
    c: np.ndarray


class LSTMCell:
    def __init__(self, input_size: int, hidden_size: int, rng: np.random.Generator):
        self.input_size = input_size
        self.hidden_size = hidden_size
        scale = 1.0 / np.sqrt(hidden_size)
        self.W = rng.uniform(-scale, scale, (4 * hidden_size, input_size))
        self.U = rng.uniform(-scale, scale, (4 * hidden_size, hidden_size))
        self.b = np.zeros(4 * hidden_size)
        self.b[hidden_size:2 * hidden_size] = 1.0  # forget gate

    def initial_state(self) -> State:
        return State(np.zeros(self.hidden_size), np.zeros(self.hidden_size))

    def __call__(self, x: np.ndarray, state: State) -> State:
        z = self.W @ x + self.U @ state.h + self.b
        i, f, g, o = np.split(z, 4)
        c = sigmoid(f) * state.c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return State(h=h, c=c)


class GRUCell:
    def __init__(self, input_size: int, hidden_size: int, rng: np.random.Generator):
        self.hidden_size = hidden_size
        self.Wz, self.Wr, self.Wh = (
            rng.normal(0, 0.3, (hidden_size, input_size + hidden_size)) for _ in range(3)
        )

    def initial_state(self) -> np.ndarray:
        return np.zeros(self.hidden_size)

    def __call__(self, x, h):
        xh = np.concatenate([x, h])
        z = sigmoid(self.Wz @ xh)
        r = sigmoid(self.Wr @ xh)
        cand = np.tanh(self.Wh @ np.concatenate([x, r * h]))
        return (1 - z) * h + z * cand


class StackedRNN:
    def __init__(self, cells):
        self.cells = cells

    def __len__(self):
        return len(self.cells)

    def run(self, sequence):
        states = [cell.initial_state() for cell in self.cells]
        outputs = []
        for x in sequence:
            for k, cell in enumerate(self.cells):
                states[k] = cell(x, states[k])
                x = states[k].h if isinstance(states[k], State) else states[k]
            outputs.append(x)
        return np.stack(outputs), states


rng = np.random.default_rng(0)
seq = rng.normal(size=(25, 3))

net = StackedRNN([LSTMCell(3, 5, rng), GRUCell(5, 4, rng)])
outputs, final = net.run(seq)
lstm_c = final[0].c
mean_activation = outputs.mean()
print(f"{len(net)} cells, outputs {outputs.shape}, mean activation {mean_activation:+.5f}")
