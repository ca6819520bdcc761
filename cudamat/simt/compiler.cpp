// NVRTC: programs go through the system's C++ compiler, into a shared library for loaded.cpp,
// unless SIMT_CACHE names a folder that has it.
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nvrtc.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

#include "cudamat/code/cache.hpp"
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

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A folder for the scope, in the process that made it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "simt-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("there is no folder for a program to compile");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (getpid() == owner_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
  const pid_t owner_ = getpid();
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
bool lower(const fs::path& library, const std::string& name, std::string& lowered) {
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
constexpr std::string_view kFlags =
    " -std=c++20 -O1 -fPIC -fno-gnu-unique -fno-math-errno -fno-trapping-math -ffp-contract=off -w";
/// Without libraries that the program has that loads it: to read them is a tenth of the time.
constexpr std::string_view kLink = "-shared -nodefaultlibs -o ", kLibraries = " -lgcc";

/// What the compiler is called with, before the files.
std::string call(const std::string& with, const std::string& flags, const Folder& headers) {
  return with + std::string(kFlags) + flags + " -I " + (headers / "").string() +
         " -I " SIMT_INCLUDE " ";
}

bool run(const std::string& line, const fs::path& log) {
  const int status = std::system((line + " > " + log.string() + " 2>&1").c_str());
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The headers of programs that have the same ones, and from the third program on what precompiles
/// them: that halves what a program takes.
class Headers {
 public:
  /// Those without a folder are the C++ library's, which the compiler has.
  explicit Headers(const std::map<std::string, std::string>& texts) {
    std::string all = "#include \"simt_device.h\"\n";
    for (const auto& [name, text] : texts)
      if (name.find('/') != std::string::npos) {
        write(folder_ / name, text);
        all += "#include \"" + name + "\"\n";
      }
    write(folder_ / "all.h", all + "#include \"simt_library.h\"\n");
  }

  /// The options for another program: the compiler's call.
  std::string options(const std::string& with, const std::string& flags) {
    const std::lock_guard lock(mutex_);
    const std::string line = call(with, flags, folder_), all = (folder_ / "all.h").string();
    if (++programs_ == 3)
      precompiled_ = run(line + "-x c++-header -o " + all + ".gch " + all, folder_ / "log");
    return precompiled_ ? line + "-include " + all + " " : line;
  }

 private:
  const Folder folder_;
  std::mutex mutex_;
  int programs_ = 0;
  bool precompiled_ = false;
};

/// Of programs that are compiled in the same way.
Headers& headers_of(const _nvrtcProgram& program, const std::string& with,
                    const std::string& flags) {
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>>;
  static std::mutex mutex;
  static std::map<Key, Headers> all;
  const std::lock_guard lock(mutex);
  return all.try_emplace(Key(with, flags, program.headers), program.headers).first->second;
}

const cudamat::code::Cache& cache() {
  static const cudamat::code::Cache the_cache = [] {
    const char* const folder = std::getenv("SIMT_CACHE");
    return cudamat::code::Cache(folder == nullptr ? "" : folder);
  }();
  return the_cache;
}

/// What all programs depend on: the compiler, and the headers here.
std::string common_to_all(const std::string& with) {
  const Folder folder;
  (void)run(with + " --version", folder / "log");
  std::set<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(SIMT_INCLUDE)) headers.insert(entry.path());
  std::string text = with + '\n' + read(folder / "log");
  for (const fs::path& header : headers) text += read(header);
  return text;
}

/// Of all that the code depends on.
cudamat::code::Digest key_of(const std::string& text, const _nvrtcProgram& program,
                             const std::string& with, const std::string& flags) {
  static std::mutex mutex;
  static std::map<std::string, std::string> common;  // by the compiler
  cudamat::code::Digester key;
  {
    const std::lock_guard lock(mutex);
    std::string& known = common[with];
    if (known.empty()) known = common_to_all(with);
    key.part(known);
  }
  key.part(kFlags).part(kLink).part(kLibraries).part(flags);
  for (const auto& [name, header] : program.headers) key.part(name).part(header);
  return key.part(text).finish();
}

nvrtcResult compile(_nvrtcProgram& program, const std::string& with, const std::string& flags) {
  const Folder folder;
  const std::string text = "#include \"simt_device.h\"\n#line 1 \"program.cu\"\n" + program.source +
                           exports(program.source);
  const auto key = key_of(text, program, with, flags);
  if (auto found = cache().find(key)) {
    program.code = std::move(*found);
    write(folder / "program.so", program.code);
  } else {
    write(folder / "program.cpp", text);
    const bool made = run(headers_of(program, with, flags).options(with, flags) +
                              std::string(kLink) + (folder / "program.so").string() + " " +
                              (folder / "program.cpp").string() + std::string(kLibraries),
                          folder / "log");
    program.log = read(folder / "log");
    if (!made) return NVRTC_ERROR_COMPILATION;
    program.code = read(folder / "program.so");
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
