#include "rewriter/passes/fuse.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "rewriter/list/cost.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/list/host_numbers.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/fusion_group.hpp"
#include "rewriter/passes/rewriting.hpp"
#include "rewriter/passes/unit_order.hpp"

namespace rewriter {

namespace {

using Kind = Statement::Kind;
using cudamat::Spread;

/// A run of statements without the begin or end of a loop, a print, a seed or an operation of the
/// user's in it.
class Region {
 public:
  Region(const StatementList& list, const Parts& parts, const Liveness& live,
         const HostNumbers& numbers, const print::ListNames& names, std::size_t begin,
         std::size_t end, Index least, std::vector<Remark>& remarks, std::map<int, int>& went_to)
      : list_(list),
        parts_(parts),
        live_(live),
        numbers_(numbers),
        names_(names),
        end_(end),
        remarks_(remarks),
        went_to_(went_to) {
    for (std::size_t at = begin; at < end; ++at) {
      const Statement& s = list_.statements[at];
      if (s.kind != Kind::Call && s.kind != Kind::Fused) continue;
      nodes_.push_back({at, fusable(parts_, s)});
      std::optional<FusableCall>& call = nodes_.back().call;
      if (call && least > 0 && !has_elements(call->space, least)) call.reset();
    }
    units_ = UnitOrder(connections());
  }

  /// Puts calls together; true if there were any.
  bool fuse() {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].call) join_others(node);
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      if (units_.nodes(unit).size() > 1) return true;
    return false;
  }

  /// The statements that compute, in their new order.
  std::vector<Statement> statements() {
    std::vector<Statement> result;
    for (const std::size_t unit : order()) {
      const std::vector<std::size_t>& nodes = units_.nodes(unit);
      if (nodes.size() > 1)
        result.push_back(fused(nodes));
      else
        result.push_back(list_.statements[nodes_[nodes[0]].at]);
    }
    return result;
  }

 private:
  struct Node {
    std::size_t at;  ///< in the list
    std::optional<FusableCall> call;
  };

  /// Whether it has so many in every iteration.
  static bool has_elements(const Extents& space, Index least) {
    return space.rows.terms.empty() && space.cols.terms.empty() &&
           space.rows.constant * space.cols.constant >= least;
  }
  const Statement& statement(std::size_t node) const { return list_.statements[nodes_[node].at]; }

  // ---- what depends on what

