// The restricted Boltzmann machine of the Gnumpy report (UTML TR 2010-002, section 2.1), as Cudamat
// statements: contrastive divergence with one step (Hinton, 2002), momentum, every temporary
// spelled out.
//
// M is a CUDAMatrix of any engine. Data is features x cases, a case a column, in [0, 1].
#pragma once

#include <utility>

#include "cudamat/functions.hpp"

namespace rbm {

struct Settings {
  cudamat::Index num_hid = 4096;
  cudamat::Index batch_size = 128;
  double epsilon = 0.1;
  double momentum = 0.9;
};

template <class M>
class Rbm {
 public:
  using Number = typename M::value_type;
  using Index = cudamat::Index;

  /// Draws the initial weights from M's stream of random numbers.
  Rbm(Index num_vis, const Settings& settings)
      : Rbm(M::randn({num_vis, settings.num_hid}), settings) {
    w_vh.mult(Number(0.1));
  }

  /// Begins with these weights, visible x hidden units.
  Rbm(M weights, const Settings& settings)
      : settings_(settings),
        num_vis_(weights.rows()),
        w_vh(std::move(weights)),
        w_v(M::zeros({num_vis_, 1})),
        w_h(M::empty({w_vh.cols(), 1})),
        wu_vh(M::zeros(w_vh.shape())),
        wu_v(M::zeros({num_vis_, 1})),
        wu_h(M::zeros({w_vh.cols(), 1})),
        v(M::empty({num_vis_, settings.batch_size})),
        h(M::empty({w_vh.cols(), settings.batch_size})),
        r(M::empty({w_vh.cols(), settings.batch_size})) {
    w_h.assign(Number(-4));
  }

  /// One update from the cases of `data` that batch number `batch` holds. Returns the mean squared
  /// reconstruction error of the batch, and waits for the device to know it. The hidden units are
  /// sampled with numbers from M's stream, or with those of `draws`: hidden units x cases, in
  /// (0, 1].
  double step(const M& data, Index batch, const M* draws = nullptr) {
    namespace cm = cudamat;
    const Index batch_size = settings_.batch_size;
    const Number momentum(settings_.momentum);
    const Number rate(settings_.epsilon / static_cast<double>(batch_size));

    // get current minibatch
    const M v_true = data.slice(batch * batch_size, (batch + 1) * batch_size);
    v.assign(v_true);
    // apply momentum
    wu_vh.mult(momentum);
    wu_v.mult(momentum);
    wu_h.mult(momentum);
    // positive phase
    cm::dot(w_vh.T(), v, h);
    h.add_col_vec(w_h);
    h.apply_sigmoid();
    wu_vh.add_dot(v, h.T());
    wu_v.add_sums(v, 1);
    wu_h.add_sums(h, 1);
    // sample hiddens
    if (draws == nullptr)
      r.fill_with_rand();
    else
      r.assign(draws->slice(batch * batch_size, (batch + 1) * batch_size));
    r.less_than(h, h);
    // negative phase
    cm::dot(w_vh, h, v);
    v.add_col_vec(w_v);
    v.apply_sigmoid();
    cm::dot(w_vh.T(), v, h);
    h.add_col_vec(w_h);
    h.apply_sigmoid();
    wu_vh.subtract_dot(v, h.T());
    wu_v.add_sums(v, 1, -1);
    wu_h.add_sums(h, 1, -1);
    // update weights
    w_vh.add_mult(wu_vh, rate);
    w_v.add_mult(wu_v, rate);
    w_h.add_mult(wu_h, rate);
    // calculate reconstruction error
    v.subtract(v_true);
    const auto norm = static_cast<double>(v.euclid_norm());
    return norm * norm / static_cast<double>(num_vis_ * batch_size);
  }

 private:
  Settings settings_;
  Index num_vis_;

 public:
  M w_vh, w_v, w_h;     ///< weights: visible-hidden, visible biases, hidden biases
  M wu_vh, wu_v, wu_h;  ///< their updates, which the momentum carries on
  M v, h, r;            ///< temporary storage, one column a case
};

}  // namespace rbm
