#include "cudamat/kernels/output.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

#include "cudamat/error.hpp"

namespace cudamat::kernels {
namespace {

constexpr const char* kVariable = "CUDAMAT_KERNEL_OUTPUT";

std::size_t most_bytes(const std::string& kernel) {
  const char* const text = std::getenv(kVariable);
  const std::string_view number = text == nullptr ? "" : text;
  if (number.empty()) return Output::kMostBytes;
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bytes);
  if (error != std::errc() || end != number.data() + number.size())
    misuse(kernel, "{} must be a number of bytes; got '{}'", kVariable, number);
  return bytes;
}

}  // namespace

Output::Output(const std::string& kernel) : kernel_(kernel), most_(most_bytes(kernel)) {}

Output::~Output() {
  if (printed_ != 0) (void)std::fflush(stdout);
}

int Output::print(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(buffer_.data(), buffer_.size(), format, arguments);
  if (length > 0 && static_cast<std::size_t>(length) >= buffer_.size()) {
    buffer_.resize(static_cast<std::size_t>(length) + 1);
    (void)std::vsnprintf(buffer_.data(), buffer_.size(), format, again);
  }
  va_end(again);
  if (length > 0) write(buffer_.data(), static_cast<std::size_t>(length));
  return length;
}

/// A text that does not fit is dropped as a whole.
void Output::write(const char* text, std::size_t bytes) {
  if (full_) return;
  if (bytes <= most_ - printed_) {
    printed_ += std::fwrite(text, 1, bytes, stdout);
    return;
  }
  full_ = true;
  (void)std::fflush(stdout);
  fmt::print(stderr,
             "[{}] has printed {} bytes; the rest of what it prints is dropped: a launch may print "
             "{} bytes, {} says how many\n",
             kernel_, printed_, most_, kVariable);
}

}  // namespace cudamat::kernels
