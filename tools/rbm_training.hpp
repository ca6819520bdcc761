// A training as one watches it: a bar while a terminal does, errors and times, pictures.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/rbm_layers.hpp"

namespace rbm {

/// Counts and times the epochs of one layer's training, and stops it on Ctrl-C.
class Watch {
 public:
  /// `tell` gets "epoch  1  mean squared error 0.15  time 0.5 s" after each epoch.
  Watch(int epochs, Index batches, std::function<void(const std::string&)> tell)
      : epochs_(epochs), batches_(batches), tell_(std::move(tell)) {}
  ~Watch() { clear_bar(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// What train() tells this watch, and after each epoch also `then`.
  template <class T>
  Observer<T> observer(
      const std::function<void(const std::function<Weights<T>()>& weights)>& then) {
    return {.begin = [this] { begin(); },
            .after_batch = [this](Index done) { batch_done(done); },
            .after_epoch =
                [this, then](double error, const std::function<Weights<T>()>& weights) {
                  epoch_done(error);
                  if (then) then(weights);
                  begin();
                }};
  }

  [[nodiscard]] const std::vector<double>& errors() const { return errors_; }
  /// What each epoch took to compute; what is shown and written between them does not count.
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  void begin() { since_ = Clock::now(); }
  void batch_done(Index done);
  void epoch_done(double error);
  void show_bar(Index done);
  void clear_bar();

  int epochs_;
  Index batches_;
  std::function<void(const std::string&)> tell_;
  std::vector<double> errors_{};
  std::vector<double> seconds_{};
  bool bar_ = false;  // is on the terminal
  Clock::time_point since_{};
};

}  // namespace rbm
