# call: perceptron(X, y, w, 10); X = normal(50, 4); y = np.sign(normal(50)); w = zeros(4)


def perceptron(X, y, w, epochs):
    for _ in range(epochs):
        for i in range(X.shape[0]):
            if y[i] * (X[i] @ w) <= 0:
                w += y[i] * X[i]
    return w
