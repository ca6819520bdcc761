import numpy as np

# minimise the Rosenbrock function
def f(x, y):
    return (1 - x) ** 2 + 100 * (y - x ** 2) ** 2


def grad(x, y):
    dx = -2 * (1 - x) - 400 * x * (y - x ** 2)
    dy = 200 * (y - x ** 2)
    return np.array([dx, dy])


theta = np.array([-1.0, 1.0])
lr = 1e-3
history = []
for epoch in range(500):
    g = grad(*theta)
    theta = theta - lr * g
    history.append(f(theta[0], theta[1]))
    if epoch % 100 == 0:
        print("epoch", epoch, "f =", history[-1])
print(theta)
