#include "cudamat/code/step_text.hpp"

#include <fmt/format.h>

namespace cudamat::code {

std::string_view functor(Op op) {
  switch (op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return #functor;
    CUDAMAT_OPS(ROW)
#undef ROW
  }
  return "";
}

std::string text(const FusedValue& value, const Spelling& spelling) {
  const auto as = [&](std::string_view format) {
    return fmt::format(fmt::runtime(format), value.index);
  };
  switch (value.kind) {
    case FusedValue::Kind::Step:
      return as(spelling.step);
    case FusedValue::Kind::Input:
      return as(spelling.input);
    case FusedValue::Kind::Number:
      return as(spelling.number);
  }
  return {};
}

std::string text(const FusedStep& step, const Spelling& spelling) {
  std::string operands;
  for (const FusedValue& value : step.values())
    operands += (operands.empty() ? "" : ", ") + text(value, spelling);
  return fmt::format("{}({})", fmt::format(fmt::runtime(spelling.functor), functor(step.op)),
                     operands);
}

}  // namespace cudamat::code
