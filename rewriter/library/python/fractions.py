"""Of Python's module: rational numbers."""
import math


def _of(value):
    return value if isinstance(value, Fraction) else Fraction(value)


def _is_exact(value):
    return isinstance(value, (int, Fraction))


class Fraction:
    def __init__(self, numerator=0, denominator=None):
        if denominator is None:
            if isinstance(numerator, Fraction):
                numerator, denominator = numerator.numerator, numerator.denominator
            elif isinstance(numerator, str):
                numerator, denominator = _parsed(numerator)
            elif isinstance(numerator, float):
                numerator, denominator = _ratio(numerator)
            else:
                denominator = 1
        elif isinstance(numerator, Fraction) or isinstance(denominator, Fraction):
            a, b = _of(numerator), _of(denominator)
            numerator, denominator = a.numerator * b.denominator, a.denominator * b.numerator
        if denominator == 0:
            raise ZeroDivisionError(f'Fraction({numerator}, 0)')
        common = math.gcd(numerator, denominator)
        if denominator < 0:
            common = -common
        self.numerator = numerator // common
        self.denominator = denominator // common

    def as_integer_ratio(self):
        return self.numerator, self.denominator

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError('max_denominator should be at least 1')
        if self.denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        if 2 * d * (q0 + k * q1) <= self.denominator:
            return Fraction(p1, q1)
        return Fraction(p0 + k * p1, q0 + k * q1)

    def __add__(self, other):
        if not _is_exact(other):
            return float(self) + other
        b = _of(other)
        return Fraction(self.numerator * b.denominator + b.numerator * self.denominator,
                        self.denominator * b.denominator)

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if not _is_exact(other):
            return float(self) * other
        b = _of(other)
        return Fraction(self.numerator * b.numerator, self.denominator * b.denominator)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        if not _is_exact(other):
            return float(self) / other
        b = _of(other)
        return Fraction(self.numerator * b.denominator, self.denominator * b.numerator)

    def __rtruediv__(self, other):
        if not _is_exact(other):
            return other / float(self)
        return _of(other) / self

    def __floordiv__(self, other):
        if not _is_exact(other):
            return float(self) // other
        b = _of(other)
        return (self.numerator * b.denominator) // (self.denominator * b.numerator)

    def __mod__(self, other):
        return self - other * (self // other)

    def __pow__(self, power):
        if isinstance(power, Fraction) and power.denominator == 1:
            power = power.numerator
        if not isinstance(power, int):
            return float(self) ** float(power)
        if power >= 0:
            return Fraction(self.numerator ** power, self.denominator ** power)
        return Fraction(self.denominator ** -power, self.numerator ** -power)

    def __rpow__(self, base):
        if self.denominator == 1 and self.numerator >= 0:
            return base ** self.numerator
        return base ** float(self)

    def __neg__(self):
        return Fraction(-self.numerator, self.denominator)

    def __pos__(self):
        return Fraction(self.numerator, self.denominator)

    def __abs__(self):
        return Fraction(abs(self.numerator), self.denominator)

    def __bool__(self):
        return self.numerator != 0

    def __eq__(self, other):
        if not _is_exact(other):
            return float(self) == other
        b = _of(other)
        return self.numerator == b.numerator and self.denominator == b.denominator

    def __lt__(self, other):
        if not _is_exact(other):
            return float(self) < other
        b = _of(other)
        return self.numerator * b.denominator < b.numerator * self.denominator

    def __le__(self, other):
        return self < other or self == other

    def __gt__(self, other):
        return not self <= other

    def __ge__(self, other):
        return not self < other

    def __hash__(self):
        return hash((self.numerator, self.denominator))

    def __float__(self):
        return self.numerator / self.denominator

    def __int__(self):
        return self.__trunc__()

    def __trunc__(self):
        if self.numerator < 0:
            return -(-self.numerator // self.denominator)
        return self.numerator // self.denominator

    def __str__(self):
        if self.denominator == 1:
            return str(self.numerator)
        return f'{self.numerator}/{self.denominator}'

    def __repr__(self):
        return f'Fraction({self.numerator}, {self.denominator})'


def _ratio(value):
    denominator = 1
    while value != int(value):
        value, denominator = value * 2, denominator * 2
    return int(value), denominator


def _parsed(text):
    text = text.strip()
    if '/' in text:
        numerator, denominator = text.split('/')
        return int(numerator), int(denominator)
    if '.' in text:
        whole, digits = text.split('.')
        return int(whole + digits), 10 ** len(digits)
    return int(text), 1
