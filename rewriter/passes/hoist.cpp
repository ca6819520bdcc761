#include "rewriter/passes/hoist.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "rewriter/list/edit.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

/// What can leave one loop.
class Body {
 public:
  Body(const StatementList& list, const Liveness& live, int loop)
      : list_(list),
        live_(live),
        loop_(loop),
        begin_(static_cast<std::size_t>(body().begin)),
        end_(static_cast<std::size_t>(body().end)) {
    for (std::size_t i = begin_ + 1; i < end_; ++i) note(i);
    find_invariant();
  }

  [[nodiscard]] bool leaves_before(std::size_t at) const {
    const Statement& s = list_.statements[at];
    if (live_.loops().innermost[at] != loop_) return false;
    switch (s.kind) {
      case Kind::Empty:
        return !depends(s);
      case Kind::Constant:
        return invariant_.contains(s.target);
      case Kind::Call:
        return invariant_.contains(owner(list_, s.target));
      case Kind::Slice:
      case Kind::Reshape:
        return !stays_.contains(s.target);
      default:
        return false;
    }
  }
  /// Whether the call is the same in every iteration and stays, since the body writes over its
  /// result.
  [[nodiscard]] bool is_refused(std::size_t at) const {
    const Statement& s = list_.statements[at];
    if (s.kind != Kind::Call) return false;
    const Var memory = owner(list_, s.target);
    return overwritten_.contains(memory) && writes_.at(memory).front() == at && !varies(memory);
  }
  [[nodiscard]] bool leaves_after(std::size_t at) const {
    const Statement& s = list_.statements[at];
    return s.kind == Kind::Free && live_.loops().innermost[at] == loop_ &&
           !stays_.contains(s.target);
  }

 private:
  const LoopBody& body() const { return live_.loops().bodies[loop_]; }
  const ListLoop& loop() const { return list_.loops[list_.statements[begin_].loop]; }
  LoopForm form() const { return loop().form; }
  bool may_be_skipped() const { return loop().may_be_skipped(); }
  /// Whether it differs between iterations. Of a loop that may be skipped also what depends on
  /// another loop: where this one does not run, there may be no such part of a matrix.
  bool depends(const Statement& s) const {
    const int number = list_.statements[begin_].loop;
    const bool varies = list_.loops[number].varies();
    const auto in = [&](const ListTerms& terms) {
      return std::any_of(terms.begin(), terms.end(),
                         [&](const ListTerm& term) { return varies || term.loop == number; });
    };
    const auto of = [&](Var var) {
      if (var == kNoVar || !list_.variables[var].varying) return false;
      const Extents& extents = *list_.variables[var].varying;
      return in(extents.rows.terms) || in(extents.cols.terms);
    };
    return in(s.terms) || in(s.stretch) || of(s.target) ||
           std::any_of(s.operands.begin(), s.operands.end(),
                       [&](const Statement::Operand& operand) { return of(operand.var); });
  }

  void note(std::size_t at) {
    const Statement& s = list_.statements[at];
    if (computes(s) || s.kind == Kind::Constant)
      for (const Var target : targets_of(s)) writes_[owner(list_, target)].push_back(at);
    if (s.kind == Kind::Empty && depends(s)) stays_.insert(s.target);
    if (makes_view(s) && (depends(s) || stays_.contains(s.operands[0].var)))
      stays_.insert(s.target);
  }

  /// Whether all that the body writes to this memory can be written before it, as far as the memory
  /// itself goes.
  bool once(Var memory, const std::vector<std::size_t>& writes) {
    const auto& uses = live_.of(memory).uses;
    const auto from = [&](Position at) {
      return std::lower_bound(uses.begin(), uses.end(), at,
                              [](const Use& use, Position place) { return use.at < place; });
    };
    const auto first = from(body().begin + 1);
    const bool made_here = live_.block(live_.of(memory)) == loop_;
    if (!made_here && !first->whole) return false;
    if (static_cast<std::size_t>(first->at) != writes.front()) return false;
    for (const std::size_t at : writes) {
      const Statement& s = list_.statements[at];
      if (s.kind == Kind::Fused) return false;   // fused after what could leave has left
      if (s.kind == Kind::Custom) return false;  // which may do more than write its results
      if (live_.loops().innermost[at] != loop_ || depends(s)) return false;
      if (draws(s) || (s.kind == Kind::Call && stays_.contains(s.target))) return false;
      if (s.kind == Kind::Call && form() == LoopForm::If) return false;  // perhaps for nothing
      if (may_be_skipped() && may_raise(s)) return false;
      for (const auto& operand : s.operands)
        if (stays_.contains(operand.var)) return false;
    }
    const auto is_read = [](const Use& use) { return !use.writes; };
    if (!std::any_of(first, from(static_cast<Position>(writes.back())), is_read)) return true;
    overwritten_.insert(memory);
    return false;
  }

