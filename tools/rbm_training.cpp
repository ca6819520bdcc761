#include "tools/rbm_training.hpp"

#include <fmt/format.h>
#include <numeric>
#include <unistd.h>

#include "cudamat/say.hpp"
#include "tools/interrupt.hpp"

namespace rbm {

void Watch::show_bar(Index done) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr Index kWidth = 30;
  const auto filled = static_cast<std::size_t>(kWidth * done / batches_);
  cudamat::say("\repoch {}/{} [{:<{}}] batch {}/{}", errors_.size() + 1, epochs_,
               std::string(filled, '#'), kWidth, done, batches_);
  bar_ = true;
}

void Watch::clear_bar() {
  if (bar_) cudamat::say("\r{:<70}\r", "");
  bar_ = false;
}

void Watch::batch_done(Index done) {
  show_bar(done);
  tools::stop_if_interrupted();
}

void Watch::epoch_done(double error) {
  seconds_.push_back(std::chrono::duration<double>(Clock::now() - since_).count());
  errors_.push_back(error);
  clear_bar();
  tell_(fmt::format("epoch {:2}  mean squared error {:.6f}  time {:.1f} s\n", errors_.size(), error,
                    std::accumulate(seconds_.begin(), seconds_.end(), 0.)));
}

}  // namespace rbm
