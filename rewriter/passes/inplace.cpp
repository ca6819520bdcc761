#include "rewriter/passes/inplace.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "rewriter/list/edit.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

class InPlace {
 public:
  InPlace(const StatementList& list, const PassOptions& options)
      : options_(options),
        result_{list, {}},
        list_(result_.list),
        live_(list),
        instead_(list.variables.size(), kNoVar),
        state_(list.variables.size()),
        gone_(list.statements.size(), false),
        block_of_(list.variables.size(), -1) {
    for (std::size_t at = 0; at < list.statements.size(); ++at)
      if (defines(list.statements[at]))
        block_of_[list.statements[at].target] = live_.loops().innermost[at];
    for (std::size_t var = 0; var < state_.size(); ++var) {
      const Liveness::Memory& memory = live_.of(static_cast<Var>(var));
      const auto& lives = live_.lives(static_cast<Var>(var));
      state_[var] = {memory.last_use(), lives.empty() ? memory.made : lives.back().last,
                     memory.is_output, memory.freed};
    }
  }

  PassResult run() {
    for (std::size_t i = 0; i < list_.statements.size(); ++i)
      for (std::size_t t = 0; t < targets_of(list_.statements[i]).size(); ++t)
        if (writes_first(i, t)) consider(i, targets_of(list_.statements[i])[t]);
    replace();
    remove_marked(list_, gone_);
    put_views_behind_what_they_show();
    free_after_last_use(list_);  // views that nothing reads may stand after the last call
    number_anew(list_);
    return std::move(result_);
  }

 private:
  /// Of a memory, with all that was put into it so far.
  struct State {
    Position last_use = kNowhere;
    Position life_end = kNowhere;
    bool is_output = false;
    Position freed = kNowhere;
  };

  Var now(Var var) const {
    while (instead_[var] != kNoVar) var = instead_[var];
    return var;
  }
  /// The variable that owns what `var` shows, after the replacements so far.
  Var memory_of(Var var) const {
    Var of = owner(list_, now(var));
    while (instead_[of] != kNoVar) of = owner(list_, now(of));
    return of;
  }
  State& state(Var memory) { return state_[memory]; }

  /// Whether the statement is an element-wise one, and the first to write to the target, a matrix
  /// of its own.
  bool writes_first(std::size_t at, std::size_t i) const {
    const Statement& s = list_.statements[at];
    const Var target = targets_of(s)[i];
    const bool may = s.kind == Kind::Fused
                         ? s.fused->targets[i].is_stored()
                         : s.kind == Kind::Call && cudamat::row(s.op).has(cudamat::kInPlace);
    if (!may) return false;
    const Liveness::Memory& memory = live_.of(target);
    return owner(list_, target) == target && memory.made >= 0 &&
           memory.uses.front().at == static_cast<Position>(at) && memory.uses.front().whole;
  }

  void consider(std::size_t at, Var target) {
    const Statement& s = list_.statements[at];
    std::string reasons;
    for (std::size_t i = 0; i < s.operands.size(); ++i) {
      const Var operand = s.operands[i].var;
      if (!same_shape(list_, operand, target) || !is_whole(s, i)) continue;
      const std::string reason = against(at, now(operand), target);
      if (reason.empty()) return write_over(at, now(operand), target);
      if (reasons.find(reason) == std::string::npos)
        reasons += (reasons.empty() ? "" : ", and ") + reason;
    }
    if (!reasons.empty())
      say(Remark::Kind::Refused, at,
          fmt::format("{} gets a matrix of its own: {}", name_of(list_, target), reasons));
  }
  /// Whether the statement reads operand i element by element, as it writes.
  static bool is_whole(const Statement& s, std::size_t i) {
    return s.kind != Kind::Fused ||
           (s.fused->inputs[i] == cudamat::Spread::Whole && rows_of(s, i) == nullptr);
  }

