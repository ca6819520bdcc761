import logging
from collections import Counter, defaultdict, deque
from typing import DefaultDict, Dict, Iterable, List, Set, Tuple

import numpy as np

logging.basicConfig(level=logging.WARNING)
log = logging.getLogger("pagerank")

Edge = Tuple[str, str]
DAMPING = 0.85


class Graph:
    def __init__(self, edges: Iterable[Edge]) -> None:
        self._out: DefaultDict[str, List[str]] = defaultdict(list)
        self._nodes: Dict[str, int] = {}
        for src, dst in edges:
            self._out[src].append(dst)
            for node in (src, dst):
                self._nodes.setdefault(node, len(self._nodes))

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self):
        return iter(self._nodes)

    def index(self, node: str) -> int:
        return self._nodes[node]

    def transition_matrix(self) -> np.ndarray:
        n = len(self)
        P = np.zeros((n, n))
        for node in self:
            targets = self._out.get(node, [])
            if not targets:
                P[:, self.index(node)] = 1.0 / n
                continue
            for target in targets:
                P[self.index(target), self.index(node)] += 1.0 / len(targets)
        return P

    def reachable(self, start: str) -> Set[str]:
        seen, queue = {start}, deque([start])
        while queue:
            for nxt in self._out.get(queue.popleft(), []):
                if nxt not in seen:
                    seen.add(nxt)
                    queue.append(nxt)
        return seen


def pagerank(graph: Graph, *, damping: float = DAMPING, tol: float = 1e-10,
             max_iter: int = 100) -> Tuple[np.ndarray, int]:
    n = len(graph)
    P = graph.transition_matrix()
    rank = np.full(n, 1.0 / n)
    for iteration in range(1, max_iter + 1):
        new = damping * P @ rank + (1 - damping) / n
        delta = np.abs(new - rank).sum()
        rank = new
        log.info("iteration %d delta %.2e", iteration, delta)
        if delta < tol:
            return rank, iteration
    log.warning("no convergence after %d iterations", max_iter)
    return rank, max_iter


if __name__ == "__main__":
    links = [("home", "about"), ("home", "blog"), ("blog", "home"), ("blog", "post1"),
             ("blog", "post2"), ("post1", "blog"), ("post2", "post1"), ("about", "home"),
             ("post2", "paper")]
    web = Graph(links)
    ranks, n_iter = pagerank(web)
    in_degree = Counter(dst for _, dst in links)
    degrees = np.array([in_degree[node] for node in web], dtype=float)
    correlation = float(np.corrcoef(ranks, degrees)[0, 1])
    reach = np.array([len(web.reachable(node)) for node in web])
    for node in sorted(web, key=lambda u: -ranks[web.index(u)])[:3]:
        print(f"{node:<8}{ranks[web.index(node)]:.4f}")
