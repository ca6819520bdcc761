#include "rewriter/regions/shared_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "rewriter/text/saturating.hpp"

namespace rewriter {
namespace {

using What = Statement::Kind;

/// [first, first + count) of an axis.
struct Piece {
  ListInteger first, count;
};

/// Whether pieces of different iterations of the loop are apart, all being some of the same length
/// that moves on with its variable.
bool are_apart(const std::vector<Piece>& pieces, int loop, Index step) {
  std::optional<Index> moves;
  Index least = 0, most = 0;
  for (const Piece& piece : pieces) {
    if (!piece.count.terms.empty() || piece.first.terms.size() != 1 ||
        piece.first.terms[0].loop != loop)
      return false;
    const Index factor = piece.first.terms[0].factor, first = piece.first.constant;
    if (moves && *moves != factor) return false;
    least = moves ? std::min(least, first) : first;
    most = moves ? std::max(most, first + piece.count.constant) : first + piece.count.constant;
    moves = factor;
  }
  return moves && *moves != 0 && most - least <= std::abs(*moves * step);
}

class SharedLoopFinder {
 public:
  SharedLoopFinder(const StatementList& list, const Region& region, const Uses& uses,
                   const LoopNesting& nesting, const Touches& touches)
      : list_(list), region_(region), uses_(uses), nesting_(nesting), touches_(touches) {}

  std::optional<SharedLoop> find() {
    std::map<Var, std::vector<Touch>> memories;
    for (std::size_t i = region_.first + 1; i < region_.last; ++i) {
      const auto& all = touches_[i - region_.first];
      if (!all) return std::nullopt;
      for (const Touch& touch : *all) memories[owner(list_, touch.var)].push_back(touch);
    }
    SharedLoop shared;
    for (const auto& [memory, all] : memories) {
      if (std::ranges::none_of(all, &Touch::writes)) continue;
      find_views(memory);
      if (is_own(memory, all)) {
        shared.own.push_back(memory);
        if (!is_last_) continue;
        shared.last.push_back(memory);
      } else if (is_inside(uses_.of(memory).made) || !each_has_a_part(all)) {
        return std::nullopt;  // what is made inside may lie where something else lay before
      }
    }
    return shared;
  }

 private:
  [[nodiscard]] bool is_inside(Position at) const {
    return at > static_cast<Position>(region_.first) && at < static_cast<Position>(region_.last);
  }

  /// Columns of a memory that a view shows. What touches a reshaped view may touch all of them.
  struct View {
    ListInteger first{};
    Extents space{};
    bool reshaped = false;
    bool known = false;
  };

  /// The memory's views, known if they are defined once.
  void find_views(Var memory) {
    views_.clear();
    outside_.clear();
    View all;
    all.space = extents_of(memory);
    all.known = true;
    for (const Position at : uses_.of(memory).shown) {
      const Statement& s = list_.statements[static_cast<std::size_t>(at)];
      if (!is_inside(at)) outside_.push_back(s.target);
      const Var from = s.operands[0].var;
      const bool is_again = views_.contains(s.target);
      View& view = views_[s.target];
      view = is_again ? View() : from == memory ? all : views_[from];
      if (view.reshaped) continue;
      view.reshaped = s.kind == What::Reshape;
      if (view.reshaped) continue;
      view.first = sum(view.first, slice_bound(s, 0));
      view.space.cols = extents_of(s.target).cols;
    }
  }

  [[nodiscard]] Extents extents_of(Var var) const {
    const Variable& variable = list_.variables[var];
    return variable.varying ? *variable.varying : Extents(variable.shape);
  }

