import numpy as np


class KalmanFilter(object):
    def __init__(self, F, H, Q, R, x0, P0, B=None):
        self.F, self.H = F, H
        self.B = np.zeros((F.shape[0], 1)) if B is None else B
        self.Q, self.R = Q, R
        self.x = x0
        self.P = P0
        self.log_likelihood = 0.0

    def predict(self, u=0):
        self.x = np.dot(self.F, self.x) + np.dot(self.B, u)
        self.P = np.dot(np.dot(self.F, self.P), self.F.T) + self.Q
        return self.x

    def update(self, z):
        if z is None:        # a dropped measurement
            return self.x
        y = z - np.dot(self.H, self.x)
        S = self.R + np.dot(self.H, np.dot(self.P, self.H.T))
        K = np.dot(np.dot(self.P, self.H.T), np.linalg.inv(S))
        self.x = self.x + np.dot(K, y)
        I = np.eye(self.F.shape[0])
        self.P = np.dot(np.dot(I - np.dot(K, self.H), self.P), (I - np.dot(K, self.H)).T) \
            + np.dot(np.dot(K, self.R), K.T)
        self.log_likelihood += float(
            -0.5 * (y.T @ np.linalg.inv(S) @ y + np.log(2 * np.pi * np.linalg.det(S)))[0, 0])
        return self.x


def example():
    dt = 1.0 / 20
    F = np.array([[1, dt, 0.5 * dt ** 2], [0, 1, dt], [0, 0, 1]])
    H = np.array([[1, 0, 0]]).reshape(1, 3)
    Q = np.array([[0.05, 0.05, 0.0], [0.05, 0.05, 0.0], [0.0, 0.0, 0.01]])
    R = np.array([[0.5]])

    np.random.seed(0)
    x = np.linspace(-4, 4, 80)
    truth = -(x ** 2 + 2 * x - 2) / 4
    measurements = truth + np.random.normal(0, 0.7, 80)
    zs = [None if i % 9 == 8 else np.array([[m]]) for i, m in enumerate(measurements)]

    kf = KalmanFilter(F=F, H=H, Q=Q, R=R, x0=np.zeros((3, 1)), P0=np.eye(3) * 10)
    predictions = []
    variances = []
    for z in zs:
        predictions.append((H @ kf.predict())[0, 0])
        kf.update(z)
        variances.append(kf.P[0, 0])

    rmse_raw = np.sqrt(np.mean((measurements - truth) ** 2))
    rmse_kf = np.sqrt(np.mean((np.array(predictions) - truth) ** 2))
    print("rmse of the measurements %.3f, of the filter %.3f" % (rmse_raw, rmse_kf))
    return np.array(predictions), np.array(variances), kf.x, kf.log_likelihood


if __name__ == '__main__':
    predictions, variances, final_state, loglik = example()
