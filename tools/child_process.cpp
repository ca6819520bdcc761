#include "tools/child_process.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudamat/error.hpp"
#include "tools/interrupt.hpp"

namespace tools {

namespace {

constexpr int kCannotRun = 127;
constexpr int kPollMilliseconds =
    200;  // a signal that comes between a look and a wait is seen then

/// In the new process: only calls that are safe between fork and exec.
[[noreturn]] void become(char* const* command, const char* errors, int socket, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int file = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (dup2(socket, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
      dup2(file, STDERR_FILENO) < 0)
    _exit(kCannotRun);
  execv(command[0], command);
  _exit(kCannotRun);
}

std::atomic<pid_t> working = -1;  ///< what a program that ends at once kills

void stop_working() {
  if (const pid_t process = working.exchange(-1); process > 0) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::filesystem::path& errors) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    cudamat::misuse(command[0], "no socket: {}", std::strerror(errno));
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execv() does not write to them
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(arguments.data(), errors.c_str(), ends[1], parent);
  const int error = errno;
  static const int registered = std::at_quick_exit(stop_working);
  (void)registered;
  working = process_;
  close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) {
    close(socket_);
    cudamat::misuse(command[0], "no process: {}", std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  close(socket_);
  if (process_ >= 0) stop_working();
}

std::optional<std::string> ChildProcess::line() {
  for (;;) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      std::string result = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return result;
    }
    pollfd ready{socket_, POLLIN, 0};
    while (poll(&ready, 1, kPollMilliseconds) <= 0) stop_if_interrupted();
    char buffer[4096];
    const ssize_t count = read(socket_, buffer, sizeof(buffer));
    if (count > 0) heard_.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return std::nullopt;
  }
}

void ChildProcess::answer(std::span<const char> bytes) {
  while (!bytes.empty()) {
    stop_if_interrupted();
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0) stop_if_interrupted();
  working = process_ = -1;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> found_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  std::vector<std::string> found;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / program;
    std::error_code ignored;
    if (!folder.empty() && std::filesystem::is_regular_file(file, ignored) &&
        access(file.c_str(), X_OK) == 0)
      found.push_back(file);
  }
  return found;
}

}  // namespace tools