  /// By node: those that must come before it.
  std::vector<std::vector<std::size_t>> connections() const {
    struct Access {
      std::vector<std::size_t> reads;
      std::optional<std::size_t> write;
    };
    std::map<Var, Access> accesses;  // by memory
    std::optional<std::size_t> last_draw;
    std::vector<std::vector<std::size_t>> result(nodes_.size());
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const Statement& s = statement(node);
      std::vector<std::size_t>& before = result[node];
      if (draws(s)) {
        if (last_draw) before.push_back(*last_draw);
        last_draw = node;
      }
      for (const auto& operand : s.operands) {
        Access& access = accesses[owner(list_, operand.var)];
        if (access.write) before.push_back(*access.write);
        access.reads.push_back(node);
      }
      for (const Var target : targets_of(s)) {
        Access& access = accesses[owner(list_, target)];
        if (access.write) before.push_back(*access.write);
        before.insert(before.end(), access.reads.begin(), access.reads.end());
        access.write = node;
        access.reads.clear();
      }
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
      std::erase(before, node);
    }
    return result;
  }

  // ---- what goes together

  /// Why the units cannot be one statement; empty if they can.
  std::string against(const std::vector<std::size_t>& units) {
    std::vector<std::size_t> nodes;
    for (const std::size_t unit : units)
      nodes.insert(nodes.end(), units_.nodes(unit).begin(), units_.nodes(unit).end());
    if (nodes.size() > FusionGroup::kMostSteps)
      return fmt::format("a statement has at most {} steps", FusionGroup::kMostSteps);
    std::sort(nodes.begin(), nodes.end());
    const auto is_number = [&](std::size_t node) { return numbers_.computes[nodes_[node].at]; };
    const auto numbers = std::count_if(nodes.begin(), nodes.end(), is_number);
    if (numbers != 0 && numbers != std::ssize(nodes))
      return "only one is computed of numbers alone";
    std::string refusal;
    const FusionGroup group = group_of(nodes, refusal);
    if (!refusal.empty()) return refusal;
    if (std::string reason = group.against(); !reason.empty()) return reason;
    const std::vector<bool> stored = wanted(group, nodes);
    if (group.operands() +
            static_cast<std::size_t>(std::count(stored.begin(), stored.end(), true)) >
        FusionGroup::kMostParts)
      return fmt::format("a statement has at most {} operands and targets",
                         FusionGroup::kMostParts);
    if (units_.has_others_between(units)) return "others come between them";
    if (!has_space(statement_of(group, stored))) return "what is read has no matrix of the space";
    return "";
  }

  /// Of these calls; `against`: why they cannot be one, if that is so.
  FusionGroup group_of(const std::vector<std::size_t>& nodes, std::string& against) const {
    const auto made = [&](bool fills_are_numbers) {
      FusionGroup group(parts_, space_of(nodes), fills_are_numbers);
      for (const std::size_t node : nodes)
        if (against = group.add(statement(node), *nodes_[node].call); !against.empty()) break;
      return group;
    };
    FusionGroup group = made(true);
    return !against.empty() || group.has_space() ? group : made(false);
  }

  /// The space of which the others are vectors.
  Extents space_of(const std::vector<std::size_t>& nodes) const {
    Extents space = nodes_[nodes[0]].call->space;
    for (const std::size_t node : nodes)
      if (const Extents& other = nodes_[node].call->space; spread_over(other, space)) space = other;
    return space;
  }

  /// Puts the call's unit together with those that make what it reads, then with those that read
  /// the same. A copy of rows goes with what reads it.
  void join_others(std::size_t node) {
    if (statement(node).op == Op::get_row_slice) return;
    join_makers(node, node);
    for (const std::size_t other : std::vector(units_.nodes(units_.unit(node))))
      if (statement(other).op == Op::get_row_slice) join_makers(node, other);
    for (const auto& [part, spread] : nodes_[node].call->reads) {
      if (spread != Spread::Whole) continue;
      std::vector<std::size_t>& readers = readers_[owner(list_, part.var)];
      for (std::size_t i = readers.size(); i-- > 0 && i + kNear >= readers.size();)
        if (readers[i] != node && reads(*nodes_[readers[i]].call, part))
          (void)join(node, readers[i]);
      readers.push_back(node);
    }
  }

  /// What `reader` reads, one of the node's unit.
  void join_makers(std::size_t node, std::size_t reader) {
    std::vector<std::size_t> makers;
    std::vector<std::size_t> units = {units_.unit(node)};
    for (const std::size_t before : units_.before(reader)) {
      if (!nodes_[before].call || !makes(before, *nodes_[reader].call)) continue;
      makers.push_back(before);
      if (std::find(units.begin(), units.end(), units_.unit(before)) == units.end())
        units.push_back(units_.unit(before));
    }
    if (units.size() > 2 && against(units).empty()) return units_.merge(units);
    for (bool joins = true; joins;) {  // one may be what comes between others
      joins = false;
      for (std::size_t i = makers.size(); i-- > 0;) joins = join(node, makers[i]) || joins;
    }
    if (reader != node) return;
    for (const std::size_t maker : makers)
      if (units_.unit(maker) != units_.unit(node))
        refuse(node, maker, against({units_.unit(node), units_.unit(maker)}));
  }
  /// False if they cannot be, or are one already.
  bool join(std::size_t node, std::size_t other) {
    const std::vector<std::size_t> units = {units_.unit(node), units_.unit(other)};
    if (units[0] == units[1] || !against(units).empty()) return false;
    units_.merge(units);
    return true;
  }
  /// Whether it writes what the call reads: element for element, or a vector with a reduction on
  /// the way to it that could be in the same statement.
  bool makes(std::size_t other, const FusableCall& call) const {
    const FusableCall& made = *nodes_[other].call;
    if (made.is_stored() && reads(call, made.target)) return true;
    const std::vector<std::size_t>& unit = units_.nodes(units_.unit(other));
    return std::any_of(call.reads.begin(), call.reads.end(),
                       [&](const auto& read) { return parts_.same(read.part, made.target); }) &&
           std::any_of(unit.begin(), unit.end(),
                       [&](std::size_t node) { return nodes_[node].call->reduces_axis(); });
  }
  bool reads(const FusableCall& call, const Part& wanted) const {
    return std::any_of(call.reads.begin(), call.reads.end(), [&](const FusableCall::Read& read) {
      return read.spread == Spread::Whole && parts_.same(read.part, wanted);
    });
  }

  // ---- the result

  /// The units, each after what it needs, as near to where its last call was as can be.
  std::vector<std::size_t> order() const {
    std::vector<std::vector<std::size_t>> after(units_.size());
    std::vector<std::size_t> waits_for(units_.size(), 0);
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      for (const std::size_t before : units_.before(node)) {
        if (units_.unit(before) == units_.unit(node)) continue;
        after[units_.unit(before)].push_back(units_.unit(node));
        ++waits_for[units_.unit(node)];
      }
    using Entry = std::pair<std::size_t, std::size_t>;  // the last node, the unit
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      if (!units_.nodes(unit).empty() && waits_for[unit] == 0)
        ready.emplace(units_.nodes(unit).back(), unit);
    std::vector<std::size_t> result;
    while (!ready.empty()) {
      const std::size_t unit = ready.top().second;
      ready.pop();
      result.push_back(unit);
      for (const std::size_t other : after[unit])
        if (--waits_for[other] == 0) ready.emplace(units_.nodes(other).back(), other);
    }
    return result;
  }

  /// Whether anything but these nodes reads what the node writes.
  bool is_wanted(std::size_t node, const std::vector<std::size_t>& nodes) const {
    const auto at = static_cast<Position>(nodes_[node].at);
    const Var target = statement(node).target;
    const auto& lives = live_.lives(target);
    const auto life = std::partition_point(lives.begin(), lives.end(),
                                           [at](const auto& each) { return each.last < at; });
    if (life == lives.end() || life->first > at) return false;
    if (life->last >= static_cast<Position>(end_)) return true;
    const auto& uses = live_.of(target).uses;
    auto use = std::partition_point(uses.begin(), uses.end(),
                                    [at](const Use& each) { return each.at <= at; });
    for (; use != uses.end() && use->at <= life->last; ++use) {
      const bool inside = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t other) {
        return static_cast<Position>(nodes_[other].at) == use->at;
      });
      if (!inside) return true;
    }
    return false;
  }

  /// Of what the group writes, which is wanted in memory.
  std::vector<bool> wanted(const FusionGroup& group, const std::vector<std::size_t>& nodes) const {
    std::vector<bool> result;
    for (const FusionGroup::Written& written : group.written())
      result.push_back(is_wanted(nodes[written.call], nodes));
    return result;
  }

  /// It has a target, and a matrix of the whole shape if the group has one: what nothing reads is
  /// omitted by others.
  Statement statement_of(const FusionGroup& group, std::vector<bool> stored) const {
    const bool any = std::find(stored.begin(), stored.end(), true) != stored.end();
    if (!any && !group.reduces()) stored.back() = true;
    Statement made = group.statement(stored, names_);
    for (const bool whole : {true, false})  // also vectors: what they are reduced of has the space
      for (std::size_t i = stored.size(); i-- > 0 && !has_space(made);) {
        if (whole != (group.written()[i].lies == Spread::Whole)) continue;
        stored[i] = true;
        made = group.statement(stored, names_);
      }
    return made;
  }

  Statement fused(const std::vector<std::size_t>& nodes) {
    const Extents space = space_of(nodes);
    std::string none;
    const FusionGroup group = group_of(nodes, none);
    Statement made = statement_of(group, wanted(group, nodes));
    made.where = statement(nodes.back()).where;
    for (const std::size_t node : nodes) went_to_[statement(node).where.line] = made.where.line;
    tell(nodes, space, made);
    return made;
  }

  // ---- remarks

  /// Reads and writes of the whole space.
  static int passes(const FusableCall& call) {
    return static_cast<int>(std::count_if(
               call.reads.begin(), call.reads.end(),
               [](const FusableCall::Read& read) { return read.spread == Spread::Whole; })) +
           (call.is_stored() ? 1 : 0);
  }
  static int passes(const Statement& fused) {
    return static_cast<int>(
        std::count(fused.fused->inputs.begin(), fused.fused->inputs.end(), Spread::Whole) +
        std::count_if(fused.fused->targets.begin(), fused.fused->targets.end(),
                      [](const cudamat::FusedTarget& target) { return target.is_stored(); }));
  }

  std::string text(const Statement& s) const { return print::statement_text(list_, s, names_); }

  void tell(const std::vector<std::size_t>& nodes, const Extents& space, const Statement& made) {
    constexpr std::size_t kShown = 4;
    std::string what;
    int before = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes_[nodes[i]].call->space == space) before += passes(*nodes_[nodes[i]].call);
      if (nodes.size() > kShown && i == kShown - 1)
        what += fmt::format("; {} more", nodes.size() - i);
      if (nodes.size() <= kShown || i < kShown - 1)
        what += (i == 0 ? "" : "; ") + text(statement(nodes[i]));
    }
    const int after = passes(made);
    remarks_.push_back({Remark::Kind::Made, made.where, std::move(what), text(made),
                        fmt::format("{} passes over memory instead of {}", after, before)});
  }

  void refuse(std::size_t node, std::size_t other, const std::string& reason) {
    remarks_.push_back({Remark::Kind::Refused, statement(node).where,
                        fmt::format("{} stays apart from {}: {}", text(statement(node)),
                                    text(statement(other)), reason)});
  }

  static constexpr std::size_t kNear = 4;  // readers of the same that are looked at

  const StatementList& list_;
  const Parts& parts_;
  const Liveness& live_;
  const HostNumbers& numbers_;
  const print::ListNames& names_;
  std::size_t end_;
  std::vector<Remark>& remarks_;
  std::map<int, int>& went_to_;  // by line: the line whose statement its calls are in
  std::vector<Node> nodes_;
  UnitOrder units_{{}};                              // nodes that become one statement
  std::map<Var, std::vector<std::size_t>> readers_;  // by memory
};

