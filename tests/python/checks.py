"""What tests share: what is right of results, and of garrays."""

import numpy as np


def numbers(random, *shape):
    return random.uniform(0.5, 3, shape).astype("float32")


def close(got, expected, tolerance=1e-5):
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got.as_numpy_array(), expected, rtol=tolerance, atol=tolerance)


def agree(got, wanted, tolerance=1e-9, objects=False):
    """Both are the same to NumPy's eyes: structure, types, shapes, and values but for rounding; `objects`: objects are
    what they hold."""
    assert type(got) is type(wanted), (got, wanted)
    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted):
            agree(a, b, tolerance, objects)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        for key in wanted:
            agree(got[key], wanted[key], tolerance, objects)
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
    elif objects and hasattr(wanted, "__dict__") and not isinstance(wanted, type):
        agree(vars(got), vars(wanted), tolerance, objects)
    else:
        assert got == wanted
