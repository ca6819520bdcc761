// The reader: loops. One run of a body is in loop_run.hpp; here it is repeated until the plan
// holds.
#include <algorithm>

#include "rewriter/reader/loop_run.hpp"

namespace rewriter {

bool Interpreter::in_loop() const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [](const Scope& scope) { return !scope.loops.empty(); });
}

LoopPlan Interpreter::planned(std::uint32_t begin, std::uint32_t end) {
  LoopPlan plan;
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
  return plan;
}

std::vector<std::string> Interpreter::mentioned(std::uint32_t begin, std::uint32_t end) {
  // The expressions of consecutive statements stand together.
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
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) result.push_back(name);
  };
  bool calls = false;
  for (ast::ExprId id = first; first != ast::kNoExpr && id <= last; ++id) {
    if (tree_[id].kind != ast::ExprKind::Name) continue;
    const std::string& name = tree_.string(id);
    add(name);
    for (const Scope* where : {&scope(), &module()})
      if (const auto found = where->names.find(name); found != where->names.end())
        calls = calls || found->second.as<UserFunction>() != nullptr;
  }
  if (calls)
    for (const auto& [name, value] : module().names) add(name);
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

void Interpreter::run_loop(const ast::Statement& statement, std::uint32_t index) {
  Value iterated;
  located(statement.span, [&] { iterated = evaluate(statement.value); });
  const auto* range = iterated.as<RangeValue>();
  if (range == nullptr)
    fail(tree_[statement.value].span,
         fmt::format("a loop runs over range(...) here; got {}", iterated.description()));
  const std::string& name = tree_.string(tree_.targets(statement)[0]);
  const auto count = [&](const RangeValue& values) {
    return Loop{name, values.start, values.stop, values.step}.count();
  };
  if (count(*range) == 0) return note_skipped(index + 1, statement.end);
  const std::vector<std::string> names = mentioned(index + 1, statement.end);
  located(statement.span, [&] { declare_inputs(names); });
  for (RangeValue rest = *range; count(rest) > 0;) {
    Index apart = 0;
    located(statement.span, [&] { apart = run_settled(statement, index, rest, names); });
    if (apart == 0) break;
    for (; apart > 0; --apart, rest.start += rest.step) {
      scope().names[name] = {rest.start};
      execute_block(index + 1, statement.end);
    }
  }
  for (LoopFrame* frame : scope().loops)
    if (frame->rebound.insert(name).second) frame->rebound_order.push_back(name);
}

constexpr int kMostRuns = 1000;
constexpr std::size_t kMostTypes = 16;  // that follow each other before they settle

Index Interpreter::run_settled(const ast::Statement& statement, std::uint32_t index,
                               const RangeValue& range, const std::vector<std::string>& names) {
  const std::string& variable = tree_.string(tree_.targets(statement)[0]);
  const Index count = Loop{variable, range.start, range.stop, range.step}.count();
  LoopBlock block;
  block.begin = index + 1;
  block.end = statement.end;
  block.span = statement.span;
  block.loop = {variable, range.start, range.stop, range.step};
  block.run = [&] { execute_block(block.begin, block.end); };
  LoopPlan plan = planned(block.begin, block.end);
  plan.mentioned = names;
  std::vector<LoopTrace> earlier;  // of the iterations before types settle
  for (int runs = 0; runs < kMostRuns; ++runs) {
    statement_place_ = place(statement.span);
    LoopRun run(*this, block, plan);
    const LoopRun::Result result = run.run();
    if (result == LoopRun::Result::Again) continue;
    LoopTrace trace = run.trace();
    if (result == LoopRun::Result::Settled) {
      Index apart = std::ssize(earlier);
      while (apart > 0 && compute_the_same(earlier[static_cast<std::size_t>(apart - 1)], trace))
        --apart;
      if (apart > 0)
        run.restore();
      else
        run.commit();
      return apart;
    }
    run.restore();
    const auto repeats = [&](const LoopTrace& other) { return other.types == run.types_at_end(); };
    const bool cycle = std::any_of(earlier.begin(), earlier.end(), repeats);
    const ValueTypes types = trace.types;
    earlier.push_back(std::move(trace));
    if (earlier.size() == static_cast<std::size_t>(count)) return 1;
    if (cycle || earlier.size() == kMostTypes) {
      if (static_cast<std::size_t>(count) <= kMostTypes) return 1;
      const std::string& name = run.changing();
      fail(statement.span,
           fmt::format("{} is {} at the start of an iteration and {} at its end, and that does not "
                       "settle; in a loop of more than {} iterations the types of values stay the "
                       "same from some iteration on",
                       name, to_string(types.at(name)), to_string(run.types_at_end().at(name)),
                       kMostTypes));
    }
    for (const auto& [name, type] : run.types_at_end()) plan.types[name] = type;
  }
  fail(statement.span, "what this loop carries from one iteration to the next does not settle");
}

}  // namespace rewriter
