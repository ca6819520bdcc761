import numpy as np

np.random.seed(2)
pop = np.random.randint(0, 2, (20, 16))
for generation in range(25):
    fitness = pop.sum(axis=1)
    if generation % 5 == 0:
        print("generation", generation, "best", fitness.max())
    parents = pop[np.argsort(fitness)[::-1][:10]]
    children = []
    for i in range(10):
        a, b = parents[np.random.randint(10)], parents[np.random.randint(10)]
        cut = np.random.randint(1, 16)
        child = np.concatenate([a[:cut], b[cut:]])
        flip = np.random.rand(16) < 0.02
        child = np.where(flip, 1 - child, child)
        children.append(child)
    pop = np.vstack([parents, children])
