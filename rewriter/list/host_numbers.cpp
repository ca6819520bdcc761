#include "rewriter/list/host_numbers.hpp"

#include <algorithm>

#include "rewriter/list/strip.hpp"

namespace rewriter {

namespace {

using SKind = Statement::Kind;

/// Whether the statement computes each element of its targets from those of its operands.
bool is_elementwise(const Statement& s) {
  using cudamat::Family;
  if (s.kind == SKind::Fused) return s.rows.empty() && !s.fused->draws();
  if (s.kind != SKind::Call) return false;
  switch (cudamat::row(s.op).family) {
    case Family::ColBroadcast:
    case Family::RowBroadcast:
    case Family::ColScaled:
    case Family::Transpose:
      return true;
    default:
      return is_elementwise_family(cudamat::row(s.op).family);
  }
}

/// Follows the list, with the variables that hold numbers. What holds at the start of a loop's body
/// also holds after it: the body is looked at again until it does.
class Follower {
 public:
  explicit Follower(const StatementList& list) : list_(list), nesting_(loop_nesting(list)) {
    made_.computes.resize(list.statements.size());
    made_.reads.resize(list.statements.size());
    made_.to_engine.resize(list.variables.size());
    can_hold_.resize(list.variables.size());
    beside_.resize(list.variables.size());
    for (std::size_t v = 0; v < list.variables.size(); ++v) {
      const Variable& variable = list.variables[v];
      can_hold_[v] = !variable.varying && variable.shape == cudamat::Shape{1, 1};
      const Var base = variable.view_of;
      if (base == kNoVar) continue;
      if (beside_[base].empty()) beside_[base].push_back(base);
      beside_[base].push_back(static_cast<Var>(v));
      made_.to_engine[v] = made_.to_engine[base] = true;  // for those who read the memory
    }
    holds_.resize(list.variables.size());
    entry_.resize(list.loops.size());
  }

  HostNumbers follow(const std::vector<bool>& given) && {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Var var = list_.inputs[i].var;
      holds_[var] = given[i] && can_hold_[var];
    }
    for (std::size_t i = 0; i < list_.statements.size();) i = step(i);
    for (const Binding& output : list_.outputs) {
      made_.to_engine[output.var] = true;
      made_.outputs.push_back(holds_[output.var]);
    }
    made_.any =
        std::find(made_.computes.begin(), made_.computes.end(), true) != made_.computes.end();
    made_.any = made_.any || std::find(given.begin(), given.end(), true) != given.end();
    return std::move(made_);
  }

 private:
  /// Where to go on.
  std::size_t step(std::size_t i) {
    const Statement& s = list_.statements[i];
    if (s.kind == SKind::Loop || s.kind == SKind::End || s.kind == SKind::Print) {
      std::vector<bool>& reads = made_.reads[i];
      reads.clear();
      for (const auto& operand : s.operands) reads.push_back(holds_[operand.var]);
    }
    if (s.kind == SKind::Loop) {
      Table<bool>& entry = entry_[s.loop];
      if (entry.empty()) entry = holds_;
      meet(entry, holds_);
      holds_ = entry;
    } else if (s.kind == SKind::End) {
      const ListLoop& loop = list_.loops[s.loop];
      Table<bool>& entry = entry_[s.loop];
      if (loop.form != LoopForm::If && meet(entry, holds_)) {
        holds_ = entry;
        return nesting_.partner[i] + 1;
      }
      if (loop.may_be_skipped()) meet(holds_, entry);
      if (loop.form == LoopForm::If) entry = {};  // there may be many
    } else if (makes_memory(s)) {
      holds_[s.target] = can_hold_[s.target];
    } else if (makes_view(s)) {
      holds_[s.target] = false;
    } else if (computes(s)) {
      compute(i);
    }
    return i + 1;
  }

  void compute(std::size_t i) {
    const Statement& s = list_.statements[i];
    const auto targets = targets_of(s);
    made_.computes[i] = is_elementwise(s) &&
                        std::all_of(s.operands.begin(), s.operands.end(),
                                    [&](const auto& operand) { return holds_[operand.var]; }) &&
                        std::all_of(targets.begin(), targets.end(), [&](Var target) {
                          return can_hold_[target] && (!reads_target(s) || holds_[target]);
                        });
    if (!made_.computes[i])
      for_each_variable(
          s, [&](Var var) { made_.to_engine[var] = made_.to_engine[var] || holds_[var]; });
    for (const Var target : targets) {
      for (const Var other : beside_[owner(list_, target)]) holds_[other] = false;
      holds_[target] = made_.computes[i];
    }
  }

  /// Leaves what holds in both, and says whether that is less than before.
  bool meet(Table<bool>& held, const Table<bool>& other) {
    if (held == other) return false;
    bool less = false;
    for (std::size_t v = 0; v < held.size(); ++v) {
      if (held[v] == other[v]) continue;
      made_.to_engine[v] = true;  // from one side
      less = less || held[v];
      held[v] = false;
    }
    return less;
  }

  const StatementList& list_;
  LoopNesting nesting_;
  Table<bool> can_hold_;            // by variable
  Table<std::vector<Var>> beside_;  // by owner that has views: it and these
  Table<bool> holds_;               // by variable: a number, before the statement
  Table<Table<bool>> entry_;        // by loop: what held at the start of its body each time
  HostNumbers made_;
};

}  // namespace

bool HostNumbers::stays(const StatementList& list, std::size_t statement) const {
  if (!any || !computes[statement]) return false;
  const auto targets = targets_of(list.statements[statement]);
  return std::none_of(targets.begin(), targets.end(),
                      [&](Var target) { return to_engine[target]; });
}

HostNumbers host_numbers(const StatementList& list, const std::vector<bool>& given) {
  return Follower(list).follow(given);
}

}  // namespace rewriter