  void find_invariant() {
    for (const auto& [memory, writes] : writes_)
      if (once(memory, writes)) invariant_.insert(memory);
    drop_varying();
    for (const auto& [memory, writes] : writes_)
      if (list_.statements[writes.front()].kind == Kind::Constant && !invariant_.contains(memory))
        stays_.insert(memory);
    for (std::size_t i = begin_ + 1; i < end_; ++i) {
      const Statement& s = list_.statements[i];
      if (makes_view(s) && stays_.contains(owner(list_, s.target))) stays_.insert(s.target);
    }
  }
  bool varies(Var memory) const {
    bool any = false;
    each_source(memory, [&](Var of) { any = any || !invariant_.contains(of); });
    return any;
  }
  /// Calls f with each other memory that the body writes and computes this one's contents of.
  template <class F>
  void each_source(Var memory, const F& f) const {
    for (const std::size_t at : writes_.at(memory))
      for (const auto& operand : list_.statements[at].operands)
        if (const Var of = owner(list_, operand.var); of != memory && writes_.contains(of)) f(of);
  }
  /// What is computed of something that varies varies, too.
  void drop_varying() {
    std::unordered_map<Var, std::vector<Var>> made_of;
    std::vector<Var> left;
    for (const Var memory : invariant_) {
      each_source(memory, [&](Var of) { made_of[of].push_back(memory); });
      if (varies(memory)) left.push_back(memory);
    }
    while (!left.empty()) {
      const Var memory = left.back();
      left.pop_back();
      if (invariant_.erase(memory) == 0) continue;
      if (const auto found = made_of.find(memory); found != made_of.end())
        left.insert(left.end(), found->second.begin(), found->second.end());
    }
  }

  const StatementList& list_;
  const Liveness& live_;
  int loop_;
  std::size_t begin_;
  std::size_t end_;
  std::unordered_map<Var, std::vector<std::size_t>> writes_;  // by memory
  std::unordered_set<Var> stays_;        // views, constants and their memory that cannot leave
  std::unordered_set<Var> invariant_;    // memories that each iteration fills alike
  std::unordered_set<Var> overwritten_;  // memories that it fills alike, reads and writes over
};

class Hoist {
 public:
  explicit Hoist(const StatementList& list) : result_{list, {}} {}

  /// Inner loops first: what leaves them may leave the loop around them. What leaves a loop stays
  /// out of those beside it, so that all loops of one depth are looked at together.
  PassResult run() {
    const std::vector<std::vector<int>> depths = by_depth(loops_of(result_.list));
    for (auto loops = depths.rbegin(); loops != depths.rend(); ++loops) empty(*loops);
    number_anew(result_.list);
    return std::move(result_);
  }

 private:
  /// The loops by how many are around them, the last first.
  static std::vector<std::vector<int>> by_depth(const Loops& loops) {
    std::vector<std::vector<int>> result;
    Table<std::size_t> depth;
    for (const LoopBody& body : loops.bodies) {
      depth.push_back(body.around < 0 ? 0 : depth[body.around] + 1);
      if (depth.back() == result.size()) result.emplace_back();
      result[depth.back()].push_back(static_cast<int>(depth.size()) - 1);
    }
    for (std::vector<int>& each : result) std::reverse(each.begin(), each.end());
    return result;
  }

  void empty(const std::vector<int>& loops) {
    const StatementList as_it_was = result_.list;
    const Liveness live(as_it_was);
    for (const int loop : loops) empty(loop, Body(as_it_was, live, loop), live);
  }

  void empty(int number, const Body& body, const Liveness& live) {
    StatementList& list = result_.list;
    const LoopBody at = live.loops().bodies[number];
    std::vector<std::size_t> before, inside, after;
    for (auto i = static_cast<std::size_t>(at.begin); i <= static_cast<std::size_t>(at.end); ++i)
      (body.leaves_before(i) ? before : body.leaves_after(i) ? after : inside).push_back(i);
    for (const std::size_t i : before) tell(list.statements[i]);
    for (const std::size_t i : inside)
      if (body.is_refused(i)) refuse(list.statements[i]);
    std::vector<Statement> moved;
    for (const auto* part : {&before, &inside, &after})
      for (const std::size_t i : *part) moved.push_back(std::move(list.statements[i]));
    std::move(moved.begin(), moved.end(), list.statements.begin() + at.begin);
  }

  /// Of a definition once, however many loops it leaves.
  void tell(const Statement& s) {
    if (s.kind != Kind::Call && !told_.insert(s.target).second) return;
    const std::string& name = name_of(result_.list, s.target);
    std::string text = s.kind == Kind::Empty ? fmt::format("{} is allocated before the loop", name)
                       : s.kind == Kind::Call
                           ? fmt::format("{} into {}: the same in every iteration, computed once",
                                         cudamat::name(s.op), name)
                           : fmt::format("{} is made before the loop", name);
    result_.remarks.push_back({Remark::Kind::Made, s.where, std::move(text)});
  }

  void refuse(const Statement& s) {
    result_.remarks.push_back(
        {Remark::Kind::Refused, s.where,
         fmt::format("{} into {} stays in the loop, whose body writes over the result",
                     cudamat::name(s.op), name_of(result_.list, s.target))});
  }

  PassResult result_;
  std::unordered_set<Var> told_;
};

}  // namespace

PassResult hoist(const StatementList& list, const PassOptions& /*options*/) {
  return Hoist(list).run();
}

}  // namespace rewriter