class Fuse {
 public:
  Fuse(const StatementList& list, const PassOptions& /*options*/, Index least = 0)
      : list_(list),
        least_(least),
        parts_(list),
        live_(list),
        numbers_(host_numbers(list, scalars(list))),
        names_(list),
        result_{list, {}} {}

  PassResult run() {
    result_.list.statements.clear();
    const std::size_t size = list_.statements.size();
    bool changed = false;
    for (std::size_t begin = 0; begin < size;) {
      std::size_t end = begin;
      while (end < size && !is_border(list_.statements[end])) ++end;
      changed = write(begin, end) || changed;
      if (end < size && is_border(list_.statements[end]))
        result_.list.statements.push_back(list_.statements[end++]);
      begin = end;
    }
    if (!changed) {
      result_.list = list_;
      return std::move(result_);
    }
    drop_unused_definitions();
    free_after_last_use(result_.list);
    number_anew(result_.list);
    say_where_lines_went();
    return std::move(result_);
  }

 private:
  /// Of lines whose statements are all in another line's now.
  void say_where_lines_went() {
    std::set<int> lines;
    for (const Statement& s : result_.list.statements) lines.insert(s.where.line);
    for (const auto& [line, into] : went_to_)
      if (line > 0 && !lines.contains(line))
        result_.list.remarks.try_emplace(
            line, fmt::format("fused: into line {}", print::line_label(result_.list, into)));
  }

