#include "rewriter/passes/exchange.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

#include "rewriter/passes/loop_copies.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;

constexpr Index kLongestPeriod = 6;           // iterations
constexpr std::size_t kMostStatements = 500;  // that take the place of a loop

/// The copies at the end of a body.
struct Exchange {
  std::size_t begin = 0;     ///< of them
  std::map<Var, Var> value;  ///< by matrix: whose value it has after them
  Index period = 1;          ///< after so many iterations each has its own

  [[nodiscard]] bool is_there() const { return period > 1; }
};

class Exchanging : public LoopCopies {
 public:
  using LoopCopies::LoopCopies;

  [[nodiscard]] bool changes() const { return changes_; }

 private:
  std::size_t write_loop(std::size_t at) override {
    const Statement& s = list().statements[at];
    const std::size_t end = end_of(at);
    const ListLoop range = folded(list().loops[s.loop]);
    const Exchange copies = exchange_before(at, end);
    const std::string reason = copies.is_there() ? against(copies, range, at, end) : "";
    if (copies.is_there() && reason.empty()) {
      write_without(copies, range, at);
      return end;
    }
    if (copies.is_there())
      say(Remark::Kind::Refused, s,
          fmt::format("the loop over {} copies what it exchanges: {}", range.name, reason));
    keep_loop(at, range, [&] { write(at + 1, end); });
    return end;
  }

  // ---- what is exchanged

  /// A copy of a matrix with memory of its own, or memory for one.
  bool is_part(const Statement& s) const {
    if (s.kind == Kind::Empty || s.kind == Kind::Free) return true;
    return s.kind == Kind::Call && s.op == Op::assign && s.operands.size() == 1 &&
           !s.operands[0].transposed && owns(s.target) && owns(s.operands[0].var) &&
           same_shape(list(), s.target, s.operands[0].var);
  }
  bool owns(Var var) const { return list().variables[var].view_of == kNoVar; }

  /// The longest run of copies before `end` that only exchange.
  Exchange exchange_before(std::size_t at, std::size_t end) const {
    std::size_t begin = end;
    while (begin > at + 1 && is_part(list().statements[begin - 1])) --begin;
    for (; begin < end; ++begin) {
      Exchange found = exchange_in(begin, end);
      if (found.is_there()) return found;
    }
    return {};
  }

  Exchange exchange_in(std::size_t begin, std::size_t end) const {
    std::map<Var, Var> value;
    std::set<Var> made;
    for (std::size_t i = begin; i < end; ++i) {
      const Statement& s = list().statements[i];
      if (s.kind == Kind::Empty) made.insert(s.target);
      if (s.kind == Kind::Free && made.erase(s.target) == 0) return {};
      if (s.kind != Kind::Call) continue;
      const Var from = s.operands[0].var;
      const auto known = value.find(from);
      value[s.target] = known == value.end() ? from : known->second;
    }
    for (std::size_t i = begin; i < end; ++i)
      if (list().statements[i].kind == Kind::Empty) value.erase(list().statements[i].target);
    return {begin, value, period_of(value)};
  }

  /// After how many times every matrix has its own value again; 1 if that is never.
  static Index period_of(const std::map<Var, Var>& value) {
    std::set<Var> values;
    for (const auto& [var, from] : value) values.insert(from);
    for (const auto& [var, from] : value)
      if (!values.contains(var)) return 1;
    Index period = 1;
    for (const auto& [var, from] : value) {
      Index length = 1;
      for (Var at = from; at != var; ++length) at = value.at(at);
      period = std::lcm(period, length);
    }
    return period;
  }

  // ---- what is in the way

  std::string against(const Exchange& copies, const ListLoop& range, std::size_t at,
                      std::size_t end) const {
    if (range.has_condition()) return "it has a condition";
    if (range.varies()) return "its range depends on other loops";
    const Index count = range.Loop::count();
    if (copies.period > kLongestPeriod)
      return fmt::format("{} iterations bring them back, and at most {} are unrolled",
                         copies.period, kLongestPeriod);
    if (count < copies.period)
      return fmt::format("it has {} of the {} iterations that bring them back", count,
                         copies.period);
    const auto iterations = static_cast<std::size_t>(copies.period + count % copies.period);
    if (iterations * (end - at) > kMostStatements)
      return fmt::format("there would be more than {} statements", kMostStatements);
    std::set<Var> views;
    for (std::size_t i = at + 1; i < end; ++i) {
      const Statement& s = list().statements[i];
      if (makes_view(s)) views.insert(s.target);
    }
    for (std::size_t i = at + 1; i < end; ++i) {
      std::string through;
      for_each_variable(list().statements[i], [&](Var var) {
        if (!owns(var) && !views.contains(var) && copies.value.contains(owner(list(), var)))
          through = list().variables[var].name;
      });
      if (!through.empty())
        return fmt::format("{} is a view of one of them from outside the loop", through);
    }
    return "";
  }

  // ---- without copies

  void write_without(const Exchange& copies, const ListLoop& range, std::size_t at) {
    const Statement& s = list().statements[at];
    const std::size_t end = end_of(at);
    const Index count = range.Loop::count();
    const Index left = count % copies.period;
    const Index step = range.step;
    std::map<Var, Var> own;  // where each is between whole periods
    for (const auto& [var, from] : copies.value) own[var] = variable_of(var);
    ListLoop whole = range;
    whole.step = copies.period * step;
    whole.stop = range.start + (count - left) * step;
    const auto one = [&](ListInteger variable, bool is_first) {
      set_variable(s.loop, std::move(variable));
      if (!is_first) rename(at + 1, copies.begin);
      write(at + 1, copies.begin);
      exchange(copies);
    };
    const auto period = [&] {
      for (Index i = 0; i < copies.period; ++i) one({i * step, {{loop_of(s.loop), 1}}}, i == 0);
      reset_variable(s.loop);
    };
    if (copies.begin > at + 1) keep_loop(at, whole, period);
    for (Index i = 0; i < left; ++i) one({whole.stop + i * step, {}}, false);
    reset_variable(s.loop);
    for (const auto& [var, to] : own) variable_of(var) = to;
    for (Index i = 0; i < left; ++i) {
      if (i > 0) rename(copies.begin, end);
      write(copies.begin, end);
    }
    changes_ = true;
    std::string names;
    for (const auto& [var, from] : copies.value)
      names += (names.empty() ? "" : ", ") + list().variables[var].name;
    say(Remark::Kind::Made, s,
        fmt::format("the loop over {} exchanges {} without copies: {} iterations are one",
                    range.name, names, copies.period));
  }

  /// The names are others' from here on.
  void exchange(const Exchange& copies) {
    std::map<Var, Var> now;
    for (const auto& [var, from] : copies.value) now[var] = variable_of(from);
    for (const auto& [var, to] : now) variable_of(var) = to;
  }

  bool changes_ = false;
};

}  // namespace

PassResult exchange(const StatementList& list, const PassOptions& /*options*/) {
  PassResult result{list, {}};
  for (bool changes = true; changes;) {  // the copies that are left may be those of a loop around
    Exchanging exchanging(result.list);
    PassResult once = exchanging.run();
    changes = exchanging.changes();
    if (!changes && !result.remarks.empty()) break;
    result.remarks.insert(result.remarks.end(), once.remarks.begin(), once.remarks.end());
    if (changes) result.list = std::move(once.list);
  }
  return result;
}

}  // namespace rewriter
