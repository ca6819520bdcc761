"""Of Python's module: functions that are chosen by the type of an argument. The rest of it is a part of the notation."""


class singledispatch:
    def __init__(self, function):
        self._default = function
        self._types = []
        self._functions = []

    def register(self, cls, func=None):
        if func is not None:
            self._types.append(cls)
            self._functions.append(func)
            return func
        if isinstance(cls, type):
            return lambda function: self.register(cls, function)
        for kind in cls.__annotations__.values():
            return self.register(kind, cls)

    def with_type(self, cls, function):
        self.register(cls, function)
        return self

    def _chosen(self, argument):
        best, chosen = None, self._default
        for kind, function in zip(self._types, self._functions):
            if isinstance(argument, kind) and (best is None or issubclass(kind, best)):
                best, chosen = kind, function
        return chosen

    def __call__(self, *args, **kwargs):
        return self._chosen(args[0])(*args, **kwargs)


class singledispatchmethod:
    def __init__(self, func):
        self._dispatch = singledispatch(func)

    def register(self, cls, method=None):
        return self._dispatch.register(cls, method)

    def __get__(self, obj, cls=None):
        return lambda *args, **kwargs: self._dispatch._chosen(args[0])(obj, *args, **kwargs)
