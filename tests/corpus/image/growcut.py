# call: growcut(image, state, state_next, 1); image = uniform(10, 10, 3); state = uniform(10, 10, 2); state_next = zeros(10, 10, 2)
import numpy as np


def growcut(image, state, state_next, window_radius):
    changes = 0
    sqrt3 = np.sqrt(3.0)
    height, width = image.shape[0], image.shape[1]
    for j in range(width):
        for i in range(height):
            winning = state[i, j, 0]
            strength = state[i, j, 1]
            for jj in range(max(0, j - window_radius), min(width, j + window_radius + 1)):
                for ii in range(max(0, i - window_radius), min(height, i + window_radius + 1)):
                    if ii == i and jj == j:
                        continue
                    d = image[i, j] - image[ii, jj]
                    attack = (1.0 - np.sqrt(np.sum(d * d)) / sqrt3) * state[ii, jj, 1]
                    if attack > strength:
                        strength = attack
                        winning = state[ii, jj, 0]
                        changes += 1
            state_next[i, j, 0] = winning
            state_next[i, j, 1] = strength
    return changes
