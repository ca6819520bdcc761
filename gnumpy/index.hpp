// What stands between the brackets of a garray: a[0], a(all, 3), a(slice(0, 10, 2), newaxis),
// a(ellipsis, std::vector<Index>{2, 0}).
//
// Integers and ranges have Python's meaning: they count from the end if they are negative, and a
// range that goes beyond an axis ends with it. Index vectors pick elements of one axis; two of
// neighbouring axes pick pairs; index vectors that stand apart are refused. An integer drops its
// axis, newaxis makes one of extent 1.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>
#include <variant>
#include <vector>

#include "gnumpy/axes.hpp"

namespace gnumpy {

using Index = std::int64_t;

class garray;
class operand;

/// Python's start:stop:step; what is left out is std::nullopt. Bounds may be negative, from the
/// end, or too large, as in NumPy.
struct slice {
  std::optional<Index> start, stop, step;

  slice() = default;
  explicit slice(Index to) : stop(to) {}
  slice(std::optional<Index> from, std::optional<Index> to, std::optional<Index> by = {})
      : start(from), stop(to), step(by) {}
};

struct Newaxis {};
struct Ellipsis {};

/// The whole axis, `:`; called, np.all (functions.hpp).
struct All : slice {
  garray operator()(operand a, const Axes& axes = {}, Keep keep = {}) const;
};
inline const All all{};
/// An axis of one element more.
inline constexpr Newaxis newaxis;
/// As many whole axes as are left.
inline constexpr Ellipsis ellipsis;

/// One of what stands between the brackets.
class Subscript {
 public:
  using At = std::source_location;

  /// None at all.
  Subscript() = default;
  template <std::integral N>
  Subscript(N index, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(static_cast<Index>(index)), where(at) {}
  Subscript(slice range, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(range), where(at) {}
  Subscript(Newaxis axis, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(axis), where(at) {}
  Subscript(Ellipsis rest, At at = At::current())  // NOLINT(google-explicit-constructor)
      : held(rest), where(at) {}
  /// Elements by number, in any order and as often as they stand here.
  Subscript(std::vector<Index> indices,  // NOLINT(google-explicit-constructor)
            At at = At::current())
      : held(std::move(indices)), where(at) {}
  template <std::integral N>
  Subscript(const std::vector<N>& indices,  // NOLINT(google-explicit-constructor)
            At at = At::current())
      : held(std::vector<Index>(indices.begin(), indices.end())), where(at) {}
  /// The same, of whole numbers in a 1-D array; waits for the engine.
  Subscript(const garray& indices, At at = At::current());  // NOLINT(google-explicit-constructor)

  std::variant<std::monostate, Index, slice, Newaxis, Ellipsis, std::vector<Index>> held;
  std::source_location where;
};

}  // namespace gnumpy