  /// Why the call cannot write over `a`; empty if it can.
  std::string against(std::size_t at, Var a, Var target) {
    const Statement& s = list_.statements[at];
    const Var memory = memory_of(a);
    const State& of = state(memory);
    const std::string& name = name_of(list_, a);
    if (live_.of(memory).is_input && !options_.may_overwrite_inputs) return name + " is an input";
    if (of.is_output) return name + " is an output";
    if (!shows_all(list_, a, memory))
      return fmt::format("{} is a part of {}", name, name_of(list_, memory));
    if (of.last_use > static_cast<Position>(at)) return name + " is used again";
    if (of.life_end > static_cast<Position>(at)) return name + " is used by the next iteration";
    if (live_.block(live_.of(memory)) != live_.block(live_.of(target)) ||
        block_of_[a] != live_.block(live_.of(target)))
      return name + " is made in another loop";
    for (const Var other : targets_of(s))
      if (other != target && memory_of(other) == memory)
        return fmt::format("{} is written over by {}", name, name_of(list_, other));
    for (std::size_t i = 0; i < s.operands.size(); ++i)
      if (memory_of(s.operands[i].var) == memory &&
          !(shows_all(list_, s.operands[i].var, memory) && is_whole(s, i)))
        return fmt::format("{} is read in part, too", name);
    return "";
  }

  void write_over(std::size_t at, Var a, Var t) {
    const Statement& s = list_.statements[at];
    const Var memory = memory_of(a);
    const std::string had = name_of(list_, a);
    const bool copies = s.kind == Kind::Call && s.op == Op::assign;
    say(Remark::Kind::Made, at,
        copies
            ? fmt::format("{} is {}, which is not used again: no copy", name_of(list_, t), had)
            : fmt::format("{} is written over {}, whose last use this is", name_of(list_, t), had));
    const bool is_input = live_.of(memory).is_input;
    if (!is_input) {
      std::string name = better_name(list_, a, t);
      list_.variables[t].name = had;
      list_.variables[a].name = std::move(name);
    }
    instead_[t] = a;
    gone_[at] = copies;
    gone_[live_.of(t).made] = true;
    // The memory ends where t would have; an input's does not.
    if (const Position freed = is_input ? state(t).freed : state(memory).freed; freed >= 0)
      gone_[freed] = true;
    state(memory) = state(t);
    if (is_input) state(memory).freed = kNowhere;
  }

  void replace() {
    const auto owner_now = [&](Var var) { return memory_of(var); };
    Table<Var> owners(list_.variables.size());
    for (std::size_t var = 0; var < owners.size(); ++var)
      owners[var] = owner_now(static_cast<Var>(var));
    for (std::size_t var = 0; var < owners.size(); ++var)
      if (list_.variables[var].view_of != kNoVar) list_.variables[var].view_of = owners[var];
    for (Statement& s : list_.statements) {
      if (s.kind == Kind::Free)
        s.target = owners[s.target];
      else
        for_each_variable(s, [&](Var& var) { var = now(var); });
    }
    for (Binding& output : list_.outputs) output.var = now(output.var);
  }

  /// Views of a matrix that now represents another, which is made later, follow it.
  void put_views_behind_what_they_show() {
    Table<bool> made(list_.variables.size(), false);
    for (const Binding& input : list_.inputs) made[input.var] = true;
    Table<std::vector<Statement>> waiting(list_.variables.size());  // for a variable
    std::vector<Statement> statements;
    const auto put = [&](auto&& self, Statement s) -> void {
      if (makes_view(s) && !made[s.operands[0].var])
        return waiting[s.operands[0].var].push_back(std::move(s));
      const Var made_now = defines(s) ? s.target : kNoVar;
      statements.push_back(std::move(s));
      if (made_now == kNoVar) return;
      made[made_now] = true;
      for (Statement& view : std::exchange(waiting[made_now], {})) self(self, std::move(view));
    };
    for (Statement& s : list_.statements) put(put, std::move(s));
    list_.statements = std::move(statements);
  }

