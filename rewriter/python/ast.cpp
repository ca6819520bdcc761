#include "rewriter/python/ast.hpp"

namespace rewriter::ast {

std::string_view spelling(Operator op) {
  switch (op) {
    case Operator::None:
      return "";
    case Operator::Negative:
      return "-";
    case Operator::Positive:
      return "+";
    case Operator::Invert:
      return "~";
    case Operator::Not:
      return "not";
    case Operator::Add:
      return "+";
    case Operator::Subtract:
      return "-";
    case Operator::Multiply:
      return "*";
    case Operator::Divide:
      return "/";
    case Operator::FloorDivide:
      return "//";
    case Operator::Modulo:
      return "%";
    case Operator::MatMul:
      return "@";
    case Operator::Power:
      return "**";
    case Operator::BitAnd:
      return "&";
    case Operator::BitOr:
      return "|";
    case Operator::BitXor:
      return "^";
    case Operator::And:
      return "and";
    case Operator::Or:
      return "or";
    case Operator::Less:
      return "<";
    case Operator::LessEqual:
      return "<=";
    case Operator::Greater:
      return ">";
    case Operator::GreaterEqual:
      return ">=";
    case Operator::Equal:
      return "==";
    case Operator::NotEqual:
      return "!=";
    case Operator::Is:
      return "is";
    case Operator::IsNot:
      return "is not";
    case Operator::In:
      return "in";
    case Operator::NotIn:
      return "not in";
    case Operator::LeftShift:
      return "<<";
    case Operator::RightShift:
      return ">>";
  }
  return "";
}

std::vector<TargetName> target_names(const Program& program, const Statement& statement) {
  std::vector<TargetName> result;
  const auto add = [&](ExprId target) {
    const bool binds = program[target].kind == ExprKind::Name;
    while (program[target].kind == ExprKind::Subscript ||
           program[target].kind == ExprKind::Attribute)
      target = program.child(target, 0);
    if (program[target].kind == ExprKind::Name) result.push_back({program.string(target), binds});
  };
  const auto targets = program.targets(statement);
  std::vector<ExprId> left(targets.rbegin(), targets.rend());
  while (!left.empty()) {
    const ExprId target = left.back();
    left.pop_back();
    const ExprKind kind = program[target].kind;
    const auto parts = program.children(target);
    if (kind == ExprKind::Tuple || kind == ExprKind::List || kind == ExprKind::Starred)
      left.insert(left.end(), parts.rbegin(), parts.rend());
    else
      add(target);
  }
  return result;
}

Jumps jumps_in(const Program& program, std::uint32_t begin, std::uint32_t end) {
  Jumps jumps;
  for (std::uint32_t i = begin; i < end;) {
    const Statement& statement = program.statements[i++];
    jumps.breaks = jumps.breaks || statement.kind == StatementKind::Break;
    jumps.continues = jumps.continues || statement.kind == StatementKind::Continue;
    jumps.returns = jumps.returns || statement.kind == StatementKind::Return;
    if (has_scope(statement)) i = statement.end;
    if (statement.kind != StatementKind::For && statement.kind != StatementKind::While) continue;
    const Jumps inner = jumps_in(program, i, statement.end);
    const Jumps other = jumps_in(program, statement.end, statement.else_end);
    jumps.returns = jumps.returns || inner.returns || other.returns;
    jumps.breaks = jumps.breaks || other.breaks;
    jumps.continues = jumps.continues || other.continues;
    i = statement.else_end;
  }
  return jumps;
}

}  // namespace rewriter::ast
