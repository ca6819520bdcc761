import numpy as np


class LogisticRegression():

    def __init__(self, lr=0.5, n_iter=100, l2=0.0, tol=1e-5, verbose=False):
        self.lr = lr
        self.n_iter = n_iter
        self.l2 = l2
        self.tol = tol
        self.verbose = verbose

    def __sigmoid(self, z):
        return 1 / (1 + np.exp(-z))

    def __add_intercept(self, X):
        intercept = np.ones((X.shape[0], 1))
        return np.concatenate((intercept, X), axis=1)

    def __loss(self, h, y):
        eps = 1e-12
        return (-y * np.log(h + eps) - (1 - y) * np.log(1 - h + eps)).mean()

    def fit(self, X, y):
        X = self.__add_intercept(X)
        self.theta = np.zeros(X.shape[1])
        self.history = []

        for i in range(self.n_iter):
            z = np.dot(X, self.theta)
            h = self.__sigmoid(z)
            gradient = np.dot(X.T, (h - y)) / y.size
            gradient[1:] += self.l2 * self.theta[1:]
            self.theta -= self.lr * gradient

            loss = self.__loss(self.__sigmoid(np.dot(X, self.theta)), y)
            self.history.append(loss)
            if self.verbose and i % 20 == 0:
                print(f'loss: {loss} \t')
            if len(self.history) > 1 and abs(self.history[-2] - self.history[-1]) < self.tol:
                break
        return self

    def predict_proba(self, X):
        X = self.__add_intercept(X)
        return self.__sigmoid(np.dot(X, self.theta))

    def predict(self, X, threshold=0.5):
        return (self.predict_proba(X) >= threshold).astype(int)


def make_blobs(n, centers, scale=1.0):
    xs, ys = [], []
    for label, c in enumerate(centers):
        xs.append(np.random.normal(loc=c, scale=scale, size=(n, len(c))))
        ys.append(np.full(n, label))
    return np.vstack(xs), np.hstack(ys)


np.random.seed(0)
X, y = make_blobs(60, [(-1.0, -1.0), (1.0, 1.5)])
clf = LogisticRegression(lr=0.5, n_iter=120, l2=0.01, verbose=True)
clf.fit(X, y)

proba = clf.predict_proba(X)
preds = clf.predict(X)
accuracy = (preds == y).mean()
theta = clf.theta
print('accuracy', accuracy)
print('stopped after', len(clf.history), 'iterations')
