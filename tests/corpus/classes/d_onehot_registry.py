from typing import Any, Callable, Dict, List, Protocol, Type

import numpy as np
import numpy.typing as npt

__all__ = ["Encoder", "register", "make_encoder"]


class Encoder(Protocol):
    def fit(self, values: List[str]) -> "Encoder": ...
    def transform(self, values: List[str]) -> npt.NDArray[np.float64]: ...


_REGISTRY: Dict[str, Type[Any]] = {}


def register(name: str) -> Callable[[Type[Any]], Type[Any]]:
    def decorator(cls: Type[Any]) -> Type[Any]:
        if name in _REGISTRY:
            raise KeyError(f"encoder {name!r} already registered")
        _REGISTRY[name] = cls
        return cls
    return decorator


def make_encoder(name: str, **options: Any) -> Encoder:
    try:
        cls = _REGISTRY[name]
    except KeyError as exc:
        raise ValueError(f"unknown encoder {name!r}, have {sorted(_REGISTRY)}") from exc
    return cls(**options)


@register("onehot")
class OneHotEncoder:
    def __init__(self, drop_first: bool = False) -> None:
        self.drop_first = drop_first
        self.categories_: List[str] = []

    def fit(self, values: List[str]) -> "OneHotEncoder":
        self.categories_ = sorted(set(values))
        return self

    def transform(self, values: List[str]) -> npt.NDArray[np.float64]:
        out = np.zeros((len(values), len(self.categories_)))
        for row, v in enumerate(values):
            out[row, self.categories_.index(v)] = 1.0
        return out[:, 1:] if self.drop_first else out


@register("ordinal")
class OrdinalEncoder:
    def fit(self, values: List[str]) -> "OrdinalEncoder":
        self._map = {v: i for i, v in enumerate(dict.fromkeys(values))}
        return self

    def transform(self, values: List[str]) -> npt.NDArray[np.float64]:
        return np.array([[self._map[v]] for v in values], dtype=float)


@register("frequency")
class FrequencyEncoder:
    def fit(self, values: List[str]) -> "FrequencyEncoder":
        self._freq = {v: values.count(v) / len(values) for v in values}
        return self

    def transform(self, values: List[str]) -> npt.NDArray[np.float64]:
        return np.array([[self._freq.get(v, 0.0)] for v in values])


colors = ["red", "green", "blue", "green", "red", "green", "blue", "red"]
target = np.array([3.0, 1.0, 2.0, 1.2, 2.9, 0.8, 2.2, 3.1])

specs = [("onehot", {"drop_first": True}), ("ordinal", {}), ("frequency", {})]
blocks = [make_encoder(name, **opts).fit(colors).transform(colors) for name, opts in specs]
features = np.hstack(blocks)
design = np.hstack([np.ones((len(colors), 1)), blocks[0]])
coef, *_ = np.linalg.lstsq(design, target, rcond=None)
rmse = float(np.sqrt(np.mean((design @ coef - target) ** 2)))

try:
    make_encoder("hashing")
except ValueError as err:
    print(err)
