#include "cudamat/cuda/exchange.hpp"

#include <cstdlib>
#include <vector>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/device.hpp"
#include "cudamat/error.hpp"
#include "cudamat/sharing_copy.hpp"

namespace cudamat::cuda {
namespace {

using dlpack::DeviceType;

/// The stream that a number represents.
cudaStream_t stream_of(std::optional<StreamNumber> number) {
  if (!number || *number == kLegacyStream) return nullptr;
  return reinterpret_cast<cudaStream_t>(*number);  // NOLINT(performance-no-int-to-ptr)
}

/// Memory of ours that another library uses.
class Lent {
 public:
  Lent(Owner memory, std::shared_ptr<State> state, std::optional<StreamNumber> consumer)
      : memory_(std::move(memory)), state_(std::move(state)), consumer_(consumer) {}
  ~Lent() {
    if (consumer_ == kNoOrder) return;
    const DeviceScope scope(state_->device);
    const bool lasts = !consumer_ || *consumer_ == kLegacyStream;  // a stream that cannot be gone
    if (!lasts || order_streams(nullptr, state_->stream) != cudaSuccess)
      (void)cudaDeviceSynchronize();
    (void)cudaGetLastError();
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  Owner memory_;
  std::shared_ptr<State> state_;
  std::optional<StreamNumber> consumer_;
};

/// Another library's memory that calls of ours use.
class Borrowed {
 public:
  Borrowed(Owner memory, std::shared_ptr<State> state)
      : memory_(std::move(memory)), state_(std::move(state)) {}
  ~Borrowed() {
    wait(*state_);
    if (const State* const caller = state_if_any(); caller != nullptr && caller != state_.get())
      wait(*caller);
    (void)cudaGetLastError();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  static void wait(const State& state) noexcept {
    const DeviceScope scope(state.device);
    (void)cudaStreamSynchronize(state.stream);
  }

  Owner memory_;
  std::shared_ptr<State> state_;
};

/// Rows along the last axis into the target, by as few copies of blocks as two axes allow.
template <class T>
void pack(const Strided& from, T* target) {
  // The last two axes are the columns' elements and the columns, or a column of one element each.
  Strided outer = from;
  Index rows = 1;
  Index cols = 1;
  Index ld = 1;
  const auto take = [&outer](Index& extent, Index& stride) {
    extent = outer.dims.back();
    stride = outer.strides.back();
    outer.dims.pop_back();
    outer.strides.pop_back();
  };
  if (!outer.dims.empty() && outer.strides.back() == 1) take(rows, ld);
  ld = rows;
  if (!outer.dims.empty()) take(cols, ld);
  outer.dims.push_back(1);  // what for_rows would take for a row
  outer.strides.push_back(1);
  for_rows(outer, [&](const char* first, Index /*count*/, Index /*stride*/) {
    Engine<T>::copy_block({rows, cols, reinterpret_cast<const T*>(first), ld, target, rows});
    target += rows * cols;
  });
}

/// Without axes of extent 1, and with axes that are one in memory as one.
Strided merged(const Strided& from) {
  Strided result = from;
  result.dims.clear();
  result.strides.clear();
  for (std::size_t k = 0; k < from.dims.size(); ++k) {
    const Index extent = from.dims[k];
    const Index stride = from.strides[k];
    if (extent == 1) continue;
    if (!result.dims.empty() && result.strides.back() == extent * stride) {
      result.dims.back() *= extent;
      result.strides.back() = stride;
    } else {
      result.dims.push_back(extent);
      result.strides.push_back(stride);
    }
  }
  return result;
}

template <class T>
void copy_elements(const Strided& from, T* target) {
  if (is_of_host(from.device)) {
    std::vector<T> packed(static_cast<std::size_t>(from.size()));
    pack_on_host(from, packed.data());
    Engine<T>::copy_to_device(packed.data(), target, from.size());
    return;
  }
  pack(merged(from), target);
  cuda_sync_threads();
}

class Cuda final : public Sharing {
 public:
  [[nodiscard]] dlpack::Device device(const void* data) const override {
    if (data == nullptr) return {DeviceType::Cuda, current_device()};
    (void)state();
    cudaPointerAttributes attributes{};
    CUDAMAT_CUDA(cudaPointerGetAttributes(&attributes, data));
    switch (attributes.type) {
      case cudaMemoryTypeDevice:
        return {DeviceType::Cuda, attributes.device};
      case cudaMemoryTypeManaged:
        return {DeviceType::CudaManaged, attributes.device};
      case cudaMemoryTypeHost:
        return {DeviceType::CudaHost, 0};
      default:
        return {DeviceType::Cpu, 0};
    }
  }

  [[nodiscard]] Reach reach(const Strided& elements) const override {
    if (is_of_host(elements.device))
      return {.by_copy = true,
              .why = fmt::format("it is on {}, and cudamat computes on CUDA device {}",
                                 text(elements.device), current_device())};
    if (elements.device.type != DeviceType::Cuda && elements.device.type != DeviceType::CudaManaged)
      return {.why = fmt::format("the array is on {}, and cudamat computes on CUDA device {}: copy "
                                 "it there to the CPU first",
                                 text(elements.device), current_device())};
    const dlpack::Device is = device(elements.data);
    if (is_of_host(is))
      return {.why = fmt::format("the array is said to be on {}, but CUDA knows no device memory "
                                 "at its address",
                                 text(elements.device))};
    if (is.id != current_device())
      return {.why = fmt::format("the array is on {}, and the calling thread computes on device "
                                 "{}: call cuda_set_device({}) first",
                                 text(is), current_device(), is.id)};
    return {.in_place = true, .by_copy = true};
  }

  [[nodiscard]] std::optional<StreamNumber> stream() const override {
    return reinterpret_cast<StreamNumber>(state().stream);
  }
  void wait_for(std::optional<StreamNumber> producer) const override {
    if (producer == kNoOrder) return;
    CUDAMAT_CUDA(order_streams(stream_of(producer), state().stream));
  }
  [[nodiscard]] Owner lend(Owner memory, std::optional<StreamNumber> consumer) const override {
    State& current = state();
    auto lent = std::make_shared<Lent>(std::move(memory), current.shared_from_this(), consumer);
    if (consumer != kNoOrder) CUDAMAT_CUDA(order_streams(current.stream, stream_of(consumer)));
    return lent;
  }
  [[nodiscard]] Owner until_done(Owner memory) const override {
    return std::make_shared<Borrowed>(std::move(memory), state().shared_from_this());
  }

  void copy(const Strided& from, void* target) const override {
    if (from.type.bits == 8 * sizeof(float))
      copy_elements(from, static_cast<float*>(target));
    else
      copy_elements(from, static_cast<double*>(target));
  }
};

}  // namespace

const Sharing& sharing_of_cuda() {
  static const Cuda& cuda = *new Cuda;  // for tensors that are given back after the program's end
  return cuda;
}

}  // namespace cudamat::cuda
