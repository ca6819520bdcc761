"""The workloads for PyTorch, as torch.compile makes them; written into tensors that exist. On a GPU, which
CUDA_VISIBLE_DEVICES has to name, a graph holds the launches of a run.
"""

import gc
import logging
import os
import warnings

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")  # the CPU is the default

import torch  # pylint: disable=wrong-import-position

from fused_workloads import exchanging  # pylint: disable=wrong-import-position
from models import MOST_STEPS, STILL, rbm_step, torch_compiled, torch_peer  # pylint: disable=wrong-import-position

NAME = f"PyTorch {torch.__version__.split('+')[0]}"
COLUMNS = COMPILED, EAGER = "PyTorch, compiled", "PyTorch"
torch.set_grad_enabled(False)
torch.backends.cuda.matmul.allow_tf32 = False
logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="torch")


def chain(r, a, b):
    r.copy_(torch.sqrt(torch.abs(torch.tanh((a * b + 1) * (a - b)) * 0.5 + 0.25) * a) + b * b)


def slope(r, d, h):
    r.copy_(d * h * (1 - h))


def stencil_step(A, B):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[:-2, 1:-1] + A[2:, 1:-1])


def softmax(y, x):
    y.copy_(torch.softmax(x, 1))


def normal_cdf(d):
    k = 1 / (1 + 0.2316419 * torch.abs(d))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * torch.exp(-0.5 * d * d) * tail
    return torch.where(d > 0, 1 - tail, tail)


def black_scholes(call, put, price, strike, years):
    deviation = 0.3 * torch.sqrt(years)
    d1 = (torch.log(price / strike) + (0.05 + 0.5 * 0.3**2) * years) / deviation
    present = strike * torch.exp(-0.05 * years)
    made = price * normal_cdf(d1) - present * normal_cdf(d1 - deviation)
    call.copy_(made)
    put.copy_(made - price + present)


def adam(p, g, m, v):
    m.copy_(0.9 * m + 0.1 * g)
    v.copy_(0.999 * v + 0.001 * g * g)
    p.sub_(0.001 * (m / (1 - 0.9**3)) / (torch.sqrt(v / (1 - 0.999**3)) + 1e-8))


def layer_norm(y, x, gain, bias):
    y.copy_(torch.nn.functional.layer_norm(x, x.shape[1:], gain, bias, 1e-5))


def kmeans(nearest, points, centres):
    squares = (points * points).sum(1, keepdim=True) + (centres * centres).sum(1)
    nearest.copy_((squares - 2 * (points @ centres.T)).argmin(1))


def lstm(c_next, h_next, x, h, c, W, U, b):
    i, f, g, o = (torch.addmm(b, x, W) + h @ U).chunk(4, 1)
    made = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    c_next.copy_(made)
    h_next.copy_(torch.sigmoid(o) * torch.tanh(made))


def small(a, b):
    a.copy_((a * b + 0.5) * (a - b) * 0.25)


def power_step(change, A, v):
    w = A @ v
    w = w / torch.linalg.norm(w)
    change.copy_(torch.abs(w - v).max())
    v.copy_(w)


def writing(function, like, outputs, kind=torch.float32):
    """Of a function that writes its outputs, which come first."""

    def make(_, **tensors):
        shape = tensors[like].shape if kind == torch.float32 else tensors[like].shape[:1]
        results = {name: torch.empty(shape, dtype=kind, device=tensors[like].device) for name in outputs}
        compiled = torch.compile(function, dynamic=False)

        def run():
            compiled(*results.values(), *tensors.values())
            return results

        return run

    return make


def make_adam(_, p, g, m, v):
    step = torch.compile(adam, dynamic=False)

    def run():
        step(p, g, m, v)
        return {"p": p, "m": m, "v": v}

    return run


def make_small(steps, a, b):
    step = torch.compile(small, dynamic=False)

    def run():
        for _ in range(steps):
            step(a, b)
        return {"a": a}

    return run


def make_power(_, A, v):
    """One step, which until_still repeats."""
    step = torch.compile(power_step, dynamic=False)
    change = torch.empty((), device=v.device)

    def run():
        step(change, A, v)
        return {"v": v, "change": change}

    return run


WORKLOADS = {
    "chain": writing(chain, "a", ["r"]),
    "slope": writing(slope, "d", ["r"]),
    "stencil": exchanging(torch.compile(stencil_step, dynamic=False)),
    "softmax": writing(softmax, "x", ["y"]),
    "black_scholes": writing(black_scholes, "price", ["call", "put"]),
    "adam": make_adam,
    "layer_norm": writing(layer_norm, "x", ["y"]),
    "kmeans": writing(kmeans, "points", ["nearest"], torch.int64),
    "lstm": writing(lstm, "c", ["c_next", "h_next"]),
    "small": make_small,
    "power": make_power,
}


def prepare(workload, arrays):
    """As in peer_numpy."""
    return WORKLOADS[workload.name](workload.steps, **{name: torch.from_numpy(a) for name, a in arrays.items()})


# ---- for peers_gpu: runs that are enqueued ----


def captured(run):
    """run() as a graph that is replayed; it must find its arrays in the same tensors each time."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    gc.collect()  # no earlier graph is freed during this capture
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = run()

    def replay():
        graph.replay()
        return results

    return replay


def quickest(run, device):
    """run() from a graph on a GPU, or run() itself, and what is to be said of it."""
    if device == "cpu":
        return run, ""
    try:
        return captured(run), ""
    except Exception as error:  # pylint: disable=broad-except
        torch.cuda.synchronize()
        run()  # raises where it was not the capture that failed
        return run, f"no graph: {type(error).__name__}: {error}"


def until_still(step, v, start):
    """A power iteration of these steps, from `start`; each reads the change."""

    def run():
        v.copy_(start)
        for _ in range(MOST_STEPS):
            results = step()
            if results["change"].item() <= STILL:
                break
        return {"v": v}

    return run


def make_compiled(workload, device):
    """The workload with its data as they are given."""
    given = {name: torch.from_numpy(array).to(device) for name, array in workload.arrays.items()}
    tensors = {name: tensor.clone() for name, tensor in given.items()}
    run, note = quickest(WORKLOADS[workload.name](workload.steps, **tensors), device)
    for name, tensor in tensors.items():
        tensor.copy_(given[name])
    if workload.name == "power":
        run = until_still(run, tensors["v"], given["v"])
    return run, note


def make_rbm(device):
    step = rbm_step(torch_peer(device), read=False)
    return lambda: {"norm": step()}, ""


def make_compiled_rbm(device):
    step = rbm_step(torch_peer(device), torch_compiled(), read=False)
    return quickest(lambda: {"norm": step()}, device)


def contestants(workload, device):
    """As in peer_cupy."""
    if workload.name == "rbm_step":
        yield COMPILED, lambda: make_compiled_rbm(device)
        yield EAGER, lambda: make_rbm(device)
    else:
        yield COMPILED, lambda: make_compiled(workload, device)


def wait(_):
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def read(tensor):
    return tensor.cpu().numpy()
