import numpy as np

rng = np.random.default_rng(3)
strength = rng.normal(0, 1, 8)
rating = np.full(8, 1500.0)
K = 32
for game in range(300):
    a, b = rng.choice(8, 2, replace=False)
    expected = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400))
    p = 1 / (1 + np.exp(-(strength[a] - strength[b])))
    score = 1.0 if rng.random() < p else 0.0
    rating[a] += K * (score - expected)
    rating[b] += K * (expected - score)
for place, player in enumerate(np.argsort(rating)[::-1], 1):
    print(place, player, round(rating[player], 1))
