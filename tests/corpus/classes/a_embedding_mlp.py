import numpy as np

SENTENCES = [
    ("good great fun", 1), ("bad awful dull", 0), ("great great film", 1), ("dull film", 0),
    ("fun film good", 1), ("awful bad bad film", 0), ("not good", 0), ("not bad fun", 1),
]


class Param:
    def __init__(self, value):
        self.value = value
        self.grad = np.zeros_like(value)


class Embedding:
    def __init__(self, weight):
        self.W = Param(weight)

    @classmethod
    def random(cls, num_embeddings, dim, rng):
        return cls(rng.normal(0, 0.5, (num_embeddings, dim)))

    def forward(self, ids):
        self.ids = ids
        return self.W.value[ids]

    def backward(self, dout):
        np.add.at(self.W.grad, self.ids, dout)


class Linear:
    def __init__(self, n_in, n_out, rng):
        self.W = Param(rng.normal(0, 1 / np.sqrt(n_in), (n_in, n_out)))
        self.b = Param(np.zeros(n_out))

    def forward(self, x):
        self.x = x
        return x @ self.W.value + self.b.value

    def backward(self, dout):
        self.W.grad += np.outer(self.x, dout)
        self.b.grad += dout
        return self.W.value @ dout


class SentenceClassifier:
    def __init__(self, vocab_size, dim, n_classes, seed=0):
        rng = np.random.default_rng(seed)
        self.emb = Embedding.random(vocab_size, dim, rng)
        self.out = Linear(dim, n_classes, rng)

    def logits(self, ids):
        self.n = len(ids)
        return self.out.forward(self.emb.forward(ids).mean(axis=0))

    def loss(self, ids, label):
        z = self.logits(ids)
        p = np.exp(z - z.max())
        self.p = p / p.sum()
        self.label = label
        return -np.log(self.p[label])

    def backward(self):
        d = self.p.copy()
        d[self.label] -= 1
        dmean = self.out.backward(d)
        self.emb.backward(np.tile(dmean / self.n, (self.n, 1)))

    def step(self, lr):
        for p in (self.emb.W, self.out.W, self.out.b):
            p.value -= lr * p.grad
            p.grad[:] = 0


vocab = {}
data = []
for text, label in SENTENCES:
    ids = [vocab.setdefault(w, len(vocab)) for w in text.split()]
    data.append((np.array(ids), label))

model = SentenceClassifier(len(vocab), dim=6, n_classes=2)
losses = np.zeros(30)
for epoch in range(30):
    for ids, label in data:
        losses[epoch] += model.loss(ids, label) / len(data)
        model.backward()
        model.step(0.3)

embeddings = model.emb.W.value
accuracy = np.mean([np.argmax(model.logits(ids)) == label for ids, label in data])
