// Lists of whole numbers, and of comparisons of floats, computed in integers instead of the run's
// floating-point numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/module/buffer.hpp"

namespace rewriter::module {

/// An element-wise list (rewriter/list/strip.hpp) whose values are all whole numbers, as steps on
/// integers of one type: the narrowest in which each value is itself, or itself modulo the type's
/// range where only sums, differences, products, bits and conversions depend on it. Floats may be
/// compared with each other and with numbers. Results are those of a run in double.
class WholeNumbers {
 public:
  /// What the steps do; named as the rows of the op table that they are.
  enum class Op : std::uint8_t {
    Add,
    Subtract,
    Mult,
    And,
    Or,
    Xor,
    Less,
    Greater,
    Equal,
    Minimum,
    Maximum,
    Where,
    Abs,
    ShiftLeft,
    ShiftRight,
    Signed,    ///< the last bits of a number, in two's complement
    Unsigned,  ///< the last bits of a number
  };
  struct Step {
    Op op = Op::Add;
    int bits = 0;  ///< of a Signed, an Unsigned and the shifts
    int target = 0;
    std::vector<int> operands{};
    bool of_floats = false;  ///< Less, Greater and Equal: the second operand may be a number
  };
  /// An integer from lo to hi. Floating-point, because products leave all types.
  struct Value {
    long double lo = 0, hi = 0;
    int input = -1;                    ///< of the list's
    std::optional<std::int64_t> is{};  ///< a constant
    int same = -1;                     ///< the integers are those of this value
    int output = -1;                   ///< it is computed in this output's memory
    int place = -1;                    ///< else in this strip
    std::optional<double> real{};      ///< a constant that floats are compared with
    bool is_float = false;             ///< no integer: an input, or a constant
  };
  struct Output {
    int value = 0;
    Code code = 0;
    bool checked = false;  ///< may be beyond 2^53
  };

  /// A number of all elements, which an output is: their sum, the smallest or largest, or whether
  /// any or all are not 0.
  struct Total {
    enum class Op : std::uint8_t { Sum, Minimum, Maximum, Any, All } op = Op::Sum;
    int value = 0;
  };

  /// `inputs` and `outputs`: the types of the list's. None where a value may be no whole number, or
  /// is beyond the integers of a double, or another operation computes it.
  static std::optional<WholeNumbers> of(const StatementList& list, std::span<const Code> inputs,
                                        std::span<const Code> outputs);

  /// Computes the elements [first, first + n) of the arrays, which lie in C order. False: a number
  /// is beyond 2^53, and what was written is not all.
  bool run(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t first,
           std::int64_t n) const;

  /// Elements up to which sums of integers of 32 bits are exact in doubles.
  static constexpr std::int64_t kMostTotalled = std::int64_t{1} << 21;
  /// By output; empty unless the outputs are such numbers.
  [[nodiscard]] const std::vector<Total>& totals() const { return totals_; }
  /// The same of totals: what they are of the elements, by output. None: a number is beyond 2^31,
  /// and a sum may be inexact.
  std::optional<std::vector<std::int64_t>> totals_of(std::span<const void* const> inputs,
                                                     std::int64_t first, std::int64_t n) const;
  /// What totals of some elements and of others are of both.
  void join(std::vector<std::int64_t>& totals, const std::vector<std::int64_t>& others) const;

 private:
  friend class WholeReader;

  [[nodiscard]] bool lies_in(Code code) const;
  void place_values();
  template <class L>
  class Run;

  int bytes_ = 8;  // of an integer
  std::vector<Code> inputs_;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<Output> outputs_;
  std::vector<Total> totals_;  // instead of outputs
  int places_ = 0;
};

}  // namespace rewriter::module
