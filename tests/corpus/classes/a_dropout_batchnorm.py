import numpy as np

rng = np.random.default_rng(0)


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps = eps
        self.momentum = momentum
        self.training = True
        # parameters
        self.gamma = np.ones(dim)
        self.beta = np.zeros(dim)
        # buffers
        self.running_mean = np.zeros(dim)
        self.running_var = np.ones(dim)

    def __call__(self, x):
        if self.training:
            xmean = x.mean(0, keepdims=True)
            xvar = x.var(0, keepdims=True)
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean[0]
            self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar[0]
        else:
            xmean = self.running_mean
            xvar = self.running_var
        xhat = (x - xmean) / np.sqrt(xvar + self.eps)
        self.out = self.gamma * xhat + self.beta
        return self.out


class Dropout:
    def __init__(self, p=0.5):
        self.p = p
        self.training = True

    def __call__(self, x):
        if not self.training:
            return x
        self.mask = (rng.random(x.shape) > self.p) / (1 - self.p)
        return x * self.mask


layers = [BatchNorm1d(6), Dropout(0.2)]
for step in range(20):
    x = rng.normal(loc=1.0, scale=2.0, size=(32, 6))
    for layer in layers:
        x = layer(x)
train_out = x

for layer in layers:
    layer.training = False
test_out = np.ones((4, 6)) * np.arange(4).reshape(-1, 1)
for layer in layers:
    test_out = layer(test_out)

running_mean, running_var = layers[0].running_mean, layers[0].running_var
keep_rate = (layers[1].mask > 0).mean()
