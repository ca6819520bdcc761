import numpy as np


class Optimizer:
    def __init__(self, lr=0.01):
        self.lr = lr

    def update(self, params, grads):
        raise NotImplementedError()


class SGD(Optimizer):
    def update(self, params, grads):
        for key in params.keys():
            params[key] -= self.lr * grads[key]


class Momentum(Optimizer):
    def __init__(self, lr=0.01, momentum=0.9):
        super().__init__(lr)
        self.momentum = momentum
        self.v = None

    def update(self, params, grads):
        if self.v is None:
            self.v = {}
            for key, val in params.items():
                self.v[key] = np.zeros_like(val)
        for key in params.keys():
            self.v[key] = self.momentum * self.v[key] - self.lr * grads[key]
            params[key] += self.v[key]


class Adam(Optimizer):
    def __init__(self, lr=0.001, beta1=0.9, beta2=0.999):
        super().__init__(lr)
        self.beta1, self.beta2 = beta1, beta2
        self.iter = 0
        self.m = {}
        self.v = {}

    def update(self, params, grads):
        self.iter += 1
        lr_t = self.lr * np.sqrt(1.0 - self.beta2 ** self.iter) / (1.0 - self.beta1 ** self.iter)
        for key in params:
            m = self.m.get(key, 0.0)
            v = self.v.get(key, 0.0)
            self.m[key] = m + (1 - self.beta1) * (grads[key] - m)
            self.v[key] = v + (1 - self.beta2) * (grads[key] ** 2 - v)
            params[key] -= lr_t * self.m[key] / (np.sqrt(self.v[key]) + 1e-7)


def loss_and_grads(p):
    # a stretched bowl in W, a shifted one in b
    scale = np.array([[1.0, 20.0], [5.0, 0.5]])
    loss = 0.5 * np.sum(scale * p["W"] ** 2) + np.sum((p["b"] - 1.0) ** 2)
    return loss, {"W": scale * p["W"], "b": 2 * (p["b"] - 1.0)}


def main():
    optimizers = {}
    optimizers["SGD"] = SGD(lr=0.04)
    optimizers["Momentum"] = Momentum(lr=0.01)
    optimizers["Adam"] = Adam(lr=0.1)

    curves = {}
    for name, opt in optimizers.items():
        params = {"W": np.array([[2.0, -1.0], [1.5, 3.0]]), "b": np.zeros(2)}
        trace = []
        for i in range(50):
            loss, grads = loss_and_grads(params)
            opt.update(params, grads)
            trace.append(loss)
        curves[name] = np.array(trace)
        print(f"{name:10s} {trace[-1]:.6f}")
    return curves


if __name__ == "__main__":
    curves = main()
    sgd_curve, momentum_curve, adam_curve = curves["SGD"], curves["Momentum"], curves["Adam"]
    best_final = min(c[-1] for c in curves.values())
