// Cudamat has no broadcasting but of sums, products and quotients: lists fill a matrix with a
// vector before another operation. Array libraries broadcast the vector itself.
#include <algorithm>
#include <map>
#include <vector>

#include "rewriter/emit/array_library.hpp"

namespace rewriter::emit {

namespace {

using cudamat::Family;
using cudamat::Shape;
using SKind = Statement::Kind;

class Broadcasts {
 public:
  explicit Broadcasts(const StatementList& list)
      : result_(list), mentions_(list.variables.size()), dropped_(list.statements.size(), 0) {
    for (std::size_t i = 0; i < list.statements.size(); ++i)
      for_each_variable(list.statements[i], [&](Var var) {
        if (mentions_[var].empty() || mentions_[var].back() != i) mentions_[var].push_back(i);
      });
    for (const Binding& output : list.outputs) mentions_[output.var].push_back(kNoStatement);
    for (const Binding& input : list.inputs) mentions_[input.var].push_back(kNoStatement);
  }

  StatementList write() {
    for (std::size_t i = 0; i + 1 < result_.statements.size(); ++i)
      if (fills_with_ones(i)) replace(i);
    Table<Statement> statements;
    std::multimap<std::size_t, std::size_t> frees_after;
    for (const auto& [free, at] : moved_) frees_after.emplace(at, free);
    for (std::size_t i = 0; i < result_.statements.size(); ++i) {
      if (dropped_[i] == 0 && !moved_.contains(i)) statements.push_back(result_.statements[i]);
      const auto [begin, end] = frees_after.equal_range(i);
      for (auto it = begin; it != end; ++it) statements.push_back(result_.statements[it->second]);
    }
    result_.statements = std::move(statements);
    return std::move(result_);
  }

 private:
  const Statement& at(std::size_t i) const { return result_.statements[i]; }

  /// t.assign(1) of a matrix of one shape.
  bool fills_with_ones(std::size_t i) const {
    const Statement& s = at(i);
    return s.kind == SKind::Call && s.op == Op::assign && s.operands.empty() && s.terms.empty() &&
           s.numbers[0] == 1 && !result_.variables[s.target].varying;
  }

  /// The next statement after i that mentions the variable; kNoStatement if there is none.
  std::size_t next_mention(Var var, std::size_t i) const {
    const std::vector<std::size_t>& all = mentions_[var];
    const auto found = std::find_if(all.begin(), all.end(), [&](std::size_t at) { return at > i; });
    return found == all.end() ? kNoStatement : *found;
  }

  /// Whether `var` has the same value in its last statement as in the first, both in one body; adds
  /// the Free between them.
  bool stays(Var var, std::size_t first, std::size_t last, std::vector<std::size_t>& frees) const {
    const Var memory = owner(result_, var);
    for (std::size_t i = first + 1; i < last; ++i) {
      const Statement& s = at(i);
      if (s.kind == SKind::Loop || s.kind == SKind::End) return false;
      if (s.kind == SKind::Free && s.target == memory) frees.push_back(i);
      if (!computes(s)) continue;
      for (const Var target : targets_of(s))
        if (owner(result_, target) == memory) return false;
    }
    return true;
  }

  /// Whether the operands of a call, broadcast against each other, have the target's shape.
  bool broadcasts(const Statement& call) const {
    Shape shape{1, 1};
    for (const Statement::Operand& operand : call.operands) {
      const Variable& variable = result_.variables[operand.var];
      if (variable.varying) return false;
      if (variable.shape.rows != 1) shape.rows = variable.shape.rows;
      if (variable.shape.cols != 1) shape.cols = variable.shape.cols;
    }
    return shape == result_.variables[call.target].shape;
  }

  void replace(std::size_t fill) {
    const Var t = at(fill).target;
    const std::size_t spread = next_mention(t, fill);
    if (spread >= result_.statements.size()) return;
    const Statement& product = at(spread);
    std::vector<std::size_t> frees, none;
    const bool spreads = product.kind == SKind::Call && product.target == t &&
                         (product.op == Op::mult_by_row || product.op == Op::mult_by_col);
    if (!spreads || product.operands[0].var != t || !stays(t, fill, spread, none)) return;
    const Var vector = product.operands[1].var;
    const std::size_t use = next_mention(t, spread);
    if (use >= result_.statements.size() || !stays(vector, spread, use, frees)) return;
    Statement call = at(use);
    if (call.kind != SKind::Call || call.operands.size() != 2) return;
    const Family family = cudamat::row(call.op).family;
    if (family != Family::Binary && family != Family::ColBroadcast &&
        family != Family::RowBroadcast)
      return;
    for (Statement::Operand& operand : call.operands)
      if (operand.var == t) operand.var = vector;
    if (!broadcasts(call) || (call.target != t && !is_temporary(t))) return;
    result_.statements[use] = std::move(call);
    for (const std::size_t i : {fill, spread}) dropped_[i] = 1;
    for (const std::size_t i : frees) moved_[i] = std::max(moved_[i], use);
    if (at(use).target == t) return;
    for (const std::size_t i : mentions_[t]) dropped_[i] = i == use ? dropped_[i] : 1;
  }

  /// Whether all that is done with it is Empty, the fill, the product, the call and Free.
  bool is_temporary(Var t) const {
    const std::vector<std::size_t>& all = mentions_[t];
    return all.size() == 5 && all.back() != kNoStatement && at(all[0]).kind == SKind::Empty &&
           at(all[4]).kind == SKind::Free;
  }

  StatementList result_;
  Table<std::vector<std::size_t>> mentions_;  // by variable; kNoStatement of inputs and outputs
  Table<char> dropped_;
  std::map<std::size_t, std::size_t> moved_;  // Frees, and the statement that they come after
};

}  // namespace

StatementList with_broadcasts(const StatementList& list) {
  return Broadcasts(list).write();
}

}  // namespace rewriter::emit
