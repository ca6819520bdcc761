# Heat on a plate with fixed edges: steps of a five-point stencil between two arrays.
import numpy as np

T: (512, 512)
S: (512, 512)

for step in range(10):
    S[1:-1, 1:-1] = 0.25 * (T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:])
    T[1:-1, 1:-1] = 0.25 * (S[:-2, 1:-1] + S[2:, 1:-1] + S[1:-1, :-2] + S[1:-1, 2:])
uneven = ((T - 0.5) ** 2).mean()
