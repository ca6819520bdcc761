import numpy as np


class GaussianNB:
    def __init__(self, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        n_classes = len(self.classes_)
        n_features = X.shape[1]
        self.theta_ = np.zeros((n_classes, n_features))
        self.var_ = np.zeros((n_classes, n_features))
        self.class_prior_ = np.zeros(n_classes)
        eps = self.var_smoothing * X.var(axis=0).max()

        for idx, c in enumerate(self.classes_):
            X_c = X[y == c]
            self.theta_[idx, :] = X_c.mean(axis=0)
            self.var_[idx, :] = X_c.var(axis=0) + eps
            self.class_prior_[idx] = X_c.shape[0] / float(X.shape[0])
        return self

    def _joint_log_likelihood(self, X):
        jll = []
        for i in range(len(self.classes_)):
            prior = np.log(self.class_prior_[i])
            ll = -0.5 * np.sum(np.log(2.0 * np.pi * self.var_[i]))
            ll = ll - 0.5 * np.sum((X - self.theta_[i]) ** 2 / self.var_[i], axis=1)
            jll.append(prior + ll)
        return np.array(jll).T

    def predict(self, X):
        return self.classes_[np.argmax(self._joint_log_likelihood(X), axis=1)]

    def score(self, X, y):
        return np.mean(self.predict(X) == y)


def confusion_matrix(y_true, y_pred, n):
    cm = np.zeros((n, n), dtype=int)
    for t, p in zip(y_true, y_pred):
        cm[t, p] += 1
    return cm


if __name__ == '__main__':
    np.random.seed(0)
    n_per_class = 50
    X = np.concatenate([
        np.random.normal([0, 0, 0], [1.0, 1.0, 0.5], (n_per_class, 3)),
        np.random.normal([2, 1, 0], [0.5, 1.5, 1.0], (n_per_class, 3)),
        np.random.normal([-1, 3, 1], [1.0, 0.7, 1.0], (n_per_class, 3)),
    ])
    y = np.repeat([0, 1, 2], n_per_class)

    # shuffle
    perm = np.random.permutation(len(y))
    X, y = X[perm], y[perm]
    split = 100
    nb = GaussianNB().fit(X[:split], y[:split])
    y_hat = nb.predict(X[split:])
    cm = confusion_matrix(y[split:], y_hat, 3)
    means, variances = nb.theta_, nb.var_
    acc = nb.score(X[split:], y[split:])
    print("Accuracy: %.3f" % acc)
    print(cm)
