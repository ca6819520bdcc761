// The reader: loops whose iterations differ by where they are, read in pieces: `if 0 < i < n - 1`,
// and a last mini-batch that is shorter than the others.
#include <set>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/indexing.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {
namespace {

constexpr std::size_t kMostPieces = 17;

Index ceiling_of(Index a, Index b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

/// Sums of names, numbers and items that the expressions compare the name with.
std::vector<ast::ExprId> compared_with(const ast::Program& tree,
                                       std::pair<ast::ExprId, ast::ExprId> expressions,
                                       const std::string& name) {
  const auto is_name = [&](ast::ExprId id) {
    return tree[id].kind == ast::ExprKind::Name && tree.string(id) == name;
  };
  const auto is_simple = [&](ast::ExprId id) {
    for (ast::ExprId part = tree[id].first; part <= id; ++part)
      if (is_name(part) ||
          (tree[part].kind != ast::ExprKind::Name && tree[part].kind != ast::ExprKind::Number &&
           tree[part].kind != ast::ExprKind::Binary && tree[part].kind != ast::ExprKind::Unary &&
           tree[part].kind != ast::ExprKind::Subscript))
        return false;
    return true;
  };
  std::vector<ast::ExprId> found;
  for (ast::ExprId id = expressions.first; id < expressions.second; ++id) {
    if (tree[id].kind != ast::ExprKind::Compare) continue;
    const ast::ExprId left = tree.child(id, 0), right = tree.child(id, 1);
    if (is_name(left) && is_simple(right)) found.push_back(right);
    if (is_name(right) && is_simple(left)) found.push_back(left);
  }
  return found;
}

/// The iterations of a loop of so many, counted from 0, before which a place that depends on it
/// alone enters or leaves its axis.
std::vector<Index> edges_of(const EdgeOfAxis& edge, Index count) {
  if (edge.at.terms.size() != 1 || edge.at.terms[0].loop->count() != count) return {};
  const Loop& loop = *edge.at.terms[0].loop;
  const Index first = edge.at.with(edge.at.terms[0].loop, loop.start).constant;
  const Index change = checked_product(edge.at.terms[0].factor, loop.step);
  if (change > 0) return {ceiling_of(-first, change), ceiling_of(edge.extent + 1 - first, change)};
  return {ceiling_of(first - edge.extent, -change), ceiling_of(first + 1, -change)};
}

}  // namespace

/// Those of the expressions that are integers, known before the loop.
std::vector<Index> Interpreter::known_among(const std::vector<ast::ExprId>& expressions) {
  const auto is_item_of_list = [&](ast::ExprId id) {
    const ast::Expr& object = tree_[tree_.child(id, 0)];
    const Value* held = object.kind == ast::ExprKind::Name ? find(tree_.string(object)) : nullptr;
    return held != nullptr && held->as<Sequence>() != nullptr;
  };
  const auto is_safe = [&](ast::ExprId id) {
    for (ast::ExprId part = tree_[id].first; part <= id; ++part)
      if (tree_[part].kind == ast::ExprKind::Subscript && !is_item_of_list(part)) return false;
    return true;
  };
  std::vector<Index> found;
  for (const ast::ExprId id : expressions) {
    if (!is_safe(id)) continue;
    try {
      const Value value = evaluate(id);
      if (const auto* number = value.as<std::int64_t>()) found.push_back(*number);
    } catch (const ProgramError&) {  // a name that the body binds first
      continue;
    }
  }
  return found;
}

std::vector<RangeValue> Interpreter::pieces_of(const LoopBlock& block) {
  const Loop& range = block.loop;
  const Index count = range.count();
  std::set<Index> cuts;  // iterations, counted from 0
  const auto cut = [&](Index iteration) {
    if (iteration > 0 && iteration < count) cuts.insert(iteration);
  };
  for (const Index bound :
       known_among(compared_with(tree_, expressions_of(block.begin, block.end), block.loop.name)))
    for (const Index value : {bound, bound + 1}) cut(ceiling_of(value - range.start, range.step));
  if (edge_)
    for (const Index iteration : edges_of(*edge_, count)) cut(iteration);
  if (cuts.size() >= kMostPieces) return {};
  std::vector<RangeValue> pieces;
  cuts.insert(count);
  Index first = 0;
  for (const Index end : cuts) {
    const Index stop = end == count ? range.stop : range.start + end * range.step;
    pieces.push_back({range.start + first * range.step, stop, range.step});
    first = end;
  }
  return pieces;
}

}  // namespace rewriter
