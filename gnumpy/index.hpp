// What stands between the brackets of a garray: a[0], a(all, 3), a(slice(0, 10, 2), newaxis),
// a(ellipsis, std::vector<Index>{2, 0}).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gnumpy {

using Index = std::int64_t;

/// Python's start:stop:step; what is left out is std::nullopt. Bounds may be negative, from the
/// end, or too large, as in NumPy.
struct slice {
  std::optional<Index> start, stop, step;

  slice() = default;
  slice(std::optional<Index> from, std::optional<Index> to, std::optional<Index> by = {})
      : start(from), stop(to), step(by) {}
};

struct Newaxis {};
struct Ellipsis {};

/// The whole axis, `:`.
inline const slice all;
/// An axis of one element more.
inline constexpr Newaxis newaxis;
/// As many whole axes as are left.
inline constexpr Ellipsis ellipsis;

/// One of what stands between the brackets.
class Subscript {
 public:
  template <std::integral N>
  Subscript(N index) : held(static_cast<Index>(index)) {}  // NOLINT(google-explicit-constructor)
  Subscript(slice range) : held(range) {}                  // NOLINT(google-explicit-constructor)
  Subscript(Newaxis axis) : held(axis) {}                  // NOLINT(google-explicit-constructor)
  Subscript(Ellipsis rest) : held(rest) {}                 // NOLINT(google-explicit-constructor)
  /// Elements by number, in any order and as often as they stand here.
  Subscript(std::vector<Index> indices)  // NOLINT(google-explicit-constructor)
      : held(std::move(indices)) {}

  std::variant<Index, slice, Newaxis, Ellipsis, std::vector<Index>> held;
};

}  // namespace gnumpy
