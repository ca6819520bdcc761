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
  }
  return "";
}

}  // namespace rewriter::ast
