# Steps of a five-point stencil; the edges stay as they are. A, B: matrices; steps: a number.
for step in range(steps):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[:-2, 1:-1] + A[2:, 1:-1])
    A, B = B, A
