# call: spmv(A_row, A_col, A_val, x); A_row = np.arange(0, 63, 3); A_col = ints(0, 20, 60); A_val = normal(60); x = normal(20)
import numpy as np


def spmv(A_row, A_col, A_val, x):
    y = np.empty(A_row.size - 1, A_val.dtype)
    for i in range(A_row.size - 1):
        cols = A_col[A_row[i]:A_row[i + 1]]
        vals = A_val[A_row[i]:A_row[i + 1]]
        y[i] = vals @ x[cols]
    return y
