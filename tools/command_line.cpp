#include "tools/command_line.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <string_view>

#include "cudamat/error.hpp"
#include "cudamat/say.hpp"

namespace tools {

void prepare_streams() {
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // As the C library does for others: reads of standard input, and writes to the others, fail.
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

std::string whole_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    return fmt::format("expects a whole number, 0 or more; got '{}'", text);
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return result.ec == std::errc() ? "" : fmt::format("{} is more than {}", text, kMost);
}

std::string positive_number(const std::string& text) {
  const std::size_t first = text.find_first_not_of('0');
  if (first == std::string::npos || text.find_first_not_of("0123456789") != std::string::npos)
    return fmt::format("expects a whole number, 1 or more; got '{}'", text);
  return text.size() - first > 18 ? fmt::format("{} is too large", text) : "";
}

int default_precision() {
  const char* const text = std::getenv("GNUMPY_CPU_PRECISION");
  if (text == nullptr || *text == '\0') return 32;
  const std::string_view value = text;
  if (value == "32") return 32;
  if (value == "64") return 64;
  if (value == "128") return 128;
  throw CLI::ValidationError("GNUMPY_CPU_PRECISION",
                             fmt::format("must be 32, 64 or 128; got '{}'", value));
}

int settle(const CLI::App& app, const CLI::ParseError& error) {
  errno = 0;
  const int status = app.exit(error);
  if (std::cout.flush()) return status == 0 ? 0 : 2;
  cudamat::say("{}: cannot write to standard output: {}\n", app.get_name(), std::strerror(errno));
  return 2;
}

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw cudamat::CUDAMatException(
        fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace tools
