// Which axes of an array a function reduces or moves, and whether they stay.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace gnumpy {

/// NumPy's `axis=`: nothing for all of them, a number, or a list: a.sum(), a.sum(-1), a.sum({0,
/// 2}). Negative numbers count from the end. A list without axes is none at all, as axis=() is.
class Axes {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}  // NOLINT(google-explicit-constructor)
  template <std::integral N>
  requires(!std::same_as<N, bool>) Axes(N axis)  // NOLINT(google-explicit-constructor)
      : list_(std::vector<int>{static_cast<int>(axis)}) {}
  Axes(std::optional<int> axis) {  // NOLINT(google-explicit-constructor)
    if (axis) list_ = std::vector<int>{*axis};
  }
  Axes(std::initializer_list<int> axes) : list_(axes) {}   // NOLINT
  Axes(std::vector<int> axes) : list_(std::move(axes)) {}  // NOLINT

  [[nodiscard]] bool are_all() const { return !list_; }
  /// Of those that are not all.
  [[nodiscard]] const std::vector<int>& list() const { return *list_; }

 private:
  std::optional<std::vector<int>> list_;
};

/// NumPy's `keepdims=`: whether reduced axes stay, with extent 1. It takes true or false and no
/// numbers, so that sum(a, 0, 1), meant as two axes, does not compile.
class Keep {
 public:
  Keep() = default;
  template <std::same_as<bool> B>
  Keep(B keeps) : keeps_(keeps) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return keeps_; }

 private:
  bool keeps_ = false;
};

/// a.sum(1, keepdims)
inline constexpr bool keepdims = true;

}  // namespace gnumpy
