"""The benchmarks' models in NumPy's notation, for any library that has it, float32 throughout."""

import functools

NUM_VIS, NUM_HID, BATCH = 784, 4096, 128
STILL, MOST_STEPS = 1e-6, 1000  # of a power iteration: the largest change of a number that ends it, and its limit
INPUTS, HIDDEN, CLASSES = 784, 512, 10
MOMENTUM, RATE = 0.9, 0.1 / BATCH


class Peer:
    """A library with NumPy's notation: its name and the functions in whose spelling they differ."""

    def __init__(self, name, randn, rand, zeros, logistic, draw, total, norm, wait):
        self.name, self.randn, self.rand, self.zeros = name, randn, rand, zeros
        self.logistic, self.draw, self.total, self.norm, self.wait = logistic, draw, total, norm, wait


def numpy_peer():
    import numpy as np

    np.seterr(over="ignore")  # in exp(-x), where 1 / (1 + inf) is the right 0
    rng = np.random.default_rng(1)

    def random(*shape):
        return rng.random(shape, dtype=np.float32)

    return Peer(
        f"NumPy {np.__version__}",
        lambda *shape: rng.standard_normal(shape, dtype=np.float32),
        random,
        lambda *shape: np.zeros(shape, np.float32),
        lambda x: 1 / (1 + np.exp(-x)),
        lambda h: (random(*h.shape) < h).astype(np.float32),
        lambda x: x.sum(0),
        np.linalg.norm,
        lambda: None,
    )


def cupy_peer():
    import cupy as cp

    return Peer(
        f"CuPy {cp.__version__}",
        lambda *shape: cp.random.standard_normal(shape, dtype=cp.float32),
        lambda *shape: cp.random.random(shape, dtype=cp.float32),
        lambda *shape: cp.zeros(shape, dtype=cp.float32),
        lambda x: 1 / (1 + cp.exp(-x)),
        lambda h: (cp.random.random(h.shape, dtype=cp.float32) < h).astype(cp.float32),
        lambda x: x.sum(0),
        cp.linalg.norm,
        cp.cuda.Device().synchronize,
    )


