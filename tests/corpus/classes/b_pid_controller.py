import numpy as np


class PID:
    def __init__(self, kp, ki, kd, setpoint=0.0, limits=(-np.inf, np.inf)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.setpoint = setpoint
        self.limits = limits
        self._integral = 0.0
        self._last_error = None

    @property
    def limits(self):
        return self._limits

    @limits.setter
    def limits(self, value):
        lo, hi = value
        if lo > hi:
            raise ValueError("lower limit must not exceed the upper one")
        self._limits = (lo, hi)

    def update(self, measurement, dt):
        error = self.setpoint - measurement
        derivative = 0.0 if self._last_error is None else (error - self._last_error) / dt
        self._last_error = error
        candidate = self._integral + error * dt
        raw = self.kp * error + self.ki * candidate + self.kd * derivative
        out = min(max(raw, self._limits[0]), self._limits[1])
        if out == raw:  # anti-windup: integrate only when not saturated
            self._integral = candidate
        return out


dt = 0.1
pid = PID(2.0, 0.6, 0.1, setpoint=1.0)
pid.limits = (0.0, 1.5)
level = 0.2
levels, inputs = [], []
for k in range(150):
    if k == 75:
        pid.setpoint = 0.6
    u = pid.update(level, dt)
    level += dt * (u - 0.5 * np.sqrt(level))  # a tank with an outlet
    levels.append(level)
    inputs.append(u)

levels = np.array(levels)
inputs = np.array(inputs)
settled_error = abs(levels[-1] - pid.setpoint)