  void say(Remark::Kind kind, std::size_t at, std::string text) {
    result_.remarks.push_back({kind, list_.statements[at].where, std::move(text)});
  }

  const PassOptions& options_;
  PassResult result_;
  StatementList& list_;
  Liveness live_;
  Table<Var> instead_;   // by variable: what takes its place
  Table<State> state_;   // by memory
  Table<bool> gone_;     // by statement
  Table<int> block_of_;  // by variable: the loop in which it is defined
};

/// A matrix that is copied, worked on and copied back (w.assign(v), ..., v.assign(w)), as what a
/// condition in a loop may change is: nothing sees v in between, and nothing w elsewhere, so that
/// the work is done on v.
class RoundTrips {
 public:
  explicit RoundTrips(const StatementList& list)
      : result_{list, {}}, list_(result_.list), live_(list), gone_(list.statements.size(), false) {}

  PassResult run() {
    for (std::size_t back = 0; back < gone_.size(); ++back)
      if (const auto [v, w] = copy(back); v != kNoVar) consider(v, w, back);
    if (result_.remarks.empty()) return std::move(result_);
    remove_marked(list_, gone_);
    number_anew(list_);
    return std::move(result_);
  }

 private:
  /// The target and the source of a copy of one whole matrix to another.
  [[nodiscard]] std::pair<Var, Var> copy(std::size_t at) const {
    const Statement& s = list_.statements[at];
    if (gone_[at] || s.kind != Kind::Call || s.op != Op::assign || s.operands.size() != 1)
      return {kNoVar, kNoVar};
    const Var from = s.operands[0].var;
    const auto is_whole = [this](Var var) {
      return owner(list_, var) == var && !list_.variables[var].varying;
    };
    if (!is_whole(s.target) || !is_whole(from) || !same_shape(list_, s.target, from))
      return {kNoVar, kNoVar};
    return {s.target, from};
  }

  void consider(Var v, Var w, std::size_t back) {
    const Liveness::Memory& work = live_.of(w);
    const Position first = work.first_mention();
    if (work.is_input || work.is_output || work.made < 0 || taken_.contains(v) ||
        taken_.contains(w) || first < 0 || work.last_mention() != static_cast<Position>(back))
      return;
    const auto& block = live_.loops().innermost;
    if (copy(static_cast<std::size_t>(first)) != std::pair{w, v} || block[first] != block[back] ||
        live_.of(v).next_mention(first) != static_cast<Position>(back))
      return;
    taken_.insert({v, w});
    result_.remarks.push_back({Remark::Kind::Made, list_.statements[back].where,
                               fmt::format("{} is updated in place: no copy to {} and back",
                                           name_of(list_, v), name_of(list_, w))});
    for (const Position at : {first, static_cast<Position>(back), work.made, work.freed})
      if (at >= 0) gone_[at] = true;
    for (Statement& s : list_.statements)
      for_each_variable(s, [&](Var& var) { var = var == w ? v : var; });
    for (Variable& variable : list_.variables)
      if (variable.view_of == w) variable.view_of = v;
  }

  PassResult result_;
  StatementList& list_;
  Liveness live_;
  Table<bool> gone_;     // by statement
  std::set<Var> taken_;  // whose uses have changed
};

}  // namespace

PassResult inplace(const StatementList& list, const PassOptions& options) {
  PassResult result = InPlace(list, options).run();
  for (;;) {  // what one leaves may be for the other
    PassResult joined = RoundTrips(result.list).run();
    if (joined.remarks.empty()) return result;
    PassResult again = InPlace(joined.list, options).run();
    result.list = std::move(again.list);
    for (PassResult* const more : {&joined, &again})
      for (Remark& remark : more->remarks)
        if (remark.kind == Remark::Kind::Made) result.remarks.push_back(std::move(remark));
  }
}

}  // namespace rewriter