def torch_peer(device):
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ImportError("PyTorch has no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_grad_enabled(False)
    return Peer(
        f"PyTorch {torch.__version__}",
        lambda *shape: torch.randn(*shape, device=device),
        lambda *shape: torch.rand(*shape, device=device),
        lambda *shape: torch.zeros(*shape, device=device),
        torch.sigmoid,
        lambda h: (torch.rand_like(h) < h).float(),
        lambda x: x.sum(0),
        torch.linalg.norm,
        torch.cuda.synchronize if device == "cuda" else lambda: None,
    )


def jax_peer():
    """Its random numbers are those of peer.key, which a compiled function takes and returns."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_default_matmul_precision", "highest")  # float32, not TF32
    peer = Peer(
        f"JAX {jax.__version__}",
        lambda *shape: jax.random.normal(peer.next_key(), shape, jnp.float32),
        lambda *shape: jax.random.uniform(peer.next_key(), shape, jnp.float32),
        lambda *shape: jnp.zeros(shape, jnp.float32),
        jax.nn.sigmoid,
        lambda h: (jax.random.uniform(peer.next_key(), h.shape, jnp.float32) < h).astype(jnp.float32),
        lambda x: x.sum(0),
        jnp.linalg.norm,
        lambda: None,  # float() waits
    )
    peer.key = jax.random.key(1)

    def next_key():
        peer.key, key = jax.random.split(peer.key)
        return key

    peer.next_key = next_key
    return peer


def jax_compiled(peer):
    """For rbm_step: one function, which is given the memory of the weights and splits the key of the random numbers."""
    import jax

    def with_key(update):
        @functools.partial(jax.jit, donate_argnums=(0, 1))
        def keyed(w, wu, v1, key):
            kept, peer.key = peer.key, key
            try:
                return update(dict(w), dict(wu), v1), peer.key
            finally:
                peer.key = kept

        def call(w, wu, v1):
            results, peer.key = keyed(w, wu, v1, peer.key)
            return results

        return call

    return with_key


def torch_compiled():
    """For rbm_step: one function that writes the weights and their increments where they are."""
    import torch

    def writing(update):
        @functools.partial(torch.compile, dynamic=False)
        def write(w, wu, v1):
            *results, norm = update(dict(w), dict(wu), v1)
            for old, new in zip((w, wu), results):
                for name in old:
                    old[name].copy_(new[name])
            return norm

        return lambda w, wu, v1: (w, wu, write(w, wu, v1))

    return writing


def rbm_update(peer, in_place, w, wu, v1):
    """The report's listing 2.2 (UTML TR 2010-002), of weights and their increments by name; returns them, and how far
    the reconstructions are from the inputs."""
    h1 = peer.logistic(v1 @ w["vh"] + w["h"])
    sampled = peer.draw(h1)
    v2 = peer.logistic(sampled @ w["vh"].T + w["v"])
    h2 = peer.logistic(v2 @ w["vh"] + w["h"])
    wu["vh"] = wu["vh"] * MOMENTUM + v1.T @ h1 - v2.T @ h2
    wu["v"] = wu["v"] * MOMENTUM + peer.total(v1) - peer.total(v2)
    wu["h"] = wu["h"] * MOMENTUM + peer.total(h1) - peer.total(h2)
    for name in w:
        if in_place:
            w[name] += wu[name] * RATE
        else:
            w[name] = w[name] + wu[name] * RATE
    return w, wu, peer.norm(v2 - v1)


def rbm_step(peer, compiled=None, read=True):
    """That, ready to run; `compiled` makes one function of the update, which is called with w, wu and v1. A step
    returns the error, or with read=False the norm as the library has it, for which nothing waits."""
    w = {"vh": 0.1 * peer.randn(NUM_VIS, NUM_HID), "v": peer.zeros(NUM_VIS), "h": peer.zeros(NUM_HID) - 4}
    wu = {"vh": peer.zeros(NUM_VIS, NUM_HID), "v": peer.zeros(NUM_VIS), "h": peer.zeros(NUM_HID)}
    v1 = peer.rand(BATCH, NUM_VIS)
    update = functools.partial(rbm_update, peer, compiled is None)
    if compiled is not None:
        update = compiled(update)

    def step():
        nonlocal w, wu
        w, wu, norm = update(w, wu, v1)
        return float(norm) ** 2 / (NUM_VIS * BATCH) if read else norm

    return step


def network_step(peer):
    """tools/examples/network.py, ready to run."""
    w = {
        "w_1": 0.05 * peer.randn(INPUTS, HIDDEN),
        "b_1": peer.zeros(HIDDEN),
        "w_2": 0.05 * peer.randn(HIDDEN, CLASSES),
        "b_2": peer.zeros(CLASSES),
    }
    u = {name: array * 0 for name, array in w.items()}
    x, t = peer.rand(BATCH, INPUTS), peer.rand(BATCH, CLASSES)

    def step():
        h = peer.logistic(x @ w["w_1"] + w["b_1"])
        y = peer.logistic(h @ w["w_2"] + w["b_2"])
        delta_2 = y - t
        delta_1 = (delta_2 @ w["w_2"].T) * (h * (1 - h))
        u["w_1"] = u["w_1"] * MOMENTUM + x.T @ delta_1
        u["b_1"] = u["b_1"] * MOMENTUM + peer.total(delta_1)
        u["w_2"] = u["w_2"] * MOMENTUM + h.T @ delta_2
        u["b_2"] = u["b_2"] * MOMENTUM + peer.total(delta_2)
        for name in w:
            w[name] -= u[name] * RATE
        return float(peer.norm(delta_2)) ** 2 / BATCH

    return step
