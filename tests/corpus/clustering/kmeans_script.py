import numpy as np

np.random.seed(0)
X = np.vstack([
    np.random.normal([0, 0], 0.5, (40, 2)),
    np.random.normal([3, 3], 0.5, (40, 2)),
    np.random.normal([0, 4], 0.5, (40, 2)),
])
K = 3
centers = X[np.random.choice(len(X), K, replace=False)]

for it in range(20):
    d2 = ((X[:, None, :] - centers[None, :, :]) ** 2).sum(-1)
    z = d2.argmin(1)
    for k in range(K):
        members = X[z == k]
        if len(members) > 0:
            centers[k] = members.mean(0)
    inertia = d2[np.arange(len(X)), z].sum()
    if it % 5 == 0:
        print(f"iter {it}: inertia {inertia:.3f}")

print(centers)
print(np.bincount(z, minlength=K))
