// What kernels are called with, from Python's objects. Internal to the module.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cudamat/kernels.hpp"
#include "cudamat/kernels/reachable.hpp"
#include "cudamat/python/matrix.hpp"

namespace cudamat::python {

/// In(array), Out(array), InOut(array).
template <Direction D>
struct Directed {
  nb::object array;
};

/// Bytes on the engine's device, for what has elements of any type.
struct Allocation : std::enable_shared_from_this<Allocation> {
  explicit Allocation(Index n);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::shared_ptr<Any> matrix;  ///< of float32, which holds them; nullptr: freed
  Index bytes;
  bool written = false;
  bool told = false;  ///< its address: kernels may find it anywhere
};

/// An allocation while it is in use, though it may be freed meanwhile.
struct InUse {
  explicit InUse(std::shared_ptr<Allocation> used)
      : allocation(std::move(used)), matrix(allocation->matrix) {}

  std::shared_ptr<Allocation> allocation;
  std::shared_ptr<Any> matrix;
};

/// Memory without a type from a byte of an allocation on.
struct DeviceMemory {
  explicit DeviceMemory(Index n) : allocation(std::make_shared<Allocation>(n)) {}
  DeviceMemory(std::shared_ptr<Allocation> whole, Index first)
      : allocation(std::move(whole)), offset(first) {}

  std::shared_ptr<Allocation> allocation;
  Index offset = 0;

  /// Bytes from there on.
  [[nodiscard]] Index bytes() const { return allocation->bytes - offset; }
  /// Raises an error for ranges that do not lie in it, and memory that was freed.
  void check(std::string_view op, Index first, Index n) const;
  void write(nb::handle buffer, Index first) const;
  void read(nb::handle buffer, Index first) const;
  /// The memory from a byte of it on.
  [[nodiscard]] DeviceMemory part(Index first) const;
  [[nodiscard]] bool on_gpu() const;
  /// The memory, for who keeps its address.
  [[nodiscard]] nb::capsule hold() const;
  /// Refused of a part.
  void release() const;

  /// Of the first byte; tells it.
  [[nodiscard]] std::uintptr_t address() const;
  /// Where the address lies in an allocation, or at its end.
  static std::optional<DeviceMemory> at(std::uintptr_t address);
  /// Of memory, or of a number that is an address.
  static std::optional<DeviceMemory> of(nb::handle object);
};

/// All memory whose address was told, for the launches of a call. Made when Python runs no more
/// before them.
class Reached {
 public:
  Reached();
  /// After the kernel: what it has written to holds values.
  void finish() const;
  [[nodiscard]] bool has(const Allocation& allocation) const;
  [[nodiscard]] std::span<kernels::Reachable> memories() { return memories_; }

 private:
  std::vector<InUse> told_;
  std::vector<kernels::Reachable> memories_;  ///< of those that the CPU reaches
  std::vector<std::size_t> numbers_;          ///< among the told ones, of these
};

/// The arguments of one call, and what they need until it has ended.
class KernelArguments {
 public:
  KernelArguments(std::string kernel, std::span<const KernelParameter> parameters,
                  nb::handle arguments);
  ~KernelArguments();
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  [[nodiscard]] std::span<const Argument> all() const { return arguments_; }
  /// After the kernel: what it wrote to copies goes where it belongs.
  void finish(const Reached& reached);

 private:
  struct Buffer;
  struct Copied {
    nb::object array;   ///< a garray
    nb::object whole;   ///< its elements
    nb::object host;    ///< the same, or as the parameter's type
    nb::object before;  ///< a copy of that, if it is another type
  };

  Argument argument(std::size_t i, nb::handle object);
  Argument on_device(std::size_t i, nb::handle object, Direction direction);
  Argument of_gpuarray(std::size_t i, nb::handle object, Direction direction);
  Argument in_memory(std::size_t i, const DeviceMemory& memory, Index size, Scalar type,
                     Direction direction);
  Argument of_bytes(std::size_t i, const DeviceMemory& memory, Index bytes, Direction direction);
  Argument of_buffer(std::size_t i, nb::handle object, Direction direction);
  Argument number(std::size_t i, nb::handle object);
  [[nodiscard]] bool writes(std::size_t i, Direction direction) const;
  [[nodiscard]] std::string what(std::size_t i) const;
  [[noreturn]] void refuse_type(std::size_t i, const std::string& text) const;

  std::string kernel_;
  std::span<const KernelParameter> parameters_;
  std::vector<Argument> arguments_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Copied> copied_;
  std::vector<InUse> memories_;
  std::vector<Allocation*> written_;  ///< of these
};

/// Kernels' classes, and the exception of what was found wrong in one.
void def_kernels(nb::module_& m);
void def_kernel_memory(nb::module_& m);

}  // namespace cudamat::python
