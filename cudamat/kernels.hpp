// Your own CUDA kernels, compiled at run time, for matrices of either engine and for arrays on the
// host.
//
//   const cudamat::SourceModule module(R"(
//     __global__ void multiply_them(float* dest, const float* a, const float* b) {
//       const int i = threadIdx.x;
//       dest[i] = a[i] * b[i];
//     })");
//   const auto multiply_them = module.get_function("multiply_them");
//   multiply_them({.block = {400}, .grid = {1}}, Out(dest), In(a), In(b));
//
// Where      On a GPU, compiled by NVRTC. Without a GPU, or with Options::check, thread by thread
//            on the CPU, compiled by the system's C++ compiler (CXX, or c++). Matrices of the CUDA
//            engine run on the GPU, npmat's on the CPU; with check, those of the CUDA engine are
//            copied to the CPU and back. One call cannot have both.
// Checks     On the CPU every memory access of every thread is checked. The launch ends with
//            KernelFault if an access is out of bounds or misaligned, reads memory that was never
//            written, or races with another thread's access (cudamat/simt/checks.hpp defines the
//            order), if some threads do not reach a barrier or warp intrinsic, or if an assertion
//            fails, or if the kernel would end the process (exit(), abort(), a trap, an exception).
//            Its text names the kernel, the threads, their blocks, the lines of the source, the
//            array and the index. Matrices and arrays are then unchanged. Kernel source is trusted
//            code: on the CPU a kernel may do what the process may do.
// Arrays     A matrix is passed as the pointer to its first element, column-major, and is read and
//            written in place. In, Out and InOut pass an array of the host: In is copied before the
//            kernel, Out after it, InOut both. Elements of an Out array that a kernel does not
//            write keep their values on the CPU, and are unspecified on a GPU. nullptr is a null
//            pointer.
// Numbers    Are converted to the type of the parameter if it can represent them; real numbers are
//            rounded to float.
// Sizes      All sizes are 64-bit; CUDA's limits are checked before the launch.
// Errors     CUDAMatException for misuse, before anything runs: a source that does not compile (the
//            text has the compiler's log with lines of the source), an unknown kernel, a wrong
//            number or type of arguments, blocks and grids that no device supports.
// Order      On a GPU the launch is queued like any call of a matrix. With Out or InOut arrays, and
//            on the CPU, results are available when the call returns.
// Threads    Modules and functions may be used by several threads at the same time. Launches of one
//            module on the CPU run one after the other.
//
// Compiled code is cached in memory and on disk (cudamat/code/cache.hpp). The key is the source,
// its headers, the target, the compiler and its options. As in the rest of the project, a * b + c
// is not contracted.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cudamat/matrix.hpp"

namespace cudamat {

namespace cuda {
template <class T>
struct Engine;  // cudamat/cuda/engine.hpp, where there is one
}

// ---- arguments ----

/// The types of elements and numbers.
enum class Scalar : std::uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  Float64,
};

template <class T>
concept KernelScalar = std::is_arithmetic_v<T> && !std::is_same_v<T, long double>;

template <KernelScalar T>
constexpr Scalar scalar_of() {
  if (std::is_same_v<T, bool>) return Scalar::Bool;
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Scalar::Float32 : Scalar::Float64;
  const int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<Scalar>(static_cast<int>(Scalar::Int8) + 2 * log2 +
                             int{std::is_unsigned_v<T>});
}

enum class Direction : std::uint8_t { In, Out, InOut };

/// An argument of a kernel: a number, a matrix, an array of the host (In, Out, InOut), or a null
/// pointer. It refers to the array, which must exist until the call returns.
struct Argument {
  enum class Kind : std::uint8_t { Number, HostArray, Matrix, Null };
  using Copy = void (*)(const void* from, void* to, Index n);

  Kind kind = Kind::Number;
  Scalar type = Scalar::Int32;
  Direction direction = Direction::InOut;
  bool writable = true;  ///< false: the parameter must point to const, or direction be In
  bool fresh = false;    ///< nothing has written to it: with checks, reading it is a fault
  bool on_gpu = false;
  bool untyped = false;     ///< bytes: elements of whatever type the parameter points to
  bool transposed = false;  ///< the matrix has the flag, which no kernel obeys
  const char* where = "";   ///< the engine of a matrix
  void* data = nullptr;
  Index size = 0;          ///< elements
  Shape shape;             ///< of a matrix
  Copy to_host = nullptr;  ///< of a matrix on a GPU
  Copy to_device = nullptr;
  double real = 0;          ///< of a number, as its type says
  std::uint64_t whole = 0;  ///< the same, two's complement

  Argument() = default;
  Argument(std::nullptr_t) : kind(Kind::Null) {}  // NOLINT(google-explicit-constructor)

