#include "npmat/system_compiler.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/run_program.hpp"
#include "npmat/machine.hpp"

namespace npmat {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Prints the command of a compiler on a line, then what it says of its version. Nothing here waits
/// for what a compiler leaves in the background.
constexpr const char* kFind = R"(
set -f
for compiler in ${1:-c++ g++ clang++}; do
  if [ -n "$1" ]; then compiler=$1; fi
  path=$(command -v ${compiler%% *}) || continue
  $compiler --version < /dev/null > /dev/null 2>&1 || continue
  printf '%s\n%s\n' "$compiler" "$path"
  exec $compiler --version < /dev/null 2>&1
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

constexpr std::size_t kMostObject = std::size_t{1} << 30;

/// What npmat's own flags say of arithmetic, and the instructions of the machine; `compiler`: its
/// path and version.
std::vector<std::string> flags(std::string_view compiler, std::string_view source) {
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
  if (compiler.find("clang") == std::string_view::npos) {
    // GCC 12 takes a copy out of a nest of loops that reads in an earlier iteration what it writes.
    result.insert(result.end(),
                  {"-fno-tree-loop-distribution", "-fno-tree-loop-distribute-patterns"});
    // Where it makes vectors of straight code it adds doubles that were to be rounded to float.
    if (source.find(" = float;") != std::string_view::npos)
      result.emplace_back("-fno-tree-slp-vectorize");
  }
  if (machine().vectors == Vectors::Avx512) {
    result.emplace_back("-march=x86-64-v4");
    result.emplace_back("-mprefer-vector-width=512");
  } else if (machine().vectors == Vectors::Avx2) {
    result.emplace_back("-march=x86-64-v3");
  }
  return result;
}

/// Runs a program of the shell, which prints so many bytes at most.
cudamat::code::Ran run_shell(const char* program, std::vector<std::string> arguments,
                             std::string_view input, bool in_background, milliseconds patience,
                             std::size_t most_output) {
  arguments.insert(arguments.begin(), {"/bin/sh", "-c", program, "cudamat"});
  return cudamat::code::run_program({.arguments = std::move(arguments),
                                     .input = input,
                                     .patience = patience,
                                     .most_output = most_output,
                                     .in_background = in_background});
}

/// Of all that the object depends on.
cudamat::code::Digest key_of(std::string_view compiler, std::string_view source) {
  cudamat::code::Digester key;
  key.part(compiler);
  for (const std::string& flag : flags(compiler, source)) key.part(flag);
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
  const cudamat::code::Ran found =
      run_shell(kFind, {named_}, "", false, patience_, std::size_t{1} << 16);
  if (found.failure.empty()) identity_ = found.output;
  trouble_ = found.failure;
  command_ = identity_.substr(0, identity_.find('\n'));
}

std::string SystemCompiler::find(std::string_view source) const {
  return is_there() ? cache_.find(key_of(identity_, source)).value_or("") : "";
}

CompiledObject SystemCompiler::compile(std::string_view source, bool in_background) const {
  if (!is_there() && !trouble_.empty())
    return {"", fmt::format("the search for a C++ compiler failed: {}", trouble_)};
  if (!is_there())
    return {"", named_.empty()
                    ? "there is no C++ compiler; install g++, or set CXX"
                    : fmt::format("there is no C++ compiler: '{}', which CXX names, does not run "
                                  "or does not print its version; set CXX to another, or unset it",
                                  named_)};
  const std::string folder = new_folder();
  std::vector<std::string> arguments = {folder, command_};
  for (std::string& flag : flags(identity_, source)) arguments.push_back(std::move(flag));
  cudamat::code::Ran ran =
      run_shell(kCompile, std::move(arguments), source, in_background, patience_, kMostObject);
  std::error_code gone;  // as it is unless the shell was killed
  std::filesystem::remove_all(folder, gone);
  constexpr std::string_view kDone = "done\n";
  if (ran.failure.empty() && ran.log.ends_with(kDone)) {
    cache_.store(key_of(identity_, source), ran.output);
    return {std::move(ran.output), ""};
  }
  return {"", fmt::format("{} failed: {}", command_, ran.failure.empty() ? ran.log : ran.failure)};
}

}  // namespace npmat
