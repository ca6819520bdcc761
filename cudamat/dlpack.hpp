// DLPack's structures, versions 1.0 and 1.1: their layout and the meaning of their numbers. The
// specification is https://dmlc.github.io/dlpack; its own header declares the same structures under
// other names, and pointers to them are interchangeable.
//
// A producer creates a managed tensor and transfers its ownership; the owner calls its deleter
// once, from any thread, when the memory is no longer needed. exchange.hpp has the functions that
// export and import tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudamat::dlpack {

struct Version {
  std::uint32_t major;  ///< another one: only the fields before `flags` are where they are here
  std::uint32_t minor;  ///< a later one knows more numbers, the records are the same
};

/// The version of exported tensors. Any 1.x is accepted.
inline constexpr Version kVersion{1, 1};

enum class DeviceType : std::int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3,  ///< pinned memory of the host
  Rocm = 10,
  CudaManaged = 13,
};

struct Device {
  DeviceType type;
  std::int32_t id;  ///< 0 for the host

  friend constexpr bool operator==(const Device&, const Device&) = default;
};

enum class Code : std::uint8_t { Int, UInt, Float, Opaque, BFloat, Complex, Bool };

struct DataType {
  Code code;
  std::uint8_t bits;
  std::uint16_t lanes;  ///< numbers in an element, 1 as a rule

  friend constexpr bool operator==(const DataType&, const DataType&) = default;
};

struct Tensor {
  void* data;  ///< may be null where there are no elements
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;      ///< in elements; null (before 1.2): in C order without gaps
  std::uint64_t byte_offset;  ///< from data to the first element
};

struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;                         ///< the producer's
  void (*deleter)(ManagedTensorVersioned*);  ///< may be null: nothing to be done
  std::uint64_t flags;
  Tensor dl_tensor;
};

/// Flags: the consumer must not write; the producer made a copy, which is the consumer's alone.
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;

/// The record before version 1, without flags.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor*);
};

static_assert(sizeof(void*) == 8, "the layout below is that of 64-bit machines");
static_assert(sizeof(Device) == 8 && sizeof(DataType) == 4 && sizeof(Tensor) == 48);
static_assert(offsetof(Tensor, dtype) == 20 && offsetof(Tensor, byte_offset) == 40);
static_assert(offsetof(ManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(ManagedTensorVersioned, dl_tensor) == 32);
static_assert(offsetof(ManagedTensor, deleter) == 56);

}  // namespace cudamat::dlpack
