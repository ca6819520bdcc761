# call: impute(X); X = np.where(uniform(6, 4) < 0.3, np.nan, normal(6, 4))
import numpy as np


def impute(X):
    col_mean = np.nanmean(X, axis=0)
    inds = np.where(np.isnan(X))
    X[inds] = np.take(col_mean, inds[1])
    return X
