// How often a `while` runs at most, where its text says so: each iteration moves a counter towards
// a bound, which the condition or an `if` with a `break` looks at.
#include <algorithm>
#include <cmath>

#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {
namespace {

/// The loop goes on while `name`, times the sign, is less than `limit` times the sign.
struct Limit {
  std::string name;
  ast::ExprId limit = ast::kNoExpr;
  Index sign = 1;
  bool or_equal = false;
  bool in_body = false;  ///< looked at in the body: perhaps before the counter has moved
};

/// Splits a condition at its `and`s or `or`s.
void split(const ast::Program& tree, ast::ExprId id, ast::Operator op,
           std::vector<ast::ExprId>& parts) {
  if (tree[id].kind != ast::ExprKind::Binary || tree[id].op != op) return parts.push_back(id);
  for (const ast::ExprId child : tree.children(id)) split(tree, child, op, parts);
}

/// What of a comparison bounds a name; `ends`: the loop ends where it holds.
void add_limits(const ast::Program& tree, ast::ExprId id, bool ends, std::vector<Limit>& limits) {
  using enum ast::Operator;
  if (tree[id].kind != ast::ExprKind::Compare) return;
  const ast::Operator op = tree[id].op;
  if (op != Less && op != LessEqual && op != Greater && op != GreaterEqual &&
      !(ends && op == Equal))
    return;
  const bool is_less = op == Less || op == LessEqual;
  const bool strict = op == Less || op == Greater;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const ast::ExprId name = tree.child(id, side);
    if (tree[name].kind != ast::ExprKind::Name) continue;
    const ast::ExprId other = tree.child(id, 1 - side);
    const bool up = (is_less == (side == 0)) != ends;  // it goes on where name < other
    for (const Index sign :
         op == Equal ? std::vector<Index>{1, -1} : std::vector<Index>{up ? 1 : -1})
      limits.push_back({tree.string(name), other, sign, op != Equal && strict == ends, ends});
  }
}

/// By how much a statement moves the name: `k += 2`, `k = k - 1`; 0 if not by a known int.
Index step_of(const ast::Program& tree, const ast::Statement& statement, const std::string& name) {
  const auto is_name = [&](ast::ExprId id) {
    return tree[id].kind == ast::ExprKind::Name && tree.string(id) == name;
  };
  const auto integer = [&](ast::ExprId id) {
    return tree[id].kind == ast::ExprKind::Number &&
                   tree.number(id).kind == ast::Number::Kind::Integer
               ? Index{tree.number(id).integer}
               : 0;
  };
  ast::Operator op = statement.op;
  ast::ExprId value = statement.value;
  if (statement.target_count != 1 || !is_name(tree.targets(statement)[0])) return 0;
  if (statement.kind == ast::StatementKind::Assign) {
    if (tree[value].kind != ast::ExprKind::Binary) return 0;
    op = tree[value].op;
    if (!is_name(tree.child(value, 0))) return 0;
    value = tree.child(value, 1);
  } else if (statement.kind != ast::StatementKind::AugAssign) {
    return 0;
  }
  return op == ast::Operator::Add        ? integer(value)
         : op == ast::Operator::Subtract ? -integer(value)
                                         : 0;
}

/// By how much an assignment moves the name, also as one of several: `i, j = i - 1, j - 1`; nothing
/// where it does not say.
std::optional<Index> part_step_of(const ast::Program& tree, const ast::Statement& statement,
                                  const std::string& name) {
  if (const Index step = step_of(tree, statement, name); step != 0) return step;
  if (statement.kind != ast::StatementKind::Assign || statement.target_count != 1)
    return std::nullopt;
  const ast::ExprId target = tree.targets(statement)[0], value = statement.value;
  if (tree[target].kind != ast::ExprKind::Tuple || tree[value].kind != ast::ExprKind::Tuple ||
      tree[target].child_count != tree[value].child_count)
    return std::nullopt;
  const auto is_name = [&](ast::ExprId id) {
    return tree[id].kind == ast::ExprKind::Name && tree.string(id) == name;
  };
  for (std::size_t k = 0; k < tree[target].child_count; ++k) {
    if (!is_name(tree.child(target, k))) continue;
    const ast::ExprId part = tree.child(value, k);
    if (is_name(part)) return 0;
    if (tree[part].kind != ast::ExprKind::Binary || tree[part].op != ast::Operator::Subtract ||
        !is_name(tree.child(part, 0)))
      return std::nullopt;
    const ast::ExprId by = tree.child(part, 1);
    if (tree[by].kind != ast::ExprKind::Number ||
        tree.number(by).kind != ast::Number::Kind::Integer)
      return std::nullopt;
    return -Index{tree.number(by).integer};
  }
  return std::nullopt;
}

enum class Falls : std::uint8_t { Never, Always, PerhapsNot };

/// Whether statements take 1 or more from one of the names, or leave the loop, whichever way they
/// go; PerhapsNot: a `continue` may come first.
Falls falls(const ast::Program& tree, std::uint32_t begin, std::uint32_t end,
            const std::vector<std::string>& names) {
  using Kind = ast::StatementKind;
  for (std::uint32_t i = begin; i < end;) {
    const ast::Statement& statement = tree.statements[i];
    if (statement.kind == Kind::Continue) return Falls::PerhapsNot;
    if (statement.kind == Kind::Break || statement.kind == Kind::Return) return Falls::Always;
    if (statement.kind == Kind::If) {
      const Falls taken = falls(tree, i + 1, statement.end, names);
      const Falls other = falls(tree, statement.end, statement.else_end, names);
      if (taken == other && taken != Falls::Never) return taken;
      if (taken == Falls::PerhapsNot || other == Falls::PerhapsNot) return Falls::PerhapsNot;
    }
    for (const std::string& name : names)
      if (part_step_of(tree, statement, name).value_or(0) < 0) return Falls::Always;
    i = statement.end > 0 ? statement.else_end : i + 1;
  }
  return Falls::Never;
}

}  // namespace

