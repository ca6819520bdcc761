"""Tests of the Python packages, as they are installed. NumPy judges."""

import numpy as np
import pytest


@pytest.fixture
def random():
    return np.random.default_rng(0)
