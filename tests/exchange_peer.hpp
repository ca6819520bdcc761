// Another library, as far as exchange goes: DLPack's records as its specification describes them
// (nothing of cudamat/dlpack.hpp), a producer over memory of its own, and what a consumer reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace peer {

extern "C" {
struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLDevice {
  std::int32_t device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
}

constexpr std::int32_t kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCM = 10, kDLCUDAManaged = 13;
constexpr std::uint8_t kDLInt = 0, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6;
constexpr std::uint64_t kReadOnly = 1U << 0U, kIsCopied = 1U << 1U;

/// What a producer gives; the defaults are elements of float in C order on the CPU.
struct Given {
  void* data = nullptr;
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
  bool null_strides = false;
  DLDevice device{kDLCPU, 0};
  DLDataType dtype{kDLFloat, 32, 1};
  std::uint64_t byte_offset = 0;
  std::uint64_t flags = 0;
  DLPackVersion version{1, 0};
};

/// A tensor of another library; counts how often it was deleted.
template <class Managed>
class Producer {
 public:
  explicit Producer(Given given, std::function<void()> when_deleted = {})
      : given_(std::move(given)), when_deleted_(std::move(when_deleted)) {
    if (given_.strides.empty() && !given_.shape.empty()) {  // C order
      given_.strides.resize(given_.shape.size());
      std::uint64_t step = 1;  // extents of nonsense may overflow
      for (std::size_t k = given_.shape.size(); k-- > 0;) {
        given_.strides[k] = static_cast<std::int64_t>(step);
        step *= static_cast<std::uint64_t>(given_.shape[k]);
      }
    }
    if constexpr (requires { managed_.flags; }) {
      managed_.flags = given_.flags;
      managed_.version = given_.version;
    }
    managed_.manager_ctx = this;
    managed_.deleter = [](Managed* self) {
      auto* const producer = static_cast<Producer*>(self->manager_ctx);
      if (producer->when_deleted_) producer->when_deleted_();
      ++producer->deleted_;
    };
    managed_.dl_tensor = {given_.data,
                          given_.device,
                          static_cast<std::int32_t>(given_.shape.size()),
                          given_.dtype,
                          given_.shape.data(),
                          given_.null_strides ? nullptr : given_.strides.data(),
                          given_.byte_offset};
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// The pointer, as our side calls its type.
  template <class Ours>
  Ours* as() {
    static_assert(sizeof(Ours) == sizeof(Managed));
    return reinterpret_cast<Ours*>(&managed_);
  }
  Managed& managed() { return managed_; }
  [[nodiscard]] int deleted() const { return deleted_; }

 private:
  Given given_;
  std::function<void()> when_deleted_;
  Managed managed_{};
  std::atomic<int> deleted_ = 0;
};

/// The tensor of ours as the consumer sees it.
template <class Theirs, class Ours>
Theirs* seen(Ours* tensor) {
  static_assert(sizeof(Ours) == sizeof(Theirs));
  return reinterpret_cast<Theirs*>(tensor);
}

inline std::vector<std::int64_t> shape(const DLTensor& t) {
  return {t.shape, t.shape + t.ndim};
}
inline std::vector<std::int64_t> strides(const DLTensor& t) {
  return {t.strides, t.strides + t.ndim};
}
/// Where the elements begin.
inline char* first(const DLTensor& t) {
  return static_cast<char*>(t.data) + t.byte_offset;
}

}  // namespace peer
