// Loops over known ranges, and the integers that depend on their variables: constant + sum of
// factor * variable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudamat/shape.hpp"

namespace rewriter {

using cudamat::Index;

/// Throws CUDAMatException where 64 bits do not hold the result.
Index checked_sum(Index a, Index b);
Index checked_product(Index a, Index b);

/// How often a loop's body runs.
enum class LoopForm : std::uint8_t {
  For,       ///< for each integer of a range
  ForWhile,  ///< likewise, as long as a condition holds when an iteration would start
  While,     ///< as long as a condition holds
  If,        ///< once if a condition holds, else not at all
};

/// for name in range(start, stop, step): the same integers each time that it runs, at least one. A
/// While and an If have no variable: their name is empty, and their range has one integer.
struct Loop {
  std::string name;
  Index start = 0;
  Index stop = 0;
  Index step = 1;
  LoopForm form = LoopForm::For;

  [[nodiscard]] bool has_condition() const { return form != LoopForm::For; }
  [[nodiscard]] bool has_variable() const {
    return form == LoopForm::For || form == LoopForm::ForWhile;
  }
  /// Whether the condition is looked at again after each iteration.
  [[nodiscard]] bool repeats_condition() const { return has_condition() && form != LoopForm::If; }
  [[nodiscard]] Index count() const;
  [[nodiscard]] Index last() const { return start + (count() - 1) * step; }
  friend bool operator==(const Loop&, const Loop&) = default;
};
using LoopPtr = std::shared_ptr<const Loop>;

/// factor * the loop's variable. Loops are the same if they are one object.
struct LoopTerm {
  LoopPtr loop;
  Index factor = 0;
  friend bool operator==(const LoopTerm&, const LoopTerm&) = default;
};
using LoopTerms = std::vector<LoopTerm>;

/// An integer that is known at each iteration. No factor is 0, no loop appears twice. The
/// arithmetic throws CUDAMatException where 64 bits do not hold the result.
struct Affine {
  Index constant = 0;
  LoopTerms terms{};

  [[nodiscard]] bool known() const { return terms.empty(); }
  /// The least and the greatest value, each variable taken over all of its range.
  [[nodiscard]] Index least() const { return bound(true); }
  [[nodiscard]] Index greatest() const { return bound(false); }
  /// With `value` for the loop's variable.
  [[nodiscard]] Affine with(const LoopPtr& loop, Index value) const;
  /// Its quotient, if the constant and all factors are multiples of the divisor.
  [[nodiscard]] std::optional<Affine> divided(Index divisor) const;

  friend bool operator==(const Affine& a, const Affine& b) { return (a - b).is_zero(); }
  friend Affine operator+(const Affine& a, const Affine& b);
  friend Affine operator-(const Affine& a, const Affine& b) { return a + b * -1; }
  friend Affine operator*(const Affine& a, Index factor);

 private:
  [[nodiscard]] Index bound(bool lower) const;
  [[nodiscard]] bool is_zero() const { return constant == 0 && terms.empty(); }
};

/// "128 * batch + 1", "i - 1", "7": for Python, C++ and people.
std::string to_string(const Affine& value);

/// The same for constant + sum of factor * name.
struct NamedTerm {
  Index factor = 0;
  std::string name;
};
std::string affine_text(Index constant, const std::vector<NamedTerm>& terms);

}  // namespace rewriter
