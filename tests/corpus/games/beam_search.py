# call: beam_search(data, 3); data = stochastic(5, 6)
import math

import numpy as np


def beam_search(data, k):
    sequences = [[list(), 0.0]]
    for row in data:
        candidates = list()
        for i in range(len(sequences)):
            seq, score = sequences[i]
            for j in range(len(row)):
                candidates.append([seq + [j], score - math.log(row[j])])
        ordered = sorted(candidates, key=lambda pair: pair[1])
        sequences = ordered[:k]
    best = np.array([seq for seq, _ in sequences])
    return best, np.array([score for _, score in sequences])
