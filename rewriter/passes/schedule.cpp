#include "rewriter/passes/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <unordered_set>
#include <utility>

#include "rewriter/list/cost.hpp"
#include "rewriter/listing/print_text.hpp"

namespace rewriter {

using SKind = Statement::Kind;

Schedule::Schedule(const StatementList& list, const Liveness& live, std::size_t begin,
                   std::size_t end)
    : list_(list), begin_(begin), end_(end) {
  note_definitions();
  find_units();
  note_lives(live);
  for (std::size_t unit = 0; unit < units_.size(); ++unit) connect(unit);
}

std::size_t Schedule::memory_of(Var var) {
  const Var of = owner(list_, var);
  const auto [found, fresh] = memory_index_.try_emplace(of, memories_.size());
  if (fresh) memories_.emplace_back().size = elements(list_, of);
  return found->second;
}

void Schedule::note_definitions() {
  for (std::size_t i = begin_; i < end_; ++i) {
    const Statement& s = list_.statements[i];
    if (defines(s)) defined_[s.target] = i;
    if (makes_memory(s)) memories_[memory_of(s.target)].made_here = true;
    if (s.kind == SKind::Free)
      memories_[memory_of(s.target)].freed = static_cast<std::ptrdiff_t>(i);
  }
}

void Schedule::find_units() {
  std::unordered_set<Var> needed;
  for (std::size_t i = end_; i-- > begin_;) {
    const Statement& s = list_.statements[i];
    if (s.kind == SKind::Free || (defines(s) && !needed.contains(s.target))) continue;
    for (const auto& operand : s.operands) needed.insert({operand.var, owner(list_, operand.var)});
    if (defines(s)) continue;
    for (const Var target : targets_of(s)) needed.insert({target, owner(list_, target)});
  }
  for (std::size_t i = begin_; i < end_; ++i) {
    const Statement& s = list_.statements[i];
    if (s.kind == SKind::Free || (defines(s) && needed.contains(s.target))) continue;
    Unit& unit = units_.emplace_back();
    unit.at = i;
    std::vector<std::size_t> all;
    for_each_variable(s, [&](Var var) { all.push_back(memory_of(var)); });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::size_t memory : all) memories_[memory].units.push_back(units_.size() - 1);
    unit.memories = std::move(all);
  }
}

void Schedule::note_lives(const Liveness& live) {
  for (const auto& [var, number] : memory_index_) {
    const Liveness::Memory& all = live.of(var);
    const auto& lives = live.lives(var);
    Memory& memory = memories_[number];
    if (memory.made_here || memory.freed >= 0 || memory.units.empty() || all.is_input) continue;
    const auto first = static_cast<Position>(units_[memory.units.front()].at);
    const auto last = static_cast<Position>(units_[memory.units.back()].at);
    const Use* const begin = live.use_from(var, first);  // none: only views show it
    memory.lives_here = begin != nullptr && begin->whole &&
                        std::any_of(lives.begin(), lives.end(),
                                    [&](const Liveness::Span& life) { return life.last == last; });
  }
}

void Schedule::depend(std::size_t before, std::size_t after) {
  if (before == after) return;
  units_[before].after.push_back(after);
  units_[after].before.push_back(before);
}

void Schedule::connect(std::size_t unit) {
  const Statement& s = list_.statements[units_[unit].at];
  if (s.kind == SKind::Seed || draws(s)) {
    if (last_draw_ >= 0) depend(static_cast<std::size_t>(last_draw_), unit);
    last_draw_ = static_cast<std::ptrdiff_t>(unit);
  }
  if (s.kind != SKind::Call && s.kind != SKind::Fused) return;
  for (const auto& operand : s.operands) {
    Memory& memory = memories_[memory_of(operand.var)];
    if (memory.last_write >= 0) depend(static_cast<std::size_t>(memory.last_write), unit);
    memory.reads.push_back(unit);
  }
  for (const Var target : targets_of(s)) {
    Memory& memory = memories_[memory_of(target)];
    if (memory.last_write >= 0) depend(static_cast<std::size_t>(memory.last_write), unit);
    for (const std::size_t reader : memory.reads) depend(reader, unit);
    memory.last_write = static_cast<std::ptrdiff_t>(unit);
    memory.reads.clear();
  }
}

