// Arrays on the host, of any number of dimensions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cudamat/error.hpp"

namespace npmat {

/// The most dimensions an array may have (NumPy's limit).
inline constexpr std::size_t kMaxDimensions = 32;

/// The product of the dimensions; 1 for none. Throws if one is negative, if there are more than
/// kMaxDimensions, or if the product of those that are not 0 exceeds 2^63-1.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// The shape as Python writes it: "()", "(3,)", "(3, 4)".
std::string shape_text(std::span<const std::int64_t> shape);

/// An array on the host. T is float, double or long double.
template <class T>
struct Array {
  std::vector<std::int64_t> shape;  ///< () is one number, as NumPy's 0-d array
  std::vector<T> data;              ///< row-major (NumPy's C order), contiguous

  /// The number of dimensions.
  std::int64_t ndim() const { return static_cast<std::int64_t>(shape.size()); }

  /// The number of elements that the shape asks for. Throws as element_count() does, and if data
  /// has another number of elements.
  std::int64_t size() const {
    const std::int64_t count = element_count(shape);
    if (static_cast<std::uint64_t>(count) != data.size()) {
      cudamat::misuse("Array", "shape {} needs {} elements; data has {}", shape_text(shape), count,
                      data.size());
    }
    return count;
  }
};

}  // namespace npmat
