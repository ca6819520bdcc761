// Custom operations in expressions: a kernel, the shapes of its results, and its meaning in NumPy.
//
//   const cudamat::ElementwiseKernel both("const float* x, const float* y, float* s, float* d",
//                                         "s[i] = x[i] + y[i]; d[i] = x[i] - y[i]");
//   rewriter::define_custom({
//       .name = "both",
//       .operands = 2,
//       .shapes = [](const auto& dims) { return std::vector{dims[0], dims[0]}; },
//       .launch = [both](const rewriter::CustomCall& call) { both.run(call.arguments()); },
//       .numpy = [](const auto& arrays, const auto&) { ... },
//   });
//   const auto results = rewriter::custom("both", {x, y});     // x + y and x - y
//
// Calls     One statement, cm.custom("both", x, y, targets=(s, d)), on any engine of float or
//           double. A kernel that is written for one of these types throws for the other.
// Operands  Arrays of up to two dimensions, as the matrices of statements: a 1-D array is a row.
//           Kernels only read them; their parameters are const. A matrix is stored by columns,
//           without gaps; a slice of rows or a transpose is first copied by a statement of the
//           list. With `strided` it is not copied, and the kernel receives the strides.
// Results   Each has separate memory, and the kernel writes all of it.
// Effects   Passes do not move, repeat or remove the call, even if its results are not read.
// Errors    CUDAMatException for misuse.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudamat/kernels.hpp"
#include "npmat/array.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace rewriter {

/// An operand or a result, as passed to a kernel.
struct CustomMatrix {
  cudamat::Argument argument;  ///< the pointer to element (0, 0); In for an operand, else Out
  cudamat::Shape shape;
  /// Element (i, j) is i * row_step + j * column_step elements after element (0, 0).
  Index row_step = 1;
  Index column_step = 0;

  [[nodiscard]] Index size() const { return shape.size(); }
};

struct CustomCall {
  std::vector<CustomMatrix> operands;
  std::vector<CustomMatrix> results;
  std::vector<double> numbers;
  cudamat::Scalar type = cudamat::Scalar::Float32;  ///< of the elements; or Float64

  /// Pointers to the operands and to the results, then the numbers.
  [[nodiscard]] std::vector<cudamat::Argument> arguments() const;
};

/// The meaning of an operation in NumPy: a function of the operands and the numbers, for arrays of
/// each precision.
class CustomMeaning {
 public:
  template <class T>
  using Arrays = std::vector<npmat::Array<T>>;
  template <class T>
  using Function = std::function<Arrays<T>(const Arrays<T>&, const std::vector<double>&)>;

  CustomMeaning() = default;
  template <class F>
  CustomMeaning(F f)  // NOLINT(google-explicit-constructor): a generic lambda is one
      : in_float_(f), in_double_(f), in_long_double_(std::move(f)) {}

  template <class T>
  [[nodiscard]] const Function<T>& in() const {
    if constexpr (std::is_same_v<T, float>)
      return in_float_;
    else if constexpr (std::is_same_v<T, double>)
      return in_double_;
    else
      return in_long_double_;
  }

 private:
  Function<float> in_float_;
  Function<double> in_double_;
  Function<long double> in_long_double_;
};

struct CustomOperation {
  static constexpr std::size_t kMostOperands = 8;

  std::string name;          ///< an identifier
  std::size_t operands = 1;  ///< how many; at most kMostOperands
  std::size_t numbers = 0;
  bool strided = false;  ///< the kernel obeys the steps of its operands
  /// The shapes of the results, at least one, from those of the operands; it may throw for shapes
  /// that are not supported. A result has up to two dimensions.
  std::function<std::vector<Dims>(const std::vector<Dims>&)> shapes;
  /// Queues or runs the kernel. It is not called if all results are empty.
  std::function<void(const CustomCall&)> launch;
  CustomMeaning numpy;
};
using CustomPtr = std::shared_ptr<const CustomOperation>;

/// Registers the operation for custom() and for parsing lists. Throws if the name exists already.
CustomPtr define_custom(CustomOperation operation);
/// Null for an unknown name.
CustomPtr find_custom(std::string_view name);
/// The error text for an unknown name: "'both'; defined are: ...".
std::string unknown_custom(std::string_view name);

/// The results of the operation. Throws CUDAMatException if the name is unknown or the operands do
/// not fit.
std::vector<Array> custom(std::string_view name, const std::vector<Array>& operands,
                          const std::vector<double>& numbers = {});

/// The shapes by the operation's rule; throws for impossible shapes.
std::vector<Dims> custom_shapes(const CustomOperation& operation, const std::vector<Dims>& dims);

/// The data of a Custom node. An operand is its argument, rows of it, a matrix, or the transpose of
/// these.
struct CustomUse {
  struct Operand {
    Dims dims;  ///< of the operand
    bool is_part = false;
    Range rows{};  ///< if it is a part
    bool transposed = false;
  };

  CustomPtr operation;
  std::vector<Operand> operands;
  std::vector<double> numbers;
  std::vector<Dims> results;
};

}  // namespace rewriter
