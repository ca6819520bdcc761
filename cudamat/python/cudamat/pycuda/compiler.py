from .driver import SourceModule

__all__ = ["SourceModule", "compile"]


def compile(*args, **options):
    raise NotImplementedError("[compile] there are no files of compiled code: use SourceModule(source)")
