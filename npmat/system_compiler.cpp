#include "npmat/system_compiler.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/loaded_object.hpp"
#include "npmat/machine.hpp"

namespace npmat {
namespace {

using Clock = std::chrono::steady_clock;
using cudamat::code::MemoryFile;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kLastChance{2};  ///< to tidy up, once it was asked to end

/// Prints the command of a compiler on a line, then what it says of its version.
constexpr const char* kFind = R"(
set -f
for compiler in ${1:-c++ g++ clang++}; do
  if [ -n "$1" ]; then compiler=$1; fi
  path=$(command -v ${compiler%% *}) || continue
  version=$({ $compiler --version 2>&1 && echo; echo "$?"; } < /dev/null | head -c 65536)
  case $version in *"
0") ;; *) continue ;; esac
  printf '%s\n%s\n%s\n' "$compiler" "$path" "$version"
  exit
done
exit 1
)";

/// Compiles standard input to standard output, in a folder that must be new. The last line of the
/// log is `done` if all went well: a status may be lost where a program waits for all its children.
constexpr const char* kCompile = R"(
set -f
umask 077
folder=$1
compiler=$2
shift 2
trap 'exit 1' HUP INT TERM
trap 'rm -rf "$folder"' EXIT
mkdir "$folder" || { trap - EXIT; exit 1; }
export TMPDIR="$folder"
cat > "$folder/fused.cpp" || exit 1
cd "$folder" || exit 1
$compiler "$@" -o fused.so fused.cpp -lm -lc < /dev/null > /dev/null && cat fused.so && echo done >&2
)";

/// What npmat's own flags say of arithmetic, and the instructions of the machine.
std::vector<std::string> flags() {
  std::vector<std::string> result = {
      "-std=c++20",
      "-O3",
      "-fPIC",
      "-shared",
      "-ffp-contract=off",
      "-fno-math-errno",
      "-fno-trapping-math",
      "-fvisibility=hidden",
      "-fno-exceptions",
      "-fno-rtti",
      "-w",
      "-nodefaultlibs",
  };
  if (machine().vectors == Vectors::Avx512) {
    result.emplace_back("-march=x86-64-v4");
    result.emplace_back("-mprefer-vector-width=512");
  } else if (machine().vectors == Vectors::Avx2) {
    result.emplace_back("-march=x86-64-v3");
  }
  return result;
}

/// The group of processes that works for a process, this one or the one that it was forked from.
std::atomic<pid_t> working = 0;
std::atomic<pid_t> working_for = 0;

/// What works for this process does not outlive it.
void stop_working() {
  const pid_t group = working.load();
  if (group > 0 && working_for.load() == getpid()) (void)kill(-group, SIGTERM);
}

constexpr off_t kMostLog = 1 << 16;  ///< bytes that a compiler may say

bool is_long(int log) {
  struct stat status {};
  return fstat(log, &status) == 0 && status.st_size > kMostLog;
}

/// Whether it ended within the time, and before the log was too long.
bool wait_for(pid_t process, Clock::duration most, int log = -1) {
  const auto end = Clock::now() + most;
  for (milliseconds pause{1};; pause = std::min(2 * pause, milliseconds(20))) {
    const pid_t got = waitpid(process, nullptr, WNOHANG);
    // Where the program waits for all children, or ignores them, nothing is left to be waited for.
    if (got == process || (got < 0 && errno != EINTR)) return true;
    if (Clock::now() >= end || is_long(log)) return false;
    std::this_thread::sleep_for(pause);
  }
}

/// What a program of the shell printed, and what it complained of.
struct Said {
  std::string output, log;
};

