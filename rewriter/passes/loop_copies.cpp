#include "rewriter/passes/loop_copies.hpp"

#include <utility>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/iterations.hpp"

namespace rewriter {

namespace {

using StatementKind = Statement::Kind;

}  // namespace

LoopCopies::LoopCopies(const StatementList& list)
    : list_(list),
      nesting_(loop_nesting(list)),
      result_{list, {}},
      value_(list.loops.size()),
      loop_(list.loops.size()),
      var_(list.variables.size()) {
  for (const Variable& variable : list.variables) names_.take(variable.name);
  for (const Loop& loop : list.loops) names_.keep(loop.name);
  for (std::size_t i = 0; i < loop_.size(); ++i) loop_[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < var_.size(); ++i) var_[i] = static_cast<Var>(i);
}

PassResult LoopCopies::run() {
  result_.list.statements.clear();
  write(0, list_.statements.size());
  number_anew(result_.list);
  return std::move(result_);
}

void LoopCopies::write(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const Statement& s = list_.statements[at];
    if (s.kind == StatementKind::Loop)
      at = write_loop(at);
    else
      result_.list.statements.push_back(written(s));
  }
}

void LoopCopies::open_loop(std::size_t at, const ListLoop& range) {
  const int loop = list_.statements[at].loop;
  loop_[loop] = static_cast<int>(result_.list.loops.size());
  result_.list.loops.push_back(range);
  result_.list.statements.push_back(written(list_.statements[at]));
  open_.push_back(loop_[loop]);
}

void LoopCopies::close_loop(std::size_t at) {
  open_.pop_back();
  result_.list.statements.push_back(written(list_.statements[nesting_.partner[at]]));
}

void LoopCopies::rename(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const Statement& s = list_.statements[at];
    if (!defines(s)) continue;
    Variable variable = list_.variables[s.target];
    variable.name =
        has_given_name(list_, s.target) ? names_.take(variable.name) : names_.temporary();
    var_[s.target] = static_cast<Var>(result_.list.variables.size());
    result_.list.variables.push_back(std::move(variable));
  }
}

ListInteger LoopCopies::folded(const ListInteger& integer) const {
  ListInteger result{integer.constant, {}};
  for (const auto& [loop, factor] : integer.terms)
    result = sum(result, value_[loop] ? *value_[loop] : ListInteger{0, {{loop_[loop], 1}}}, factor);
  return result;
}

ListLoop LoopCopies::folded(const ListLoop& loop) const {
  ListLoop result = loop;
  const ListInteger first = folded(loop.first());
  const ListInteger end = folded(loop.end());
  result.start = first.constant;
  result.start_terms = first.terms;
  result.stop = end.constant;
  result.stop_terms = end.terms;
  return result;
}

Statement LoopCopies::written(const Statement& s) {
  Statement result = s;
  for_each_variable(result, [&](Var& var) { var = var_[var]; });
  if (s.kind == StatementKind::Loop || s.kind == StatementKind::End) result.loop = loop_[s.loop];
  const bool is_number = s.kind == StatementKind::Call && s.op == Op::assign;
  const ListInteger shift = folded({0, s.terms});
  const ListInteger stretch = folded({0, s.stretch});
  if (is_number && !s.terms.empty())
    result.numbers[0] = s.numbers[0].value() + static_cast<double>(shift.constant);
  else
    for (Index& integer : result.integers) integer += shift.constant;
  if (!s.stretch.empty()) result.integers[1] += stretch.constant;
  result.terms = shift.terms;
  result.stretch = stretch.terms;
  for (std::optional<Statement::Rows>& rows : result.rows)
    if (rows) rows = Statement::Rows{folded(rows->first), folded(rows->last)};
  for (Statement::Part& part : result.parts) {
    const ListInteger integer = folded({part.constant, part.terms});
    part.constant = integer.constant;
    part.terms = integer.terms;
  }
  if (defines(s)) fold_shape(s);
  return result;
}

void LoopCopies::fold_shape(const Statement& s) {
  Variable& variable = result_.list.variables[var_[s.target]];
  variable.varying = list_.variables[s.target].varying;
  variable.shape = list_.variables[s.target].shape;
  variable.view_of = kNoVar;
  if (makes_view(s)) variable.view_of = owner(result_.list, var_[s.operands[0].var]);
  if (!variable.varying) return;
  const Extents extents{folded(variable.varying->rows), folded(variable.varying->cols)};
  variable.varying.reset();
  if (extents.rows.terms.empty() && extents.cols.terms.empty()) {
    variable.shape = {extents.rows.constant, extents.cols.constant};
    return;
  }
  variable.varying = extents;
  IterationSpace around(result_.list);
  for (const int loop : open_) around.open(loop);
  variable.shape = around.largest(extents);
}

}  // namespace rewriter
