# call: nelder_mead(x0, 40); x0 = np.array([1.3, 0.7])
import numpy as np


def f(x):
    return (x[0] - 1) ** 2 + 5 * (x[1] + 2) ** 2


def nelder_mead(x0, iters):
    n = len(x0)
    simplex = np.vstack([x0] + [x0 + 0.5 * e for e in np.eye(n)])
    values = np.array([f(p) for p in simplex])
    for _ in range(iters):
        order = np.argsort(values)
        simplex, values = simplex[order], values[order]
        centroid = simplex[:-1].mean(axis=0)
        reflected = centroid + (centroid - simplex[-1])
        fr = f(reflected)
        if fr < values[0]:
            expanded = centroid + 2 * (centroid - simplex[-1])
            fe = f(expanded)
            if fe < fr:
                simplex[-1], values[-1] = expanded, fe
            else:
                simplex[-1], values[-1] = reflected, fr
        elif fr < values[-2]:
            simplex[-1], values[-1] = reflected, fr
        else:
            contracted = centroid + 0.5 * (simplex[-1] - centroid)
            simplex[-1], values[-1] = contracted, f(contracted)
    return simplex[0], values[0]
