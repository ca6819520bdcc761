# call: kernel(1.5, 1.2, C, A, B); C = normal(20, 25); A = normal(20, 30); B = normal(30, 25)


def kernel(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C
