import numpy as np

rng = np.random.RandomState(5)
params = {"w": rng.randn(4, 3), "b": np.zeros(3)}
velocity = {k: np.zeros_like(v) for k, v in params.items()}
X = rng.randn(64, 4)
Y = X @ rng.randn(4, 3) + 0.3

lr, mu = 0.05, 0.9
for epoch in range(60):
    err = X @ params["w"] + params["b"] - Y
    loss = (err ** 2).mean()
    grads = {"w": X.T @ err * 2 / err.size, "b": err.sum(axis=0) * 2 / err.size}
    for key in params:
        velocity[key] = mu * velocity[key] - lr * grads[key]
        params[key] += velocity[key]
    if epoch % 10 == 0:
        print("epoch %3d  loss %.6f" % (epoch, loss))
