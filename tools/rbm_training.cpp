#include "tools/rbm_training.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/interrupt.hpp"

namespace rbm {

namespace {

/// A line that is rewritten while a terminal watches; silent elsewhere.
void show_bar(std::size_t epoch, int epochs, Index batch, Index batches) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr Index kWidth = 30;
  const auto done = static_cast<std::size_t>(kWidth * batch / batches);
  fmt::print(stderr, "\repoch {}/{} [{:<{}}] batch {}/{}", epoch, epochs, std::string(done, '#'),
             kWidth, batch, batches);
  if (batch == batches) fmt::print(stderr, "\r{:<70}\r", "");
  std::fflush(stderr);
}

}  // namespace

void Watch::batch_done(Index done) {
  show_bar(errors_.size() + 1, epochs_, done, batches_);
  tools::stop_if_interrupted();
}

void Watch::epoch_done(double error) {
  seconds_ += std::chrono::duration<double>(Clock::now() - since_).count();
  errors_.push_back(error);
  tell_(fmt::format("epoch {:2}  mean squared error {:.6f}  time {:.1f} s\n", errors_.size(), error,
                    seconds_));
}

}  // namespace rbm
