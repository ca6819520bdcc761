"""The workloads for JAX: a compiled function each, which is given the memory of its results. JAX_PLATFORMS names the
device; the CPU is the default.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # pylint: disable=wrong-import-position
import jax.numpy as jnp  # pylint: disable=wrong-import-position
import numpy as np  # pylint: disable=wrong-import-position

from models import MOST_STEPS, STILL, jax_compiled, jax_peer, rbm_step  # pylint: disable=wrong-import-position

NAME = f"JAX {jax.__version__}"
COLUMNS = ("JAX",)
jax.config.update("jax_default_matmul_precision", "highest")  # float32, not TF32


def chain(a, b):
    return {"r": jnp.sqrt(jnp.abs(jnp.tanh((a * b + 1) * (a - b)) * 0.5 + 0.25) * a) + b * b}


def slope(d, h):
    return {"r": d * h * (1 - h)}


def stencil_step(B, A):
    inner = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[:-2, 1:-1] + A[2:, 1:-1])
    return B.at[1:-1, 1:-1].set(inner)


def softmax(x):
    return {"y": jax.nn.softmax(x, axis=1)}


def normal_cdf(d):
    k = 1 / (1 + 0.2316419 * jnp.abs(d))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * jnp.exp(-0.5 * d * d) * tail
    return jnp.where(d > 0, 1 - tail, tail)


def black_scholes(price, strike, years):
    deviation = 0.3 * jnp.sqrt(years)
    d1 = (jnp.log(price / strike) + (0.05 + 0.5 * 0.3**2) * years) / deviation
    present = strike * jnp.exp(-0.05 * years)
    call = price * normal_cdf(d1) - present * normal_cdf(d1 - deviation)
    return {"call": call, "put": call - price + present}


def adam(memory, arrays):
    g = arrays["g"]
    m = 0.9 * memory["m"] + 0.1 * g
    v = 0.999 * memory["v"] + 0.001 * g * g
    p = memory["p"] - 0.001 * (m / (1 - 0.9**3)) / (jnp.sqrt(v / (1 - 0.999**3)) + 1e-8)
    return {"p": p, "m": m, "v": v}


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return {"y": centred / jnp.sqrt(variance + 1e-5) * gain + bias}


def kmeans(points, centres):
    squares = (points * points).sum(axis=1, keepdims=True) + (centres * centres).sum(axis=1)
    return {"nearest": (squares - 2 * (points @ centres.T)).argmin(axis=1)}


def lstm(x, h, c, W, U, b):
    i, f, g, o = jnp.split(x @ W + h @ U + b, 4, axis=1)
    c_next = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return {"c_next": c_next, "h_next": jax.nn.sigmoid(o) * jnp.tanh(c_next)}


def power(A, v):
    def unfinished(state):
        step, change, _ = state
        return (step < MOST_STEPS) & (change > STILL)

    def advance(state):
        step, _, v = state
        w = A @ v
        w = w / jnp.linalg.norm(w)
        return step + 1, jnp.abs(w - v).max(), w

    return {"v": jax.lax.while_loop(unfinished, advance, (0, jnp.float32(jnp.inf), v))[2]}


class Run:
    """advance(memory, arrays) gives results; what it has in `memory`, the arrays `written` or else the results before,
    it writes over.
    """

    def __init__(self, workload, given, advance, written):
        self.outputs, self.given, self.advance, self.written = workload.outputs, given, advance, written
        self.load()
        if not written:
            made = jax.eval_shape(lambda arrays: advance(None, arrays), self.arrays)
            self.memory = {name: jnp.zeros(like.shape, like.dtype) for name, like in made.items()}

    def load(self):
        """The arrays anew."""
        arrays = jax.block_until_ready({name: jnp.array(array) for name, array in self.given.items()})
        if self.written:
            self.memory = {name: arrays.pop(name) for name in self.written}
        self.arrays = arrays

    def enqueue(self):
        """The results of a run, for which it does not wait."""
        self.memory = self.advance(self.memory, self.arrays)
        return {name: self.memory[name] for name in self.outputs}

    def __call__(self):
        return jax.block_until_ready(self.enqueue())


def compiled(function):
    return jax.jit(function, donate_argnums=0, keep_unused=True)


def make_stencil(steps):
    step = compiled(stencil_step)

    def advance(memory, _):
        A, B = memory["A"], memory["B"]
        for _ in range(steps):
            A, B = step(B, A), A
        return {"A": A, "B": B}

    return advance


def make_small(steps):
    def advance(memory, arrays):
        b = arrays["b"]
        return {"a": jax.lax.fori_loop(0, steps, lambda _, a: (a * b + 0.5) * (a - b) * 0.25, memory["a"])}

    return compiled(advance)


READING = {make.__name__: make for make in (chain, slope, softmax, black_scholes, layer_norm, kmeans, lstm, power)}
WRITING = {
    "stencil": (make_stencil, ("A", "B")),
    "adam": (lambda _: compiled(adam), ("p", "m", "v")),
    "small": (make_small, ("a",)),
}


def prepare(workload, arrays):
    """As in peer_numpy."""
    if workload.name in WRITING:
        make, written = WRITING[workload.name]
        return Run(workload, arrays, make(workload.steps), written)
    function = READING[workload.name]
    return Run(workload, arrays, compiled(lambda _, arrays: function(**arrays)), ())


# ---- for peers_gpu: runs that are enqueued ----


def make_rbm():
    peer = jax_peer()
    step = rbm_step(peer, jax_compiled(peer), read=False)
    return lambda: {"norm": step()}, ""


def contestants(workload, _):
    """As in peer_cupy."""
    if workload.name == "rbm_step":
        yield COLUMNS[0], make_rbm
    else:
        yield COLUMNS[0], lambda: (prepare(workload, workload.arrays).enqueue, "")


def wait(results):
    jax.block_until_ready(results)


read = np.asarray
