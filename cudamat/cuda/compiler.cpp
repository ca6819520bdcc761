#include "cudamat/cuda/compiler.hpp"

#include <nvrtc.h>
#include <vector>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {
namespace {

void check(nvrtcResult result, const char* what) {
  if (result != NVRTC_SUCCESS)
    throw LibraryError(LibraryError::Library::Nvrtc,
                       fmt::format("[nvrtc] {}: {}", what, nvrtcGetErrorString(result)));
}

class Program {
 public:
  explicit Program(const std::string& source) {
    std::vector<const char*> names, texts;
    for (const code::Header& header : code::headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    check(nvrtcCreateProgram(&program_, source.c_str(), "fused.cu", static_cast<int>(names.size()),
                             texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { (void)nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Compiled compile(const std::vector<std::string>& flags) {
    std::vector<const char*> options;
    for (const std::string& flag : flags) options.push_back(flag.c_str());
    const nvrtcResult result =
        nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    if (result != NVRTC_SUCCESS) {
      std::string log;
      if (nvrtcGetProgramLogSize(program_, &size) == NVRTC_SUCCESS && size > 1) {
        log.resize(size);
        check(nvrtcGetProgramLog(program_, log.data()), "nvrtcGetProgramLog");
        log.pop_back();  // the null character
      }
      return {{}, fmt::format("[nvrtc] {}\n{}", nvrtcGetErrorString(result), log)};
    }
    check(nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
    Compiled compiled{std::string(size, '\0'), {}};
    check(nvrtcGetCUBIN(program_, compiled.code.data()), "nvrtcGetCUBIN");
    return compiled;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

/// Of all that the code depends on.
code::Digest key_of(const std::string& source, const std::vector<std::string>& flags) {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  code::Digester key;
  key.part(fmt::format("nvrtc {}.{}", major, minor));
  for (const std::string& flag : flags) key.part(flag);
  for (const code::Header& header : code::headers()) key.part(header.name).part(header.text);
  return key.part(source).finish();
}

}  // namespace

Compiled compile(const std::string& source, int capability) try {
  static const code::Cache cache;
  const std::vector<std::string> flags = {fmt::format("--gpu-architecture=sm_{}", capability),
                                          "--std=c++20", "--fmad=false", "-default-device",
                                          "--disable-warnings"};
  const code::Digest key = key_of(source, flags);
  if (auto found = cache.find(key)) return {std::move(*found), {}};
  Compiled compiled = Program(source).compile(flags);
  if (compiled.failure.empty()) cache.store(key, compiled.code);
  return compiled;
} catch (const LibraryError& error) {
  return {{}, error.what()};
}

}  // namespace cudamat::cuda
