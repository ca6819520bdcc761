# The Gnumpy report's restricted Boltzmann machine (UTML TR 2010-002, listing 2.2), in Python 3.
from numpy import mean


# <dat>: cases x visible units; <w_vh>: the initial weights, visible x hidden units; <draws>: uniform numbers, cases x
# hidden units, with which every epoch samples, or nothing
def rbm(dat, w_vh, draws=(), num_epochs=30, batch_size=128, epsilon=0.1, momentum=0.9):
  import gnumpy as gpu
  num_batches = dat.shape[0]//batch_size
  # model parameters
  num_vis, num_hid = w_vh.shape
  # initialize weights
  w_v = gpu.zeros(num_vis)
  w_h = -4. * gpu.ones(num_hid)
  # initialize weight updates
  wu_vh = gpu.zeros((num_vis, num_hid))
  wu_v = gpu.zeros(num_vis)
  wu_h = gpu.zeros(num_hid)
  for epoch in range(num_epochs):
    err = []
    for batch in range(num_batches):
      # positive phase
      v1 = dat[batch*batch_size : (batch + 1)*batch_size]
      h1 = (gpu.dot(v1, w_vh) + w_h).logistic()
      # sample hiddens
      if len(draws) == 0:
        hSampled = h1.rand() < h1
      else:
        hSampled = draws[batch*batch_size : (batch + 1)*batch_size] < h1
      # negative phase
      v2 = (gpu.dot(hSampled, w_vh.T) + w_v).logistic()
      h2 = (gpu.dot(v2, w_vh) + w_h).logistic()
      # update weights
      wu_vh = wu_vh * momentum + gpu.dot(v1.T, h1) - gpu.dot(v2.T, h2)
      wu_v = wu_v * momentum + v1.sum(0) - v2.sum(0)
      wu_h = wu_h * momentum + h1.sum(0) - h2.sum(0)
      w_vh += wu_vh * (epsilon/batch_size)
      w_v += wu_v * (epsilon/batch_size)
      w_h += wu_h * (epsilon/batch_size)
      # calculate reconstruction error
      err.append((v2-v1).euclid_norm()**2/(num_vis*batch_size))
    print("Mean squared error: " + str(mean(err)))
  return w_vh, w_v, w_h
