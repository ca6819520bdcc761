import numpy as np

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
y = np.array([[0], [1], [1], [0]])

np.random.seed(1)
W1 = 2 * np.random.random((2, 4)) - 1
W2 = 2 * np.random.random((4, 1)) - 1


def nonlin(x, deriv=False):
    if deriv:
        return x * (1 - x)
    return 1 / (1 + np.exp(-x))


for j in range(600):
    l1 = nonlin(np.dot(X, W1))
    l2 = nonlin(np.dot(l1, W2))
    l2_error = y - l2
    if (j % 100) == 0:
        print("Error:" + str(np.mean(np.abs(l2_error))))
    l2_delta = l2_error * nonlin(l2, deriv=True)
    l1_error = l2_delta.dot(W2.T)
    l1_delta = l1_error * nonlin(l1, deriv=True)
    W2 += l1.T.dot(l2_delta)
    W1 += X.T.dot(l1_delta)

print(l2)
