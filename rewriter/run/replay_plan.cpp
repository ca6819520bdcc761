#include "rewriter/run/replay_plan.hpp"

#include <algorithm>

#include "rewriter/list/uses.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/plan/arena.hpp"

namespace rewriter {

namespace {

constexpr Index kFewIterations = 3;            // with fewer a graph would run once at most
constexpr Index kMostStaged = Index{4} << 20;  // bytes, of which a copy costs about a launch

class Planner {
 public:
  Planner(const StatementList& list, int bytes_per_element, const HostNumbers& numbers)
      : list_(list),
        bytes_(bytes_per_element),
        numbers_(numbers),
        nesting_(loop_nesting(list)),
        names_(list),
        uses_(list),
        moves_(list.variables.size()) {
    plan_.staged.resize(list.statements.size());
    plan_.on_host.resize(list.statements.size());
  }

  ReplayPlan plan() && {
    for (std::size_t v = 0; v < list_.variables.size(); ++v)
      if (list_.variables[v].varying) moves_[v] = "its shape depends on a loop";
    for (std::size_t i = 0; i < list_.statements.size(); ++i) look_at_view(i);
    for (std::size_t i = 0; i < list_.statements.size(); ++i) look_at(i);
    end_region();
    return std::move(plan_);
  }

 private:
  // ---- loops ----

  /// How often the statement runs at least, where that is known; many times otherwise.
  Index iterations(std::size_t at) const {
    Index product = 1;
    bool repeats = false;
    for (std::size_t loop = nesting_.around[at]; loop != kNoStatement;
         loop = nesting_.around[loop]) {
      const ListLoop& range = list_.loops[list_.statements[loop].loop];
      if (range.form == LoopForm::If) continue;
      repeats = true;
      if (range.form != LoopForm::For || range.varies()) return kFewIterations;
      product = std::min(kFewIterations, product * static_cast<const Loop&>(range).count());
    }
    return repeats ? product : 0;
  }
  /// "i", or "i and j": the loops of terms.
  std::string loops_of(const ListTerms& terms) const {
    std::string text;
    for (const ListTerm& term : terms)
      text += (text.empty() ? "" : " and ") + names_.loop(term.loop);
    return text;
  }

  // ---- views ----

  void look_at_view(std::size_t at) {
    const Statement& s = list_.statements[at];
    if (!makes_view(s)) return;
    const Var from = s.operands[0].var;
    std::string& why = moves_[s.target];
    if (!moves_[from].empty()) {
      why = moves_[from];
    } else if (!s.terms.empty() || !s.stretch.empty()) {
      plan_.staged[at] = can_stage(at);
      if (!plan_.staged[at])
        why = "it depends on " + loops_of(s.terms.empty() ? s.stretch : s.terms);
    }
  }

  /// Whether the columns that the Slice shows may be copied at the beginning of their use.
  bool can_stage(std::size_t at) const {
    const Statement& s = list_.statements[at];
    const Var from = s.operands[0].var;
    const cudamat::Shape shape = list_.variables[s.target].shape;
    if (!s.stretch.empty() || list_.variables[s.target].varying || iterations(at) < kFewIterations)
      return false;
    const Index column = list_.variables[from].shape.rows * bytes_;
    if (shape.size() * bytes_ > kMostStaged) return false;
    const auto lies_apart = [&](Index columns) { return columns * column % kArenaAlignment != 0; };
    if (lies_apart(s.integers[0]) ||
        std::any_of(s.terms.begin(), s.terms.end(),
                    [&](const ListTerm& t) { return lies_apart(t.factor); }))
      return false;
    const auto begin = static_cast<Position>(nesting_.around[at]);
    const auto end = static_cast<Position>(nesting_.partner[nesting_.around[at]]);
    const std::vector<Position>& writes = uses_.of(from).writes;
    return std::none_of(writes.begin(), writes.end(),
                        [&](Position write) { return write > begin && write < end; });
  }

  // ---- statements ----

  /// Why a call cannot be in a region; empty if it can.
  std::string why_not(const Statement& s) const {
    using cudamat::Family;
    if (s.kind == Statement::Kind::Print) return "it prints";
    if (s.kind == Statement::Kind::Constant) return "it copies from the host";
    if (s.kind == Statement::Kind::Seed) return "it seeds the random numbers";
    if (s.kind == Statement::Kind::Custom) return "it is a custom operation";
    if (s.kind == Statement::Kind::Call) switch (cudamat::row(s.op).family) {
        case Family::Select:
          return "its indices are looked at on the host";
        case Family::Solver:
          return "it waits for what it finds in the matrix";
        default:
          break;
      }
    std::string why;
    for_each_terms(s, [&](const ListTerms& terms) {
      if (!terms.empty() && why.empty()) why = "it depends on " + loops_of(terms);
    });
    for_each_variable(s, [&](Var var) {
      if (why.empty() && !moves_[var].empty()) why = names_[var] + ": " + moves_[var];
    });
    return why;
  }

  void look_at(std::size_t at) {
    const Statement& s = list_.statements[at];
    if (s.kind == Statement::Kind::Loop || s.kind == Statement::Kind::End) return end_region();
    if (plan_.staged[at]) {
      end_region();
      return say(at, false,
                 print::statement_text(list_, s, names_) +
                     " is copied in each iteration to where it stays");
    }
    if (iterations(at) < kFewIterations) return end_region();
    plan_.on_host[at] = numbers_.stays(list_, at);
    if (plan_.on_host[at]) return;
    if (!computes(s) && s.kind != Statement::Kind::Print && s.kind != Statement::Kind::Constant &&
        s.kind != Statement::Kind::Seed)
      return;  // the host's alone
    std::string why = why_not(s);
    if (why.empty() && numbers_.any && numbers_.computes[at])
      why = "a number, which the host computes";
    if (!why.empty()) {
      end_region();
      return say(at, true, print::statement_text(list_, s, names_) + ", " + why);
    }
    if (region_.calls++ == 0) region_.first = at;
    region_.last = at + 1;
  }

  void end_region() {
    if (region_.calls > 1)
      plan_.regions.push_back(region_);
    else if (region_.calls == 1)
      say(region_.first, true,
          print::statement_text(list_, list_.statements[region_.first], names_) +
              ", alone between others that are not replayed");
    region_ = {};
  }

  void say(std::size_t at, bool refused, std::string text) {
    plan_.remarks.push_back({at, refused, std::move(text)});
  }

  const StatementList& list_;
  int bytes_;
  const HostNumbers& numbers_;
  LoopNesting nesting_;
  print::ListNames names_;
  Uses uses_;
  Table<std::string> moves_;  // by variable: why it is not the same in all iterations
  ReplayRegion region_;
  ReplayPlan plan_;
};

}  // namespace

ReplayPlan plan_replay(const StatementList& list, int bytes_per_element,
                       const HostNumbers& numbers) {
  return Planner(list, bytes_per_element, numbers).plan();
}

}  // namespace rewriter
