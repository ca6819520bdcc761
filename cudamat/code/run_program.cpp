#include "cudamat/code/run_program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cudamat/code/loaded_object.hpp"

extern char** environ;

namespace cudamat::code {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLastChance{2};  ///< to tidy up, once it was asked to end
constexpr int kLongestPause = 20;               ///< milliseconds between two looks

// ---- what works for this process does not outlive it ----

/// A group of processes, 0 while it is started, and the process that it works for: this one or the
/// one that it was forked from.
using Group = std::atomic<std::uint64_t>;
std::array<Group, 64> working;

std::uint64_t group_of_this_process(pid_t group) {
  return static_cast<std::uint64_t>(group) << 32 | static_cast<std::uint32_t>(getpid());
}

/// Its number, which is that of its first process; 0 where it works for another one.
pid_t of_this_process(const Group& group) {
  const std::uint64_t both = group;
  return static_cast<pid_t>(both) == getpid() ? static_cast<pid_t>(both >> 32) : 0;
}

/// False where it has ended, or nobody can wait for it any more.
bool runs(pid_t process) {
  siginfo_t ended = {};
  return waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

/// Asks them to end, and gives them time to tidy up.
void stop_working() {
  const Clock::time_point too_long = Clock::now() + kLastChance;
  for (const Group& group : working) {
    while (group == group_of_this_process(0) && Clock::now() < too_long)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (const pid_t number = of_this_process(group); number != 0) (void)kill(-number, SIGTERM);
  }
  for (const Group& group : working) {
    const auto first = [&] { return of_this_process(group); };
    while (first() != 0 && runs(first()) && Clock::now() < too_long)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (const pid_t number = first(); number != 0 && runs(number)) (void)kill(-number, SIGKILL);
  }
}

/// Made before the group is started, so that none is missed where this process exits.
class Working {
 public:
  Working() {
    static const int registered = std::atexit(stop_working) | std::at_quick_exit(stop_working);
    (void)registered;
    for (Group& place : working) {
      std::uint64_t none = 0;
      if (!place.compare_exchange_strong(none, group_of_this_process(0))) continue;
      place_ = &place;
      return;
    }
  }
  void started(pid_t group) {
    if (place_ != nullptr) *place_ = group_of_this_process(group);
  }
  ~Working() {
    if (place_ != nullptr) *place_ = 0;
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  Group* place_ = nullptr;
};

// ---- what it prints ----

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    for (int& number : ends_) {  // standard streams' numbers will be the program's
      const int given = number;
      if (given <= STDERR_FILENO) {
        number = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        (void)close(given);
      }
    }
    (void)fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    end(0);
    end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] bool is_open() const { return ends_[0] >= 0 && ends_[1] >= 0; }
  [[nodiscard]] int from() const { return ends_[0]; }
  [[nodiscard]] int to() const { return ends_[1]; }
  void started() { end(1); }

  /// Takes what is there, a pipe full at most, and keeps the first bytes of all.
  void hear(std::string& kept, std::size_t most) {
    constexpr std::size_t kFull = std::size_t{1} << 20;
    char buffer[4096];
    for (std::size_t taken = 0; ends_[0] >= 0 && taken < kFull;) {
      const ssize_t n = read(ends_[0], buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) end(0);
      if (n <= 0) return;
      taken += static_cast<std::size_t>(n);
      const std::size_t room = most - kept.size();
      is_over |= static_cast<std::size_t>(n) > room;
      kept.append(buffer, std::min(room, static_cast<std::size_t>(n)));
    }
  }

  bool is_over = false;  ///< there was more than could be kept

 private:
  void end(int which) {
    if (ends_[which] >= 0) (void)close(ends_[which]);
    ends_[which] = -1;
  }

  int ends_[2] = {-1, -1};
};

// ---- the program ----

/// Its process; none where it cannot be run.
pid_t spawn(const Program& program, int in, int out, int log) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0) return -1;
  if (posix_spawnattr_init(&attributes) != 0) {
    (void)posix_spawn_file_actions_destroy(&files);
    return -1;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failed = posix_spawn_file_actions_addchdir_np(&files, program.folder.c_str());
  failed |= posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  failed |= posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  failed |= posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
  failed |= posix_spawnattr_setpgroup(&attributes, 0);
  failed |= posix_spawnattr_setsigmask(&attributes, &none);
  failed |= posix_spawnattr_setsigdefault(&attributes, &all);
  failed |= posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> words;
  for (const std::string& word : program.arguments)
    words.push_back(const_cast<char*>(word.c_str()));  // posix_spawnp() does not write to them
  words.push_back(nullptr);
  pid_t process = -1;
  if (failed == 0)
    failed = posix_spawnp(&process, words[0], &files, &attributes, words.data(), environ);
  (void)posix_spawn_file_actions_destroy(&files);
  (void)posix_spawnattr_destroy(&attributes);
  return failed == 0 ? process : -1;
}

