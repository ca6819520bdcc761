// The network of tools/network.hpp with garrays: as tools/examples/network.py has it.
//
// Data is cases x features, labels are cases x classes, a case a row.
#pragma once

#include <utility>

#include "gnumpy/gnumpy.hpp"
#include "tools/network.hpp"

namespace network {

namespace gpu = gnumpy;

class GnumpyNetwork {
 public:
  using garray = gpu::garray;
  using Index = gpu::Index;

  /// Starts from these weights, inputs x hidden and hidden x classes, and from biases of 0.
  GnumpyNetwork(garray weights_1, garray weights_2, const Settings& settings)
      : settings_(settings),
        w_1(std::move(weights_1)),
        w_2(std::move(weights_2)),
        b_1(gpu::zeros(w_1.shape(1))),
        b_2(gpu::zeros(w_2.shape(1))),
        wu_1(gpu::zeros(w_1.shape())),
        wu_2(gpu::zeros(w_2.shape())),
        bu_1(gpu::zeros(b_1.shape())),
        bu_2(gpu::zeros(b_2.shape())) {}

  /// One update from the cases that batch number `batch` holds. Returns the mean squared error of
  /// its outputs.
  double step(const garray& dat, const garray& labels, Index batch) {
    const Index batch_size = settings_.batch_size;
    const double momentum = settings_.momentum;
    const double rate = settings_.epsilon / static_cast<double>(batch_size);

    auto x = dat[gpu::slice(batch * batch_size, (batch + 1) * batch_size)];
    auto t = labels[gpu::slice(batch * batch_size, (batch + 1) * batch_size)];
    // forward
    auto h = (gpu::dot(x, w_1) + b_1).logistic();
    auto y = (gpu::dot(h, w_2) + b_2).logistic();
    // backward
    auto delta_2 = y - t;
    auto delta_1 = gpu::dot(delta_2, w_2.T()) * (h * (1 - h));
    // update weights
    wu_1 = wu_1 * momentum + gpu::dot(x.T(), delta_1);
    bu_1 = bu_1 * momentum + delta_1.sum(0);
    wu_2 = wu_2 * momentum + gpu::dot(h.T(), delta_2);
    bu_2 = bu_2 * momentum + delta_2.sum(0);
    w_1 -= wu_1 * rate;
    b_1 -= bu_1 * rate;
    w_2 -= wu_2 * rate;
    b_2 -= bu_2 * rate;
    // calculate squared error of the outputs
    const double norm = delta_2.euclid_norm();
    return norm * norm / static_cast<double>(batch_size);
  }

 private:
  Settings settings_;

 public:
  garray w_1, w_2, b_1, b_2;      ///< weights and biases of the layers
  garray wu_1, wu_2, bu_1, bu_2;  ///< their updates, which the momentum carries on
};

}  // namespace network
