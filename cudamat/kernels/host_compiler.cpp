#include "cudamat/kernels/host_compiler.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/code/temporary_folder.hpp"

extern char** environ;

namespace cudamat::kernels {

/// Of users' kernels that are compiled for the execution on the CPU.
std::span<const code::Header> headers();

namespace {

/// What sources for nvcc include, and simt_user.h has.
constexpr const char* kEmptyHeaders[] = {"assert.h", "cuda.h", "cuda_runtime.h",
                                         "cuda_runtime_api.h", "device_launch_parameters.h"};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string command() {
  const char* const value = std::getenv("CXX");
  return value == nullptr || *value == '\0' ? "c++" : value;
}

/// What the compiler says of itself; empty where there is none. Asked once for each command.
std::string version_of(const std::string& compiler) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(compiler);
  if (found != known.end()) return found->second;
  std::vector<std::string> arguments = words(compiler);
  arguments.emplace_back("--version");
  std::string version;
  if (run_program(arguments, ".", &version) != 0) return "";
  return known[compiler] = version;
}

const std::vector<std::string>& options() {
  // -Og keeps lines what they are, and addr2line reads DWARF 4 of clang, too; -fsanitize=thread is
  // for the calls before each access alone.
  static const std::vector<std::string> the_options = {"-x",
                                                       "c++",
                                                       "-std=c++20",
                                                       "-Og",
                                                       "-g1",
                                                       "-fPIC",
                                                       "-fno-gnu-unique",
                                                       "-fvisibility=hidden",
                                                       "-w",
                                                       "-I",
                                                       ".",
                                                       "-fsanitize=thread",
                                                       "-c",
                                                       "-o",
                                                       "program.o",
                                                       "-ffp-contract=off",
                                                       "-fno-math-errno",
                                                       "-fno-threadsafe-statics",
                                                       "-gdwarf-4"};
  return the_options;
}

/// What the library defines is its own: ThreadSanitizer's and the C library's functions, too.
constexpr const char* kLinkOptions[] = {"-shared",   "-o",          "program.so",
                                        "program.o", "-Wl,-z,defs", "-Wl,-Bsymbolic"};

/// GCC has an option that clang lacks.
bool is_clang(const std::string& version) {
  return version.find("clang") != std::string::npos;
}

HostCompiled compile_in(const code::TemporaryFolder& folder, const std::string& compiler,
                        bool clang, const std::vector<std::string>& flags) {
  std::vector<std::string> compile = words(compiler);
  const std::vector<std::string> link_with = compile;
  for (const std::string& option : options())
    if (!clang || option != "-fno-gnu-unique") compile.push_back(option);
  if (clang)  // x += 1 reads, too
    compile.insert(compile.end(), {"-mllvm", "-tsan-instrument-read-before-write"});
  compile.insert(compile.end(), flags.begin(), flags.end());
  compile.emplace_back("program.cpp");
  HostCompiled result;
  if (run_program(compile, folder.path().string(), &result.log) != 0) {
    result.failure = "the source does not compile";
    return result;
  }
  std::vector<std::string> link = link_with;
  for (const char* const option : kLinkOptions) link.emplace_back(option);
  if (run_program(link, folder.path().string(), &result.log) != 0) {
    result.failure = "the source calls what is not there";
    return result;
  }
  result.code = folder.read("program.so");
  if (result.code.empty()) result.failure = "the compiler made no library";
  return result;
}

constexpr std::size_t kMostOutput = 1 << 16;  // bytes that are kept
constexpr std::chrono::minutes kPatience{5};
constexpr std::chrono::seconds kLastChance{2};  // to tidy up, once it was asked to end
constexpr int kPause = 20;                      // milliseconds between two looks

/// Takes what is there to be read, and keeps the first of it. False at the end.
bool hear(int from, std::string* output) {
  char buffer[4096];
  const ssize_t n = read(from, buffer, sizeof buffer);
  if (n <= 0) return n < 0 && errno == EINTR;
  const std::size_t room = kMostOutput - std::min(kMostOutput, output->size());
  output->append(buffer, std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// Waits for a program and not for others to which it gave its end of the pipe. The status;
/// nothing where that is lost. What takes too long is ended.
std::optional<int> wait_for(pid_t child, int from, std::string* output) {
  auto end = std::chrono::steady_clock::now() + kPatience;
  bool is_open = true;
  for (int signal = SIGTERM;;) {
    pollfd ready{from, POLLIN, 0};
    const bool heard = poll(&ready, is_open ? 1 : 0, kPause) > 0;
    if (heard) is_open = hear(from, output);
    int status = 0;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got == child) {
      for (int k = 0; k < 64 && is_open && poll(&ready, 1, 0) > 0; ++k)
        is_open = hear(from, output);
      return status;
    }
    if (std::chrono::steady_clock::now() < end) continue;
    *output += "\nIt took too long and was ended.\n";
    (void)kill(child, std::exchange(signal, SIGKILL));
    end += kLastChance;
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const std::string& folder,
                std::string* output) {
  std::vector<char*> words_of;
  for (const std::string& word : arguments) words_of.push_back(const_cast<char*>(word.c_str()));
  words_of.push_back(nullptr);
  int ends[2];
  if (arguments.empty() || pipe2(ends, O_CLOEXEC) != 0) return 127;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words_of[0], &actions, nullptr, words_of.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  (void)close(ends[1]);
  if (error != 0) {
    (void)close(ends[0]);
    return 127;
  }
  const std::optional<int> status = wait_for(child, ends[0], output);
  (void)close(ends[0]);
  if (!status) return 127;
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128;
}

HostCompiled compile_for_host(const std::string& source, const std::string& text,
                              const std::string& name, const std::vector<std::string>& flags) {
  static const code::Cache cache;
  const std::string compiler = command();
  const std::string version = version_of(compiler);
  if (version.empty())
    return {{},
            fmt::format("there is no C++ compiler for kernels on the CPU: '{}' does not run; set "
                        "CXX, or install g++",
                        compiler),
            {}};
  code::Digester key;
  key.part("simt").part(compiler).part(version).part(name);
  for (const std::string& option : options()) key.part(option);
  for (const char* const header : kEmptyHeaders) key.part(header);
  for (const char* const option : kLinkOptions) key.part(option);
  key.part("flags");
  for (const std::string& flag : flags) key.part(flag);
  for (const code::Header& header : headers()) key.part(header.name).part(header.text);
  const code::Digest digest = key.part(source).finish();
  if (auto found = cache.find(digest)) return {std::move(*found), {}, {}};

  const code::TemporaryFolder folder;
  bool written = !folder.path().empty() && folder.write("program.cpp", source);
  if (name.find('/') == std::string::npos) written = written && folder.write(name, text);
  for (const code::Header& header : headers())
    written = written && folder.write(header.name, header.text);
  for (const char* const header : kEmptyHeaders) written = written && folder.write(header, "");
  if (!written) return {{}, "there is no room for the source in the folder of temporary files", {}};
  HostCompiled result = compile_in(folder, compiler, is_clang(version), flags);
  if (result.failure.empty()) cache.store(digest, result.code);
  return result;
}

}  // namespace cudamat::kernels
