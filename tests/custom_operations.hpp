// Operations of the user's, for the tests of expressions and lists that have them.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/expr/custom.hpp"

namespace custom_operations {

using cudamat::ElementwiseKernel;
using cudamat::Scalar;
using cudamat::SourceModule;
using rewriter::CustomCall;
using rewriter::CustomMatrix;
using rewriter::Dims;
using rewriter::Index;
template <class T>
using Arrays = std::vector<npmat::Array<T>>;

inline std::atomic<int> times_launched = 0;  // of `both`

/// x + y and x - y of arrays of any one shape, from one kernel.
inline void define_both() {
  rewriter::define_custom({
      .name = "both",
      .operands = 2,
      .shapes =
          [](const std::vector<Dims>& dims) {
            if (dims[0] != dims[1]) cudamat::misuse("both", "x and y have different shapes");
            return std::vector{dims[0], dims[0]};
          },
      .launch =
          [](const CustomCall& call) {
            static const ElementwiseKernel in_float(
                "const float* x, const float* y, float* s, float* d",
                "s[i] = x[i] + y[i]; d[i] = x[i] - y[i]");
            static const ElementwiseKernel in_double(
                "const double* x, const double* y, double* s, double* d",
                "s[i] = x[i] + y[i]; d[i] = x[i] - y[i]");
            (call.type == Scalar::Float32 ? in_float : in_double).run(call.arguments());
            ++times_launched;
          },
      .numpy =
          []<class T>(const Arrays<T>& operands, const std::vector<double>&) {
            Arrays<T> results(2, operands[0]);
            for (std::size_t k = 0; k < operands[1].data.size(); ++k) {
              results[0].data[k] += operands[1].data[k];
              results[1].data[k] -= operands[1].data[k];
            }
            return results;
          },
  });
}

/// A matrix times a number plus its places, 100 i + j: as `places`, with operands without gaps, and
/// as `places_of`, strided.
inline void define_places(const std::string& name, bool strided) {
  rewriter::define_custom({
      .name = name,
      .numbers = 1,
      .strided = strided,
      .shapes = [](const std::vector<Dims>& dims) { return dims; },
      .launch =
          [](const CustomCall& call) {
            static const SourceModule module(R"(
template <class T>
__device__ void places(const T* x, long long row_step, long long column_step, T by, T* out,
                       long long rows, long long columns) {
  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (k >= rows * columns) return;
  const long long i = k % rows, j = k / rows;
  out[k] = by * x[i * row_step + j * column_step] + (T)(100 * i + j);
}
__global__ void float_places(const float* x, long long rs, long long cs, float by, float* out,
                             long long rows, long long columns) {
  places(x, rs, cs, by, out, rows, columns);
}
__global__ void double_places(const double* x, long long rs, long long cs, double by, double* out,
                              long long rows, long long columns) {
  places(x, rs, cs, by, out, rows, columns);
})");
            const CustomMatrix& x = call.operands[0];
            module.get_function(call.type == Scalar::Float32 ? "float_places" : "double_places")(
                {.block = {32}, .grid = {(x.size() + 31) / 32}}, x.argument, x.row_step,
                x.column_step, call.numbers[0], call.results[0].argument, x.shape.rows,
                x.shape.cols);
          },
      .numpy =
          []<class T>(const Arrays<T>& operands, const std::vector<double>& numbers) {
            Arrays<T> results = operands;
            const Dims& dims = operands[0].shape;
            const Index columns = dims.empty() ? 1 : dims.back();
            for (Index k = 0; k < operands[0].size(); ++k) {
              T& element = results[0].data[static_cast<std::size_t>(k)];
              element = static_cast<T>(numbers[0]) * element +
                        static_cast<T>(100 * (k / columns) + k % columns);
            }
            return results;
          },
  });
}

/// (n,), (m,) -> (n, m): the shape is not that of an operand.
inline void define_outer() {
  rewriter::define_custom({
      .name = "outer",
      .operands = 2,
      .shapes =
          [](const std::vector<Dims>& dims) {
            for (const Dims& each : dims)
              if (each.size() != 1) cudamat::misuse("outer", "takes vectors");
            return std::vector<Dims>{{dims[0][0], dims[1][0]}};
          },
      .launch =
          [](const CustomCall& call) {
            static const SourceModule module(R"(
__global__ void outer(const double* x, const double* y, double* out) {
  out[threadIdx.x + blockDim.x * threadIdx.y] = x[threadIdx.x] * y[threadIdx.y];
})");
            module.get_function("outer").run(
                {.block = {call.operands[0].size(), call.operands[1].size()}}, call.arguments());
          },
      .numpy =
          []<class T>(const Arrays<T>& operands, const std::vector<double>&) {
            const auto& [x, y] = std::pair(operands[0], operands[1]);
            npmat::Array<T> result{{x.size(), y.size()}, {}};
            for (const T a : x.data)
              for (const T b : y.data) result.data.push_back(a * b);
            return Arrays<T>{result};
          },
  });
}

}  // namespace custom_operations
