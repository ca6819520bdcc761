# A network of two layers: back-propagation of the cross-entropy of logistic outputs, and gradient descent with
# momentum. The initial weights are inputs; the errors of the epochs are printed.
import gnumpy as gpu
import numpy as np


def train(dat, labels, w_1, w_2, num_epochs=5, batch_size=128, epsilon=0.1, momentum=0.9):
  num_batches = dat.shape[0]//batch_size
  rate = epsilon/batch_size
  # biases, and the updates that the momentum carries on
  b_1 = gpu.zeros(w_1.shape[1])
  b_2 = gpu.zeros(w_2.shape[1])
  wu_1 = gpu.zeros(w_1.shape)
  wu_2 = gpu.zeros(w_2.shape)
  bu_1 = gpu.zeros(w_1.shape[1])
  bu_2 = gpu.zeros(w_2.shape[1])
  for epoch in range(num_epochs):
    err = []
    for batch in range(num_batches):
      x = dat[batch*batch_size : (batch + 1)*batch_size]
      t = labels[batch*batch_size : (batch + 1)*batch_size]
      # forward
      h = gpu.logistic(gpu.dot(x, w_1) + b_1)
      y = gpu.logistic(gpu.dot(h, w_2) + b_2)
      # backward
      delta_2 = y - t
      delta_1 = gpu.dot(delta_2, w_2.T)*(h*(1 - h))
      # update weights
      wu_1 = wu_1*momentum + gpu.dot(x.T, delta_1)
      bu_1 = bu_1*momentum + delta_1.sum(0)
      wu_2 = wu_2*momentum + gpu.dot(h.T, delta_2)
      bu_2 = bu_2*momentum + delta_2.sum(0)
      w_1 -= wu_1*rate
      b_1 -= bu_1*rate
      w_2 -= wu_2*rate
      b_2 -= bu_2*rate
      # calculate squared error of the outputs
      err.append(np.linalg.norm(delta_2)**2/batch_size)
    print("Mean squared error: " + str(np.mean(err)))
  return w_1, b_1, w_2, b_2
