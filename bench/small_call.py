"""One contestant of python_peers.py, in a process of its own: prints the seconds from a function's definition to its
first result, and those of a later call, on arrays of 8 x 8. Its library is imported before.
"""

import os
import sys
import time

import numpy as np

A, B = np.full((8, 8), 0.5, np.float32), np.eye(8, dtype=np.float32)
CALLS, ROUNDS = 2000, 7


def layer(a, b):
    h = np.tanh(a @ b)
    return h * (1 - h) + 0.5 * a


# Each gives what makes the function ready, and its arguments.


def with_convert():
    from rewriter import convert

    return lambda: convert(layer), A, B


def with_numpy():
    return lambda: layer, A, B


def with_numba():
    from numba import njit

    return lambda: njit(layer), A, B


def with_torch():
    import torch

    def torch_layer(a, b):
        h = torch.tanh(a @ b)
        return h * (1 - h) + 0.5 * a

    return lambda: torch.compile(torch_layer), torch.from_numpy(A), torch.from_numpy(B)


def with_jax():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp

    def jax_layer(a, b):
        h = jnp.tanh(a @ b)
        return h * (1 - h) + 0.5 * a

    def make():
        compiled = jax.jit(jax_layer)
        return lambda a, b: compiled(a, b).block_until_ready()

    return make, jnp.asarray(A), jnp.asarray(B)


def main(name):
    make, *arrays = globals()[f"with_{name}"]()
    begun = time.perf_counter()
    function = make()
    result = function(*arrays)
    first = time.perf_counter() - begun
    np.testing.assert_allclose(np.asarray(result), layer(A, B), rtol=1e-5)
    rounds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for _ in range(CALLS):
            function(*arrays)
        rounds.append((time.perf_counter() - begun) / CALLS)
    print(first, min(rounds))


if __name__ == "__main__":
    main(sys.argv[1])
