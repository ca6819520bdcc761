// The reader: what is decided when the program runs. The statements that may not run are a loop's
// body to the tree; loop_condition.cpp says what they leave.
#include <algorithm>

#include "rewriter/reader/loop_run.hpp"

namespace rewriter {

using cudamat::misuse;

NodePtr Interpreter::condition_node(const Value& value, Span span) {
  NodePtr result;
  located(span, [&] {
    const At at(place(span));
    Array condition = to_array(value, "a condition");
    if (condition.size() != 1)
      misuse("program",
             "the truth value of an array of shape {} is ambiguous; use np.any(...) or "
             "np.all(...)",
             to_string(condition.shape()));
    if (!condition.shape().empty()) condition = condition.reshape({});
    result = (condition.dtype() == DType::Bool ? condition : not_equal(condition, 0)).node();
    result_.steps.push_back(result);
  });
  return result;
}

void Interpreter::choose_at_run(const ast::Statement& statement, std::uint32_t index,
                                const Value& condition) {
  const Span span = tree_[statement.value].span;
  const NodePtr holds = condition_node(condition, span);
  const auto run = [&](NodePtr node, std::uint32_t begin, std::uint32_t end) {
    LoopBlock block;
    block.begin = begin;
    block.end = end;
    block.span = statement.span;
    block.loop = {"", 0, 1, 1, LoopForm::If};
    block.run = [this, begin, end] { execute_block(begin, end); };
    block.condition = std::move(node);
    run_with_condition(std::move(block));
  };
  if (statement.end == statement.else_end) return run(holds, index + 1, statement.end);
  NodePtr otherwise;
  {
    const At at(place(span));
    otherwise = logical_not(Array(holds)).node();
    result_.steps.push_back(otherwise);
  }
  run(holds, index + 1, statement.end);
  run(otherwise, statement.end, statement.else_end);
}

constexpr int kMostRuns = 1000;

void Interpreter::run_with_condition(LoopBlock block) {
  std::vector<std::string> names = mentioned(block.begin, block.end);
  located(block.span, [&] { declare_inputs(names); });
  block.is_wanted = [this, &block](const std::string& name) {
    return is_mentioned_outside(name, block.begin, block.end);
  };
  LoopPlan plan = planned(block.begin, block.end);
  for (const std::string& name : plan.rebound)
    if (scope().names.contains(name)) find(name);  // what is not assigned stays
  plan.mentioned = std::move(names);
  const SourceLocation caller = statement_place_;
  for (int runs = 0; runs < kMostRuns; ++runs) {
    statement_place_ = caller;
    LoopRun run(*this, block, plan);
    if (run.run() != LoopRun::Result::Settled) continue;
    return run.commit();
  }
  fail(block.span, "what these statements assign does not settle");
}

bool Interpreter::is_mentioned_outside(const std::string& name, std::uint32_t begin,
                                       std::uint32_t end) {
  if (mentions_.empty()) {
    for (std::uint32_t i = 0; i < tree_.statements.size(); ++i) {
      const ast::Statement& statement = tree_.statements[i];
      const auto note = [&](ast::ExprId id) {
        if (id == ast::kNoExpr) return;
        for (ast::ExprId part = tree_[id].first; part <= id; ++part) {
          if (tree_[part].kind != ast::ExprKind::Name) continue;
          auto& places = mentions_[tree_.string(part)];
          if (places.empty() || places.back() != i) places.push_back(i);
        }
      };
      note(statement.value);
      for (const ast::ExprId target : tree_.targets(statement)) note(target);
    }
  }
  const std::uint32_t first = in_module() ? 0 : scope().function + 1;
  const auto last = in_module() ? static_cast<std::uint32_t>(tree_.statements.size())
                                : tree_.statements[scope().function].end;
  const auto& places = mentions_[name];
  return std::any_of(places.begin(), places.end(), [&](std::uint32_t at) {
    return at >= first && at < last && (at < begin || at >= end);
  });
}

}  // namespace rewriter
