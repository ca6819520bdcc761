// The pass `accumulate` inside: one object, its rewrites by subject in three files. Its contract is
// in accumulate.hpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "rewriter/passes/rewriting.hpp"

namespace rewriter {

class Accumulate {
 public:
  Accumulate(const StatementList& list, const PassOptions& options) : list_(list, options) {}
  PassResult run();

 private:
  // accumulate.cpp: what all rewrites need
  bool step(Slot slot);
  [[nodiscard]] const Statement& at(Slot slot) const { return list_.at(slot); }
  [[nodiscard]] Var operand(Slot slot, std::size_t i = 0) const { return at(slot).operands[i].var; }
  /// The call that computes operand i of `slot`, if nothing else reads that and it can as well be
  /// computed at `slot`; or kNoSlot.
  [[nodiscard]] Slot inner(Slot slot, std::size_t i = 0) const;
  [[nodiscard]] bool is_apart(const Statement& call, Var target) const;
  /// "FROM; FROM becomes RESULT".
  [[nodiscard]] std::string story(std::initializer_list<Slot> from, const Statement& result) const;
  void refuse(Slot slot, const std::string& story, const std::string& but);
  /// Where rounding is allowed it notes that; where not, the refusal.
  bool may_round(Slot slot, const std::string& story, const char* but);
  void drop(Slot slot) {
    if (list_.is_call(slot)) list_.erase(slot);
  }
  /// Puts `result`, which updates x, in the place of `slot`, and erases `from`.
  bool update(Slot slot, Slot from, Var x, Statement result, const char* but);
  bool in_place_on_product(Slot slot);
  bool write_directly(Slot slot);

  // accumulate_sums.cpp: products and sums
  bool transposed_operand(Slot slot);
  bool scaled(Slot slot);
  bool divided_sum(Slot slot, Slot sum);
  /// How many numbers a reduction adds up for each result.
  [[nodiscard]] Index summands(const Statement& s) const;
  bool add(Slot slot);
  bool add_term(Slot slot, std::size_t i);
  [[nodiscard]] std::optional<Statement> term_update(Slot slot, std::size_t i, Slot term) const;
  bool beta(Slot slot);

  // accumulate_maps.cpp: element by element
  bool add_col_mult(Slot slot);
  bool reciprocal(Slot slot);
  bool sigmoid(Slot slot);
  bool log_1_plus_exp(Slot slot);
  bool function(Slot slot, Op op, std::initializer_list<Slot> calls);
  bool sigmoid_deriv(Slot slot);
  bool modulated(Slot slot, std::size_t i);
  bool modulated_by_product(Slot slot, std::size_t i);
  /// Two calls, of which the second alone reads what the first wrote.
  using Chain = std::pair<Slot, Slot>;
  /// acts * -1 and that + 1, if operand i of `slot` is 1 - acts, computed for `slot` alone.
  [[nodiscard]] std::optional<Chain> one_minus(Slot slot, std::size_t i) const;
  /// exp(x) and that + 1, if the operand of `slot` is 1 + exp(x), computed for `slot` alone.
  [[nodiscard]] std::optional<Chain> one_plus_exp(Slot slot) const;

  Rewriting list_;
};

}  // namespace rewriter