/// One choice after the other. Backwards, memory grows where it is freed and shrinks where it is
/// made.
class Schedule::Greedy {
 public:
  Greedy(const Schedule& schedule, bool backwards)
      : s_(schedule),
        backwards_(backwards),
        waits_for_(s_.units_.size()),
        done_(s_.units_.size(), false),
        touched_(s_.memories_.size(), false),
        pending_(s_.memories_.size()) {
    for (std::size_t m = 0; m < pending_.size(); ++m) pending_[m] = s_.memories_[m].units.size();
    for (std::size_t u = 0; u < waits_for_.size(); ++u) {
      waits_for_[u] = before(u).size();
      if (waits_for_[u] == 0) push(u);
    }
  }

  std::vector<std::size_t> run() {
    std::vector<std::size_t> order;
    while (!ready_.empty()) {
      const auto [cost, rank] = ready_.top();
      ready_.pop();
      const std::size_t unit = backwards_ ? done_.size() - 1 - rank : rank;
      if (done_[unit] || growth(unit) != cost) continue;
      take(unit);
      order.push_back(unit);
    }
    if (backwards_) std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  const std::vector<std::size_t>& before(std::size_t unit) const {
    return backwards_ ? s_.units_[unit].after : s_.units_[unit].before;
  }
  const std::vector<std::size_t>& after(std::size_t unit) const {
    return backwards_ ? s_.units_[unit].before : s_.units_[unit].after;
  }

  /// By how much the memory in use grows if the unit comes next.
  Index growth(std::size_t unit) const {
    Index sum = 0;
    for (const std::size_t m : s_.units_[unit].memories) {
      const Memory& memory = s_.memories_[m];
      bool made = memory.made_here || memory.lives_here;
      bool freed = memory.freed >= 0 || memory.lives_here;
      if (backwards_) std::swap(made, freed);
      if (made && !touched_[m]) sum += memory.size;
      if (freed && pending_[m] == 1) sum -= memory.size;
    }
    return sum;
  }
  void push(std::size_t unit) {
    ready_.push({growth(unit), backwards_ ? done_.size() - 1 - unit : unit});
  }

  void take(std::size_t unit) {
    done_[unit] = true;
    for (const std::size_t m : s_.units_[unit].memories) {
      const bool first = !touched_[m];
      touched_[m] = true;
      if (--pending_[m] == 1 || first)
        for (const std::size_t other : s_.memories_[m].units)
          if (!done_[other] && waits_for_[other] == 0) push(other);
    }
    for (const std::size_t other : after(unit))
      if (--waits_for_[other] == 0) push(other);
  }

  const Schedule& s_;
  bool backwards_;
  std::vector<std::size_t> waits_for_;  // by unit: how many
  std::vector<bool> done_;
  std::vector<bool> touched_;         // by memory
  std::vector<std::size_t> pending_;  // by memory: units that are still to come
  using Entry = std::pair<Index, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
};

std::vector<std::size_t> Schedule::greedy(bool backwards) const {
  return Greedy(*this, backwards).run();
}

/// Calls in an order, with what they need around them.
class Schedule::Writer {
 public:
  explicit Writer(const Schedule& schedule) : s_(schedule), pending_(s_.memories_.size()) {
    for (std::size_t m = 0; m < pending_.size(); ++m) pending_[m] = s_.memories_[m].units.size();
  }

  /// How much is in use while the unit runs, if it comes next.
  [[nodiscard]] Index needs(const Unit& unit) const {
    Index sum = in_use_;
    for (const std::size_t m : unit.memories) {
      const Memory& memory = s_.memories_[m];
      const bool made = memory.made_here || memory.lives_here;
      if (made && pending_[m] == memory.units.size()) sum += memory.size;
    }
    return sum;
  }

