# Labels as integers: one-hot rows, the loss of the right class, rows in another order.
import numpy as np

logits: (6, 4)

labels = np.array([2, 0, 3, 3, 1, 0])
n = logits.shape[0]
rows = np.array([0, 1, 2, 3, 4, 5])
shifted = logits - logits.max(axis=1, keepdims=True)
log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
loss = -log_p[rows, labels].mean()
Y = np.eye(4)[labels]
grad = np.exp(log_p)
grad[rows, labels] -= 1
grad /= n
order = np.array([5, 3, 1, 0, 2, 4])
shuffled = logits[order]
columns = logits[:, [3, 0, 0]]
back = np.zeros_like(logits)
back[order] = shuffled
counts = np.zeros(4)
np.add.at(counts, labels, 1)
predicted = np.argmax(logits, axis=1)
own = logits[rows, predicted]
