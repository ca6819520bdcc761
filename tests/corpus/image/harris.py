# call: harris(I, out); I = uniform(24, 24); out = zeros(24, 24)
import numpy as np


def box(a):
    return (a[:-2, :-2] + a[:-2, 1:-1] + a[:-2, 2:] + a[1:-1, :-2] + a[1:-1, 1:-1]
            + a[1:-1, 2:] + a[2:, :-2] + a[2:, 1:-1] + a[2:, 2:])


def harris(I, out, k=0.04):
    m, n = I.shape
    dx = (I[1:m - 1, 2:] - I[1:m - 1, :n - 2]) * 0.5
    dy = (I[2:, 1:n - 1] - I[:m - 2, 1:n - 1]) * 0.5
    A = box(dx * dx)
    B = box(dy * dy)
    C = box(dx * dy)
    det = A * B - C * C
    tr = A + B
    out[2:m - 2, 2:n - 2] = det - k * tr * tr