  void write(const Unit& unit) {
    const Statement& s = s_.list_.statements[unit.at];
    for_each_variable(s, [this](Var var) { define_first(var); });
    begin(unit);
    if (!written_.contains(unit.at)) add(unit.at);
    end(unit);
    for (const std::size_t m : unit.memories) free_if_done(m);
  }
  /// The statements as they are.
  void write_literally() {
    std::size_t next = 0;
    for (std::size_t i = s_.begin_; i < s_.end_; ++i) {
      const bool unit = next < s_.units_.size() && s_.units_[next].at == i;
      if (unit) begin(s_.units_[next]);
      add(i);
      if (unit) end(s_.units_[next++]);
    }
  }
  /// What nothing here uses is freed first.
  void free_unused() {
    for (std::size_t m = 0; m < pending_.size(); ++m) free_if_done(m);
  }

  Order order;

 private:
  void define_first(Var var) {
    const auto here = s_.defined_.find(var);
    if (here == s_.defined_.end() || written_.contains(here->second)) return;
    const Statement& s = s_.list_.statements[here->second];
    if (owner(s_.list_, var) != var) define_first(owner(s_.list_, var));
    for (const auto& operand : s.operands) define_first(operand.var);
    add(here->second);
  }
  void begin(const Unit& unit) {
    for (const std::size_t m : unit.memories)
      if (s_.memories_[m].lives_here && pending_[m] == s_.memories_[m].units.size())
        in_use_ += s_.memories_[m].size;
  }
  void end(const Unit& unit) {
    for (const std::size_t m : unit.memories)
      if (--pending_[m] == 0 && s_.memories_[m].lives_here) in_use_ -= s_.memories_[m].size;
  }
  void free_if_done(std::size_t m) {
    if (pending_[m] == 0 && s_.memories_[m].freed >= 0)
      add(static_cast<std::size_t>(s_.memories_[m].freed));
  }
  void add(std::size_t at) {
    written_.insert(at);
    order.statements.push_back(at);
    const Index added = bytes_added(s_.list_, s_.list_.statements[at], 1);
    order.allocated = std::max(order.allocated, allocated_ += added);
    order.peak = std::max(order.peak, in_use_ += added);
  }

  const Schedule& s_;
  std::vector<std::size_t> pending_;
  std::unordered_set<std::size_t> written_;
  Index allocated_ = 0;
  Index in_use_ = 0;
};

Schedule::Order Schedule::written(const std::vector<std::size_t>& units) const {
  Writer writer(*this);
  writer.free_unused();
  for (const std::size_t unit : units) writer.write(units_[unit]);
  return std::move(writer.order);
}

Schedule::Order Schedule::within(Index peak) const {
  constexpr std::size_t kLookAhead = 256;
  Writer writer(*this);
  writer.free_unused();
  std::vector<std::size_t> waits_for;
  std::set<std::size_t> ready;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    waits_for.push_back(units_[unit].before.size());
    if (waits_for[unit] == 0) ready.insert(unit);
  }
  while (!ready.empty()) {
    auto next = ready.begin();
    for (std::size_t tried = 0; next != ready.end() && tried < kLookAhead; ++next, ++tried)
      if (writer.needs(units_[*next]) <= peak) break;
    if (next == ready.end()) next = ready.begin();
    const std::size_t unit = *next;
    ready.erase(next);
    writer.write(units_[unit]);
    for (const std::size_t other : units_[unit].after)
      if (--waits_for[other] == 0) ready.insert(other);
  }
  return std::move(writer.order);
}

Schedule::Order Schedule::tightened() const {
  std::vector<std::size_t> units(units_.size());
  std::iota(units.begin(), units.end(), 0);
  return written(units);
}

Schedule::Order Schedule::literal() const {
  Writer writer(*this);
  writer.write_literally();
  return std::move(writer.order);
}

}  // namespace rewriter
