// Another program that works for this one, as a compiler does.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudamat::code {

struct Program {
  std::vector<std::string> arguments;  ///< the first is the program, looked for on the PATH
  std::string folder = ".";            ///< where it works
  std::string_view input = {};         ///< its standard input
  std::chrono::milliseconds patience = std::chrono::minutes(5);
  std::size_t most_output = kMostLog;  ///< bytes that it may print
  bool in_background = false;          ///< it gives way to other work
  bool (*is_interrupted)() = nullptr;  ///< asked again and again: whether to end it

  static constexpr std::size_t kMostLog = std::size_t{1} << 16;  ///< bytes of errors
};

struct Ran {
  std::string output, log;  ///< what it printed, and its errors: of each, as much as it may print
  std::string failure;      ///< why it did not run to its end, "it took longer than 300 ms"; or ""
  /// Its exit status; 0, too, where somebody else has waited for it, as where the process ignores
  /// SIGCHLD: whether there is what it was to make then says more.
  int status = 0;

  [[nodiscard]] bool is_well() const { return failure.empty() && status == 0; }
};

/// Runs it and waits for its end, not for that of what it leaves running. It is ended, with all
/// that it has started, where it takes longer or prints more than it may, where it is interrupted,
/// and where this process exits, which gives it two seconds to tidy up. It is of a process group of
/// its own: Ctrl-C in a terminal is told to this process alone. Throws nothing but std::bad_alloc.
Ran run_program(const Program& program);

}  // namespace cudamat::code
