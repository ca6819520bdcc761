// What the texts of fused statements (fused_text.hpp) are made of, to read and to print them.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cudamat/fused.hpp"

namespace cudamat {

/// A matrix by its name; with `first` and `last`, as written, only these rows of it.
struct FusedPlace {
  std::string name;
  std::string first = {};
  std::string last = {};
  std::size_t at = 0;  ///< the position of `first` in the text that it was read from

  [[nodiscard]] std::string text() const {
    return first.empty() ? name : fmt::format("{}[{}:{}]", name, first, last);
  }

  friend bool operator==(const FusedPlace& a, const FusedPlace& b) {
    return a.name == b.name && a.first == b.first && a.last == b.last;
  }
  friend bool operator<(const FusedPlace& a, const FusedPlace& b) {
    return std::tie(a.name, a.first, a.last) < std::tie(b.name, b.first, b.last);
  }
};

/// A body, and what it is computed of.
struct FusedText {
  FusedBody body;
  std::vector<FusedPlace> inputs;
  std::vector<double> numbers;
  std::vector<FusedPlace> targets;
};

/// The operation of a function in such a text: "exp", "maximum", "rand".
inline std::optional<Op> fused_function(std::string_view name) {
  if (name == "rand") return Op::fill_with_rand;
  if (name == "randn") return Op::fill_with_randn;
  for (const OpRow& row : kOpTable)
    if (row.name == name && row.family != Family::Fill && fused_operands(row.op) >= 0)
      return row.op;
  return std::nullopt;
}

namespace detail {

inline std::string_view fused_infix(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::mult:
      return "*";
    case Op::divide:
      return "/";
    case Op::less_than:
      return "<";
    case Op::greater_than:
      return ">";
    case Op::equals:
      return "==";
    default:
      return "";
  }
}
inline constexpr int kFusedAtom = 4;
/// How tightly an operation holds its operands together.
inline int fused_precedence(Op op) {
  switch (op) {
    case Op::mult:
    case Op::divide:
      return 3;
    case Op::add:
    case Op::subtract:
      return 2;
    case Op::less_than:
    case Op::greater_than:
    case Op::equals:
      return 1;
    default:
      return kFusedAtom;
  }
}

inline std::string_view fused_spread(Spread spread) {
  constexpr std::string_view kNames[] = {"", "row", "col", "one"};
  return kNames[static_cast<int>(spread)];
}

}  // namespace detail

}  // namespace cudamat
