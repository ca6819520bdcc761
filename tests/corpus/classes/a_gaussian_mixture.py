import numpy as np


class GaussianMixture:
    """EM for a mixture of Gaussians with full covariances."""

    def __init__(self, n_components=2, max_iter=100, tol=1e-4, reg_covar=1e-6):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.converged_ = False

    def _initialise(self, X):
        n, d = X.shape
        order = np.argsort(X[:, 0])
        parts = np.array_split(order, self.n_components)
        self.means_ = np.array([X[p].mean(axis=0) for p in parts])
        self.covariances_ = np.array([np.cov(X.T) for _ in range(self.n_components)])
        self.weights_ = np.ones(self.n_components) / self.n_components

    def _log_gauss(self, X, mean, cov):
        d = X.shape[1]
        L = np.linalg.cholesky(cov)
        z = np.linalg.solve(L, (X - mean).T)
        logdet = 2 * np.sum(np.log(np.diag(L)))
        return -0.5 * (d * np.log(2 * np.pi) + logdet + np.sum(z**2, axis=0))

    def _e_step(self, X):
        logp = np.empty((X.shape[0], self.n_components))
        for k in range(self.n_components):
            logp[:, k] = np.log(self.weights_[k]) + self._log_gauss(
                X, self.means_[k], self.covariances_[k]
            )
        top = logp.max(axis=1)
        log_norm = top + np.log(np.exp(logp - top[:, None]).sum(axis=1))
        return log_norm.mean(), np.exp(logp - log_norm[:, None])

    def _m_step(self, X, resp):
        nk = resp.sum(axis=0)
        self.weights_ = nk / X.shape[0]
        self.means_ = (resp.T @ X) / nk[:, None]
        for k in range(self.n_components):
            diff = X - self.means_[k]
            self.covariances_[k] = (resp[:, k][:, None] * diff).T @ diff / nk[k]
            self.covariances_[k] += self.reg_covar * np.eye(X.shape[1])

    def fit(self, X):
        self._initialise(X)
        prev = -np.inf
        self.lower_bounds_ = []
        for n_iter in range(1, self.max_iter + 1):
            bound, resp = self._e_step(X)
            self._m_step(X, resp)
            self.lower_bounds_.append(bound)
            if abs(bound - prev) < self.tol:
                self.converged_ = True
                break
            prev = bound
        self.n_iter_ = n_iter
        return self

    def predict(self, X):
        return self._e_step(X)[1].argmax(axis=1)


def main():
    np.random.seed(0)
    A = np.random.randn(70, 2) @ np.array([[1.0, 0.3], [0.0, 0.6]]) + np.array([-2.0, 0.0])
    B = np.random.randn(50, 2) * 0.7 + np.array([2.0, 1.0])
    data = np.vstack([A, B])

    gmm = GaussianMixture(n_components=2, max_iter=60).fit(data)
    print("converged" if gmm.converged_ else "not converged", "after", gmm.n_iter_)
    return gmm.means_, gmm.weights_, np.array(gmm.lower_bounds_), gmm.predict(data)


if __name__ == "__main__":
    means, weights, bounds, labels = main()
