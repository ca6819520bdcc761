"""K-means with k-means++ initialisation."""
import numpy as np


class KMeans:
    def __init__(self, n_clusters=3, max_iter=50, tol=1e-6, n_init=3, seed=None):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.rng = np.random.default_rng(seed)

    def _init_centers(self, X):
        n = X.shape[0]
        centers = [X[self.rng.integers(n)]]
        for _ in range(1, self.n_clusters):
            d2 = np.min([((X - c) ** 2).sum(axis=1) for c in centers], axis=0)
            probs = d2 / d2.sum()
            r = self.rng.random()
            idx = np.searchsorted(np.cumsum(probs), r)
            centers.append(X[min(idx, n - 1)])
        return np.array(centers)

    def _assign(self, X, centers):
        dists = np.linalg.norm(X[:, np.newaxis, :] - centers[np.newaxis, :, :], axis=2)
        return dists.argmin(axis=1), dists.min(axis=1)

    def _run_once(self, X):
        centers = self._init_centers(X)
        for it in range(self.max_iter):
            labels, _ = self._assign(X, centers)
            new_centers = centers.copy()
            for k in range(self.n_clusters):
                members = X[labels == k]
                if len(members) > 0:
                    new_centers[k] = members.mean(axis=0)
            shift = np.abs(new_centers - centers).max()
            centers = new_centers
            if shift < self.tol:
                break
        labels, dist = self._assign(X, centers)
        return centers, labels, (dist ** 2).sum(), it + 1

    def fit(self, X):
        best = None
        for _ in range(self.n_init):
            result = self._run_once(X)
            if best is None or result[2] < best[2]:
                best = result
        self.cluster_centers_, self.labels_, self.inertia_, self.n_iter_ = best
        return self

    def predict(self, X):
        return self._assign(X, self.cluster_centers_)[0]

    def fit_predict(self, X):
        return self.fit(X).labels_


def main():
    rng = np.random.default_rng(0)
    means = np.array([[0, 0], [4, 4], [0, 5]])
    X = np.vstack([rng.normal(m, 0.7, size=(40, 2)) for m in means])

    km = KMeans(n_clusters=3, seed=1)
    labels = km.fit_predict(X)
    order = np.argsort(km.cluster_centers_[:, 0])
    inertias = [KMeans(n_clusters=k, seed=1).fit(X).inertia_ for k in range(1, 6)]
    print(f"inertia: {km.inertia_:.3f} after {km.n_iter_} iterations")
    return km.cluster_centers_[order], np.bincount(labels), np.array(inertias)


if __name__ == "__main__":
    centers, sizes, inertias = main()
