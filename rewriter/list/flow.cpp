#include "rewriter/list/flow.hpp"

#include <algorithm>

#include "cudamat/op_table.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class FlowMaker {
 public:
  explicit FlowMaker(const StatementList& list)
      : list_(list),
        nesting_(loop_nesting(list)),
        last_(list.variables.size(), Flow::kNone),
        shown_(list.variables.size(), Flow::kNone) {}

  Flow make() {
    for (const Binding& input : list_.inputs) {
      last_[index(input.var)] = flow_.steps.size();
      flow_.steps.push_back({.var = input.var, .from = {}});
    }
    for (std::size_t i = 0; i < list_.statements.size(); ++i) add(i);
    for (const Binding& output : list_.outputs) flow_.outputs.push_back(value_of(output.var));
    return std::move(flow_);
  }

 private:
  /// A read of memory that the loop has not written when it comes to it.
  struct Read {
    std::size_t memory;
    std::size_t step;
  };
  struct OpenLoop {
    std::size_t first;  // step
    std::vector<Read> reads{};
  };

  static std::size_t index(Var var) { return static_cast<std::size_t>(var); }
  std::size_t memory(Var var) const { return index(owner(list_, var)); }

  /// The step that made what the variable holds now: its view, if nothing was written since.
  std::size_t value_of(Var var) const {
    const std::size_t written = last_[memory(var)];
    const std::size_t shown = shown_[index(var)];
    if (shown == Flow::kNone) return written;
    return written == Flow::kNone || shown > written ? shown : written;
  }

  void use(Flow::Step& step, Var var) {
    const std::size_t from = value_of(var);
    for (OpenLoop& loop : loops_)
      if (from == Flow::kNone || from < loop.first)
        loop.reads.push_back({memory(var), flow_.steps.size()});
    if (from != Flow::kNone &&
        std::find(step.from.begin(), step.from.end(), from) == step.from.end())
      step.from.push_back(from);
  }

  void add(std::size_t at) {
    const Statement& s = list_.statements[at];
    switch (s.kind) {
      case Kind::Loop:
        loops_.push_back({flow_.steps.size()});
        return;
      case Kind::End:
        end_loop();
        return;
      case Kind::Empty:
      case Kind::Free:
      case Kind::Seed:
        return;
      default:
        break;
    }
    const std::span<const Var> targets = targets_of(s);
    Flow::Step step{at, targets.empty() ? kNoVar : targets[0], nesting_.around[at], {}};
    for (const Statement::Operand& operand : s.operands) use(step, operand.var);
    if (!makes_view(s) && !makes_memory(s))
      for (std::size_t i = 0; i < targets.size(); ++i)
        if (reads_target(s, i) || writes_part(s, i) || owner(list_, targets[i]) != targets[i])
          use(step, targets[i]);
    const std::size_t number = flow_.steps.size();
    flow_.steps.push_back(std::move(step));
    if (makes_view(s)) {
      shown_[index(s.target)] = number;
      return;
    }
    for (const Var target : targets) last_[memory(target)] = number;
  }

  void end_loop() {
    const OpenLoop loop = std::move(loops_.back());
    loops_.pop_back();
    for (const Read& read : loop.reads) {
      const std::size_t written = last_[read.memory];
      if (written != Flow::kNone && written >= loop.first)
        flow_.carried.push_back({written, read.step});
    }
  }

  const StatementList& list_;
  LoopNesting nesting_;
  Flow flow_;
  std::vector<std::size_t> last_;   // by owner: the step that wrote its memory
  std::vector<std::size_t> shown_;  // by variable: the step that made it a view
  std::vector<OpenLoop> loops_;
};

}  // namespace

Flow flow_of(const StatementList& list) {
  return FlowMaker(list).make();
}

}  // namespace rewriter
