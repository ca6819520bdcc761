// NVRTC: programs go through the system's C++ compiler, into a shared library for loaded.cpp,
// unless SIMT_CACHE names a folder that has it.
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <nvrtc.h>
#include <set>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <tuple>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/temporary_folder.hpp"
#include "cudamat/simt/failure.hpp"
#include "cudamat/simt/simt.hpp"

struct _nvrtcProgram {
  std::string source;
  std::map<std::string, std::string> headers;
  std::string code;
  std::string log;
  std::map<std::string, std::string> lowered;  ///< of names that were asked for
};

namespace simt {
namespace {

namespace fs = std::filesystem;

std::mutex compiler_mutex;
std::atomic<std::int64_t> compiled = 0;

std::string& compiler() {
  static std::string the_compiler = [] {
    const char* const value = std::getenv("SIMT_COMPILER");
    return std::string(value == nullptr ? "" : value);
  }();
  return the_compiler;
}

std::string command() {
  const std::lock_guard lock(compiler_mutex);
  return compiler();
}

/// A folder for the scope.
class Folder : public cudamat::code::TemporaryFolder {
 public:
  Folder() {
    if (path().empty()) fail("there is no folder for a program to compile");
  }
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

/// What makes the program's kernels callable from outside.
std::string exports(const std::string& source) {
  constexpr std::string_view kKernel = "__global__ void", kBounds = "__launch_bounds__";
  std::string text = "\n#include \"simt_library.h\"\n";
  for (std::size_t at = source.find(kKernel); at != std::string::npos;
       at = source.find(kKernel, at)) {
    at = source.find_first_not_of(" \n", at + kKernel.size());
    if (source.compare(at, kBounds.size(), kBounds) == 0)
      at = source.find_first_not_of(" \n", source.find(')', at) + 1);
    text += "SIMT_EXPORT(" + source.substr(at, source.find('(', at) - at) + ")\n";
  }
  return text;
}

/// The C++ library's name of a kernel without namespace: its own, and the types of its parameters.
bool lower(const std::string& library, const std::string& name, std::string& lowered) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = handle == nullptr ? nullptr : dlsym(handle, ("simt_type_" + name).c_str());
  if (found != nullptr) {
    const std::string type = reinterpret_cast<const char* (*)()>(found)();  // "FvPfiE"
    lowered = "_Z" + std::to_string(name.size()) + name + type.substr(2, type.size() - 3);
  }
  if (handle != nullptr) (void)dlclose(handle);
  return found != nullptr;
}

bool is_known(std::string_view option) {
  return option.starts_with("--gpu-architecture=sm_") || option == "--std=c++20" ||
         option == "--fmad=false" || option == "-default-device" ||
         option == "--disable-warnings" || option.starts_with("-D");
}

/// Of every program.
constexpr const char* kFlags =
    " -std=c++20 -O1 -fPIC -fno-gnu-unique -fno-math-errno -fno-trapping-math -ffp-contract=off -w";
/// Without libraries that the program has that loads it: to read them is a tenth of the time.
constexpr const char *kLink = "-shared -nodefaultlibs -o ", *kLibraries = " -lgcc";

bool run(const std::string& line, const std::string& log) {
  const int status = std::system((line + " > " + log + " 2>&1").c_str());
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const cudamat::code::Cache& cache() {
  static const cudamat::code::Cache the_cache = [] {
    const char* const folder = std::getenv("SIMT_CACHE");
    return cudamat::code::Cache(folder == nullptr ? "" : folder);
  }();
  return the_cache;
}

/// Of programs that are compiled in the same way: their headers, which from the third program on
/// are precompiled. That halves what a program takes.
class Headers {
 public:
  /// Those without a folder are the C++ library's, which the compiler has.
  Headers(const std::string& with, const std::string& flags,
          const std::map<std::string, std::string>& texts)
      : call_(with + kFlags + flags + " -I " + folder_ / "" + " -I " SIMT_INCLUDE " ") {
    std::string all = "#include \"simt_device.h\"\n";
    for (const auto& [name, text] : texts)
      if (name.find('/') != std::string::npos) {
        (void)folder_.write(name, text);
        all += "#include \"" + name + "\"\n";
      }
    (void)folder_.write("all.h", all + "#include \"simt_library.h\"\n");
    if (cache().folder().empty()) return;
    (void)run(with + " --version", folder_ / "log");
    made_of_.part(with).part(folder_.read("log"));
    made_of_.part(kFlags).part(kLink).part(kLibraries).part(flags);
    for (const auto& [name, text] : texts) made_of_.part(name).part(text);
    std::set<fs::path> own;
    for (const auto& entry : fs::directory_iterator(SIMT_INCLUDE)) own.insert(entry.path());
    for (const fs::path& header : own) made_of_.part(folder_.read(header));
  }

  /// The compiler's call for another program, before the files.
  std::string call() {
    const std::lock_guard lock(mutex_);
    const std::string all = folder_ / "all.h";
    if (++programs_ == 3)
      precompiled_ = run(call_ + "-x c++-header -o " + all + ".gch " + all, folder_ / "log");
    return precompiled_ ? call_ + "-include " + all + " " : call_;
  }
  /// Of all that the program's code depends on.
  [[nodiscard]] cudamat::code::Digest key(const std::string& program) const {
    cudamat::code::Digester digester = made_of_;
    return digester.part(program).finish();
  }

 private:
  const Folder folder_;
  const std::string call_;
  cudamat::code::Digester made_of_;
  std::mutex mutex_;
  int programs_ = 0;
  bool precompiled_ = false;
};

Headers& headers_of(const _nvrtcProgram& program, const std::string& with,
                    const std::string& flags) {
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>>;
  static std::mutex mutex;
  static std::map<Key, Headers> all;
  const std::lock_guard lock(mutex);
  return all.try_emplace(Key(with, flags, program.headers), with, flags, program.headers)
      .first->second;
}

nvrtcResult compile(_nvrtcProgram& program, const std::string& with, const std::string& flags) {
  const Folder folder;
  const std::string text = "#include \"simt_device.h\"\n#line 1 \"program.cu\"\n" + program.source +
                           exports(program.source);
  Headers& headers = headers_of(program, with, flags);
  const auto key = headers.key(text);
  if (auto found = cache().find(key)) {
    program.code = std::move(*found);
    (void)folder.write("program.so", program.code);
  } else {
    (void)folder.write("program.cpp", text);
    const bool made = run(
        headers.call() + kLink + folder / "program.so" + " " + folder / "program.cpp" + kLibraries,
        folder / "log");
    program.log = folder.read("log");
    if (!made) return NVRTC_ERROR_COMPILATION;
    program.code = folder.read("program.so");
    cache().store(key, program.code);
  }
  for (auto& [name, lowered] : program.lowered)
    if (!lower(folder / "program.so", name, lowered)) return NVRTC_ERROR_COMPILATION;
  ++compiled;
  return NVRTC_SUCCESS;
}

}  // namespace

void set_compiler(const std::string& command) {
  const std::lock_guard lock(compiler_mutex);
  compiler() = command;
}

std::int64_t compilations() {
  return compiled;
}

}  // namespace simt

const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS             ? "NVRTC_SUCCESS"
         : result == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION"
         : result == NVRTC_ERROR_INVALID_OPTION
             ? "NVRTC_ERROR_INVALID_OPTION"
             : "there is no compiler: SIMT_COMPILER does not name one";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return simt::command().empty() ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* prog, const char* src, const char* /*name*/,
                               int num_headers, const char* const* headers,
                               const char* const* include_names) {
  *prog = new _nvrtcProgram{src, {}, {}, {}, {}};
  for (int i = 0; i < num_headers; ++i) (*prog)->headers[include_names[i]] = headers[i];
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* prog) {
  delete *prog;
  *prog = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int num_options, const char* const* options) {
  for (int i = 0; i < num_options; ++i)
    if (!simt::is_known(options[i])) return NVRTC_ERROR_INVALID_OPTION;
  std::string flags;
  for (int i = 0; i < num_options; ++i)
    if (std::string_view(options[i]).starts_with("-D"))
      flags += " '" + std::string(options[i]) + "'";
  return simt::compile(*prog, simt::command(), flags);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char* name) {
  prog->lowered[name];
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char* name, const char** lowered) {
  *lowered = prog->lowered.at(name).c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, std::size_t* size) {
  *size = prog->code.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char* cubin) {
  std::memcpy(cubin, prog->code.data(), prog->code.size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, std::size_t* size) {
  *size = prog->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char* log) {
  std::memcpy(log, prog->log.c_str(), prog->log.size() + 1);
  return NVRTC_SUCCESS;
}
