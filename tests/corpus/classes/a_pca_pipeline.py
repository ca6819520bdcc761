import numpy as np


class TransformerMixin:
    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)


class StandardScaler(TransformerMixin):
    def __init__(self, with_mean=True, with_std=True):
        self.with_mean = with_mean
        self.with_std = with_std

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0) if self.with_mean else np.zeros(X.shape[1])
        self.scale_ = X.std(axis=0) if self.with_std else np.ones(X.shape[1])
        self.scale_[self.scale_ == 0] = 1.0
        return self

    def transform(self, X):
        return (X - self.mean_) / self.scale_

    def inverse_transform(self, X):
        return X * self.scale_ + self.mean_


class PCA(TransformerMixin):
    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y=None):
        self.mean_ = np.mean(X, axis=0)
        cov = np.cov(X - self.mean_, rowvar=False)
        eigvals, eigvecs = np.linalg.eigh(cov)
        idx = np.argsort(eigvals)[::-1]
        eigvals, eigvecs = eigvals[idx], eigvecs[:, idx]
        # make the signs deterministic
        signs = np.sign(eigvecs[np.argmax(np.abs(eigvecs), axis=0), range(eigvecs.shape[1])])
        eigvecs = eigvecs * signs
        self.components_ = eigvecs[:, :self.n_components].T
        self.explained_variance_ = eigvals[:self.n_components]
        self.explained_variance_ratio_ = self.explained_variance_ / eigvals.sum()
        return self

    def transform(self, X):
        return np.dot(X - self.mean_, self.components_.T)

    def inverse_transform(self, Z):
        return np.dot(Z, self.components_) + self.mean_


class Pipeline:
    def __init__(self, steps):
        self.steps = steps

    def fit(self, X, y=None):
        for name, step in self.steps:
            X = step.fit_transform(X, y)
        return self

    def transform(self, X):
        for name, step in self.steps:
            X = step.transform(X)
        return X

    def inverse_transform(self, Z):
        for name, step in reversed(self.steps):
            Z = step.inverse_transform(Z)
        return Z

    def __getitem__(self, key):
        return dict(self.steps)[key]


np.random.seed(0)
latent = np.random.randn(100, 2)
mixing = np.random.randn(2, 5)
X = latent @ mixing + 0.1 * np.random.randn(100, 5) + np.arange(5)

pipe = Pipeline([("scale", StandardScaler()), ("pca", PCA(n_components=2))])
pipe.fit(X)
Z = pipe.transform(X)
X_rec = pipe.inverse_transform(Z)
reconstruction_error = np.mean((X - X_rec) ** 2)
ratio = pipe["pca"].explained_variance_ratio_
print("explained variance ratio:", ratio)
print(f"reconstruction MSE: {reconstruction_error:.5f}")
