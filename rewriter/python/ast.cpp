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

}  // namespace rewriter::ast
