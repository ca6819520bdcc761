import numpy as np


def gaussian(X, mu, cov):
    d = X.shape[1]
    diff = X - mu
    norm = 1.0 / np.sqrt((2 * np.pi) ** d * np.linalg.det(cov))
    return norm * np.exp(-0.5 * np.sum(diff @ np.linalg.inv(cov) * diff, axis=1))


def main():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(-2, 1, (60, 2)), rng.normal(2, 0.7, (60, 2))])
    n, d = X.shape
    K = 2
    pi = np.full(K, 1 / K)
    mu = X[[0, -1]]
    cov = np.stack([np.eye(d) for _ in range(K)])
    for it in range(30):
        # E-step
        resp = np.zeros((n, K))
        for k in range(K):
            resp[:, k] = pi[k] * gaussian(X, mu[k], cov[k])
        ll = np.log(resp.sum(axis=1)).sum()
        resp /= resp.sum(axis=1, keepdims=True)
        # M-step
        Nk = resp.sum(axis=0)
        pi = Nk / n
        mu = (resp.T @ X) / Nk[:, None]
        for k in range(K):
            diff = X - mu[k]
            cov[k] = (resp[:, k][:, None] * diff).T @ diff / Nk[k] + 1e-6 * np.eye(d)
        if it % 10 == 0:
            print("iteration", it, "log-likelihood", ll)
    print(pi, mu)


if __name__ == "__main__":
    main()
