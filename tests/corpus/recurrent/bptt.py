import numpy as np


def main():
    np.random.seed(42)
    T, D, H = 6, 3, 5
    X = np.random.randn(T, D)
    target = np.random.randn(T, 1)
    U = np.random.randn(D, H) * 0.3
    W = np.random.randn(H, H) * 0.3
    V = np.random.randn(H, 1) * 0.3
    lr = 0.05
    for epoch in range(50):
        hs = np.zeros((T + 1, H))
        ys = np.zeros((T, 1))
        for t in range(T):
            hs[t + 1] = np.tanh(X[t] @ U + hs[t] @ W)
            ys[t] = hs[t + 1] @ V
        err = ys - target
        loss = 0.5 * np.sum(err ** 2)
        dU, dW, dV = np.zeros_like(U), np.zeros_like(W), np.zeros_like(V)
        dh = np.zeros(H)
        for t in range(T - 1, -1, -1):
            dV += np.outer(hs[t + 1], err[t])
            da = (err[t] @ V.T + dh) * (1 - hs[t + 1] ** 2)
            dU += np.outer(X[t], da)
            dW += np.outer(hs[t], da)
            dh = da @ W.T
        U -= lr * dU
        W -= lr * dW
        V -= lr * dV
        if epoch % 10 == 0:
            print(f"Epoch {epoch:3d} | loss {loss:.5f}")


if __name__ == "__main__":
    main()
