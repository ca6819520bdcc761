// An example: the gradient of a small network's loss, checked by central differences
//
//   (f(w + h) - f(w - h)) / 2h = f'(w) + O(h^2),
//
// whose rounding error, about eps / h, is least with h near the cube root of eps. So float32 can
// tell a right gradient from one that is wrong by a thousandth, but not by a millionth: the same
// program with GNUMPY_CPU_PRECISION=128 can.
#include <cmath>
#include <iostream>

#include "gnumpy/gnumpy.hpp"

namespace gpu = gnumpy;
using gpu::garray;

namespace {

garray hidden(const garray& x, const garray& w) {
  return gpu::dot(x, w).tanh();
}

garray loss(const garray& x, const garray& target, const garray& w, const garray& v) {
  const garray error = gpu::dot(hidden(x, w), v) - target;
  return (error * error).sum() / (2.0 * static_cast<double>(x.len()));
}

/// The derivatives of the loss with respect to w.
garray gradient(const garray& x, const garray& target, const garray& w, const garray& v) {
  const garray h = hidden(x, w);
  const garray error = (gpu::dot(h, v) - target) / static_cast<double>(x.len());
  return gpu::dot(x.T(), gpu::dot(error, v.T()) * (1 - h * h));
}

/// The distance from 1 to the next number of the engine.
double epsilon() {
  const garray one(1.0);
  double distance = 1;
  while (one + distance / 2 > 1) distance /= 2;
  return distance;
}

}  // namespace

int main() {
  gpu::seed_rand(3);
  const garray x = gpu::randn(20, 6), target = gpu::randn(20, 2), v = gpu::randn(5, 2);
  garray w = gpu::randn(6, 5);
  const garray derivatives = gradient(x, target, w, v);

  const double h = std::cbrt(epsilon());
  garray differences = gpu::zeros(w.shape());
  for (gpu::Index i = 0; i < w.shape(0); ++i) {
    for (gpu::Index j = 0; j < w.shape(1); ++j) {
      const garray here = w(i, j) + 0;
      w(i, j) = here + h;
      const garray above = loss(x, target, w, v);
      w(i, j) = here - h;
      const garray below = loss(x, target, w, v);
      w(i, j) = here;
      differences(i, j) = (above - below) / (2 * h);
    }
  }
  const garray apart = gpu::abs(differences - derivatives).max() / gpu::abs(derivatives).max();
  std::cout << 8 * w.nbytes() / w.size() << " bits: the gradients differ by 10^"
            << std::lround(std::log10(apart.item())) << "\n";
}
