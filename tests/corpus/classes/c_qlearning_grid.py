import numpy as np

np.random.seed(0)

# small grid world: S = start, G = goal, H = hole
MAP = ["S..",
       ".H.",
       "..G"]
MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]


class GridWorld:
    def __init__(self, rows):
        self.rows = rows
        self.n = len(rows)
        self.pos = (0, 0)

    def reset(self):
        self.pos = (0, 0)
        return 0

    def index(self):
        return self.pos[0] * self.n + self.pos[1]

    def step(self, action):
        dr, dc = MOVES[action]
        r = min(max(self.pos[0] + dr, 0), self.n - 1)
        c = min(max(self.pos[1] + dc, 0), self.n - 1)
        self.pos = (r, c)
        cell = self.rows[r][c]
        if cell == "G":
            return self.index(), 1.0, True
        if cell == "H":
            return self.index(), -1.0, True
        return self.index(), -0.01, False


class Agent:
    alpha = 0.5
    gamma = 0.9

    def __init__(self, n_states, n_actions, eps=0.2):
        self.q = np.zeros((n_states, n_actions))
        self.eps = eps
        self.returns = []

    def act(self, s):
        if np.random.rand() < self.eps:
            return np.random.randint(self.q.shape[1])
        return int(np.argmax(self.q[s]))

    def learn(self, s, a, r, s2, done):
        target = r if done else r + self.gamma * self.q[s2].max()
        self.q[s, a] += self.alpha * (target - self.q[s, a])


env = GridWorld(MAP)
agent = Agent(9, 4)
for episode in range(40):
    s = env.reset()
    total = 0.0
    for t in range(20):
        a = agent.act(s)
        s2, r, done = env.step(a)
        agent.learn(s, a, r, s2, done)
        total += r
        s = s2
        if done:
            break
    agent.returns.append(total)

Q = agent.q
V = Q.max(axis=1).reshape(3, 3)
mean_return = np.mean(agent.returns[-10:])
print(V.round(2))
print("mean return, last 10 episodes: %.3f" % mean_return)
