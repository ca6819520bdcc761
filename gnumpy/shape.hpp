// Extents of arrays, and which axes a function works on.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "rewriter/expr/node.hpp"

namespace gnumpy {

using Index = std::int64_t;
using Dims = rewriter::Dims;

/// A vector of extents that can be printed: a number for a 1-D array, {2, 3} for more, {} for 0-d.
class Shape : public Dims {
 public:
  Shape() = default;
  Shape(Index extent) : Dims{extent} {}                           // NOLINT
  Shape(std::initializer_list<Index> extents) : Dims(extents) {}  // NOLINT
  Shape(Dims extents) : Dims(std::move(extents)) {}               // NOLINT

  /// As NumPy prints it: (2, 3).
  [[nodiscard]] std::string str() const { return rewriter::to_string(*this); }
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.str();
  }
};

/// One axis, negative from the end, or none.
class Axis : public std::optional<int> {
 public:
  Axis() = default;
  template <std::integral N>
  requires(!std::same_as<N, bool>) Axis(N axis)  // NOLINT(google-explicit-constructor)
      : std::optional<int>(static_cast<int>(axis)) {}
  template <std::same_as<bool> B>
  Axis(B) = delete;                                  // a bool is not an axis
  Axis(std::nullopt_t) {}                            // NOLINT(google-explicit-constructor)
  Axis(std::optional<int> axis) : optional(axis) {}  // NOLINT(google-explicit-constructor)
};

/// The axes that a reduction works on: a number, several in braces, or all, which is the default.
/// Negative ones count from the end. A vector without axes is none at all, as axis=() is.
class Axes {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}  // NOLINT(google-explicit-constructor)
  template <std::integral N>
  requires(!std::same_as<N, bool>) Axes(N axis)  // NOLINT(google-explicit-constructor)
      : listed{{static_cast<int>(axis)}} {}
  template <std::same_as<bool> B>
  Axes(B) = delete;  // a bool is not an axis: write sum({}, keepdims)
  Axes(std::initializer_list<int> axes) : listed{axes} {}   // NOLINT
  Axes(std::vector<int> axes) : listed{std::move(axes)} {}  // NOLINT
  Axes(std::optional<int> axis) {                           // NOLINT
    if (axis) listed = {*axis};
  }
  std::optional<std::vector<int>> listed;
};

/// Whether reduced axes stay, with extent 1: `a.sum(0, keepdims)`, or a bool. A number does not
/// convert: sum(a, 0, 1), meant as two axes, does not compile.
class Keepdims {
 public:
  constexpr Keepdims() = default;
  template <std::same_as<bool> Bool>
  constexpr Keepdims(Bool keep) : yes(keep) {}  // NOLINT(google-explicit-constructor)
  bool yes = false;
};
inline constexpr Keepdims keepdims{true};

}  // namespace gnumpy