  /// The inputs that may be numbers of the caller's.
  static std::vector<bool> scalars(const StatementList& list) {
    std::vector<bool> result;
    for (const Binding& input : list.inputs) result.push_back(input.dims.empty());
    return result;
  }

  static bool is_border(const Statement& s) {
    return s.kind == Kind::Loop || s.kind == Kind::End || s.kind == Kind::Print ||
           s.kind == Kind::Seed || s.kind == Kind::Custom;
  }

  /// The statements of a region; true if some were fused.
  bool write(std::size_t begin, std::size_t end) {
    std::vector<Statement>& out = result_.list.statements;
    const auto from = list_.statements.begin();
    Region region(list_, parts_, live_, numbers_, names_, begin, end, least_, result_.remarks,
                  went_to_);
    if (!region.fuse()) {
      out.insert(out.end(), from + static_cast<std::ptrdiff_t>(begin),
                 from + static_cast<std::ptrdiff_t>(end));
      return false;
    }
    std::map<Var, std::size_t> definitions;
    for (std::size_t at = begin; at < end; ++at)
      if (defines(list_.statements[at])) definitions.emplace(list_.statements[at].target, at);
    const std::function<void(Var)> define = [&](Var var) {
      const auto found = definitions.find(var);
      if (found == definitions.end()) return;
      const std::size_t at = found->second;
      definitions.erase(found);
      for (const auto& operand : list_.statements[at].operands) define(operand.var);
      out.push_back(list_.statements[at]);
    };
    for (const Statement& s : region.statements()) {
      const auto first = static_cast<std::ptrdiff_t>(out.size());
      for (const auto& operand : s.operands) define(operand.var);
      for (const Var target : targets_of(s)) define(target);
      if (s.kind == Kind::Fused)
        std::for_each(out.begin() + first, out.end(), [&](Statement& d) { d.where = s.where; });
      out.push_back(s);
    }
    // What is defined for later, and the frees.
    for (std::size_t at = begin; at < end; ++at) {
      const Statement& s = list_.statements[at];
      if (defines(s) && definitions.contains(s.target)) out.push_back(s);
      if (s.kind == Kind::Free) out.push_back(s);
    }
    return true;
  }

