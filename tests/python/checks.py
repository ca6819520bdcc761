"""What tests of garrays share."""

import numpy as np


def numbers(random, *shape):
    return random.uniform(0.5, 3, shape).astype("float32")


def close(got, expected, tolerance=1e-5):
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got.as_numpy_array(), expected, rtol=tolerance, atol=tolerance)
