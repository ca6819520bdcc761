// Kernels in shared libraries that compiler.cpp made: loaded, found and launched.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>

#include "cudamat/simt/runtime.hpp"

struct CUkern_st {
  void (*run)(void* const*);
  const std::size_t* sizes;  ///< of its arguments, then 0
};

struct CUlib_st {
  void* handle = nullptr;  ///< stays open: places in the source that were noted lie in it
  std::map<std::string, CUkern_st> kernels;
};

namespace simt {
namespace {

class LoadedCall final : public Kernel {
 public:
  LoadedCall(const CUkern_st& kernel, void** args) : kernel_(kernel) {
    for (std::size_t i = 0; kernel.sizes[i] != 0; ++i) {
      const std::size_t words = (kernel.sizes[i] + sizeof(Word) - 1) / sizeof(Word);
      copies_.emplace_back(words);
      std::memcpy(copies_.back().data(), args[i], kernel.sizes[i]);
      pointers_.push_back(copies_.back().data());
    }
  }

  void run_thread() const override { kernel_.run(pointers_.data()); }

  std::vector<Argument> arguments() const override {
    std::vector<Argument> described;
    for (std::size_t i = 0; i < pointers_.size(); ++i)
      described.push_back({pointers_[i], kernel_.sizes[i], false, false});
    return described;
  }

 private:
  struct alignas(16) Word {
    std::byte bytes[16];
  };

  CUkern_st kernel_;
  std::vector<std::vector<Word>> copies_;
  std::vector<void*> pointers_;
};

/// Libraries that are loaded, with the kernels that were asked for.
struct Loaded {
  std::mutex mutex;
  std::map<cudaLibrary_t, std::unique_ptr<CUlib_st>> libraries;
};

Loaded& loaded() {
  static auto* const the_loaded = new Loaded;
  return *the_loaded;
}

/// Of a shared library in memory: its section headers come last.
std::size_t size_of(const void* code) {
  Elf64_Ehdr header;
  std::memcpy(&header, code, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

/// From a file of its own name: the loader takes what has the name of another library for that.
void* open_library(const void* code) {
  const std::size_t size = size_of(code);
  std::string path = (std::filesystem::temp_directory_path() / "simt-XXXXXX").string();
  const int file = size == 0 ? -1 : mkstemp(path.data());
  if (file < 0) return nullptr;
  void* handle = nullptr;
  if (write(file, code, size) == static_cast<ssize_t>(size)) {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) std::fprintf(stderr, "simt: %s\n", dlerror());
  }
  (void)close(file);
  (void)unlink(path.c_str());
  return handle;
}

/// "scale" of "_Z5scalePfi", and of "scale"; "f" is a kernel's name here, not the type float.
std::string plain_name(const char* name) {
  if (std::strncmp(name, "_Z", 2) != 0) return name;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
  const std::string plain = text == nullptr ? name : std::string(text, std::strcspn(text, "("));
  std::free(text);
  return plain;
}

template <class F>
F* find(void* handle, const std::string& name) {
  return reinterpret_cast<F*>(dlsym(handle, name.c_str()));
}

}  // namespace
}  // namespace simt

using simt::begin;
using simt::report;

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  if (const cudaError_t error = begin("cudaLibraryLoadData")) return report(error);
  auto made = std::make_unique<CUlib_st>();
  made->handle = simt::open_library(code);
  if (made->handle == nullptr) return report(cudaErrorInvalidKernelImage);
  *library = made.get();
  const std::lock_guard lock(simt::loaded().mutex);
  simt::loaded().libraries.emplace(*library, std::move(made));
  return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  const cudaError_t error = begin("cudaLibraryUnload");
  const std::lock_guard lock(simt::loaded().mutex);
  if (simt::loaded().libraries.erase(library) == 0) return report(cudaErrorInvalidResourceHandle);
  return report(error);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  if (const cudaError_t error = begin("cudaLibraryGetKernel")) return report(error);
  const std::lock_guard lock(simt::loaded().mutex);
  const auto found = simt::loaded().libraries.find(library);
  if (found == simt::loaded().libraries.end()) return report(cudaErrorInvalidResourceHandle);
  CUlib_st& in = *found->second;
  const std::string plain = simt::plain_name(name);
  auto* const run = simt::find<void(void* const*)>(in.handle, "simt_run_" + plain);
  auto* const sizes = simt::find<const std::size_t*()>(in.handle, "simt_sizes_" + plain);
  if (run == nullptr || sizes == nullptr) return report(cudaErrorSymbolNotFound);
  *kernel = &in.kernels.insert_or_assign(name, CUkern_st{run, sizes()}).first->second;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** args) {
  std::unique_lock lock(simt::loaded().mutex);
  for (const auto& [library, in] : simt::loaded().libraries)
    for (const auto& [name, known] : in->kernels) {
      if (&known != kernel) continue;
      const auto call = std::make_shared<simt::LoadedCall>(known, args);
      lock.unlock();
      return simt::launch(*config, call);
    }
  return report(cudaErrorInvalidResourceHandle);
}