  /// Memory, views and fills that only calls used which are fused now.
  void drop_unused_definitions() {
    const auto is_fill = [&](const Statement& s) {
      return s.kind == Kind::Call && s.op == Op::assign && parts_.filled_with(s.target).has_value();
    };
    const auto mentioned = [&](const StatementList& list) {
      Table<bool> result(list.variables.size(), false);
      for (const Binding& output : list.outputs)
        result[output.var] = result[owner(list, output.var)] = true;
      for (std::size_t i = list.statements.size(); i-- > 0;) {
        const Statement& s = list.statements[i];
        if (s.kind == Kind::Free || (defines(s) && !result[s.target]) ||
            (is_fill(s) && !result[owner(list, s.target)]))
          continue;
        for_each_variable(s, [&](Var var) {
          result[var] = true;
          result[owner(list, var)] = true;
        });
      }
      return result;
    };
    const Table<bool> before = mentioned(list_);
    const Table<bool> now = mentioned(result_.list);
    std::vector<bool> unused;
    for (const Statement& s : result_.list.statements) {
      const bool is_there = (defines(s) || s.kind == Kind::Free) && !now[s.target] &&
                            (makes_view(s) || before[s.target]);
      const bool fills =
          is_fill(s) && !now[owner(list_, s.target)] && before[owner(list_, s.target)];
      unused.push_back(is_there || fills);
    }
    remove_marked(result_.list, unused);
  }

  const StatementList& list_;
  const Index least_;  // elements of a statement
  const Parts parts_;
  const Liveness live_;
  HostNumbers numbers_;
  const print::ListNames names_;
  PassResult result_;
  std::map<int, int> went_to_;  // by line
};

/// Of statements that are no part of compiled loops, as they have more elements.
class FuseLarge : public Fuse {
 public:
  FuseLarge(const StatementList& list, const PassOptions& options)
      : Fuse(list, options, kMostInPlace + 1) {}
};

}  // namespace

PassResult fuse_large(const StatementList& list, const PassOptions& options) {
  return run_until_stable<FuseLarge>(list, options);
}

PassResult fuse(const StatementList& list, const PassOptions& options) {
  return run_until_stable<Fuse>(list, options);
}

PassResult unfuse(const StatementList& list, const PassOptions& /*options*/) {
  PassResult result{unfused(list), {}};
  const print::ListNames names(list);
  for (const Statement& s : list.statements)
    if (s.kind == Statement::Kind::Fused)
      result.remarks.push_back({Remark::Kind::Made, s.where,
                                print::statement_text(list, s, names) + " becomes calls again"});
  return result;
}

}  // namespace rewriter
