#include "rewriter/passes/layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cudamat/fused.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/liveness.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/layout_choice.hpp"
#include "rewriter/passes/layout_rows.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

/// What the call is for the transposes of its matrices. Rows that are cut out are no call then.
Op transposed(Op op) {
  for (const cudamat::VectorForms& forms : cudamat::kVectorForms) {
    if (op == forms.with_row) return forms.with_column;
    if (op == forms.with_column) return forms.with_row;
  }
  if (op == Op::get_col_slice) return Op::get_row_slice;
  if (op == Op::set_col_slice) return Op::set_row_slice;
  return op;
}

/// A list whose matrices lie as they are chosen to.
class Layout {
 public:
  Layout(const StatementList& list, const Table<bool>& transposed)
      : list_(list),
        transposed_(transposed),
        uses_(list),
        loops_(loops_of(list)),
        made_(list),
        names_(names_beside(list)),
        twins_(list.variables.size(), kNoVar),
        shows_(list.variables.size(), kNoVar) {}

  StatementList make() {
    made_.statements.clear();
    for (std::size_t i = 0; i < list_.variables.size(); ++i)
      if (transposed_[i]) made_.variables[i].shape = list_.variables[i].shape.transposed();
    for (auto* bindings : {&made_.inputs, &made_.outputs})
      for (Binding& binding : *bindings)
        if (transposed_[binding.var]) binding.transposed = !binding.transposed;
    for (std::size_t at = 0; at < list_.statements.size(); ++at) {
      const Statement& s = list_.statements[at];
      if (becomes_view(at)) shows_[s.target] = s.operands[0].var;
    }
    for (const Statement& s : list_.statements) write(s);
    insert_twins();
    for (const Statement& s : made_.statements)
      if (makes_view(s)) made_.variables[s.target].view_of = owner(made_, s.operands[0].var);
    free_after_last_use(made_);
    number_anew(made_);
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_turned(Var var) const { return transposed_[var]; }

  Statement& add(const Statement& like, Kind kind, Var target) {
    Statement& s = made_.statements.emplace_back();
    s.kind = kind;
    s.where = like.where;
    s.target = target;
    return s;
  }

  Var temporary(cudamat::Shape shape) {
    made_.variables.push_back({names_.temporary(), shape});
    return static_cast<Var>(made_.variables.size()) - 1;
  }

  // ---- views

  /// Whether the rows that the call copies can be a view, as columns of what it takes them from.
  [[nodiscard]] bool becomes_view(std::size_t at) const {
    const Statement& s = list_.statements[at];
    if (s.kind != Kind::Call || s.op != Op::get_row_slice) return false;
    const Var leader = layout_leader(list_, s);
    const Var from = s.operands[0].var;
    const Var t = s.target;
    const auto needs_twin = [&](Var var) { return is_vector(shape(var)) && !is_turned(var); };
    if (leader == kNoVar || !is_turned(leader) || needs_twin(from) || needs_twin(t) ||
        owner(list_, t) != t)
      return false;
    const auto slot = static_cast<Position>(at);
    const Uses::Memory& memory = uses_.of(t);
    if (memory.is_input || memory.is_output || memory.writes != std::vector<Position>{slot} ||
        memory.first_mention() != slot || loops_.innermost[memory.made] != loops_.innermost[slot])
      return false;
    Position last = memory.last_mention();
    for (int loop = loops_.innermost[last]; loop != loops_.innermost[slot];
         loop = loops_.bodies[loop].around)
      last = loops_.bodies[loop].end;
    for (Var shown = from; shown != kNoVar; shown = shows_[owner(list_, shown)]) {
      const std::vector<Position>& writes = uses_.of(shown).writes;
      if (std::any_of(writes.begin(), writes.end(),
                      [&](Position write) { return write > slot && write <= last; }))
        return false;
    }
    return true;
  }

  [[nodiscard]] cudamat::Shape shape(Var var) const { return list_.variables[var].shape; }
  /// Whether list_ does not have it.
  [[nodiscard]] bool is_new(Var var) const {
    return static_cast<std::size_t>(var) >= list_.variables.size();
  }

  /// The vector the other way round: a view.
  Var twin(Var vector) {
    if (twins_[vector] == kNoVar)
      twins_[vector] = temporary(made_.variables[vector].shape.transposed());
    return twins_[vector];
  }
  /// The variable for a call that is turned over, or is not.
  Var seen(Var var, bool turned) {
    return is_vector(shape(var)) && is_turned(var) != turned ? twin(var) : var;
  }

  /// Each after the definition of its vector.
  void insert_twins() {
    std::vector<Statement> statements = std::exchange(made_.statements, {});
    const auto define_twin = [&](const Statement& like, Var vector) {
      if (is_new(vector) || twins_[vector] == kNoVar) return;
      add(like, Kind::Reshape, twins_[vector]).operands = {{vector}};
    };
    for (const Binding& input : made_.inputs) define_twin({}, input.var);
    for (Statement& s : statements) {
      const bool is_definition = defines(s);
      made_.statements.push_back(std::move(s));
      if (is_definition) {
        const Statement like = made_.statements.back();
        define_twin(like, like.target);
      }
    }
  }

  // ---- statements

  void write(const Statement& s) {
    if ((s.kind == Kind::Empty || s.kind == Kind::Free) && shows_[s.target] != kNoVar) return;
    switch (layout_role(list_, s)) {
      case LayoutRole::Any:
      case LayoutRole::AsWritten:
        made_.statements.push_back(s);
        return;
      case LayoutRole::Alike:
        return write_alike(s);
      case LayoutRole::Product:
        return write_product(s);
      case LayoutRole::Reduction:
        return write_reduction(s);
      case LayoutRole::Transpose:
        return write_transpose(s);
      case LayoutRole::Draw:
        return write_draw(s);
    }
  }

  void write_alike(Statement s) {
    const Var leader = layout_leader(list_, s);
    const bool turned = leader != kNoVar && is_turned(leader);
    if (leader != kNoVar) for_each_variable(s, [&](Var& var) { var = seen(var, turned); });
    if (turned && s.op == Op::get_row_slice) return write_rows(s);
    if (turned && s.op == Op::set_row_slice) return write_into_rows(s);
    if (turned && cudamat::row(s.op).family == cudamat::Family::ColScaled) return write_scaled(s);
    if (turned) s.op = transposed(s.op);
    made_.statements.push_back(std::move(s));
  }

  Statement& add_slice(const Statement& s, Var of, Var target) {
    Statement& slice = add(s, Kind::Slice, target);
    slice.operands = {{of}};
    slice.integers = s.integers;
    slice.terms = s.terms;
    return slice;
  }
  void add_copy(const Statement& s, Var from, Var to) {
    Statement& copy = add(s, Kind::Call, to);
    copy.op = Op::assign;
    copy.operands = {{from}};
  }

  /// x + factor * col: there is no such call for a row, which is scaled first. Both round so.
  void write_scaled(const Statement& s) {
    const Var row = s.operands[1].var;
    const Var scaled = temporary(made_.variables[row].shape);
    add(s, Kind::Empty, scaled);
    Statement& scale = add(s, Kind::Call, scaled);
    scale.op = Op::mult;
    scale.operands = {{row}};
    scale.numbers = s.numbers;
    Statement& sum = add(s, Kind::Call, s.target);
    sum.op = Op::add_row_vec;
    sum.operands = {s.operands[0], {scaled}};
    add(s, Kind::Free, scaled);
  }

  void write_rows(const Statement& s) {
    const Var from = s.operands[0].var;
    if (!is_new(s.target) && shows_[s.target] != kNoVar) {
      add_slice(s, from, s.target);
      return;
    }
    const Var view = temporary(made_.variables[s.target].shape);
    add_slice(s, from, view);
    add_copy(s, view, s.target);
  }

  void write_into_rows(const Statement& s) {
    const Var from = s.operands[0].var;
    const Var view = temporary(made_.variables[from].shape);
    add_slice(s, s.target, view);
    add_copy(s, from, view);
  }

  void write_product(Statement s) {
    for (Statement::Operand& operand : s.operands)
      operand.transposed = operand.transposed != is_turned(operand.var);
    if (is_turned(s.target)) {  // the transposed product is that of the transposes, exchanged
      std::swap(s.operands[0], s.operands[1]);
      for (Statement::Operand& operand : s.operands) operand.transposed = !operand.transposed;
    }
    made_.statements.push_back(std::move(s));
  }

  void write_reduction(Statement s) {
    Statement::Operand& operand = s.operands[0];
    const bool turned = is_turned(operand.var);
    const bool other_axis = is_single(shape(s.target)) ? turned : is_turned(s.target);
    if (turned != other_axis) operand.transposed = !operand.transposed;
    if (other_axis) s.integers[0] = 1 - s.integers[0];
    made_.statements.push_back(std::move(s));
  }

  void write_transpose(Statement s) {
    if (is_turned(s.target) == is_turned(s.operands[0].var))
      made_.statements.push_back(std::move(s));
    else
      add_copy(s, s.operands[0].var, s.target);
  }

  void write_draw(const Statement& s) {
    if (!is_turned(s.target)) {
      made_.statements.push_back(s);
      return;
    }
    const Var drawn = temporary(shape(s.target));
    add(s, Kind::Empty, drawn);
    Statement draw = s;
    draw.target = drawn;
    made_.statements.push_back(std::move(draw));
    Statement& turn = add(s, Kind::Call, s.target);
    turn.op = Op::transpose;
    turn.operands = {{drawn}};
    add(s, Kind::Free, drawn);
  }

  const StatementList& list_;
  const Table<bool>& transposed_;
  Uses uses_;
  Loops loops_;
  StatementList made_;
  Names names_;
  Table<Var> twins_;  // by variable of list_
  Table<Var> shows_;  // by variable of list_: of which one it is a part now, a view
};

/// "dat, v1 and 4 others are"
std::string subject(const StatementList& list, std::vector<Var> vars) {
  constexpr std::size_t kMost = 4;
  std::stable_partition(vars.begin(), vars.end(),
                        [&](Var var) { return has_given_name(list, var); });
  if (vars.size() == 1) return name_of(list, vars[0]) + " is";
  std::string text;
  const std::size_t named = vars.size() > kMost + 1 ? kMost : vars.size() - 1;
  for (std::size_t i = 0; i < named; ++i) text += (i > 0 ? ", " : "") + name_of(list, vars[i]);
  if (named == vars.size() - 1)
    return fmt::format("{} and {} are", text, name_of(list, vars.back()));
  return fmt::format("{} and {} others are", text, vars.size() - named);
}

std::vector<Remark> remarks(const StatementList& list, const LayoutChoice& choice, bool may_round) {
  Table<SourceLocation> defined(list.variables.size(), SourceLocation{0, 0});
  for (const Statement& s : list.statements)
    if (defines(s)) defined[s.target] = s.where;
  std::vector<Remark> result;
  for (const LayoutGroup& group : choice.groups) {
    if (!group.transposed && !group.is_worthwhile) continue;
    std::string text = subject(list, group.vars) + " held ";
    text += group.transposed ? "transposed" : "as written, since " + group.as_written;
    if (group.is_worthwhile)
      text += fmt::format("; {} what takes as long as to move {} elements",
                          group.transposed ? "that saves" : "transposed would save",
                          print::grouped(static_cast<Index>(group.saved)));
    const Remark::Kind kind = !group.transposed ? Remark::Kind::Refused
                              : may_round       ? Remark::Kind::Rounding
                                                : Remark::Kind::Made;
    result.push_back({kind, defined[group.vars.front()], std::move(text)});
  }
  return result;
}

}  // namespace

StatementList lay_out(const StatementList& list, const Table<bool>& transposed) {
  return Layout(list, transposed).make();
}

PassResult layout(const StatementList& given, const PassOptions& asked) {
  PassOptions options = asked;
  options.may_round = asked.may_round || asked.layout_may_round;
  PassResult result{given, {}};
  if (options.bindings_are_in_c_order && !options.bindings_stay) result = rows_as_columns(given);
  const StatementList list = result.list;
  const LayoutChoice choice = choose_layout(list, options);
  for (Remark& remark : remarks(list, choice, options.may_round))
    result.remarks.push_back(std::move(remark));
  const bool turns = std::any_of(choice.groups.begin(), choice.groups.end(),
                                 [](const LayoutGroup& group) { return group.transposed; });
  if (turns) result.list = lay_out(list, choice.transposed);
  return result;
}

}  // namespace rewriter
