# call: fit_predict(X, y, Xt); X = normal(90, 4); y = np.arange(90) % 3; Xt = normal(15, 4)
import numpy as np


def fit_predict(X, y, Xt):
    """Gaussian naive Bayes."""
    classes = np.unique(y)
    log_post = np.zeros((Xt.shape[0], len(classes)))
    for c in classes:
        Xc = X[y == c]
        mean, var = Xc.mean(axis=0), Xc.var(axis=0) + 1e-9
        prior = np.log(len(Xc) / len(X))
        log_post[:, c] = prior - 0.5 * np.sum(
            np.log(2 * np.pi * var) + (Xt - mean) ** 2 / var, axis=1)
    return classes[np.argmax(log_post, axis=1)]
