#include "rewriter/list/lasting.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "rewriter/list/uses.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class Lasting {
 public:
  explicit Lasting(const StatementList& list)
      : list_(list), uses_(list), nesting_(loop_nesting(list)), lasts_(list.variables.size()) {
    Table<bool> is_output(list.variables.size());
    for (const Binding& output : list.outputs) is_output[owner(list, output.var)] = true;
    for (std::size_t i = 0; i < list.statements.size(); ++i) {
      const Statement& s = list.statements[i];
      if (!may_last(s, i)) continue;
      const auto targets = targets_of(s);
      const bool all = std::ranges::all_of(targets, [&](Var target) {
        const Var var = owner(list, target);
        return !is_output[var] && is_written_once(var);
      });
      for (const Var target : targets) lasts_[owner(list, target)] = all;
    }
  }

  Table<bool> take() { return std::move(lasts_); }

 private:
  /// Whether it computes the same in each run.
  bool may_last(const Statement& s, std::size_t at) const {
    const bool is_call = s.kind == Kind::Call && cudamat::row(s.op).family != cudamat::Family::Fill;
    if ((!is_call && s.kind != Kind::Fused) || nesting_.around[at] != kNoStatement) return false;
    const auto is_known = [](const Number& number) {
      return !number.is_parameter() && !number.is_mixed();
    };
    return !s.operands.empty() && s.terms.empty() && s.stretch.empty() &&
           std::ranges::all_of(s.numbers, is_known) &&
           std::ranges::all_of(s.operands,
                               [&](const auto& operand) { return is_known_memory(operand.var); });
  }

  /// Whether it lasts, or is a constant that stays as it is.
  bool is_known_memory(Var var) const {
    const Var of = owner(list_, var);
    const Uses::Memory& memory = uses_.of(of);
    if (memory.made < 0 || list_.variables[var].varying) return false;
    return lasts_[of] ||
           (list_.statements[memory.made].kind == Kind::Constant &&
            nesting_.around[memory.made] == kNoStatement &&
            std::ranges::none_of(memory.writes, [&](Position at) { return at != memory.made; }));
  }

  bool is_written_once(Var var) const {
    const Uses::Memory& memory = uses_.of(var);
    return memory.made >= 0 && list_.statements[memory.made].kind == Kind::Empty &&
           nesting_.around[memory.made] == kNoStatement && !list_.variables[var].varying &&
           memory.writes.size() == 1 && memory.uses.front().whole;
  }

  const StatementList& list_;
  Uses uses_;
  LoopNesting nesting_;
  Table<bool> lasts_;
};

}  // namespace

Table<bool> lasting_results(const StatementList& list) {
  return Lasting(list).take();
}

}  // namespace rewriter
