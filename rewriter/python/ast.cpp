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
  for (const ExprId target : program.targets(statement)) {
    const ExprKind kind = program[target].kind;
    if (kind == ExprKind::Tuple || kind == ExprKind::List)
      for (const ExprId element : program.children(target)) add(element);
    else
      add(target);
  }
  return result;
}

}  // namespace rewriter::ast
