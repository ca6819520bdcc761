#include "rewriter/passes/buffer_views.hpp"

#include <string>
#include <utility>

#include "rewriter/list/edit.hpp"

namespace rewriter {

namespace {

using cudamat::Shape;
using Kind = Statement::Kind;

class Sharing {
 public:
  explicit Sharing(StatementList& list)
      : list_(list),
        names_(names_beside(list)),
        instead_(list.variables.size(), kNoVar),
        shares_(list.variables.size(), false),
        made_(list.variables.size(), 0),
        at_(list.statements.size()) {
    for (std::size_t i = 0; i < list.statements.size(); ++i)
      if (list.statements[i].kind == Kind::Empty) made(list.statements[i].target) = i;
  }

  void put(const Buffer& buffer) {
    Var whole = buffer.members.front();
    for (const Var member : buffer.members)
      if (elements(list_, member) > elements(list_, whole)) whole = member;
    for (const Var member : buffer.members) {
      shares_[member] = true;
      if (member != whole) put(member, whole);
    }
    put_allocation(buffer.made, whole, true);
    if (buffer.freed != kNowhere) put_allocation(buffer.freed, whole, false);
  }

  void write() {
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < list_.statements.size(); ++i) {
      Statement& s = list_.statements[i];
      const bool allocates = s.kind == Kind::Empty || s.kind == Kind::Free;
      const bool replaced = allocates && shares_[s.target];
      for (Statement& each : at_[i]) statements.push_back(std::move(each));
      if (!replaced) statements.push_back(std::move(s));
    }
    list_.statements = std::move(statements);
    for (Statement& s : list_.statements) for_each_variable(s, [&](Var& var) { replace(var); });
    for (Variable& variable : list_.variables) {
      replace(variable.view_of);
      if (variable.view_of != kNoVar) variable.view_of = owner(list_, variable.view_of);
    }
    for (Binding& output : list_.outputs) replace(output.var);
    number_anew(list_);
  }

 private:
  Variable& variable(Var var) { return list_.variables[var]; }
  std::size_t& made(Var var) { return made_[var]; }
  void replace(Var& var) const {
    if (var != kNoVar && instead_[var] != kNoVar) var = instead_[var];
  }

  void put_allocation(Position at, Var whole, bool first) {
    std::vector<Statement>& here = at_[at];
    Statement statement = list_.statements[at];
    statement.target = whole;
    here.insert(first ? here.begin() : here.end(), std::move(statement));
  }

  void put(Var member, Var whole) {
    if (variable(member).shape == variable(whole).shape &&
        !(has_given_name(list_, member) && has_given_name(list_, whole))) {
      if (better_name(list_, whole, member) == variable(member).name)
        std::swap(variable(member).name, variable(whole).name);
      instead_[member] = whole;
      return;
    }
    const Shape is = variable(member).shape;
    const Shape of = variable(whole).shape;
    if (is.size() == of.size()) return view(member, whole);
    if (is.rows == of.rows) return slice(member, whole);
    if (of.size() % is.rows == 0)
      return slice(member, view(member, whole, {is.rows, of.size() / is.rows}));
    const Var flat = of.rows == 1 ? whole : view(member, whole, {1, of.size()});
    const Var part = fresh(member, {1, is.size()}, whole);
    slice(part, flat);
    view(member, part);
  }

  /// A view of the memory of `whole`, defined where the member was allocated.
  Var fresh(Var member, Shape shape, Var whole) {
    list_.variables.push_back({names_.temporary(), shape, whole});
    instead_.push_back(kNoVar);
    shares_.push_back(false);
    made_.push_back(made(member));
    return static_cast<Var>(list_.variables.size()) - 1;
  }
  Var view(Var member, Var whole, Shape shape) {
    const Var var = fresh(member, shape, whole);
    view(var, whole);
    return var;
  }
  void view(Var target, Var of) { define(Kind::Reshape, target, of); }
  void slice(Var target, Var of) {
    define(Kind::Slice, target, of).integers = {0, variable(target).shape.cols};
  }
  Statement& define(Kind kind, Var target, Var of) {
    variable(target).view_of = owner(list_, of);
    std::vector<Statement>& here = at_[made(target)];
    Statement& statement = here.emplace_back();
    statement.kind = kind;
    statement.target = target;
    statement.operands = {{of}};
    statement.where = list_.statements[made(target)].where;
    return statement;
  }

  StatementList& list_;
  Names names_;
  Table<Var> instead_;  // by variable: what takes its place
  Table<bool> shares_;  // by variable: whether a buffer has it
  Table<std::size_t> made_;
  Table<std::vector<Statement>> at_;  // by position: what stands there before the statement
};

}  // namespace

void share_memory(StatementList& list, const std::vector<Buffer>& buffers) {
  Sharing sharing(list);
  for (const Buffer& buffer : buffers)
    if (buffer.members.size() > 1) sharing.put(buffer);
  sharing.write();
}

}  // namespace rewriter
