// Symbolic arrays: those that are known when they are built.
#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

namespace {

npmat::Array<double> room_for(std::string_view op, Dims dims) {
  detail::check_dims(op, dims);
  detail::check_memory(op, dims);
  npmat::Array<double> data{std::move(dims), {}};
  data.data.resize(static_cast<std::size_t>(npmat::element_count(data.shape)));
  return data;
}

/// A number as a program writes it.
std::string literal(double number, DType dtype) {
  if (dtype != DType::Float) return fmt::format("{:.0f}", number);
  const std::string digits = fmt::format("{}", number);
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

/// An empty array is made without data.
Array known(npmat::Array<double> data, std::string spelling, DType dtype) {
  if (data.data.empty()) return full(data.shape, 0, dtype);
  return constant(std::move(data), std::move(spelling), dtype);
}

}  // namespace

Array arange(double start, double stop, double step, DType dtype) {
  if (step == 0) misuse(Exception::ZeroDivisionError, "arange", "the step must not be 0");
  const double count = std::ceil((stop - start) / step);
  if (!(count < 1e15))
    misuse(Exception::ValueError, "arange", "Maximum allowed size exceeded: {} elements", count);
  npmat::Array<double> data = room_for("arange", {static_cast<Index>(std::max(count, 0.0))});
  const double delta = (start + step) - start;
  for (std::size_t i = 0; i < data.data.size(); ++i) {
    const double way = static_cast<double>(i) * delta;
    data.data[i] = i == 1 ? start + step : start + way;
  }
  std::string spelling = "np.arange(";
  if (start != 0 || step != 1 || std::signbit(start)) spelling += literal(start, dtype) + ", ";
  spelling += literal(stop, dtype);
  if (step != 1) spelling += ", " + literal(step, dtype);
  return known(std::move(data), spelling + ")", dtype);
}

Array linspace(double start, double stop, Index count, bool endpoint) {
  if (count < 0)
    misuse(Exception::ValueError, "linspace", "Number of samples, {}, must be non-negative.",
           count);
  npmat::Array<double> data = room_for("linspace", {count});
  const double parts = static_cast<double>(endpoint ? count - 1 : count);
  const double delta = stop - start;
  const double step = delta / parts;
  for (std::size_t i = 0; i < data.data.size(); ++i) {
    const auto k = static_cast<double>(i);
    const double way = parts > 0 && step == 0 ? k / parts * delta
                       : parts > 0            ? k * step
                                              : k * delta;
    data.data[i] = way + start;
  }
  if (endpoint && count > 1) data.data.back() = stop;
  const std::string spelling =
      fmt::format("np.linspace({}, {}, {}{})", literal(start, DType::Float),
                  literal(stop, DType::Float), count, endpoint ? "" : ", endpoint=False");
  return known(std::move(data), spelling, DType::Float);
}

Array tri(Index n, std::optional<Index> m, Index k) {
  npmat::Array<double> data = room_for("tri", {n, m.value_or(n)});
  const Index cols = data.shape[1];
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < cols; ++j)
      if (static_cast<double>(j) <= static_cast<double>(i) + static_cast<double>(k))
        data.data[static_cast<std::size_t>(i * cols + j)] = 1;
  const std::string spelling = fmt::format("np.tri({}, {}, {})", n, cols, k);
  return known(std::move(data), spelling, DType::Float);
}

}  // namespace rewriter
