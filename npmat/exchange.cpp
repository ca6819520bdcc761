#include "npmat/exchange.hpp"

#include "cudamat/sharing_copy.hpp"

namespace npmat {
namespace {

using cudamat::Owner;
using cudamat::StreamNumber;

class Cpu final : public cudamat::Sharing {
 public:
  [[nodiscard]] cudamat::dlpack::Device device(const void* /*data*/) const override {
    return {cudamat::dlpack::DeviceType::Cpu, 0};
  }
  [[nodiscard]] cudamat::Reach reach(const cudamat::Strided& elements) const override {
    if (cudamat::is_of_host(elements.device)) return {.in_place = true, .by_copy = true};
    return {.why = fmt::format("the array is on {}, and npmat computes on the CPU: copy it there "
                               "to the CPU first",
                               cudamat::text(elements.device))};
  }

  [[nodiscard]] std::optional<StreamNumber> stream() const override { return {}; }
  void wait_for(std::optional<StreamNumber> producer) const override { no_stream(producer); }
  [[nodiscard]] Owner lend(Owner memory, std::optional<StreamNumber> consumer) const override {
    no_stream(consumer);
    return memory;
  }
  [[nodiscard]] Owner until_done(Owner memory) const override { return memory; }

  void copy(const cudamat::Strided& from, void* target) const override {
    cudamat::pack_on_host(from, target);
  }

 private:
  static void no_stream(std::optional<StreamNumber> stream) {
    if (stream && *stream != cudamat::kNoOrder)
      cudamat::misuse("to_dlpack", "the memory is the CPU's, which has no stream {}; give none",
                      *stream);
  }
};

}  // namespace

const cudamat::Sharing& sharing_of_cpu() {
  static const Cpu& cpu = *new Cpu;  // for tensors that are given back after the program's end
  return cpu;
}

}  // namespace npmat
