"""What lists, tuples, dictionaries and objects hold, under the names that symdump's outputs have: weights_0, params_W1,
of objects model_w, and of tuples result_1; of what is complex Z_real and Z_imag."""

import collections
import types

import numpy as np


def part_of_name(key):
    if isinstance(key, tuple):
        return "_".join(part_of_name(item) for item in key)
    text = key if isinstance(key, str) else f"{float(key):g}"
    return "".join(c if c.isalnum() or ord(c) > 127 else "_" for c in text)


OWN_MODULES = {"builtins", "types", "__main__", "program"}  # of whose classes objects are the program's


def attributes(value):
    """Of an object of a program's own class; None of other values."""
    own = type(value).__module__ in OWN_MODULES and hasattr(value, "__dict__")
    if not own or isinstance(value, (type, types.ModuleType, types.FunctionType, types.LambdaType)):
        return None
    return value._asdict() if isinstance(value, tuple) else vars(value)


def parts(name, value, around=()):
    held = attributes(value)
    if held is not None:
        if any(value is each for each in around):
            return
        around += (value,)
        items = [(f"{name}_{key}", item) for key, item in held.items()]
    elif isinstance(value, dict):
        items = [(f"{name}_{part_of_name(key)}", item) for key, item in value.items()
                 if isinstance(key, (str, int, float, tuple))]
    elif isinstance(value, (list, tuple, collections.deque)):
        items = [(f"{name}_{i}", item) for i, item in enumerate(value, isinstance(value, tuple))]
    elif isinstance(value, (complex, np.ndarray, np.generic)) and np.iscomplexobj(value):
        items = [(f"{name}_real", np.real(value)), (f"{name}_imag", np.imag(value))]
    else:
        return
    for part, item in items:
        yield part, item
        yield from parts(part, item, around)


def with_parts(names):
    """The names, and those of what they hold."""
    return {part: item for name, value in list(names.items()) if not name.startswith("__")
            for part, item in parts(name, value)} | names


def with_lengths(arrays, expected):
    """The outputs, of which some are arrays of a length that is known at run time: r has the first r_length elements, along the
    axis where NumPy's has so many."""
    lengths = {name: int(arrays[name + "_length"]) for name in arrays
               if name + "_length" in arrays and name + "_length" not in expected}

    def cut(name, got):
        axis = next((i for i, (a, b) in enumerate(zip(got.shape, np.shape(expected[name]))) if a != b), 0)
        return got.take(range(lengths[name]), axis)

    return {name: cut(name, got) if name in lengths else got for name, got in arrays.items()
            if name.removesuffix("_length") not in lengths or name in lengths}
