# call: adaboost(X, y); X = normal(15, 2); y = np.where(normal(15) > 0, 1, -1)
import numpy as np


def adaboost(X, y, n_clf=3):
    n_samples, n_features = X.shape
    w = np.full(n_samples, (1 / n_samples))
    alphas = []
    for _ in range(n_clf):
        min_error = float("inf")
        for feature_i in range(n_features):
            column = X[:, feature_i]
            for threshold in np.unique(column):
                p = 1
                predictions = np.ones(n_samples)
                predictions[column < threshold] = -1
                error = sum(w[y != predictions])
                if error > 0.5:
                    error = 1 - error
                    p = -1
                if error < min_error:
                    polarity = p
                    cut = threshold
                    feature = feature_i
                    min_error = error
        alpha = 0.5 * np.log((1.0 - min_error + 1e-10) / (min_error + 1e-10))
        predicted = np.ones(n_samples)
        if polarity == 1:
            predicted[X[:, feature] < cut] = -1
        else:
            predicted[X[:, feature] > cut] = -1
        w *= np.exp(-alpha * y * predicted)
        w /= np.sum(w)
        alphas.append(alpha)
    return np.array(alphas), w
