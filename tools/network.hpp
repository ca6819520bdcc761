// A network of two layers that learns classes, as Cudamat statements: back-propagation of the
// cross-entropy of logistic outputs, gradient descent with momentum, every temporary spelled out.
// tools/examples/network.py is the same in NumPy's notation.
//
// M is a CUDAMatrix of any engine. Data is features x cases, labels are classes x cases, a case a
// column, 1 for its class and 0 for the others.
#pragma once

#include <utility>

#include "cudamat/functions.hpp"

namespace network {

struct Settings {
  cudamat::Index batch_size = 128;
  double epsilon = 0.1;
  double momentum = 0.9;
};

template <class M>
class Network {
 public:
  using Number = typename M::value_type;
  using Index = cudamat::Index;

  /// Starts from these weights, inputs x hidden and hidden x classes, and from biases of 0.
  Network(M weights_1, M weights_2, const Settings& settings)
      : settings_(settings),
        w_1(std::move(weights_1)),
        w_2(std::move(weights_2)),
        b_1(M::zeros({w_1.cols(), 1})),
        b_2(M::zeros({w_2.cols(), 1})),
        wu_1(M::zeros(w_1.shape())),
        wu_2(M::zeros(w_2.shape())),
        bu_1(M::zeros(b_1.shape())),
        bu_2(M::zeros(b_2.shape())),
        h(M::empty({w_1.cols(), settings.batch_size})),
        y(M::empty({w_2.cols(), settings.batch_size})),
        delta(M::empty(h.shape())) {}

  /// One update from the cases that batch number `batch` holds. Returns the mean squared error of
  /// its outputs, and waits for the device to know it.
  double step(const M& data, const M& labels, Index batch) {
    namespace cm = cudamat;
    const Index batch_size = settings_.batch_size;
    const Number momentum(settings_.momentum);
    const Number rate(settings_.epsilon / static_cast<double>(batch_size));

    const M x = data.slice(batch * batch_size, (batch + 1) * batch_size);
    const M t = labels.slice(batch * batch_size, (batch + 1) * batch_size);
    // forward
    cm::dot(w_1.T(), x, h);
    h.add_col_vec(b_1);
    h.apply_sigmoid();
    cm::dot(w_2.T(), h, y);
    y.add_col_vec(b_2);
    y.apply_sigmoid();
    // backward: y becomes the outputs' delta
    y.subtract(t);
    cm::dot(w_2, y, delta);
    delta.mult_by_sigmoid_deriv(h);
    // update weights
    wu_1.add_dot(x, delta.T(), 1, momentum);
    bu_1.add_sums(delta, 1, 1, momentum);
    wu_2.add_dot(h, y.T(), 1, momentum);
    bu_2.add_sums(y, 1, 1, momentum);
    w_1.subtract_mult(wu_1, rate);
    b_1.subtract_mult(bu_1, rate);
    w_2.subtract_mult(wu_2, rate);
    b_2.subtract_mult(bu_2, rate);
    const auto norm = static_cast<double>(y.euclid_norm());
    return norm * norm / static_cast<double>(batch_size);
  }

 private:
  Settings settings_;

 public:
  M w_1, w_2, b_1, b_2;      ///< weights and biases of the layers
  M wu_1, wu_2, bu_1, bu_2;  ///< their updates, which the momentum carries on
  M h, y, delta;             ///< temporary storage, one column a case
};

}  // namespace network