/// A program that runs.
class Running {
 public:
  Running(const Program& program, pid_t process, Pipe& out, Pipe& log)
      : program_(program), process_(process), out_(out), log_(log) {}

  Ran wait() {
    if (!has_ended_by(Clock::now() + program_.patience, true)) end();
    return std::move(ran_);
  }

 private:
  /// False where it has not, or is to be ended.
  bool has_ended_by(Clock::time_point end, bool may_fail) {
    for (int pause = 1;; pause = std::min(2 * pause, kLongestPause)) {
      hear(pause);
      int status = 0;
      const pid_t got = waitpid(process_, &status, WNOHANG);
      // Where the program waits for all children, or ignores them, nothing is left to wait for.
      if (got == process_ || (got < 0 && errno != EINTR)) {
        hear(0);
        if (got == process_) ran_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
        if (may_fail) check_output();
        return true;
      }
      if (may_fail && is_to_be_ended()) return false;
      if (Clock::now() < end) continue;
      if (may_fail)
        ran_.failure = fmt::format("it took longer than {} ms", program_.patience.count());
      return false;
    }
  }

  void hear(int milliseconds) {
    pollfd ready[] = {{out_.from(), POLLIN, 0}, {log_.from(), POLLIN, 0}};
    (void)poll(ready, 2, milliseconds);
    out_.hear(ran_.output, program_.most_output);
    log_.hear(ran_.log, Program::kMostLog);
  }

  void check_output() {
    if (!out_.is_over && !log_.is_over) return;
    ran_.failure = fmt::format("it printed more than {} bytes",
                               log_.is_over ? Program::kMostLog : program_.most_output);
  }

  bool is_to_be_ended() {
    check_output();
    if (program_.is_interrupted != nullptr && program_.is_interrupted())
      ran_.failure = "it was interrupted";
    return !ran_.failure.empty();
  }

  void end() {
    (void)kill(-process_, SIGTERM);
    if (!has_ended_by(Clock::now() + kLastChance, false)) {
      (void)kill(-process_, SIGKILL);
      (void)has_ended_by(Clock::now() + kLastChance, false);
    }
  }

  const Program& program_;
  const pid_t process_;
  Pipe& out_;
  Pipe& log_;
  Ran ran_;
};

Ran failed(std::string why) {
  Ran ran;
  ran.failure = std::move(why);
  return ran;
}

}  // namespace

Ran run_program(const Program& program) {
  const MemoryFile in(program.input);
  Pipe out, log;
  if (in.number() < 0 || !out.is_open() || !log.is_open())
    return failed(fmt::format("no files in memory for it: {}", std::strerror(errno)));
  Working works;
  const pid_t process = spawn(program, in.number(), out.to(), log.to());
  if (process < 0) return failed("it cannot be run");
  works.started(process);
  out.started();
  log.started();
  if (program.in_background) (void)setpriority(PRIO_PROCESS, static_cast<id_t>(process), 10);
  return Running(program, process, out, log).wait();
}

}  // namespace cudamat::code
