"""Of Python's module: context managers."""


def contextmanager(function):
    return function


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return kind is not None and any(issubclass(kind, each) for each in self._exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self._entered = enter_result

    def __enter__(self):
        return self._entered

    def __exit__(self, kind, error, trace):
        return None


class closing:
    def __init__(self, thing):
        self._thing = thing

    def __enter__(self):
        return self._thing

    def __exit__(self, kind, error, trace):
        self._thing.close()
