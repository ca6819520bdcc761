// Another program that works for a tool, and talks with it over a socket.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tools {

/// A child process. Its standard input is a socket to it, its standard output
/// goes nowhere, its standard error into a file. It ends when this object, or this process, does.
/// All waiting ends with Interrupted when the user asks for it (tools/interrupt.hpp).
class ChildProcess {
 public:
  /// `command`: the path of the program and its arguments, as they are: no shell reads them.
  /// Throws CUDAMatException if the system gives no process; a program that cannot be run ends with
  /// status 127.
  ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& errors);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The next line that it says, without its end; nothing once it has ended.
  std::optional<std::string> line();
  /// To its standard input; what it does not take is lost.
  void answer(std::span<const char> bytes);
  /// Waits for its end: its exit status, or minus the signal that ended it.
  int wait();

 private:
  int process_ = -1;
  int socket_ = -1;
  std::string heard_;
};

/// The files called `program` that PATH leads to, in its order.
std::vector<std::string> found_on_path(const std::string& program);

}  // namespace tools
