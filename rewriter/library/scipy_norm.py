"""scipy.stats.norm: the normal distribution."""

import numpy as np

MODULE = "scipy.stats.norm"


def _scaled(x, loc, scale):
    return np.divide(np.subtract(x, loc), np.multiply(scale, 1.0))


def pdf(x, loc=0, scale=1):
    """The density."""
    z = _scaled(x, loc, scale)
    return np.divide(np.exp(-z ** 2 / 2.0) / np.sqrt(2 * np.pi), scale)


def logpdf(x, loc=0, scale=1):
    """The logarithm of the density."""
    z = _scaled(x, loc, scale)
    return -z ** 2 / 2.0 - np.log(np.sqrt(2 * np.pi)) - np.log(np.multiply(scale, 1.0))


def _below(z):
    """The probability of less than z, whose tail is not lost where z is far below 0."""
    w = np.abs(z) / np.sqrt(2.0)
    # W. J. Cody's rational approximations of erfc and, for w up to 0.46875, of erf
    p = (((((((5.64188496988670089e-1 + 2.15311535474403846e-8 * w) * w + 8.88314979438837594) * w + 6.61191906371416295e1)
              * w + 2.98635138197400131e2) * w + 8.81952221241769090e2) * w + 1.71204761263407058e3) * w
          + 2.05107837782607147e3) * w + 1.23033935479799725e3
    q = (((((((w + 1.57449261107098347e1) * w + 1.17693950891312499e2) * w + 5.37181101862009858e2)
             * w + 1.62138957456669019e3) * w + 3.29079923573345963e3) * w + 4.36261909014324716e3)
         * w + 3.43936767414372164e3) * w + 1.23033935480374942e3
    middle = np.exp(-w * w) * p / q
    v = 1.0 / np.maximum(w * w, 1.0)
    r = ((((1.63153871373020978e-2 * v + 3.05326634961232344e-1) * v + 3.60344899949804439e-1)
          * v + 1.25781726111229246e-1) * v + 1.60837851487422766e-2) * v + 6.58749161529837803e-4
    s = ((((v + 2.56852019228982242) * v + 1.87295284992346047) * v + 5.27905102951428412e-1)
         * v + 6.05183413124413191e-2) * v + 2.33520497626869185e-3
    far = np.exp(-w * w) / np.maximum(w, 1.0) * (1 / np.sqrt(np.pi) - v * r / s)
    tail = np.where(w <= 4.0, middle, far) / 2
    x = np.minimum(w, 0.5)
    y = x * x
    n = (((1.85777706184603153e-1 * y + 3.16112374387056560) * y + 1.13864154151050156e2) * y + 3.77485237685302021e2) * y \
        + 3.20937758913846947e3
    d = (((y + 2.36012909523441209e1) * y + 2.44024637934444173e2) * y + 1.28261652607737228e3) * y + 2.84423683343917062e3
    near = (1 + np.sign(z) * x * n / d) / 2
    return np.where(w <= 0.46875, near, np.where(z > 0, 1 - tail, tail))[()]


def cdf(x, loc=0, scale=1):
    """The probability of x or less."""
    return _below(_scaled(x, loc, scale))


def sf(x, loc=0, scale=1):
    """The probability of more than x."""
    return _below(-_scaled(x, loc, scale))


def ppf(q, loc=0, scale=1):
    """The x with the probability q of x or less. P. J. Acklam's approximation, and a step of Halley's."""
    p = np.multiply(q, 1.0)
    low = np.minimum(p, 1 - p)
    t = np.sqrt(-2 * np.log(np.maximum(low, 1e-300)))
    tail = (((((-7.784894002430293e-03 * t - 3.223964580411365e-01) * t - 2.400758277161838) * t - 2.549732539343734) * t
             + 4.374664141464968) * t + 2.938163982698783) / \
        ((((7.784695709041462e-03 * t + 3.224671290700398e-01) * t + 2.445134137142996) * t + 3.754408661907416) * t + 1)
    u = p - 0.5
    s = u * u
    middle = (((((-3.969683028665376e+01 * s + 2.209460984245205e+02) * s - 2.759285104469687e+02) * s
                + 1.383577518672690e+02) * s - 3.066479806614716e+01) * s + 2.506628277459239) * u / \
        (((((-5.447609879822406e+01 * s + 1.615858368580409e+02) * s - 1.556989798598866e+02) * s
           + 6.680131188771972e+01) * s - 1.328068155288572e+01) * s + 1)
    x = np.where(low < 0.02425, np.where(u > 0, -tail, tail), middle)
    for _ in range(2):
        e = np.where(u > 0, (1 - p) - _below(-x), _below(x) - p)
        step = e * np.sqrt(2 * np.pi) * np.exp(x * x / 2)
        x = x - step / (1 + x * step / 2)
    ends = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.where((p > 0) & (p < 1), x, np.nan)))
    return np.add(np.multiply(ends, scale), loc)[()]


def isf(q, loc=0, scale=1):
    """The x with the probability q of more than x."""
    return np.add(np.multiply(-ppf(q), scale), loc)[()]
