# call: knn_predict(Xtr, ytr, Xte, 5); Xtr = normal(80, 3); ytr = ints(0, 4, 80); Xte = normal(20, 3)
import numpy as np


def knn_predict(Xtr, ytr, Xte, k=3):
    preds = np.zeros(len(Xte), dtype=ytr.dtype)
    for i, x in enumerate(Xte):
        d = np.sqrt(np.sum((Xtr - x) ** 2, axis=1))
        nearest = np.argsort(d)[:k]
        preds[i] = np.bincount(ytr[nearest]).argmax()
    return preds
