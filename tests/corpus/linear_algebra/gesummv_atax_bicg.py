# call: kernel(1.5, 0.7, A, B, x, p, r); A = normal(20, 20); B = normal(20, 20); x = normal(20); p = normal(20); r = normal(20)


def kernel(alpha, beta, A, B, x, p, r):
    gesummv = alpha * A @ x + beta * B @ x
    atax = (A @ x) @ A
    bicg_s, bicg_q = r @ A, A @ p
    return gesummv, atax, bicg_s, bicg_q
