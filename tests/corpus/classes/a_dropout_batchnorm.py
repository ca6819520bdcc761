import numpy as np

rng = np.random.default_rng(0)


class Module:
    training = True

    def train(self):
        self.training = True
        return self

    def eval(self):
        self.training = False
        return self

    def __call__(self, x):
        return self.forward(x)


class BatchNorm1d(Module):
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps = eps
        self.momentum = momentum
        self.gamma, self.beta = np.ones(dim), np.zeros(dim)
        self.running_mean = np.zeros(dim)
        self.running_var = np.ones(dim)

    def forward(self, x):
        if self.training:
            xmean = x.mean(0, keepdims=True)
            xvar = x.var(0, keepdims=True)
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean[0]
            self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar[0]
        else:
            xmean = self.running_mean
            xvar = self.running_var
        self.xhat = (x - xmean) / np.sqrt(xvar + self.eps)
        return self.gamma * self.xhat + self.beta


class Dropout(Module):
    def __init__(self, p=0.5):
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        self.mask = (rng.random(x.shape) > self.p) / (1 - self.p)
        return x * self.mask


class Linear(Module):
    def __init__(self, fan_in, fan_out):
        self.weight = rng.standard_normal((fan_in, fan_out)) / fan_in ** 0.5

    def forward(self, x):
        return x @ self.weight


class Net(Module):
    def __init__(self, layers):
        self.layers = layers

    def train(self):
        for l in self.layers: l.train()
        return super().train()

    def eval(self):
        for l in self.layers: l.eval()
        return super().eval()

    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return x


net = Net([Linear(6, 12), BatchNorm1d(12), Dropout(0.2), Linear(12, 2)])
for step in range(20):
    batch = rng.normal(loc=1.0, scale=2.0, size=(32, 6))
    train_out = net(batch)

net.eval()
test_x = np.ones((4, 6)) * np.arange(4).reshape(-1, 1)
test_out = net(test_x)
running_mean, running_var = net.layers[1].running_mean, net.layers[1].running_var
keep_rate = (net.layers[2].mask > 0).mean()
print(f"kept {keep_rate:.2f} of the activations in the last step")
print(test_out)
