#include "gnumpy/plan.hpp"

#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/diff.hpp"

namespace gnumpy::detail {

namespace {

using Kind = rewriter::Statement::Kind;

class Planner {
 public:
  explicit Planner(rewriter::StatementList list) { plan_.list = std::move(list); }

  Plan make() {
    plan_.places.resize(plan_.list.variables.size());
    plan_.inputs = plan_.list.inputs.size();
    for (std::size_t i = 0; i < plan_.inputs; ++i) place(plan_.list.inputs[i].var) = {i, 0};
    for (std::size_t i = 0; i < plan_.list.statements.size(); ++i) add(i);
    for (const rewriter::Binding& output : plan_.list.outputs)
      if (output.name == "result") plan_.result = place(output.var);
    return std::move(plan_);
  }

 private:
  Plan::Place& place(Var var) { return plan_.places[static_cast<std::size_t>(var)]; }
  Index size(Var var) const {
    return plan_.list.variables[static_cast<std::size_t>(var)].shape.size();
  }

  void add(std::size_t at) {
    const rewriter::Statement& s = plan_.list.statements[at];
    switch (s.kind) {
      case Kind::Empty:
        place(s.target) = {block_of(size(s.target)), 0};
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
        plan_.calls.push_back(at);
        plan_.launches += rewriter::launches(s);
        return;
      default:
        throw cudamat::InternalError("a garray's expression has a statement of an unknown kind");
    }
  }

  /// One that was freed, if there is one of this size, or else a new one.
  std::size_t block_of(Index elements) {
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (*it < plan_.inputs || plan_.allocated[*it - plan_.inputs] != elements) continue;
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

Plan make_plan(rewriter::StatementList list) {
  return Planner(std::move(list)).make();
}

}  // namespace gnumpy::detail
