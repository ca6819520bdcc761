// Passes whose rules are data: each row has a pattern, its replacement, and whether that is exact.
// One matcher applies them all, and takes care of remarks, rounding and memory.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rewriter/passes/rewriting.hpp"
#include "rewriter/passes/terms.hpp"

namespace rewriter::rules {

using terms::Number;
using terms::Term;

class RuleRunner;

/// What a pattern found.
struct Match {
  struct Leaf {
    Statement::Operand operand;
    std::array<Slot, 4> read_at{};  ///< the first `reads` of them
    std::size_t reads = 0;
  };
  /// A call inside of the pattern, and whether the match alone reads what it computes.
  struct Inner {
    Slot slot;
    bool only_reader;
  };

  Slot root = kNoSlot;
  std::array<Leaf, terms::kLeaves> leaves{};
  std::array<rewriter::Number, terms::kNumbers> numbers{0, 0};
  std::vector<Index> integers{};
  std::vector<Inner> inner{};  ///< operands before what reads them
};

enum class Verdict : std::uint8_t {
  Exact,   ///< every bit stays: always made
  Rounds,  ///< made if rounding may change, otherwise rejected
  Never,   ///< always rejected, with the reason
};

struct Rule {
  Term pattern{};
  Term result{};  ///< a leaf: a copy of that
  Verdict verdict = Verdict::Exact;
  const char* reason = "";  ///< of what is not exact: "results may ..."
  /// What else must hold of the numbers; null: nothing.
  bool (*when)(const Match&) = nullptr;
  /// For rules that are not patterns: makes the rewrite, and returns whether the list changed.
  bool (*function)(RuleRunner&, Slot) = nullptr;
};

inline Rule exact(Term pattern, Term result, bool (*when)(const Match&) = nullptr) {
  return {std::move(pattern), std::move(result), Verdict::Exact, "", when};
}
inline Rule rounds(Term pattern, Term result, const char* reason,
                   bool (*when)(const Match&) = nullptr) {
  return {std::move(pattern), std::move(result), Verdict::Rounds, reason, when};
}
inline Rule never(Term pattern, Term result, const char* reason) {
  return {std::move(pattern), std::move(result), Verdict::Never, reason};
}
inline Rule by(bool (*function)(RuleRunner&, Slot)) {
  Rule rule;
  rule.function = function;
  return rule;
}

/// Rules in the order in which they are tried, by the operation that they replace.
class RuleTable {
 public:
  explicit RuleTable(const std::vector<Rule>& rules);
  [[nodiscard]] const std::vector<Rule>& of(Op op) const {
    return by_op_[static_cast<std::size_t>(op)];
  }

 private:
  std::vector<std::vector<Rule>> by_op_;
};

/// Applies rules to every call, until none applies any more.
class RuleRunner {
 public:
  RuleRunner(const StatementList& before, const PassOptions& options, const RuleTable& rules)
      : list(before, options), rules_(rules) {}
  PassResult run();

  // ---- for rules that are functions

  Rewriting list;

  [[nodiscard]] const Statement& at(Slot slot) const { return list.at(slot); }
  [[nodiscard]] Var operand(Slot slot, std::size_t i = 0) const { return at(slot).operands[i].var; }
  /// Fills the match from the call at `slot`, whose place the result takes.
  bool matches(const Term& pattern, Slot slot, Match& match) const;
  /// "FROM; FROM": the statements, as they are printed.
  [[nodiscard]] std::string text(const std::vector<Slot>& slots) const;
  /// Notes the rewrite. False, with a remark of that, where it rounds and must not.
  bool may(Slot slot, Verdict verdict, std::string what, std::string result, const char* reason);
  /// Erases a call that has lost its only reader, unless that happened already.
  void drop(Slot slot) {
    if (list.is_call(slot)) list.erase(slot);
  }

 private:
  bool step(Slot slot);
  bool apply(const Rule& rule, Slot slot);
  bool matches_call(const Term& pattern, Slot slot, Match& match) const;
  bool matches_numbers(const Term& pattern, Slot slot, Match& match) const;
  [[nodiscard]] bool can_be_read_at_root(const Match& match) const;
  [[nodiscard]] Statement made_of(const Term& result, const Match& match) const;
  [[nodiscard]] bool reads_what_it_writes(const Statement& result) const;

  const RuleTable& rules_;
};

/// How many numbers a reduction adds up for each result.
Index summands(const Rewriting& list, const Statement& reduction);

}  // namespace rewriter::rules
