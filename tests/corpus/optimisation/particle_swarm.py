import numpy as np


def sphere(P):
    return np.sum(P ** 2, axis=1)


def main():
    rng = np.random.default_rng(0)
    n, dim = 20, 5
    pos = rng.uniform(-5, 5, (n, dim))
    vel = np.zeros((n, dim))
    pbest = pos.copy()
    pbest_val = sphere(pos)
    gbest = pbest[np.argmin(pbest_val)]
    for it in range(60):
        r1 = rng.random((n, dim))
        r2 = rng.random((n, dim))
        vel = 0.7 * vel + 1.4 * r1 * (pbest - pos) + 1.4 * r2 * (gbest - pos)
        pos = pos + vel
        val = sphere(pos)
        better = val < pbest_val
        pbest[better] = pos[better]
        pbest_val[better] = val[better]
        gbest = pbest[np.argmin(pbest_val)]
        if it % 20 == 0:
            print(it, pbest_val.min())
    return gbest


if __name__ == "__main__":
    print(main())
