#include "rewriter/passes/layout_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "rewriter/list/edit.hpp"
#include "rewriter/list/names.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class RowsAsColumns {
 public:
  explicit RowsAsColumns(const StatementList& list)
      : list_(list),
        input_(list.variables.size(), kNoVar),
        slice_(list.variables.size(), nullptr) {}

  PassResult run() {
    find_inputs();
    for (const Statement& s : list_.statements) look_at(s);
    PassResult result{list_, {}};
    std::vector<bool> turned(list_.variables.size(), false);
    for (Binding& input : result.list.inputs) {
      if (input_[input.var] != input.var || !is_read_by_rows_[index(input.var)]) continue;
      turned[index(input.var)] = true;
      input.transposed = true;
      Variable& variable = result.list.variables[input.var];
      variable.shape = variable.shape.transposed();
      result.remarks.push_back({Remark::Kind::Made,
                                {},
                                variable.name + " is held transposed: single rows of it are read"});
    }
    if (!result.remarks.empty()) rewrite(result.list, turned);
    return result;
  }

 private:
  static std::size_t index(Var var) { return static_cast<std::size_t>(var); }

  void find_inputs() {
    is_read_by_rows_.assign(list_.variables.size(), false);
    for (const Binding& input : list_.inputs) {
      const Variable& variable = list_.variables[input.var];
      if (input.dims.size() == 2 && !input.transposed && variable.shape.rows > 1 &&
          variable.shape.cols > 1)
        input_[input.var] = input.var;
    }
    for (const Statement& s : list_.statements)
      if (s.kind == Kind::Slice && input_[s.operands[0].var] == s.operands[0].var) {
        input_[s.target] = s.operands[0].var;
        slice_[s.target] = &s;
      }
    for (const Binding& output : list_.outputs) drop(output.var);
  }

  void drop(Var var) {
    if (input_[var] != kNoVar) input_[input_[var]] = kNoVar;
  }
  /// The input that it is, or shows columns of, if that is still one to be turned.
  [[nodiscard]] Var input_of(Var var) const {
    return input_[var] == kNoVar ? kNoVar : input_[input_[var]];
  }
  [[nodiscard]] bool takes_a_row(const Statement& s) const {
    return s.kind == Kind::Call && s.op == Op::get_row_slice && s.stretch.empty() &&
           s.integers[1] - s.integers[0] == 1 && !s.operands[0].transposed;
  }

  void look_at(const Statement& s) {
    if (s.kind == Kind::Slice && slice_[s.target] == &s) return;
    const Var read = takes_a_row(s) ? s.operands[0].var : kNoVar;
    if (read != kNoVar && input_of(read) != kNoVar) is_read_by_rows_[index(input_of(read))] = true;
    for_each_variable(s, [&](Var var) {
      if (var != read || s.target == read) drop(var);
    });
  }

  void rewrite(StatementList& list, const std::vector<bool>& turned) {
    Names names = names_beside(list_);
    list.statements.clear();
    const auto is_turned = [&](Var var) {
      return input_of(var) != kNoVar && turned[index(input_of(var))];
    };
    const auto view = [&](const Statement& like, Kind kind, Var of, Variable made) {
      list.variables.push_back(std::move(made));
      Statement& s = list.statements.emplace_back();
      s.kind = kind;
      s.where = like.where;
      s.target = static_cast<Var>(list.variables.size()) - 1;
      s.operands = {{of}};
      return s.target;
    };
    for (const Statement& s : list_.statements) {
      if (s.kind == Kind::Slice && slice_[s.target] == &s && is_turned(s.target)) continue;
      if (!takes_a_row(s) || !is_turned(s.operands[0].var)) {
        list.statements.push_back(s);
        continue;
      }
      const Var from = s.operands[0].var, input = input_of(from);
      const Index extent = list.variables[input].shape.rows;
      const Var column =
          view(s, Kind::Slice, input, {names.temporary(), {extent, 1}, input, std::nullopt});
      list.statements.back().integers = s.integers;
      list.statements.back().terms = s.terms;
      Var row =
          view(s, Kind::Reshape, column, {names.temporary(), {1, extent}, input, std::nullopt});
      if (const Statement* const slice = slice_[from]) {
        Variable part = list_.variables[s.target];
        part.name = names.temporary();
        part.view_of = input;
        row = view(s, Kind::Slice, row, std::move(part));
        list.statements.back().integers = slice->integers;
        list.statements.back().terms = slice->terms;
        list.statements.back().stretch = slice->stretch;
      }
      Statement& copy = list.statements.emplace_back();
      copy.op = Op::assign;
      copy.where = s.where;
      copy.target = s.target;
      copy.operands = {{row}};
    }
    number_anew(list);
  }

  const StatementList& list_;
  Table<Var> input_;               // by variable: the input that it is, or shows columns of
  Table<const Statement*> slice_;  // that makes it, of these columns
  std::vector<bool> is_read_by_rows_;
};

}  // namespace

PassResult rows_as_columns(const StatementList& list) {
  return RowsAsColumns(list).run();
}

}  // namespace rewriter