  template <KernelScalar T>
  Argument(T number)  // NOLINT(google-explicit-constructor): numbers are arguments
      : type(scalar_of<T>()),
        real(static_cast<double>(number)),
        whole(std::is_integral_v<T> ? static_cast<std::uint64_t>(number) : 0) {}
  template <Engine E>
  Argument(Matrix<E>& matrix) : Argument(matrix, true) {}  // NOLINT(google-explicit-constructor)
  template <Engine E>
  Argument(Matrix<E>&& matrix)  // NOLINT(google-explicit-constructor): a view made for the call
      : Argument(matrix, true) {}
  template <Engine E>
  Argument(const Matrix<E>& matrix)  // NOLINT(google-explicit-constructor)
      : Argument(matrix, false) {}

  /// An array of the host of `size` elements.
  static Argument host(void* data, Index size, Scalar type, Direction direction);

 private:
  template <class E>
  static constexpr bool kOnGpu = std::is_same_v<E, cuda::Engine<typename E::value_type>>;

  template <Engine E>
  Argument(const Matrix<E>& matrix, bool may_write)
      : kind(Kind::Matrix),
        writable(may_write),
        on_gpu(kOnGpu<E>),
        transposed(matrix.is_transposed()),
        where(E::name()),
        data(matrix.data()),
        size(matrix.size()),
        shape(matrix.shape()) {
    using T = typename E::value_type;
    if constexpr (KernelScalar<T>)
      type = scalar_of<T>();
    else
      misuse("kernel", "a kernel takes no {} matrices: it knows float and double", E::name());
    if (!matrix.on_device())
      misuse(Reason::NotOnDevice, "kernel", "a {} matrix has no memory on the device", shape);
    to_host = [](const void* from, void* to, Index n) {
      E::copy_to_host(static_cast<const T*>(from), static_cast<T*>(to), n);
    };
    to_device = [](const void* from, void* to, Index n) {
      E::copy_to_device(static_cast<const T*>(from), static_cast<T*>(to), n);
    };
  }
};

namespace detail {
template <class R>
concept HostArray = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    KernelScalar<std::ranges::range_value_t<R>>;

template <class R>
Argument host_argument(R& array, Direction direction) {
  using T = std::ranges::range_value_t<R>;
  return Argument::host(const_cast<std::remove_const_t<T>*>(std::ranges::data(array)),
                        static_cast<Index>(std::ranges::size(array)), scalar_of<T>(), direction);
}
template <Engine E>
Argument directed(Argument argument, Direction direction) {
  argument.direction = direction;
  return argument;
}
}  // namespace detail

/// An array of the host that the kernel reads. The kernel may write to its copy.
template <detail::HostArray R>
Argument In(const R& array) {
  return detail::host_argument(array, Direction::In);
}
/// An array of the host that the kernel writes; its old elements are unspecified in the kernel.
template <detail::HostArray R>
Argument Out(R&& array) {
  return detail::host_argument(array, Direction::Out);
}
/// An array of the host that the kernel reads and writes.
template <detail::HostArray R>
Argument InOut(R&& array) {
  return detail::host_argument(array, Direction::InOut);
}
template <KernelScalar T>
Argument In(const HostMatrix<T>& matrix) {
  return Argument::host(const_cast<T*>(matrix.data()), matrix.shape().size(), scalar_of<T>(),
                        Direction::In);
}
template <KernelScalar T>
Argument Out(HostMatrix<T>& matrix) {
  return Argument::host(matrix.data(), matrix.shape().size(), scalar_of<T>(), Direction::Out);
}
template <KernelScalar T>
Argument InOut(HostMatrix<T>& matrix) {
  return Argument::host(matrix.data(), matrix.shape().size(), scalar_of<T>(), Direction::InOut);
}
/// A matrix that the kernel only reads; a parameter that it could write through throws.
template <Engine E>
Argument In(const Matrix<E>& matrix) {
  return detail::directed<E>(matrix, Direction::In);
}
/// A matrix that the kernel writes, for example one from empty(): with checks, reading elements
/// before they are written is a fault.
template <Engine E>
Argument Out(Matrix<E>& matrix) {
  return detail::directed<E>(matrix, Direction::Out);
}

// ---- launches ----

struct Extent3 {
  Index x = 1, y = 1, z = 1;
  friend bool operator==(const Extent3&, const Extent3&) = default;
};

struct Launch {
  Extent3 block = {};      ///< threads: at most 1024, z at most 64
  Extent3 grid = {};       ///< blocks: x up to 2^31 - 1, y and z up to 65535
  Index shared_bytes = 0;  ///< of `extern __shared__` arrays; with the others at most 49152
};

/// A fault of a kernel on the CPU. The text is the report.
class KernelFault : public CUDAMatException {
 public:
  using CUDAMatException::CUDAMatException;
};

/// A parameter of a kernel.
struct KernelParameter {
  std::string name;  ///< as in the source; "argument 2" where it has none
  std::string text;  ///< its type: "float const*"
  bool is_pointer = false;
  bool is_const = false;  ///< it points to const
  bool is_known = false;  ///< a number of, or a pointer to, the type:
  Scalar type = Scalar::Int32;
};

