import numpy as np

rng = np.random.default_rng(0)


class KFold:
    def __init__(self, n_splits=5, shuffle=True, rng=None):
        if n_splits < 2:
            raise ValueError("need at least 2 folds")
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.rng = rng

    def split(self, X):
        idx = np.arange(len(X))
        if self.shuffle:
            idx = self.rng.permutation(len(X))
        folds = np.array_split(idx, self.n_splits)
        for i in range(self.n_splits):
            test = folds[i]
            train = np.concatenate([f for j, f in enumerate(folds) if j != i])
            yield train, test


class Ridge:
    def __init__(self, alpha=1.0):
        self.alpha = alpha
        self.coef_ = None

    def fit(self, X, y):
        n = X.shape[1]
        A = X.T @ X + self.alpha * np.eye(n)
        try:
            self.coef_ = np.linalg.solve(A, X.T @ y)
        except np.linalg.LinAlgError:
            self.coef_ = np.linalg.pinv(A) @ X.T @ y
        return self

    def predict(self, X):
        return X @ self.coef_


def mse(a, b):
    return float(np.mean((a - b) ** 2))


X = rng.standard_normal((50, 6))
w_true = np.array([2.0, 0, -1, 0, 0.5, 0])
y = X @ w_true + 0.5 * rng.standard_normal(50)

alphas = [0.0, 0.1, 1.0, 10.0, 100.0]
kf = KFold(5, rng=rng)
splits = list(kf.split(X))

scores = {}
for a in alphas:
    errs = [mse(Ridge(a).fit(X[tr], y[tr]).predict(X[te]), y[te]) for tr, te in splits]
    scores[a] = np.mean(errs)
    print(f"alpha={a:<6} cv mse={scores[a]:.4f}")

best_alpha = min(scores, key=scores.get)
final = Ridge(best_alpha).fit(X, y)
coef = final.coef_
cv_errors = np.array([scores[a] for a in alphas])
