// The restricted Boltzmann machine of the Gnumpy report (UTML TR 2010-002, section 2.1), as Cudamat
// statements: contrastive divergence with one step (Hinton, 2002), momentum, every temporary
// spelled out.
//
// M is a CUDAMatrix of any engine. Data is features x cases, a case a column, in [0, 1].
#pragma once

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
      : settings_(settings),
        num_vis_(num_vis),
        w_vh(M::randn({num_vis, settings.num_hid})),
        w_v(M::zeros({num_vis, 1})),
        w_h(M::empty({settings.num_hid, 1})),
        wu_vh(M::zeros({num_vis, settings.num_hid})),
        wu_v(M::zeros({num_vis, 1})),
        wu_h(M::zeros({settings.num_hid, 1})),
        v(M::empty({num_vis, settings.batch_size})),
        h(M::empty({settings.num_hid, settings.batch_size})),
        r(M::empty({settings.num_hid, settings.batch_size})) {
    w_vh.mult(Number(0.1));
    w_h.assign(Number(-4));
  }

  /// One update from the cases of `data` that batch number `batch` holds. Returns the mean squared
  /// reconstruction error of the batch, and waits for the device to know it.
  double step(const M& data, Index batch) {
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
    r.fill_with_rand();
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
