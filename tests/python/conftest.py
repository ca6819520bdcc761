"""Tests of the Python packages, as they are installed. NumPy judges."""

import numpy as np
import pytest


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture
def large(monkeypatch):
    """Arrays of floats are too large for statements of their contents alone."""
    monkeypatch.setattr("rewriter._rewriter.MOST_KNOWN_FLOATS", -1)
