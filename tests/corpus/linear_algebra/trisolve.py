# call: forward_substitution(L, x, b); L = np.tril(normal(50, 50)) + 10 * np.eye(50); x = zeros(50); b = normal(50)


def forward_substitution(L, x, b):
    n = x.shape[0]
    for i in range(n):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
