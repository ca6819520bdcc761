#include "cudamat/kernels/host_compiler.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/code/run_program.hpp"
#include "cudamat/code/temporary_folder.hpp"
#include "cudamat/kernels/interrupt.hpp"

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

code::Ran run(std::vector<std::string> arguments, const std::string& folder) {
  return code::run_program(
      {.arguments = std::move(arguments), .folder = folder, .is_interrupted = is_interrupted});
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
  const code::Ran ran = run(std::move(arguments), ".");
  if (!ran.is_well()) return "";
  return known[compiler] = ran.output + ran.log;
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
                                                       "-U_FORTIFY_SOURCE",
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
  std::vector<std::string> link = link_with;
  for (const char* const option : kLinkOptions) link.emplace_back(option);
  HostCompiled result;
  const auto make = [&](std::vector<std::string> call, const char* file, const char* failure) {
    const code::Ran ran = run(std::move(call), folder.path().string());
    result.log += ran.output + ran.log;
    result.code = folder.read(file);
    if (!ran.failure.empty())
      result.failure = fmt::format("the compiler was ended: {}", ran.failure);
    else if (ran.status != 0 || result.code.empty())
      result.failure = failure;
    return result.failure.empty();
  };
  (void)(make(std::move(compile), "program.o", "the source does not compile") &&
         make(std::move(link), "program.so", "the source calls what is not there"));
  return result;
}

}  // namespace

HostCompiled compile_for_host(const std::string& source, const std::string& text,
                              const std::string& name, const std::vector<std::string>& flags) {
  static const code::Cache cache;
  const std::string compiler = command();
  const std::string version = version_of(compiler);
  if (version.empty() && is_interrupted()) return {{}, "the compiler was ended", {}, true};
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
  if (!written) return {{}, "the source does not fit in the folder of temporary files", {}};
  HostCompiled result = compile_in(folder, compiler, is_clang(version), flags);
  result.is_interrupted = !result.failure.empty() && is_interrupted();
  if (result.failure.empty()) cache.store(digest, result.code);
  return result;
}

}  // namespace cudamat::kernels
