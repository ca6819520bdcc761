// The report's restricted Boltzmann machine, trained by one of the three layers of this project:
// hand-written Cudamat statements (rbm.hpp), garrays (rbm_gnumpy.hpp) and the statements that the
// rewriter makes of the report's listing 2.2 (examples/rbm.py, which is part of the binary).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "npmat/array.hpp"
#include "tools/rbm.hpp"

namespace rbm {

using cudamat::Index;

struct Layer {
  enum class Kind : std::uint8_t { Cudamat, Gnumpy, Rewriter };
  Kind kind = Kind::Cudamat;
  std::string passes{};  ///< of Rewriter

  /// "cudamat", "gnumpy", "rewriter all"
  [[nodiscard]] std::string name() const;
};

/// What is learned from, and what with: the same for every layer.
template <class T>
struct Task {
  npmat::Array<T> data;     ///< cases x visible units
  npmat::Array<T> weights;  ///< the initial ones, visible x hidden units
  /// The numbers that sample the hidden units, cases x hidden units, the same in every epoch;
  /// empty: the layer draws them from the engine's stream of `seed`.
  npmat::Array<T> draws;
  Settings settings;
  int epochs = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] Index batches() const { return data.shape[0] / settings.batch_size; }
};

template <class T>
struct Weights {
  npmat::Array<T> w_vh, w_v, w_h;
};

/// Is told how far the training is. Exceptions end it and pass unchanged.
template <class T>
struct Observer {
  /// Everything is on the engine, nothing is computed.
  std::function<void()> begin;
  /// So many batches of the epoch are done.
  std::function<void(Index batches)> after_batch;
  /// The mean of its batches' errors; what reads the weights as they are then, or nothing where
  /// they cannot be had before the end.
  std::function<void(double error, const std::function<Weights<T>()>& weights)> after_epoch;
};

/// Trains on the GPU (T float or double; float for gnumpy) or the CPU. The first gnumpy in a
/// process settles its engine and precision for the others.
template <class T>
Weights<T> train(const Layer& layer, bool gpu, const Task<T>& task, const Observer<T>& observer);

/// "npmat float32": what train() computes on. Of gnumpy, what it says itself.
template <class T>
std::string engine_name(const Layer& layer, bool gpu);

extern template Weights<float> train(const Layer&, bool, const Task<float>&,
                                     const Observer<float>&);
extern template Weights<double> train(const Layer&, bool, const Task<double>&,
                                      const Observer<double>&);
extern template Weights<long double> train(const Layer&, bool, const Task<long double>&,
                                           const Observer<long double>&);
extern template std::string engine_name<float>(const Layer&, bool);
extern template std::string engine_name<double>(const Layer&, bool);
extern template std::string engine_name<long double>(const Layer&, bool);

}  // namespace rbm
