// Subscripts of a garray: a[0], a(all, 3), a(slice(0, 10, 2), newaxis), a(ellipsis, {2, 0}).
//
// Integers and ranges have Python's meaning: negative ones count from the end, and a range beyond
// the end of an axis is clipped. Index lists, `a[{2, 0}]`, and vectors select elements of one axis;
// two lists for adjacent axes select pairs; lists for axes that are not adjacent throw. An integer
// removes its axis, newaxis adds one of extent 1. A mask, booleans for one or more axes, selects
// the elements at which it is true: `a[a > 5]`, `a(all, mask)`; its axes become one. Selections by
// lists and masks are copies, except for writes to the subscript itself (garray_view).
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <utility>
#include <variant>
#include <vector>

#include "gnumpy/shape.hpp"

namespace gnumpy {

class garray;
class garray_base;
class operand;
namespace detail {
struct Node;
}

/// Python's start:stop:step; std::nullopt for a missing part. Bounds may be negative, counting from
/// the end, or too large, as in NumPy.
struct slice {
  std::optional<Index> start, stop, step;

  slice() = default;
  explicit slice(Index to) : stop(to) {}
  slice(std::optional<Index> from, std::optional<Index> to, std::optional<Index> by = {})
      : start(from), stop(to), step(by) {}
};

struct Newaxis {};
struct Ellipsis {};

/// The whole axis, `:`; called as a function it is np.all (functions.hpp).
struct All : slice {
  garray operator()(operand a, Axes axis = {}, Keepdims keep = {}) const;
};
inline const All all{};
/// A new axis of extent 1.
inline constexpr Newaxis newaxis;
/// The remaining axes.
inline constexpr Ellipsis ellipsis;

/// Truth values for as many axes as `dims` has: the numbers, in C order, of those that are true.
struct Mask {
  Dims dims;
  std::vector<Index> at;  ///< empty where `places`, in the engine's memory, has them
  std::shared_ptr<detail::Node> places{};
};

/// One subscript.
class Subscript {
 public:
  using At = std::source_location;

  /// None at all.
  Subscript() = default;
  template <std::integral N>
  requires(!std::same_as<N, bool>)
      Subscript(N index, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(static_cast<Index>(index)), where(at) {}
  template <std::same_as<bool> B>
  Subscript(B) = delete;                         // a bool is not an index: write `if`, or an int
  Subscript(slice range, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(range), where(at) {}
  Subscript(Newaxis axis, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(axis), where(at) {}
  Subscript(Ellipsis rest, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(rest), where(at) {}
  /// Elements by index, in any order and any number of times.
  Subscript(std::vector<Index> indices,  // NOLINT(google-explicit-constructor)
            At at = At::current())
      : held(std::move(indices)), where(at) {}
  template <std::integral N>
  Subscript(const std::vector<N>& indices,  // NOLINT(google-explicit-constructor)
            At at = At::current())
      : held(std::vector<Index>(indices.begin(), indices.end())), where(at) {}
  /// The same in braces, as in NumPy's a[[0, 2]]: a[{0, 2}]; a[{1}] is an array, too. Bools are a
  /// mask.
  template <std::integral N>
  Subscript(std::initializer_list<N> list,  // NOLINT(google-explicit-constructor)
            At at = At::current())
      : Subscript(std::vector<N>(list), at) {}
  /// A mask for one axis.
  Subscript(const std::vector<bool>& mask,  // NOLINT(google-explicit-constructor)
            At at = At::current());
  /// A mask, if the array is boolean: the result of comparisons, logical operators, isnan() and
  /// similar functions, all() and any(), and arrays made of these by moving elements, by products,
  /// maxima and minima. Otherwise indices, whole numbers in a 1-D array. Waits for the engine.
  Subscript(const garray_base& array,
            At at = At::current());  // NOLINT(google-explicit-constructor)

  std::variant<std::monostate, Index, slice, Newaxis, Ellipsis, std::vector<Index>, Mask> held;
  std::source_location where;
};

}  // namespace gnumpy
