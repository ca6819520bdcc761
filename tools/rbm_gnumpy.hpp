// The restricted Boltzmann machine of the Gnumpy report (UTML TR 2010-002, section 2.2) on garrays,
// nearly line for line.
//
// Data is cases x features, a case a row, in [0, 1].
#pragma once

#include <utility>

#include "gnumpy/gnumpy.hpp"
#include "tools/rbm.hpp"

namespace rbm {

class GnumpyRbm {
 public:
  using Index = gnumpy::Index;

  /// Begins with these weights, visible x hidden units.
  GnumpyRbm(gnumpy::garray weights, const Settings& settings)
      : settings_(settings),
        w_vh(std::move(weights)),
        w_v(gnumpy::zeros(w_vh.shape(0))),
        w_h(-4. * gnumpy::ones(w_vh.shape(1))),
        wu_vh(gnumpy::zeros(w_vh.shape())),
        wu_v(gnumpy::zeros(w_vh.shape(0))),
        wu_h(gnumpy::zeros(w_vh.shape(1))) {}

  /// One update from the cases of `dat` that batch number `batch` holds. Returns the mean squared
  /// reconstruction error of the batch, and waits for the device to know it. The hidden units are
  /// sampled with numbers from gnumpy's stream, or with those of `draws`: cases x hidden units, in
  /// (0, 1].
  double step(const gnumpy::garray& dat, Index batch, const gnumpy::garray* draws = nullptr) {
    namespace gpu = gnumpy;
    const Index batch_size = settings_.batch_size;
    const double epsilon = settings_.epsilon;
    const double momentum = settings_.momentum;
    const Index num_vis = w_vh.shape(0);
    const gpu::slice cases(batch * batch_size, (batch + 1) * batch_size);

    // positive phase
    auto v1 = dat[cases];
    auto h1 = (gpu::dot(v1, w_vh) + w_h).logistic();
    // sample hiddens
    auto hSampled = (draws == nullptr ? h1.rand() : (*draws)[cases]) < h1;
    // negative phase
    auto v2 = (gpu::dot(hSampled, w_vh.T()) + w_v).logistic();
    auto h2 = (gpu::dot(v2, w_vh) + w_h).logistic();
    // update weights
    wu_vh = wu_vh * momentum + gpu::dot(v1.T(), h1) - gpu::dot(v2.T(), h2);
    wu_v = wu_v * momentum + v1.sum(0) - v2.sum(0);
    wu_h = wu_h * momentum + h1.sum(0) - h2.sum(0);
    w_vh += wu_vh * (epsilon / batch_size);
    w_v += wu_v * (epsilon / batch_size);
    w_h += wu_h * (epsilon / batch_size);
    // calculate reconstruction error
    const double norm = (v2 - v1).euclid_norm();
    return norm * norm / static_cast<double>(num_vis * batch_size);
  }

 private:
  Settings settings_;

 public:
  gnumpy::garray w_vh, w_v, w_h;     ///< weights: visible-hidden, visible biases, hidden biases
  gnumpy::garray wu_vh, wu_v, wu_h;  ///< their updates, which the momentum carries on
};

}  // namespace rbm
