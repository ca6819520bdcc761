import numpy as np

np.random.seed(0)
n_states, n_actions = 10, 2
Q = np.zeros((n_states, n_actions))
alpha, gamma, eps = 0.1, 0.95, 0.1

for episode in range(60):
    s = 0
    steps = 0
    while s != n_states - 1 and steps < 200:
        if np.random.rand() < eps:
            a = np.random.randint(n_actions)
        else:
            a = np.argmax(Q[s])
        s2 = min(s + 1, n_states - 1) if a == 1 else max(s - 1, 0)
        r = 1.0 if s2 == n_states - 1 else -0.01
        Q[s, a] += alpha * (r + gamma * Q[s2].max() - Q[s, a])
        s = s2
        steps += 1
    if episode % 20 == 0:
        print("episode", episode, "steps", steps)
print(Q.argmax(axis=1))
