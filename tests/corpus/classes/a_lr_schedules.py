import numpy as np


class LRSchedule:
    def __init__(self, base_lr: float):
        self.base_lr = base_lr

    def __call__(self, step: int) -> float:
        return self.base_lr


class StepDecay(LRSchedule):
    def __init__(self, base_lr, drop=0.5, every=20):
        super().__init__(base_lr)
        self.drop = drop
        self.every = every

    def __call__(self, step):
        return self.base_lr * self.drop ** (step // self.every)


class ExponentialDecay(LRSchedule):
    def __init__(self, base_lr, gamma=0.97):
        super().__init__(base_lr)
        self.gamma = gamma

    def __call__(self, step):
        return self.base_lr * self.gamma ** step


class WarmupCosine(LRSchedule):
    def __init__(self, base_lr, total, warmup=5, min_lr=0.0):
        super().__init__(base_lr)
        self.total, self.warmup, self.min_lr = total, warmup, min_lr

    def __call__(self, step):
        if step < self.warmup:
            return self.base_lr * (step + 1) / self.warmup
        t = (step - self.warmup) / max(1, self.total - self.warmup)
        return self.min_lr + 0.5 * (self.base_lr - self.min_lr) * (1 + np.cos(np.pi * t))


class SGD:
    def __init__(self, schedule, weight_decay=0.0):
        self.schedule = schedule if callable(schedule) else LRSchedule(schedule)
        self.weight_decay = weight_decay
        self.step_count = 0

    @property
    def lr(self):
        return self.schedule(self.step_count)

    def step(self, w, g):
        w = w - self.lr * (g + self.weight_decay * w)
        self.step_count += 1
        return w


def rosenbrock(w):
    a, b = w
    value = (1 - a) ** 2 + 5 * (b - a * a) ** 2
    grad = np.array([-2 * (1 - a) - 20 * a * (b - a * a), 10 * (b - a * a)])
    return value, grad


def main():
    n = 100
    schedules = [
        0.01,
        StepDecay(0.02, drop=0.5, every=25),
        ExponentialDecay(0.02),
        WarmupCosine(0.02, total=n, warmup=10, min_lr=0.001),
    ]
    values = np.zeros((len(schedules), n))
    lrs = np.zeros_like(values)
    for row, sched in enumerate(schedules):
        opt = SGD(sched, weight_decay=1e-3)
        w = np.array([-0.5, 0.8])
        for i in range(n):
            values[row, i], g = rosenbrock(w)
            lrs[row, i] = opt.lr
            w = opt.step(w, g)
        print(f"{type(opt.schedule).__name__:18s} f = {values[row, -1]:.5f}")
    return values, lrs


if __name__ == "__main__":
    values, lrs = main()
    best = values[:, -1].min()
