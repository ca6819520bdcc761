// What kernels are called with, from Python's objects. Internal to the module.
#pragma once

#include <memory>
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

/// Memory without a type on the engine's device, for what has elements of any type.
struct DeviceMemory {
  explicit DeviceMemory(Index n);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  Any matrix;  ///< of float32, which holds it
  Index bytes;
  bool written = false;
  bool told = false;  ///< its address: kernels may find it anywhere

  /// Refuses ranges that do not lie in it, and memory that was freed.
  void check(std::string_view op, Index offset, Index n) const;
  void write(nb::handle buffer, Index offset);
  void read(nb::handle buffer, Index offset);
  void release();

  /// Of the first byte; tells it.
  [[nodiscard]] std::uintptr_t address();
  /// What the address lies in, or nullptr.
  static DeviceMemory* at(std::uintptr_t address);
  /// All whose address was told.
  static std::vector<DeviceMemory*> all_told();
};

/// While it lives, kernels of this thread reach all memory whose address was told.
class Reached {
 public:
  Reached();
  /// After a kernel.
  void finish() const;
  [[nodiscard]] std::span<const kernels::Reachable> memories() const { return memories_; }

 private:
  std::vector<DeviceMemory*> told_;
  std::vector<kernels::Reachable> memories_;
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
  [[nodiscard]] std::span<const kernels::Reachable> reached() const { return reached_.memories(); }
  /// After the kernel: what it wrote to copies goes where it belongs.
  void finish();

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
  Argument in_memory(std::size_t i, DeviceMemory& memory, Index offset, Index size, Scalar type,
                     Direction direction);
  Argument of_bytes(std::size_t i, DeviceMemory& memory, Index offset, Direction direction);
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
  std::vector<DeviceMemory*> written_;
  Reached reached_;
};

/// Kernels' classes, and the exception of what was found wrong in one.
void def_kernels(nb::module_& m);
void def_kernel_memory(nb::module_& m);

}  // namespace cudamat::python
