#include "cudamat/cuda/compiler.hpp"

#include <nvrtc.h>
#include <utility>
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
  Program(const std::string& source, const char* file, std::span<const code::Header> headers) {
    std::vector<const char*> names, texts;
    for (const code::Header& header : headers) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    check(nvrtcCreateProgram(&program_, source.c_str(), file, static_cast<int>(names.size()),
                             texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { (void)nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void name(const std::string& kernel) {
    check(nvrtcAddNameExpression(program_, kernel.c_str()), "nvrtcAddNameExpression");
  }
  /// What the code calls it; after compile().
  std::string lowered(const std::string& kernel) {
    const char* result = nullptr;
    check(nvrtcGetLoweredName(program_, kernel.c_str(), &result), "nvrtcGetLoweredName");
    return result;
  }

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

const code::Cache& cache() {
  static const code::Cache the_cache;
  return the_cache;
}

std::vector<std::string> flags_for(int capability) {
  return {fmt::format("--gpu-architecture=sm_{}", capability), "--std=c++20", "--fmad=false",
          "-default-device", "--disable-warnings"};
}

/// Of all that the code depends on; the source comes last.
code::Digester key_of(std::span<const code::Header> headers,
                      const std::vector<std::string>& flags) {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  code::Digester key;
  key.part(fmt::format("nvrtc {}.{}", major, minor));
  for (const std::string& flag : flags) key.part(flag);
  for (const code::Header& header : headers) key.part(header.name).part(header.text);
  return key;
}

constexpr code::Header kUserHeaders[] = {
    {"assert.h",
     "#define assert(c) ((c) ? (void)0 : __assertfail(#c, __FILE__, __LINE__, __func__, 1))\n"},
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"device_launch_parameters.h", ""},
    {"math.h", ""},
    {"stdio.h", ""},
    {"stdlib.h", ""},
    {"string.h", ""},
};

/// In the cache the kernels' names come first, a line each.
CompiledKernels with_names(const std::string& stored, std::size_t count) {
  CompiledKernels result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = stored.find('\n', at);
    result.names.push_back(stored.substr(at, end - at));
    at = end + 1;
  }
  result.compiled.code = stored.substr(at);
  return result;
}

}  // namespace

Compiled compile(const std::string& source, int capability) try {
  const std::vector<std::string> flags = flags_for(capability);
  const code::Digest key = key_of(code::headers(), flags).part(source).finish();
  if (auto found = cache().find(key)) return {std::move(*found), {}};
  Compiled compiled = Program(source, "fused.cu", code::headers()).compile(flags);
  if (compiled.failure.empty()) cache().store(key, compiled.code);
  return compiled;
} catch (const LibraryError& error) {
  return {{}, error.what()};
}

CompiledKernels compile(const KernelSource& source, int capability) try {
  std::vector<std::string> flags = flags_for(capability);
  flags.insert(flags.end(), source.flags.begin(), source.flags.end());
  code::Digester digester = key_of(kUserHeaders, flags);
  digester.part("kernels").part(source.file);
  for (const std::string& name : source.names) digester.part(name);
  const code::Digest key = digester.part(source.text).finish();
  if (const auto found = cache().find(key)) return with_names(*found, source.names.size());
  Program program(source.text, source.file.c_str(), kUserHeaders);
  for (const std::string& name : source.names) program.name(name);
  CompiledKernels result{program.compile(flags), {}};
  if (!result.compiled.failure.empty()) return result;
  std::string stored;
  for (const std::string& name : source.names) {
    result.names.push_back(program.lowered(name));
    stored += result.names.back() + '\n';
  }
  cache().store(key, stored + result.compiled.code);
  return result;
} catch (const LibraryError& error) {
  return {{{}, error.what()}, {}};
}

}  // namespace cudamat::cuda
