#include "cudamat/kernels/gpu.hpp"

#include <map>
#include <mutex>
#include <set>

#include "cudamat/cuda/compiler.hpp"
#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/launch.hpp"
#include "cudamat/cuda/loaded_kernel.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/kernels/demangled.hpp"
#include "cudamat/kernels/reachable.hpp"
#include "cudamat/kernels/signature.hpp"

namespace cudamat::kernels {
namespace {

/// For messages, which may want it at any time.
const char* lasting(const std::string& name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(name).first->c_str();
}

dim3 as_dim3(const Extent3& extent) {
  return dim3(static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
              static_cast<unsigned>(extent.z));
}

std::size_t bytes_of(const Argument& argument) {
  return static_cast<std::size_t>(argument.size) * size_of(argument.type);
}

template <std::size_t Bytes>
void elements_to_host(const void* from, void* to, Index n) {
  cuda::bytes_to_host(cuda::state(), from, to, static_cast<std::size_t>(n) * Bytes);
}
template <std::size_t Bytes>
void elements_to_device(const void* from, void* to, Index n) {
  cuda::bytes_to_device(cuda::state(), from, to, static_cast<std::size_t>(n) * Bytes);
}
template <std::size_t Bytes>
void copy_elements_of(Argument& argument) {
  argument.to_host = elements_to_host<Bytes>;
  argument.to_device = elements_to_device<Bytes>;
}

}  // namespace

void copy_exact_bytes(Argument& argument) {
  const std::size_t bytes = size_of(argument.type);
  const auto copy = bytes == 1   ? copy_elements_of<1>
                    : bytes == 2 ? copy_elements_of<2>
                    : bytes == 4 ? copy_elements_of<4>
                                 : copy_elements_of<8>;
  copy(argument);
}

struct GpuModule::Parts {
  std::string source, file;
  std::vector<std::string> kernels, flags, types;
  std::mutex mutex;                           ///< guards the making of these
  std::map<int, cuda::LoadedKernels> loaded;  ///< by device

  /// For the calling thread's device.
  cuda::LoadedKernels& here() {
    const cuda::State& state = cuda::state();
    const std::lock_guard lock(mutex);
    const auto found = loaded.find(state.device);
    if (found != loaded.end()) return found->second;
    const cuda::CompiledKernels made =
        cuda::compile(cuda::KernelSource{source, file, kernels, flags}, state.capability);
    if (!made.compiled.failure.empty())
      misuse("SourceModule", "the source does not compile:\n{}", made.compiled.failure);
    types.clear();
    for (const std::string& name : made.names) types.push_back(demangled(name.c_str()));
    return loaded.try_emplace(state.device, made.compiled.code, made.names).first->second;
  }
};

bool GpuModule::is_there() {
  return cuda::device_count() > 0;
}

GpuModule::GpuModule(const std::string& source, const std::string& file,
                     const std::vector<std::string>& kernels, const std::vector<std::string>& flags)
    : parts_(std::make_unique<Parts>()) {
  cuda::require_device();
  parts_->source = source;
  parts_->file = file;
  parts_->kernels = kernels;
  parts_->flags = flags;
  (void)parts_->here();
}
GpuModule::~GpuModule() = default;

const std::vector<std::string>& GpuModule::types() const {
  return parts_->types;
}

void GpuModule::run(std::size_t kernel, const std::string& name,
                    const std::vector<KernelParameter>& parameters, const Launch& launch,
                    std::span<const Argument> arguments) {
  cuda::State& state = cuda::state();
  const cuda::LoadedKernels& loaded = parts_->here();
  std::vector<std::uint64_t> words(arguments.size());
  std::vector<void*> pointers;
  std::vector<std::unique_ptr<cuda::Workspace<std::byte>>> copies(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    pointers.push_back(&words[i]);
    if (argument.kind == Argument::Kind::Number) {
      words[i] = number_as(parameters[i].type, argument);
      continue;
    }
    void* data = argument.data;
    if (argument.kind == Argument::Kind::HostArray) {
      copies[i] = std::make_unique<cuda::Workspace<std::byte>>(Index(bytes_of(argument)));
      data = copies[i]->data();
      if (argument.direction != Direction::Out)
        cuda::bytes_to_device(state, argument.data, data, bytes_of(argument));
    }
    words[i] = reinterpret_cast<std::uint64_t>(data);
  }
  const cudaLaunchConfig_t config =
      cuda::configuration({lasting(name), as_dim3(launch.grid), as_dim3(launch.block),
                           static_cast<std::size_t>(launch.shared_bytes)});
  cuda::check(cudaLaunchKernelExC(&config, loaded.for_launch(kernel), pointers.data()),
              lasting(name), __FILE__, __LINE__);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (copies[i] != nullptr && arguments[i].direction != Direction::In)
      cuda::bytes_to_host(state, copies[i]->data(), arguments[i].data, bytes_of(arguments[i]));
}

}  // namespace cudamat::kernels
