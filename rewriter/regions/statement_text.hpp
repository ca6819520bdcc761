// Statements of a region as C++: element-wise operations and copies as loops over their elements,
// with the functors of the engine.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cudamat/fused.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// A part of a variable that a statement reads or writes, from a row and a column of it on.
struct Touch {
  Var var = kNoVar;
  bool writes = false;
  ListInteger row{}, column{};
  Extents space{};
};

/// The statements of a list that runs in T.
template <class T>
class StatementText {
 public:
  explicit StatementText(const StatementList& list) : list_(list) {}

  /// Why the statement, a Call or a Fused, is not text; empty if it is: a small element-wise
  /// operation or copy, a gather or scatter of columns, a product or a reduction.
  [[nodiscard]] std::string why_no_text(const Statement& s) const;
  [[nodiscard]] bool has_text(const Statement& s) const { return why_no_text(s).empty(); }
  /// Its text, of lines that begin with `indent`.
  [[nodiscard]] std::string text(std::size_t statement, const std::string& indent) const;
  /// That of a Constant of a few elements.
  [[nodiscard]] std::string constant(const Statement& s, const std::string& indent) const;
  /// About how many nanoseconds it takes at most; of what cannot be text, the largest Index.
  [[nodiscard]] Index cost(const Statement& s) const;

  /// What a statement that is text touches; nothing if it may fail, or is a product of the engine.
  [[nodiscard]] std::optional<std::vector<Touch>> touches(const Statement& s) const;

  /// The pointer to the variable's elements, and the variable of a loop.
  [[nodiscard]] std::string name(Var var) const;
  [[nodiscard]] std::string loop_name(int loop) const;
  [[nodiscard]] std::string integer(const ListInteger& value) const;
  [[nodiscard]] Extents extents(Var var) const;

  /// Element-wise statements that follow each other, as one loop.
  class Group;

 private:
  /// A matrix, or a part of it, over a space.
  struct Access {
    Var var = kNoVar;
    cudamat::Spread spread = cudamat::Spread::Whole;
    ListInteger row{}, column{};  ///< where it begins
    bool transposed = false;
    friend bool operator==(const Access&, const Access&) = default;
  };
  struct Target {
    Access access;
    cudamat::FusedValue value;
  };
  /// A number that values of all elements become.
  struct Total {
    Var var = kNoVar;
    cudamat::FusedValue value;
    Op op = Op::total_sum;
    std::string mult, beta;
  };
  /// What is computed for each element of a space.
  struct Elements {
    Extents space;
    std::vector<Access> inputs;
    std::vector<std::string> numbers;
    std::vector<cudamat::FusedStep> steps;
    std::vector<Target> targets;
    std::vector<Total> totals{};
    Index most = 0;  ///< elements
  };

  class Walk;
  class ElementsText;

  [[nodiscard]] std::optional<Elements> elements(const Statement& s) const;
  [[nodiscard]] bool is_one_by_one(const Statement& call) const;
  [[nodiscard]] std::optional<Elements> elements_of_call(const Statement& s) const;
  [[nodiscard]] std::optional<Elements> elements_of_fused(const Statement& s) const;
  /// Whether the operation has the same bits in blocks alone, as the engine's loops run it.
  [[nodiscard]] static bool in_blocks(Op op);
  /// Whether its local arrays do.
  [[nodiscard]] bool fits_stack(const Elements& all) const;
  [[nodiscard]] bool is_total(const cudamat::FusedTarget& target, const Extents& space) const;
  [[nodiscard]] cudamat::Shape most(const Extents& extents, Var of) const;

  [[nodiscard]] bool is_short_run(const Statement& s) const;
  [[nodiscard]] std::string short_run(const Statement& s, const std::string& indent) const;
  [[nodiscard]] bool is_short_product(const Statement& s) const;
  [[nodiscard]] std::string short_product(const Statement& s, const std::string& indent) const;
  [[nodiscard]] bool is_tiny_product(const Statement& s) const;
  [[nodiscard]] bool is_product(const Statement& s) const;
  [[nodiscard]] std::string product(const Statement& s, const std::string& indent) const;
  [[nodiscard]] bool is_reduction(const Statement& s) const;
  [[nodiscard]] std::string reduction(const Statement& s, const std::string& indent) const;
  [[nodiscard]] std::string literal_of(const Statement& s, std::size_t number, T by_default) const;
  [[nodiscard]] std::string select(const Statement& s, std::size_t at,
                                   const std::string& indent) const;

  const StatementList& list_;
};

/// The statements compute each element of one space from the same element, or from what none of
/// them writes. A value that one of them stores is not loaded by the next.
template <class T>
class StatementText<T>::Group {
 public:
  explicit Group(const StatementText& statements) : statements_(statements) {}

  /// Whether the statement, which has_text(), can be the next; then it is in the group. The first
  /// one is if it is element-wise at all.
  bool add(const Statement& s);
  /// Whether it uses the memory of the variable.
  [[nodiscard]] bool uses(Var var) const;
  /// The memories that it writes before it reads them.
  [[nodiscard]] std::vector<Var> made() const;
  /// These memories need not hold what it writes: nothing else reads it.
  void forget(const std::vector<Var>& memories);
  [[nodiscard]] std::string text(const std::string& indent) const;

 private:
  [[nodiscard]] bool meet(Var a, Var b) const;
  [[nodiscard]] bool can_follow(const Elements& next) const;
  void append(const Elements& next);

  const StatementText& statements_;
  std::optional<Elements> all_;
};

}  // namespace rewriter
