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


class ArgumentParser:
    def __init__(self, *args, **kwargs):
        self._values = {}
        self._required = []

    def add_argument(self, *flags, action='store', nargs=None, const=None, default=None, type=None, choices=None,
                     required=False, help=None, metavar=None, dest=None, version=None):
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
        if action == 'store_true' and default is None:
            default = False
        if action == 'store_false' and default is None:
            default = True
        if isinstance(default, str) and type is not None:
            default = type(default)
        if required or (not is_option and nargs != '?' and nargs != '*'):
            self._required.append(dest)
        if nargs == '*' and not is_option and default is None:
            default = []
        self._values[dest] = default

    def set_defaults(self, **kwargs):
        for name in kwargs:
            self._values[name] = kwargs[name]

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, required=False):
        return self

    def parse_args(self, args=None, namespace=None):
        if args:
            raise NotImplementedError('arguments of a command line')
        if self._required:
            raise NotImplementedError('the arguments that are required: ' + ', '.join(self._required))
        return Namespace(**self._values)

    def parse_known_args(self, args=None, namespace=None):
        return self.parse_args(args, namespace), []
