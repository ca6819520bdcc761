from .driver import SourceModule

__all__ = ["SourceModule"]
