// The reader: what the text of a loop's body says of the names that an iteration takes from the
// one before.
#include <algorithm>
#include <utility>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

bool Interpreter::in_loop() const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [](const Scope& scope) { return !scope.loops.empty(); });
}

void Interpreter::planned(std::uint32_t begin, std::uint32_t end, LoopPlan& plan) {
  std::unordered_set<const ArrayObject*> roots;
  const auto write = [&](const std::string& name) {
    const auto found = scope().names.find(name);
    const auto* object = found == scope().names.end() ? nullptr : found->second.as<ObjectPtr>();
    if (object == nullptr) return false;
    const bool scalar = (*object)->is_scalar();
    const ObjectPtr root = ArrayObject::root_of(*object);
    if (!scalar && roots.insert(root.get()).second) plan.written.push_back(root);
    return !scalar;
  };
  for (std::uint32_t i = begin; i < end; ++i) {
    const ast::Statement& statement = tree_.statements[i];
    for (const auto& [name, binds] : ast::target_names(tree_, statement)) {
      const bool may_write = !binds || statement.kind == ast::StatementKind::AugAssign;
      if (!(may_write && write(name)) && binds) plan.add_rebound(name);
    }
  }
}

LoopPlan Interpreter::planned(const LoopBlock& block) {
  LoopPlan plan;
  if (block.loop.repeats_condition()) {  // it is the first that is carried
    const Value& condition = scope().names.at(block.condition_name);
    plan.add_rebound(block.condition_name);
    plan.types.emplace(block.condition_name, type_of(condition));
  }
  if (block.choice == ast::kNoExpr) planned(block.begin, block.end, plan);
  if (block.loop.form == LoopForm::If)
    for (const std::string& name : hidden_names_of(block)) {
      const auto found = scope().names.find(name);
      if (found == scope().names.end()) continue;
      plan.add_rebound(name);
      if (found->second.is_number()) plan.types.emplace(name, type_of(found->second));
    }
  return plan;
}

/// Names of the run-time choices that the block makes, as its text says: a body in which there are
/// more such blocks is then read once, and not each of them as often as all around it.
std::vector<std::string> Interpreter::hidden_names_of(const LoopBlock& block) {
  if (block.choice != ast::kNoExpr) return {choice_name(block.choice), set_name(block.choice)};
  return names_of_jumps(jumps_in(block.begin, block.end));
}

std::pair<ast::ExprId, ast::ExprId> Interpreter::expressions_of(std::uint32_t begin,
                                                                std::uint32_t end) const {
  ast::ExprId first = ast::kNoExpr;
  ast::ExprId last = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const ast::Statement& statement = tree_.statements[i];
    const auto take = [&](ast::ExprId id) {
      if (id == ast::kNoExpr) return;
      first = std::min(first, tree_[id].first);
      last = std::max(last, id);
    };
    take(statement.value);
    for (const ast::ExprId target : tree_.targets(statement)) take(target);
  }
  return first == ast::kNoExpr ? std::pair{last, last} : std::pair{first, last + 1};
}

std::vector<std::string> Interpreter::mentioned(std::uint32_t begin, std::uint32_t end) {
  return mentioned(expressions_of(begin, end));
}

std::vector<std::string> Interpreter::mentioned(std::pair<ast::ExprId, ast::ExprId> expressions) {
  const auto [first, last] = expressions;
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) result.push_back(name);
  };
  bool calls = false;
  bool closes = false;  // over names of the calls around it
  for (ast::ExprId id = first; id < last; ++id) {
    if (is_choice(tree_[id])) add(choice_name(id)), add(set_name(id));
    if (tree_[id].kind != ast::ExprKind::Name && tree_[id].kind != ast::ExprKind::Named) continue;
    const std::string& name = tree_.string(id);
    add(name);
    const auto note = [&](const std::unordered_map<std::string, Value>& names) {
      if (const auto found = names.find(name); found != names.end())
        for_each_part(found->second, [&](const Value& part) {
          const auto* function = part.as<UserFunction>();
          calls = calls || function != nullptr || part.as<ClassPtr>() != nullptr ||
                  part.as<InstancePtr>() != nullptr;
          closes = closes || (function != nullptr && function->enclosing != nullptr);
        });
    };
    note(scope().names);
    note(module().names);
    for (const Enclosing* outer = scope().outer.get(); outer != nullptr; outer = outer->outer.get())
      note(*outer->names);
  }
  if (calls)
    for (const auto& [name, value] : module().names) add(name);
  if (closes || objects_.any())
    for (const auto& [name, value] : scope().names)
      if (closes || is_attribute(name)) add(name);
  for (const std::string& name : hidden_names()) add(name);
  return result;
}

/// Inputs given from outside are declared when they are first read: here, before the loop.
void Interpreter::declare_inputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto given = options_.shapes.find(name);
    if (given != options_.shapes.end() && !scope().names.contains(name) &&
        !module().names.contains(name) && assigned_in_function(name) == 0)
      declare(name, given->second);
  }
}

}  // namespace rewriter
