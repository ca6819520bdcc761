# call: hdiff(inp, out, coeff); inp = normal(14, 14, 5); out = zeros(10, 10, 5); coeff = normal(10, 10, 5)
import numpy as np


def hdiff(inp, out, coeff):
    I, J, K = out.shape[0], out.shape[1], out.shape[2]
    lap = 4.0 * inp[1:I + 3, 1:J + 3, :] - (
        inp[2:I + 4, 1:J + 3, :] + inp[0:I + 2, 1:J + 3, :]
        + inp[1:I + 3, 2:J + 4, :] + inp[1:I + 3, 0:J + 2, :])
    res = lap[1:, 1:J + 1, :] - lap[:-1, 1:J + 1, :]
    flx = np.where(res * (inp[2:I + 3, 2:J + 2, :] - inp[1:I + 2, 2:J + 2, :]) > 0, 0, res)
    res = lap[1:I + 1, 1:, :] - lap[1:I + 1, :-1, :]
    fly = np.where(res * (inp[2:I + 2, 2:J + 3, :] - inp[2:I + 2, 1:J + 2, :]) > 0, 0, res)
    out[:, :, :] = inp[2:I + 2, 2:J + 2, :] - coeff * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :])