namespace kernels {
class Module;
struct Entry;
}  // namespace kernels

/// A kernel of a module, which it keeps alive.
class KernelFunction {
 public:
  /// Runs the kernel. For errors see the top of this file.
  template <class... Args>
  void operator()(const Launch& launch, Args&&... args) const {
    run(launch, std::initializer_list<Argument>{Argument(std::forward<Args>(args))...});
  }
  void run(const Launch& launch, std::span<const Argument> arguments) const;
  void run(const Launch& launch, std::initializer_list<Argument> arguments) const {
    run(launch, std::span<const Argument>(arguments.begin(), arguments.size()));
  }

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<KernelParameter>& parameters() const;

 private:
  friend class SourceModule;
  KernelFunction(std::shared_ptr<kernels::Module> module, std::size_t number)
      : module_(std::move(module)), number_(number) {}

  std::shared_ptr<kernels::Module> module_;
  std::size_t number_;
};

/// CUDA C++ source that contains kernels.
class SourceModule {
 public:
  struct Options {
    bool check = false;  ///< run on the CPU, with the checks, where there is a GPU too
    std::vector<std::string> flags = {};  ///< "-DNAME", "-DNAME=VALUE"
    std::string name = "kernel.cu";       ///< what messages call the source
  };

  /// Compiles the source for the available device. If that fails, throws CUDAMatException with the
  /// compiler's log.
  explicit SourceModule(const std::string& source);
  SourceModule(const std::string& source, const Options& options);

  /// The kernel with this name in the source, with or without `extern "C"`, with its namespace
  /// ("mine::scale"); for a template, an instance that the source instantiates ("scale<float>" for
  /// `template __global__ void scale<float>(float*);`).
  [[nodiscard]] KernelFunction get_function(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> functions() const;

 private:
  std::shared_ptr<kernels::Module> module_;
};

/// Where kernels without matrices run: "the GPU" or "the CPU".
const char* kernels_run_on();

// ---- element-wise and reduction kernels ----

/// z[i] = f(x[i], ...) for every i:
///
///   const ElementwiseKernel axpy("float a, float* x, float* y, float* z", "z[i] = a*x[i] + y[i]");
///   axpy(a, x, y, Out(z));
///
/// `arguments` declares numbers and pointers; `operation` is one statement or several in C++, for
/// the index `i` (long long), `n` being how many there are. All arrays have n elements, and there
/// is at least one. `preamble` is source that comes before the kernel, such as functions it calls.
class ElementwiseKernel {
 public:
  ElementwiseKernel(const std::string& arguments, const std::string& operation,
                    const std::string& name = "elementwise", bool check = false,
                    const std::string& preamble = "");

  template <class... Args>
  void operator()(Args&&... args) const {
    run(std::initializer_list<Argument>{Argument(std::forward<Args>(args))...});
  }
  void run(std::span<const Argument> arguments) const;
  void run(std::initializer_list<Argument> arguments) const {
    run(std::span<const Argument>(arguments.begin(), arguments.size()));
  }

  [[nodiscard]] const std::string& name() const { return function_.name(); }
  /// The parameters that `arguments` declares.
  [[nodiscard]] std::span<const KernelParameter> parameters() const;

 private:
  KernelFunction function_;
};

/// A number from arrays: reduce_expr over map_expr of every i, from `neutral` on:
///
///   const ReductionKernel<float> dot("0", "a + b", "x[i] * y[i]", "const float* x, const float*
///   y"); const float sum = dot(x, y);
///
/// reduce_expr combines `a` and `b` and is associative; map_expr is for the index `i` (long long).
/// Of empty arrays it is `neutral`. What is combined with what depends on the number of elements
/// alone: two runs give the same bits, on every device. Waits for the result. T is float, double or
/// an integer of 32 or 64 bits. `preamble` is source that comes before the kernel.
template <KernelScalar T>
class ReductionKernel {
 public:
  ReductionKernel(const std::string& neutral, const std::string& reduce_expr,
                  const std::string& map_expr, const std::string& arguments,
                  const std::string& name = "reduction", bool check = false,
                  const std::string& preamble = "");

  template <class... Args>
  [[nodiscard]] T operator()(Args&&... args) const {
    return run(std::initializer_list<Argument>{Argument(std::forward<Args>(args))...});
  }
  [[nodiscard]] T run(std::span<const Argument> arguments) const;
  [[nodiscard]] T run(std::initializer_list<Argument> arguments) const {
    return run(std::span<const Argument>(arguments.begin(), arguments.size()));
  }

  [[nodiscard]] const std::string& name() const { return pieces_.name(); }
  /// The parameters that `arguments` declares.
  [[nodiscard]] std::span<const KernelParameter> parameters() const;

 private:
  ReductionKernel(const SourceModule& module, const std::string& name);

  KernelFunction pieces_;
  KernelFunction finish_;
};

}  // namespace cudamat