/// `while i > 0 and j > 0`, where each iteration takes something from i or from j: their sum bounds
/// it. 0 where that is not so.
Index Interpreter::most_of_falling(const ast::Statement& loop, std::uint32_t begin,
                                   const std::unordered_map<std::string, int>& assigned) {
  std::vector<ast::ExprId> parts;
  split(tree_, loop.value, ast::Operator::And, parts);
  std::vector<Limit> limits;
  for (const ast::ExprId part : parts) add_limits(tree_, part, false, limits);
  double most = 1;
  std::vector<std::string> names;
  for (const Limit& limit : limits) {
    if (limit.sign > 0 || std::count(names.begin(), names.end(), limit.name) > 0) continue;
    const auto start = scope().names.find(limit.name);
    if (start == scope().names.end() || !start->second.is_integer()) continue;
    const std::optional<double> bound = known_bound(limit.limit, assigned);
    if (!bound) continue;
    const auto moves_up = [&](const ast::Statement& statement) {
      const auto targets = ast::target_names(tree_, statement);
      return std::any_of(targets.begin(), targets.end(), [&](const ast::TargetName& target) {
        return target.name == limit.name &&
               part_step_of(tree_, statement, limit.name).value_or(1) > 0;
      });
    };
    if (std::any_of(tree_.statements.begin() + begin, tree_.statements.begin() + loop.end,
                    moves_up))
      continue;
    const double from = static_cast<double>(start->second.affine("a counter").greatest());
    most += std::max(0.0, from - *bound + (limit.or_equal ? 1 : 0));
    names.push_back(limit.name);
  }
  const bool is_bounded =
      !names.empty() && most < 1e9 && falls(tree_, begin, loop.end, names) == Falls::Always;
  return is_bounded ? static_cast<Index>(most) : 0;
}

Index Interpreter::most_iterations(const ast::Statement& loop, std::uint32_t begin) {
  std::unordered_map<std::string, int> assigned;
  for (std::uint32_t i = begin; i < loop.end; ++i)
    for (const ast::TargetName& target : ast::target_names(tree_, tree_.statements[i]))
      ++assigned[target.name];
  std::vector<Limit> limits;
  std::unordered_map<std::string, Index> steps;
  std::vector<ast::ExprId> parts;
  split(tree_, loop.value, ast::Operator::And, parts);
  for (const ast::ExprId part : parts) add_limits(tree_, part, false, limits);
  for (std::uint32_t i = begin; i < loop.end;) {  // those of the body itself
    const ast::Statement& statement = tree_.statements[i];
    for (const auto& [name, binds] : ast::target_names(tree_, statement))
      if (assigned[name] == 1) steps[name] = step_of(tree_, statement, name);
    const bool leaves =
        statement.kind == ast::StatementKind::If && statement.end > i + 1 &&
        tree_.statements[statement.end - 1].kind == ast::StatementKind::Break &&
        std::none_of(tree_.statements.begin() + i + 1, tree_.statements.begin() + statement.end - 1,
                     [](const ast::Statement& inner) { return inner.end > 0; });
    parts.clear();
    if (leaves) split(tree_, statement.value, ast::Operator::Or, parts);
    for (const ast::ExprId part : parts) add_limits(tree_, part, true, limits);
    const std::uint32_t next = statement.end > 0 ? statement.else_end : i + 1;
    if (jumps_in(i, next).continues) break;  // what follows it may not run
    i = next;
  }
  Index most = 0;
  for (const Limit& limit : limits) {
    const Index step = steps[limit.name] * limit.sign;
    const auto start = scope().names.find(limit.name);
    if (step <= 0 || start == scope().names.end() || !start->second.is_integer()) continue;
    const std::optional<double> bound = known_bound(limit.limit, assigned);
    if (!bound) continue;
    const Affine from = start->second.affine("a counter");
    const double way = static_cast<double>(limit.sign) * *bound -
                       static_cast<double>(limit.sign > 0 ? from.least() : -from.greatest());
    const double times = std::ceil((way + (limit.or_equal ? 1 : 0)) / static_cast<double>(step)) +
                         (limit.in_body ? 1 : 0);
    if (!(times < 1e9)) continue;
    const Index count = std::max<Index>(1, static_cast<Index>(times));
    most = most == 0 ? count : std::min(most, count);
  }
  return most == 0 ? most_of_falling(loop, begin, assigned) : most;
}

std::optional<double> Interpreter::known_bound(
    ast::ExprId id, const std::unordered_map<std::string, int>& assigned) {
  for (ast::ExprId part = tree_[id].first; part <= id; ++part) {
    const ast::Expr& expr = tree_[part];
    const bool is_length = expr.kind == ast::ExprKind::Call &&
                           tree_[tree_.child(part, 0)].kind == ast::ExprKind::Name &&
                           tree_.string(tree_.child(part, 0)) == "len";
    const bool is_plain =
        expr.kind == ast::ExprKind::Number || expr.kind == ast::ExprKind::Attribute ||
        expr.kind == ast::ExprKind::Subscript || expr.kind == ast::ExprKind::Binary ||
        (expr.kind == ast::ExprKind::Name && !assigned.contains(tree_.string(part)));
    if (!is_length && !is_plain) return std::nullopt;
  }
  const Value value = evaluate(id);
  if (value.is_number()) return value.real();
  if (const auto* affine = value.as<Affine>()) return static_cast<double>(affine->greatest());
  return std::nullopt;
}

}  // namespace rewriter
