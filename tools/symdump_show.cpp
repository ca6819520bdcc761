#include "tools/symdump_show.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace symdump {

namespace {

constexpr std::int64_t kEdge = 3;   ///< elements shown at either end
constexpr std::int64_t kWhole = 8;  ///< an extent that is shown whole

/// The indices to show; -1 represents what is omitted.
std::vector<std::int64_t> shown(std::int64_t extent) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (extent > kWhole && i == kEdge) {
      result.push_back(-1);
      i = extent - kEdge;
    }
    result.push_back(i);
  }
  return result;
}

template <class T>
std::string text(T value) {
  if (std::isnan(value)) return "nan";  // its sign means nothing
  return fmt::format("{:.6g}", value);
}

}  // namespace

template <class T>
std::string show(const std::string& name, const npmat::Array<T>& array) {
  std::string result = fmt::format("{}  {}\n", name, npmat::shape_text(array.shape));
  const std::int64_t cols = array.shape.empty() ? 1 : array.shape.back();
  // Of more than two dimensions the rows of all of them, one after the other.
  const std::int64_t all = cols == 0 ? 0 : std::ssize(array.data) / cols;
  const std::int64_t rows = array.shape.size() < 2    ? 1
                            : array.shape.size() == 2 ? array.shape[0]
                                                      : all;
  const auto column_list = shown(cols);
  std::size_t width = 0;
  for (const std::int64_t i : shown(rows))
    for (const std::int64_t j : column_list)
      if (i >= 0 && j >= 0)
        width = std::max(width, text(array.data[static_cast<std::size_t>(i * cols + j)]).size());
  for (const std::int64_t i : shown(rows)) {
    result += " ";
    if (i < 0)
      result += " ...";
    else
      for (const std::int64_t j : column_list)
        result +=
            j < 0 ? "  ..."
                  : fmt::format(" {:>{}}", text(array.data[static_cast<std::size_t>(i * cols + j)]),
                                width);
    result += "\n";
  }
  return result;
}

template std::string show(const std::string&, const npmat::Array<float>&);
template std::string show(const std::string&, const npmat::Array<double>&);
template std::string show(const std::string&, const npmat::Array<long double>&);

}  // namespace symdump
