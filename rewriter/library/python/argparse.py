"""Of Python's module: a command line without arguments, which is what a program has that symdump reads."""

SUPPRESS = '==SUPPRESS=='


class HelpFormatter:
    pass


class RawTextHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class Namespace:
    def __init__(self, **kwargs):
        for name in kwargs:
            setattr(self, name, kwargs[name])


class BooleanOptionalAction:
    pass


class ArgumentParser:
    def __init__(self, *args, argument_default=None, **kwargs):
        self._argument_default = argument_default
        self._actions = []  # a destination with its default
        self._defaults = {}
        self._required = []

    def add_argument(self, *flags, action='store', nargs=None, type=None, required=False, dest=None, **kwargs):
        name = flags[0]
        for flag in flags:
            if flag[:2] == '--':
                name = flag
                break
        is_option = name[:1] == '-'
        if dest is None:
            dest = name.lstrip('-').replace('-', '_')
        if action == 'version' or action == 'help':
            return
        if 'default' in kwargs:
            default = kwargs['default']
        elif dest in self._defaults:
            default = self._defaults[dest]
        elif self._argument_default is not None:
            default = self._argument_default
        elif action == 'store_true' or action == 'store_false':
            default = action == 'store_false'
        else:
            default = None
        if isinstance(default, str) and default != SUPPRESS and type is not None:
            default = type(default)
        if required or (not is_option and nargs != '?' and nargs != '*'):
            self._required.append(dest)
        if nargs == '*' and not is_option and default is None:
            default = []
        self._actions.append([dest, default])

    def set_defaults(self, **kwargs):
        for name in kwargs:
            self._defaults[name] = kwargs[name]
            for known in self._actions:
                if known[0] == name:
                    known[1] = kwargs[name]

    def get_default(self, dest):
        for known in self._actions:
            if known[0] == dest and known[1] is not None:
                return known[1]
        return self._defaults.get(dest)

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, required=False):
        return self

    def parse_args(self, args=None, namespace=None):
        if args:
            raise NotImplementedError('arguments of a command line')
        if self._required:
            raise NotImplementedError('the arguments that are required: ' + ', '.join(self._required))
        values = {}
        for dest, default in self._actions + list(self._defaults.items()):  # the first that has one counts
            if dest not in values and not (isinstance(default, str) and default == SUPPRESS):
                values[dest] = default
        return Namespace(**values)

    def parse_known_args(self, args=None, namespace=None):
        return self.parse_args(args, namespace), []
