"""The functions of the original package's library cudalearn."""

from ._cudamat import mult_by_sigmoid_deriv

__all__ = ["mult_by_sigmoid_deriv"]