/// Runs it with these arguments, in a group of processes of its own: what interrupts this process
/// is not meant for it.
Said run_shell(const char* program, std::vector<std::string> arguments, std::string_view input,
               bool in_background, milliseconds patience) {
  static const int registered = std::atexit(stop_working) | std::at_quick_exit(stop_working);
  (void)registered;
  const MemoryFile in(input), out, log;
  if (in.number() < 0 || out.number() < 0 || log.number() < 0)
    return {"", fmt::format("no files in memory for it: {}", std::strerror(errno))};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0) return {"", "no memory for it"};
  if (posix_spawnattr_init(&attributes) != 0) {
    (void)posix_spawn_file_actions_destroy(&files);
    return {"", "no memory for it"};
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failed = posix_spawn_file_actions_adddup2(&files, in.number(), 0);
  failed |= posix_spawn_file_actions_adddup2(&files, out.number(), 1);
  failed |= posix_spawn_file_actions_adddup2(&files, log.number(), 2);
  failed |= posix_spawnattr_setpgroup(&attributes, 0);
  failed |= posix_spawnattr_setsigmask(&attributes, &none);
  failed |= posix_spawnattr_setsigdefault(&attributes, &all);
  failed |= posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string words[] = {"sh", "-c", program, "cudamat"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  if (failed == 0)
    failed = posix_spawn(&process, "/bin/sh", &files, &attributes, pointers.data(), environ);
  (void)posix_spawn_file_actions_destroy(&files);
  (void)posix_spawnattr_destroy(&attributes);
  if (failed != 0) return {"", "it cannot be run"};
  working_for = getpid();
  working = process;
  if (in_background) (void)setpriority(PRIO_PROCESS, static_cast<id_t>(process), 10);
  const bool ended = wait_for(process, patience, log.number());
  if (!ended) {
    (void)kill(-process, SIGTERM);
    if (!wait_for(process, kLastChance)) {
      (void)kill(-process, SIGKILL);
      (void)wait_for(process, kLastChance);
    }
  }
  working = 0;
  if (is_long(log.number())) return {"", fmt::format("it printed more than {} bytes", kMostLog)};
  if (!ended) return {"", fmt::format("it took longer than {} ms", patience.count())};
  return {out.content(), log.content()};
}

/// Of all that the object depends on.
cudamat::code::Digest key_of(std::string_view compiler, std::string_view source) {
  cudamat::code::Digester key;
  key.part(compiler);
  for (const std::string& flag : flags()) key.part(flag);
  return key.part(source).finish();
}

/// The path of a folder that there is not.
std::string new_folder() {
  static std::atomic<unsigned> count = 0;
  const char* const parent = std::getenv("TMPDIR");
  return fmt::format("{}/cudamat-{}-{}-{:x}",
                     parent == nullptr || *parent == '\0' ? "/tmp" : parent, getpid(), count++,
                     Clock::now().time_since_epoch().count());
}

}  // namespace

SystemCompiler::SystemCompiler(std::string_view named, cudamat::code::Cache cache,
                               milliseconds patience)
    : cache_(std::move(cache)), patience_(patience), named_(named) {
  Said said = run_shell(kFind, {named_}, "", false, patience_);
  identity_ = std::move(said.output);
  trouble_ = std::move(said.log);
  command_ = identity_.substr(0, identity_.find('\n'));
}

std::string SystemCompiler::find(std::string_view source) const {
  return is_there() ? cache_.find(key_of(identity_, source)).value_or("") : "";
}

CompiledObject SystemCompiler::compile(std::string_view source, bool in_background) const {
  if (!is_there() && !trouble_.empty())
    return {"", fmt::format("no C++ compiler could be looked for: {}", trouble_)};
  if (!is_there())
    return {"", named_.empty()
                    ? "there is no C++ compiler; install g++, or set CXX"
                    : fmt::format("there is no C++ compiler: '{}', as CXX has it, does not run or "
                                  "does not say its version; set CXX to one, or unset it",
                                  named_)};
  const std::string folder = new_folder();
  std::vector<std::string> arguments = {folder, command_};
  for (std::string& flag : flags()) arguments.push_back(std::move(flag));
  Said said = run_shell(kCompile, std::move(arguments), source, in_background, patience_);
  std::error_code gone;  // as it is unless the shell was killed
  std::filesystem::remove_all(folder, gone);
  constexpr std::string_view kDone = "done\n";
  if (said.log.ends_with(kDone)) {
    cache_.store(key_of(identity_, source), said.output);
    return {std::move(said.output), ""};
  }
  return {"", fmt::format("{} failed: {}", command_, said.log)};
}

}  // namespace npmat