  /// Whether each iteration writes all of it before it looks at it, whatever the conditions are.
  bool is_own(Var memory, const std::vector<Touch>& all) {
    is_last_ = false;
    const Uses::Memory& of = uses_.of(memory);
    if (of.is_input || std::ranges::any_of(all, [&](const Touch& touch) {
          return std::ranges::find(outside_, touch.var) != outside_.end();
        }))
      return false;
    const auto first =
        std::ranges::find_if(of.uses, [&](const Use& use) { return is_inside(use.at); });
    if (first == of.uses.end() || !first->whole || first->reads) return false;
    const std::size_t block = nesting_.around[static_cast<std::size_t>(first->at)];
    const auto end = static_cast<Position>(nesting_.partner[block]);
    for (auto use = first; use != of.uses.end() && is_inside(use->at); ++use)
      if (use->at > end) return false;
    const auto is_after = [&](Position at) { return at > static_cast<Position>(region_.last); };
    is_last_ = of.is_output ||
               std::ranges::any_of(of.uses, [&](const Use& use) { return is_after(use.at); }) ||
               std::ranges::any_of(of.shown, is_after);
    return !is_last_ || (block == region_.first && !list_.variables[memory].varying);
  }

  /// Whether the iterations touch different rows of it, or different columns.
  bool each_has_a_part(const std::vector<Touch>& all) {
    const Statement& s = list_.statements[region_.first];
    const Index step = list_.loops[s.loop].step;
    std::vector<Piece> rows, columns;
    for (const Touch& touch : all) {
      Touch of = touch;
      if (list_.variables[touch.var].view_of != kNoVar) {
        const auto found = views_.find(touch.var);
        if (found == views_.end() || !found->second.known) return false;
        const View& view = found->second;
        if (view.reshaped) of.row = of.column = {}, of.space = view.space;
        of.column = sum(view.first, of.column);
      }
      rows.push_back({of.row, of.space.rows});
      columns.push_back({of.column, of.space.cols});
    }
    return are_apart(columns, s.loop, step) || are_apart(rows, s.loop, step);
  }

  const StatementList& list_;
  const Region& region_;
  const Uses& uses_;
  const LoopNesting& nesting_;
  const Touches& touches_;
  std::map<Var, View> views_;  // of a memory
  std::vector<Var> outside_;   // those of them that are defined outside
  bool is_last_ = false;       // is_own() found it looked at after the loop
};

}  // namespace

bool has_static_range(const StatementList& list, const Region& region) {
  if (!region.is_loop) return false;
  const Statement& s = list.statements[region.first];
  const ListLoop& loop = list.loops[s.loop];
  return s.operands.empty() && loop.form == LoopForm::For && !loop.varies();
}

std::optional<SharedLoop> shared_loop(const StatementList& list, const Region& region,
                                      const Uses& uses, const LoopNesting& nesting,
                                      const Touches& touches) {
  return SharedLoopFinder(list, region, uses, nesting, touches).find();
}

Index iterations_of(const StatementList& list, const Region& region) {
  return static_cast<const Loop&>(list.loops[list.statements[region.first].loop]).count();
}

Index cost_of_iteration(const StatementList& list, const Region& region,
                        const std::vector<Index>& costs) {
  constexpr Index kUnknown = 16;  // iterations
  std::map<int, double> middles;  // of the loops' variables
  std::vector<Index> times{1};
  const auto at_middle = [&](const ListInteger& value) {
    auto all = static_cast<double>(value.constant);
    for (const auto& [loop, factor] : value.terms)
      all += static_cast<double>(factor) * middles[loop];
    return all;
  };
  Index cost = 1;
  for (std::size_t i = region.first; i < region.last; ++i) {
    const Statement& s = list.statements[i];
    if (s.kind == What::End) {
      times.pop_back();
    } else if (s.kind == What::Loop) {
      const ListLoop& loop = list.loops[s.loop];
      Index count = loop.form == LoopForm::If ? 1 : kUnknown;
      if (loop.has_variable()) {
        const double first = at_middle(loop.first()), end = at_middle(loop.end());
        middles[s.loop] = first + (end - first) / 2;
        count = static_cast<Index>(std::clamp((end - first) / double(loop.step), 0.0, 1e15));
      }
      times.push_back(i == region.first ? 1 : saturating_multiply(times.back(), count));
    } else {
      cost = saturating_add(cost, saturating_multiply(costs[i - region.first], times.back()));
    }
  }
  return cost;
}

}  // namespace rewriter
