# Welford's running mean and variance over rows, counted by a Python number, and lists that outlive loops.
import numpy as np

data: (9, 3)

count = 0
mean = np.zeros(3)
m2 = np.zeros(3)
largest = []
means = []
for row in range(data.shape[0]):
    x = data[row]
    count += 1
    delta = x - mean
    mean = mean + delta / count
    m2 += delta * (x - mean)
    largest.append(np.max(x))
    largest.append(count)
variance = m2 / (count - 1)
for k in range(2):
    for i in range(3):
        means.append(data[3 * k + i, k].sum() * (i + 1))
    halves = np.array([0.5, 0.25]) * (k + 1)
top = max(largest)
total = sum(means)
average = np.mean(means)
length = len(largest)
second = largest[3] + means[-1]
