#include "rewriter/list/builder.hpp"

#include <algorithm>
#include <utility>

namespace rewriter {

Var ListBuilder::variable(cudamat::Shape shape, const std::string& name, Var view_of) {
  wanted.push_back(name);
  list.variables.push_back({name.empty() ? names.temporary() : names.take(name), shape,
                            view_of == kNoVar ? kNoVar : owner(view_of)});
  return static_cast<Var>(list.variables.size()) - 1;
}

Statement& ListBuilder::add(Statement::Kind kind, Var target) {
  Statement& statement = list.statements.emplace_back();
  statement.kind = kind;
  statement.target = target;
  statement.where = where;
  return statement;
}

Var ListBuilder::empty(cudamat::Shape shape, const std::string& name) {
  const Var var = variable(shape, name);
  add(Statement::Kind::Empty, var);
  return var;
}

Var ListBuilder::constant(cudamat::Shape shape, const Node& node, const std::string& name) {
  const Var var = variable(shape, name);
  Statement& statement = add(Statement::Kind::Constant, var);
  statement.data = node.data;
  statement.text = node.text;
  return var;
}

Var ListBuilder::slice(Var of, Index first_col, Index last_col, const std::string& name) {
  const Var var = variable({shape(of).rows, last_col - first_col}, name, of);
  Statement& statement = add(Statement::Kind::Slice, var);
  statement.operands = {{of}};
  statement.integers = {first_col, last_col};
  return var;
}

Var ListBuilder::reshape(Var of, cudamat::Shape to, const std::string& name) {
  const Var var = variable(to, name, of);
  add(Statement::Kind::Reshape, var).operands = {{of}};
  return var;
}

void ListBuilder::seed(std::int64_t seed) {
  add(Statement::Kind::Seed, kNoVar).integers = {seed};
}

std::string ListBuilder::loop_name(const std::string& wish,
                                   const std::vector<std::string>& around) {
  std::string& name = loop_names_.try_emplace(wish).first->second;
  if (name.empty() || std::find(around.begin(), around.end(), name) != around.end())
    name = names.take(wish);
  return name;
}

int ListBuilder::begin_loop(Loop loop, Var condition) {
  if (loop.has_variable()) {
    std::vector<std::string> around;
    for (const Open& open : open_) around.push_back(list.loops[open.loop].name);
    loop.name = loop_name(loop.name, around);
  }
  open_.push_back({static_cast<int>(list.loops.size()), condition});
  list.loops.push_back(std::move(loop));
  Statement& statement = add(Statement::Kind::Loop, kNoVar);
  statement.loop = open_.back().loop;
  if (condition != kNoVar) statement.operands = {{condition}};
  return statement.loop;
}

void ListBuilder::end_loop() {
  const auto [loop, condition] = open_.back();
  open_.pop_back();
  Statement& statement = add(Statement::Kind::End, kNoVar);
  statement.loop = loop;
  if (list.loops[loop].repeats_condition()) statement.operands = {{condition}};
}

void ListBuilder::print(Operands operands, std::vector<Statement::Part> parts) {
  Statement& statement = add(Statement::Kind::Print, kNoVar);
  statement.operands = std::move(operands);
  statement.parts = std::move(parts);
}

void ListBuilder::custom(Statement call) {
  call.kind = Statement::Kind::Custom;
  call.where = where;
  list.statements.push_back(std::move(call));
}

void ListBuilder::call(Op op, Var target, Operands operands, std::vector<Number> numbers,
                       std::vector<Index> integers) {
  Statement& statement = add(Statement::Kind::Call, target);
  statement.op = op;
  statement.operands = std::move(operands);
  statement.numbers = std::move(numbers);
  statement.integers = std::move(integers);
}

}  // namespace rewriter
