#include "rewriter/passes/dead.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "rewriter/list/edit.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class Dead {
 public:
  explicit Dead(const StatementList& list)
      : result_{list, {}},
        list_(result_.list),
        live_(list),
        needed_(list.statements.size(), false),
        read_(list.statements.size(), false),
        wanted_(list.variables.size(), false),
        carried_(live_.loops().bodies.size()),
        conditions_(conditions_around(list)) {
    for (std::size_t i = 0; i < carried_.size(); ++i) {
      begins_[live_.loops().bodies[i].begin] = i;
      ends_[live_.loops().bodies[i].end] = i;
    }
  }

  PassResult run() {
    while (sweep()) {
    }
    keep_definitions();
    std::vector<bool> unneeded(needed_.size());
    for (std::size_t i = 0; i < needed_.size(); ++i) unneeded[i] = !needed_[i];
    tell();
    remove_marked(list_, unneeded);
    free_after_last_use(list_);
    number_anew(list_);
    return std::move(result_);
  }

 private:
  auto wanted(Var var) { return wanted_[owner(list_, var)]; }

  /// Marks the calls that are needed, from the last to the first. True if a loop turned out to need
  /// something of its last iteration that was not known to be needed: sweep again.
  bool sweep() {
    needed_.assign(needed_.size(), false);
    wanted_.assign(wanted_.size(), false);
    draws_later_ = false;
    for (const Binding& output : list_.outputs) wanted(output.var) = true;
    bool again = false;
    for (std::size_t i = list_.statements.size(); i-- > 0;) {
      const Statement& s = list_.statements[i];
      if (const auto end = ends_.find(i); end != ends_.end()) enter(carried_[end->second]);
      if (const auto begin = begins_.find(i); begin != begins_.end())
        again = leave(carried_[begin->second]) || again;
      if (s.kind == Kind::Seed) {
        needed_[i] = draws_later_;
        if (conditions_[i] == 0) draws_later_ = false;  // else the draws before it may count
      } else if (s.kind == Kind::Call || s.kind == Kind::Fused) {
        const std::span<const Var> targets = targets_of(s);
        read_[i] =
            std::any_of(targets.begin(), targets.end(), [&](Var target) { return wanted(target); });
        needed_[i] = read_[i] || (draws(s) && draws_later_) || raises(s);
        if (needed_[i]) need(i, s);
        draws_later_ = draws_later_ || (draws(s) && needed_[i]);
      } else if (s.kind == Kind::Custom) {  // whatever else it does
        needed_[i] = true;
        need(i, s);
      } else if (s.kind == Kind::Print) {
        needed_[i] = true;
        for (const auto& operand : s.operands) wanted(operand.var) = true;
      } else if (s.kind == Kind::Loop || s.kind == Kind::End) {
        needed_[i] = true;  // empty ones go in the end
        for (const auto& operand : s.operands) wanted(operand.var) = true;
      }
    }
    return again;
  }

  /// Whether it may raise an error, but for places that the list writes out or sorts.
  bool raises(const Statement& s) const {
    if (!may_raise(s)) return false;
    if (cudamat::row(s.op).family != cudamat::Family::Select) return true;
    const bool gets = s.op == Op::select_columns;
    const Var of = gets ? s.operands[0].var : s.target;
    const Var index = owner(list_, s.operands[gets ? 1 : 0].var);
    const auto& writes = live_.of(index).writes;
    if (writes.size() != 1 || list_.variables[of].varying) return true;
    const Statement& made = list_.statements[static_cast<std::size_t>(writes[0])];
    const Index cols = list_.variables[of].shape.cols;
    if (made.kind == Kind::Call && made.op == Op::argsort)
      return list_.variables[made.target].varying || list_.variables[made.target].shape.rows > cols;
    if (made.kind != Kind::Constant) return true;
    const auto extent = static_cast<double>(cols);
    return std::visit(
        [&](const auto& array) {
          return std::any_of(array.data.begin(), array.data.end(), [&](auto x) {
            return !(static_cast<double>(x) >= -extent && static_cast<double>(x) < extent);
          });
        },
        *made.data);
  }

  /// What an iteration needs of the one before it.
  struct Carried {
    std::vector<bool> wanted;
    bool draws = false;
  };
  void enter(const Carried& carried) {
    draws_later_ = draws_later_ || carried.draws;
    for (std::size_t var = 0; var < carried.wanted.size(); ++var)
      if (carried.wanted[var]) wanted_[var] = true;
  }
  bool leave(Carried& carried) {
    Carried now{wanted_, draws_later_};
    const bool changed = now.draws != carried.draws || now.wanted != carried.wanted;
    carried = std::move(now);
    return changed;
  }

  void need(std::size_t at, const Statement& call) {
    const std::span<const Var> targets = targets_of(call);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (live_.use_from(targets[i], static_cast<Position>(at))->whole) wanted(targets[i]) = false;
      if (reads_target(call, i)) wanted(targets[i]) = true;
    }
    for (const auto& operand : call.operands) wanted(operand.var) = true;
  }

  /// The definitions of variables that needed statements mention, and the frees of memory that is
  /// kept.
  void keep_definitions() {
    Table<bool> mentioned(list_.variables.size(), false);
    const auto mention = [&](Var var) {
      mentioned[var] = true;
      mentioned[owner(list_, var)] = true;
    };
    for (const Binding& output : list_.outputs) mention(output.var);
    for (std::size_t i = list_.statements.size(); i-- > 0;) {
      const Statement& s = list_.statements[i];
      if (defines(s)) needed_[i] = mentioned[s.target];
      if (!needed_[i]) continue;
      for_each_variable(s, mention);
    }
    for (std::size_t i = 0; i < needed_.size(); ++i)
      if (list_.statements[i].kind == Kind::Free)
        needed_[i] = mentioned[list_.statements[i].target];
  }

  void tell() {
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      const Statement& s = list_.statements[i];
      if (needed_[i] && !read_[i] && (draws(s) || may_raise(s)))
        say(Remark::Kind::Refused, s,
            fmt::format(
                "{}, which nothing reads, stays: {}", what(s),
                draws(s) ? "later draws would get other numbers" : "it may raise an error"));
      if (needed_[i]) continue;
      if (s.kind == Kind::Call || s.kind == Kind::Fused)
        say(Remark::Kind::Made, s, what(s) + ": nothing reads it");
      else if (s.kind == Kind::Seed)
        say(Remark::Kind::Made, s, "a seed: no random numbers are drawn after it");
      else if (s.kind == Kind::Constant)
        say(Remark::Kind::Made, s,
            fmt::format("the constant {}: nothing reads it", name_of(list_, s.target)));
      else if (s.kind != Kind::Free)
        say(Remark::Kind::Made, s, fmt::format("{}: nothing uses it", name_of(list_, s.target)));
    }
  }
  /// "exp into t1".
  std::string what(const Statement& s) const {
    return fmt::format("{} into {}",
                       s.kind == Kind::Fused ? "a fused statement" : cudamat::name(s.op),
                       name_of(list_, targets_of(s)[0]));
  }
  void say(Remark::Kind kind, const Statement& s, std::string text) {
    result_.remarks.push_back({kind, s.where, std::move(text)});
  }

  PassResult result_;
  StatementList& list_;
  Liveness live_;
  std::vector<bool> needed_;  // by statement
  std::vector<bool> read_;    // by statement: whether what a call writes is needed
  Table<bool> wanted_;        // by memory: whether what it holds at this point is needed
  bool draws_later_ = false;
  std::vector<Carried> carried_;                         // by loop
  std::vector<int> conditions_;                          // around each statement
  std::unordered_map<std::size_t, std::size_t> begins_;  // position to loop
  std::unordered_map<std::size_t, std::size_t> ends_;
};

}  // namespace

PassResult dead(const StatementList& list, const PassOptions& /*options*/) {
  PassResult result = Dead(list).run();
  // A body that is empty takes its condition along, and what computed that.
  for (std::size_t size = list.statements.size(); result.list.statements.size() < size;) {
    if (result.list.loops.size() == list.loops.size()) break;
    size = result.list.statements.size();
    PassResult again = Dead(result.list).run();
    std::move(again.remarks.begin(), again.remarks.end(), std::back_inserter(result.remarks));
    result.list = std::move(again.list);
  }
  return result;
}

}  // namespace rewriter
