# Genetic algorithm for a small knapsack problem
import numpy as np
from dataclasses import dataclass

np.random.seed(3)


@dataclass
class Config:
    pop_size: int = 16
    generations: int = 25
    mutation: float = 0.05
    capacity: float = 20.0
    elite: int = 2


class Individual:
    def __init__(self, genes):
        self.genes = genes
        self.fitness = None

    def evaluate(self, weights, values, capacity):
        if self.fitness is not None:
            return self.fitness
        w = np.sum(weights * self.genes)
        v = np.sum(values * self.genes)
        if w > capacity:
            v = v - 10 * (w - capacity)
        self.fitness = v
        return v

    def crossover(self, other):
        cut = np.random.randint(1, len(self.genes))
        child = np.concatenate([self.genes[:cut], other.genes[cut:]])
        return Individual(child)

    def mutate(self, rate):
        flips = np.random.rand(len(self.genes)) < rate
        self.genes = np.where(flips, 1 - self.genes, self.genes)
        self.fitness = None


def tournament(pop, k=3):
    idx = np.random.choice(len(pop), k, replace=False)
    return max([pop[i] for i in idx], key=lambda ind: ind.fitness)


cfg = Config(mutation=0.08)
weights = np.array([3.0, 4, 5, 8, 2, 7, 1, 6])
values = np.array([4.0, 5, 7, 11, 2, 9, 1, 7])

pop = [Individual(np.random.randint(0, 2, len(weights))) for _ in range(cfg.pop_size)]
best_history = []
for g in range(cfg.generations):
    for ind in pop:
        ind.evaluate(weights, values, cfg.capacity)
    pop = sorted(pop, key=lambda ind: ind.fitness, reverse=True)
    best_history.append(pop[0].fitness)
    new_pop = pop[:cfg.elite]
    while len(new_pop) < cfg.pop_size:
        child = tournament(pop).crossover(tournament(pop))
        child.mutate(cfg.mutation)
        new_pop.append(child)
    pop = new_pop

best = pop[0]
best_genes = best.genes
best_value = best.fitness
best_weight = np.sum(weights * best_genes)
best_history = np.array(best_history)
print("best value {:.1f} weight {:.1f} genes {}".format(best_value, best_weight, best_genes))
