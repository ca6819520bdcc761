"""Of Python's module: averages and measures of spread of numbers."""
import math


class StatisticsError(ValueError):
    pass


def _numbers(data, least, name):
    numbers = list(data)
    if len(numbers) < least:
        raise StatisticsError(f'{name} requires at least {least} data points')
    return numbers


def mean(data):
    numbers = _numbers(data, 1, 'mean')
    total, n = sum(numbers), len(numbers)
    if isinstance(total, int) and total % n == 0:
        return total // n
    return total / n


def fmean(data, weights=None):
    numbers = _numbers(data, 1, 'fmean')
    if weights is None:
        return sum(numbers) / len(numbers)
    weights = list(weights)
    return sum([x * w for x, w in zip(numbers, weights)]) / sum(weights)


def geometric_mean(data):
    numbers = _numbers(data, 1, 'geometric mean')
    return math.exp(sum([math.log(x) for x in numbers]) / len(numbers))


def harmonic_mean(data):
    numbers = _numbers(data, 1, 'harmonic_mean')
    return len(numbers) / sum([1 / x for x in numbers])


def median(data):
    ordered = sorted(_numbers(data, 1, 'median'))
    n = len(ordered)
    if n % 2 == 1:
        return ordered[n // 2]
    return (ordered[n // 2 - 1] + ordered[n // 2]) / 2


def median_low(data):
    ordered = sorted(_numbers(data, 1, 'median'))
    return ordered[(len(ordered) - 1) // 2]


def median_high(data):
    ordered = sorted(_numbers(data, 1, 'median'))
    return ordered[len(ordered) // 2]


def multimode(data):
    items = list(data)
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    most = max(counts.values()) if counts else 0
    return [item for item in counts if counts[item] == most]


def mode(data):
    return multimode(_numbers(data, 1, 'mode'))[0]


def _squares(numbers, middle):
    centre = sum(numbers) / len(numbers) if middle is None else middle
    return sum([(x - centre) ** 2 for x in numbers])


def variance(data, xbar=None):
    numbers = _numbers(data, 2, 'variance')
    return _squares(numbers, xbar) / (len(numbers) - 1)


def pvariance(data, mu=None):
    numbers = _numbers(data, 1, 'pvariance')
    return _squares(numbers, mu) / len(numbers)


def stdev(data, xbar=None):
    return variance(data, xbar) ** 0.5


def pstdev(data, mu=None):
    return pvariance(data, mu) ** 0.5
