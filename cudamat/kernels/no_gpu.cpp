// Where there is no CUDA engine.
#include "cudamat/error.hpp"
#include "cudamat/kernels/gpu.hpp"
#include "cudamat/kernels/reachable.hpp"

namespace cudamat::kernels {

void copy_exact_bytes(Argument& /*argument*/) {}

struct GpuModule::Parts {
  std::vector<std::string> types;
};

bool GpuModule::is_there() {
  return false;
}

GpuModule::GpuModule(const std::string& /*source*/, const std::string& /*file*/,
                     const std::vector<std::string>& /*kernels*/,
                     const std::vector<std::string>& /*flags*/) {
  misuse("SourceModule", "this program was built without the CUDA engine");
}
GpuModule::~GpuModule() = default;

const std::vector<std::string>& GpuModule::types() const {
  return parts_->types;
}

void GpuModule::run(std::size_t /*kernel*/, const std::string& name,
                    const std::vector<KernelParameter>& /*parameters*/, const Launch& /*launch*/,
                    std::span<const Argument> /*arguments*/) {
  misuse(name, "this program was built without the CUDA engine");
}

}  // namespace cudamat::kernels
