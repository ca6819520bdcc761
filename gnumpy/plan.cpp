#include "gnumpy/plan.hpp"

#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/list/cost.hpp"

namespace gnumpy::detail {

namespace {

using Kind = rewriter::Statement::Kind;

constexpr Index kNever = -1;

class Planner {
 public:
  explicit Planner(rewriter::StatementList list) { plan_.list = std::move(list); }

  Plan make(const std::vector<bool>& may_overwrite) {
    plan_.places.resize(plan_.list.variables.size());
    plan_.inputs = plan_.list.inputs.size();
    for (std::size_t i = 0; i < plan_.inputs; ++i) place(plan_.list.inputs[i].var) = {i, 0};
    const std::vector<Index> done = last_uses(may_overwrite);
    for (std::size_t i = 0; i < plan_.list.statements.size(); ++i) {
      add(i);
      for (std::size_t input = 0; input < plan_.inputs; ++input)
        if (done[input] == static_cast<Index>(i)) free_.push_back(input);
    }
    for (const rewriter::Binding& output : plan_.list.outputs) plan_.result = place(output.var);
    return std::move(plan_);
  }

 private:
  Plan::Place& place(Var var) { return plan_.places[static_cast<std::size_t>(var)]; }
  Index size(Var var) const {
    return plan_.list.variables[static_cast<std::size_t>(var)].shape.size();
  }

  /// The last statement that uses an input's memory, for those that may be overwritten then.
  std::vector<Index> last_uses(const std::vector<bool>& may_overwrite) const {
    const rewriter::StatementList& list = plan_.list;
    std::vector<Index> last(list.variables.size(), kNever);
    for (std::size_t i = 0; i < list.statements.size(); ++i) {
      const rewriter::Statement& s = list.statements[i];
      rewriter::for_each_variable(s, [&](Var var) {
        last[static_cast<std::size_t>(rewriter::owner(list, var))] = static_cast<Index>(i);
      });
    }
    for (const rewriter::Binding& output : list.outputs)
      last[static_cast<std::size_t>(rewriter::owner(list, output.var))] = kNever;
    std::vector<Index> inputs;
    for (std::size_t i = 0; i < plan_.inputs; ++i)
      inputs.push_back(may_overwrite[i] ? last[static_cast<std::size_t>(list.inputs[i].var)]
                                        : kNever);
    return inputs;
  }

  void add(std::size_t at) {
    const rewriter::Statement& s = plan_.list.statements[at];
    switch (s.kind) {
      case Kind::Empty:
        place(s.target) = {block_of(size(s.target)), 0};
        if (const std::size_t block = place(s.target).block; block < plan_.inputs)
          plan_.shared.emplace_back(s.target, plan_.list.inputs[block].var);
        return;
      case Kind::Free:
        free_.push_back(place(s.target).block);
        return;
      case Kind::Slice:
      case Kind::Reshape: {
        const Var of = s.operands[0].var;
        const Index rows = plan_.list.variables[static_cast<std::size_t>(of)].shape.rows;
        place(s.target) = place(of);
        if (s.kind == Kind::Slice) place(s.target).offset += s.integers[0] * rows;
        return;
      }
      case Kind::Call:
      case Kind::Fused:
        plan_.calls.push_back(at);
        plan_.launches += rewriter::launches(s);
        return;
      default:
        throw cudamat::InternalError("a garray's expression has a statement of an unknown kind");
    }
  }

  Index size_of(std::size_t block) const {
    return block < plan_.inputs ? size(plan_.list.inputs[block].var)
                                : plan_.allocated[block - plan_.inputs];
  }

  /// One that was freed, if there is one of this size, or else a new one.
  std::size_t block_of(Index elements) {
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (size_of(*it) != elements) continue;
      const std::size_t block = *it;
      free_.erase(it);
      return block;
    }
    plan_.allocated.push_back(elements);
    return plan_.inputs + plan_.allocated.size() - 1;
  }

  Plan plan_;
  std::vector<std::size_t> free_;
};

}  // namespace

Plan make_plan(rewriter::StatementList list, const std::vector<bool>& may_overwrite) {
  return Planner(std::move(list)).make(may_overwrite);
}

}  // namespace gnumpy::detail
