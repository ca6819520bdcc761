#include "rewriter/list/strip.hpp"

#include <algorithm>

namespace rewriter {

bool is_elementwise_family(cudamat::Family family) {
  using cudamat::Family;
  constexpr Family kElementwise[] = {Family::Unary,  Family::UnaryScalar, Family::Binary,
                                     Family::Scaled, Family::Modulate,    Family::Where,
                                     Family::Assign};
  return std::find(std::begin(kElementwise), std::end(kElementwise), family) !=
         std::end(kElementwise);
}

namespace {

/// In one pass over matrices of one shape and numbers.
bool is_elementwise(const cudamat::FusedBody& body) {
  return body.is_plain() && !body.draws() &&
         std::all_of(body.inputs.begin(), body.inputs.end(),
                     [](cudamat::Spread spread) {
                       return spread == cudamat::Spread::Whole || spread == cudamat::Spread::One;
                     }) &&
         std::all_of(body.targets.begin(), body.targets.end(),
                     [](const cudamat::FusedTarget& target) { return target.is_stored(); });
}

/// Whether it reduces all elements that its operand has.
bool is_total(const StatementList& list, const Statement& s) {
  if (s.kind == Statement::Kind::Call)
    return cudamat::row(s.op).family == cudamat::Family::Reduction && s.numbers.empty() &&
           list.variables[s.target].shape.size() == 1;
  if (s.kind != Statement::Kind::Fused || !s.rows.empty() || s.fused->draws()) return false;
  for (std::size_t t = 0; t < s.targets.size(); ++t) {
    const cudamat::FusedTarget& target = s.fused->targets[t];
    if (!target.is_reduced() || target.mult >= 0 || target.beta >= 0 ||
        list.variables[s.targets[t]].shape.size() != 1)
      return false;
  }
  return std::ranges::all_of(s.fused->inputs,
                             [](auto spread) { return spread == cudamat::Spread::Whole; });
}

bool is_elementwise(const StatementList& list, const Statement& s) {
  switch (s.kind) {
    case Statement::Kind::Empty:
    case Statement::Kind::Free:
    case Statement::Kind::Reshape:
      return true;
    case Statement::Kind::Constant:
      return list.variables[s.target].shape.size() == 1;
    case Statement::Kind::Call:
      return is_elementwise_family(cudamat::row(s.op).family) && !may_raise(s);
    case Statement::Kind::Fused:
      return is_elementwise(*s.fused) && s.rows.empty();
    default:
      return false;
  }
}

}  // namespace

Index elementwise_extent(const StatementList& list) {
  Index extent = 1;
  for (const Binding& output : list.outputs) extent = std::max(extent, held_shape(output).size());
  const auto fits = [&](const Binding& binding) {
    const Index size = held_shape(binding).size();
    return size == 1 || (size == extent && in_memory_order(binding));
  };
  const bool is =
      extent > 1 && list.loops.empty() &&
      std::all_of(list.inputs.begin(), list.inputs.end(), fits) &&
      std::all_of(list.outputs.begin(), list.outputs.end(), fits) &&
      std::all_of(list.variables.begin(), list.variables.end(),
                  [&](const Variable& variable) {
                    return variable.shape.size() == 1 || variable.shape.size() == extent;
                  }) &&
      std::all_of(list.statements.begin(), list.statements.end(),
                  [&](const Statement& s) { return is_elementwise(list, s); });
  return is ? extent : 0;
}

Index totalled_extent(const StatementList& list) {
  if (list.inputs.empty() || !list.loops.empty()) return 0;
  const Index extent = held_shape(list.inputs[0]).size();
  const bool is =
      extent > 1 &&
      std::ranges::all_of(list.inputs,
                          [&](const Binding& input) {
                            return held_shape(input).size() == extent && in_memory_order(input);
                          }) &&
      std::ranges::all_of(list.outputs,
                          [](const Binding& output) { return held_shape(output).size() == 1; }) &&
      std::ranges::all_of(list.variables,
                          [&](const Variable& variable) {
                            return variable.shape.size() == 1 || variable.shape.size() == extent;
                          }) &&
      std::ranges::all_of(list.statements, [&](const Statement& s) {
        return is_elementwise(list, s) || is_total(list, s);
      });
  return is ? extent : 0;
}

StatementList strip_of(const StatementList& list, Index count) {
  StatementList strip = list;
  for (Variable& variable : strip.variables)
    if (variable.shape.size() != 1) variable.shape = {1, count};
  for (std::vector<Binding>* const bindings : {&strip.inputs, &strip.outputs})
    for (Binding& binding : *bindings)
      if (held_shape(binding).size() != 1) {
        binding.dims = {count};
        binding.transposed = false;
      }
  return strip;
}

}  // namespace rewriter
