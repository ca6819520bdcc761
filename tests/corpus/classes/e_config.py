import numpy as np

TEXT = """
# model
[model]
hidden = 8
rate = 0.05
activation = tanh
layers = 3, 4, 2

[train]
epochs = 20
shuffle = yes
name = "run one"
bad line here
"""


class ConfigError(ValueError):
    pass


def parse_value(raw):
    raw = raw.strip()
    if raw.startswith('"') and raw.endswith('"'):
        return raw[1:-1]
    if raw.lower() in ("yes", "true", "on"):
        return True
    if raw.lower() in ("no", "false", "off"):
        return False
    if "," in raw:
        return [parse_value(p) for p in raw.split(",")]
    try:
        return int(raw)
    except ValueError:
        pass
    try:
        return float(raw)
    except ValueError:
        return raw


def parse(text):
    config, section, errors = {}, None, []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        if line[0] == "[" and line[-1] == "]":
            section = line[1:-1]
            config.setdefault(section, {})
            continue
        key, eq, value = line.partition("=")
        try:
            if not eq:
                raise ConfigError(f"line {number}: no '='")
            config[section][key.strip()] = parse_value(value)
        except ConfigError as e:
            errors.append(str(e))
    return config, errors


config, errors = parse(TEXT)
print(errors)
for section, entries in config.items():
    print(section.upper())
    for key in sorted(entries):
        print("  {:<12}{!r}".format(key, entries[key]))

rng = np.random.RandomState(0)
X = rng.rand(10, 3)
sizes = config["model"]["layers"]
Ws = [rng.randn(a, b) for a, b in zip(sizes[:-1], sizes[1:])]
act = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0)}[config["model"]["activation"]]
h = X
for W in Ws:
    h = act(h @ W)
for epoch in range(config["train"]["epochs"]):
    Ws[-1] -= config["model"]["rate"] * np.ones(Ws[-1].shape)
out = h.sum()
