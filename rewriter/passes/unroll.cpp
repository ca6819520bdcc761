#include "rewriter/passes/unroll.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/names.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

constexpr Index kMostIterations = 8;
constexpr std::size_t kMostStatements = 100'000;

class Unroll {
 public:
  explicit Unroll(const StatementList& list)
      : list_(list),
        nesting_(loop_nesting(list)),
        result_{list, {}},
        known_(list.loops.size()),
        loop_(list.loops.size()),
        var_(list.variables.size()) {
    for (const Variable& variable : list.variables) names_.take(variable.name);
    for (const Loop& loop : list.loops) names_.keep(loop.name);
    for (std::size_t i = 0; i < loop_.size(); ++i) loop_[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < var_.size(); ++i) var_[i] = static_cast<Var>(i);
  }

  PassResult run() {
    result_.list.statements.clear();
    write(0, list_.statements.size());
    number_anew(result_.list);
    return std::move(result_);
  }

 private:
  void write(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      const Statement& s = list_.statements[at];
      if (s.kind == Kind::Loop)
        at = write_loop(at);
      else
        result_.list.statements.push_back(written(s));
    }
  }

  /// The loop, or its iterations. Returns where its End is.
  std::size_t write_loop(std::size_t at) {
    const Statement& s = list_.statements[at];
    const std::size_t end = nesting_.partner[at];
    const ListLoop range = folded(list_.loops[s.loop]);
    const auto body = [&] { write(at + 1, end); };
    if (!range.has_condition() && !range.varies()) {
      const Index count = range.Loop::count();
      if (count == 0) return end;
      const std::string loop = fmt::format("the loop over {}", range.name);
      const std::size_t more = static_cast<std::size_t>(count) * (end - at);
      if (count <= kMostIterations && result_.list.statements.size() + more <= kMostStatements) {
        say(Remark::Kind::Made, s,
            fmt::format("{}: its {} iterations are written out", loop, count));
        for (Index i = 0; i < count; ++i) {
          known_[s.loop] = range.start + i * range.step;
          if (i > 0) rename(at + 1, end);
          body();
        }
        known_[s.loop].reset();
        return end;
      }
      say(Remark::Kind::Refused, s,
          fmt::format("{} stays: it has {} iterations, and {} are written out at most", loop, count,
                      kMostIterations));
    }
    loop_[s.loop] = static_cast<int>(result_.list.loops.size());
    result_.list.loops.push_back(range);
    result_.list.statements.push_back(written(s));
    open_.push_back(loop_[s.loop]);
    body();
    open_.pop_back();
    result_.list.statements.push_back(written(list_.statements[end]));
    return end;
  }

  /// Of one more iteration the body's variables are others.
  void rename(std::size_t begin, std::size_t end) {
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

  // ---- with the variables of the loops that are written out

  ListInteger folded(const ListInteger& integer) const {
    ListInteger result{integer.constant, {}};
    for (const auto& [loop, factor] : integer.terms) {
      if (known_[loop])
        result.constant = checked_sum(result.constant, checked_product(factor, *known_[loop]));
      else
        result.terms.push_back({loop_[loop], factor});
    }
    return result;
  }
  ListLoop folded(const ListLoop& loop) const {
    ListLoop result = loop;
    const ListInteger first = folded(loop.first());
    const ListInteger end = folded(loop.end());
    result.start = first.constant;
    result.start_terms = first.terms;
    result.stop = end.constant;
    result.stop_terms = end.terms;
    return result;
  }

  Statement written(const Statement& s) {
    Statement result = s;
    for_each_variable(result, [&](Var& var) { var = var_[var]; });
    if (s.kind == Kind::Loop || s.kind == Kind::End) result.loop = loop_[s.loop];
    const bool is_number = s.kind == Kind::Call && s.op == Op::assign;
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

  void fold_shape(const Statement& s) {
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

  void say(Remark::Kind kind, const Statement& s, std::string text) {
    result_.remarks.push_back({kind, s.where, std::move(text)});
  }

  const StatementList& list_;
  LoopNesting nesting_;
  PassResult result_;
  Names names_;
  Table<std::optional<Index>> known_;  // by loop: its variable, where it is written out
  Table<int> loop_;                    // by loop: the one that stands for it
  std::vector<int> open_;              // of those
  Table<Var> var_;                     // by variable: the one that stands for it
};

}  // namespace

PassResult unroll(const StatementList& list, const PassOptions& /*options*/) {
  return Unroll(list).run();
}

}  // namespace rewriter
