// Lowering: users' operations.
#include "rewriter/expr/custom.hpp"

#include "rewriter/lower/lowering.hpp"

namespace rewriter {

void Lowering::custom(const Node& node) {
  const CustomUse& use = *node.custom;
  Statement call;
  bool has_rows = false;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    const CustomUse::Operand& operand = use.operands[i];
    call.operands.push_back({matrix(node.args[i]), operand.transposed});
    call.integers.push_back(std::ssize(operand.dims));
    call.rows.emplace_back();
    if (!operand.is_part) continue;
    const ListTerms shift = terms(operand.rows.shift);
    call.rows.back() = Statement::Rows{{operand.rows.start, shift}, {operand.rows.stop, shift}};
    has_rows = true;
  }
  call.numbers.assign(use.numbers.begin(), use.numbers.end());
  std::vector<const Node*> wanted(use.results.size());
  for (const Node* result : results_[&node]) wanted[result->slot] = result;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    call.targets.push_back(wanted[k] != nullptr ? fresh(*wanted[k])
                                                : out_.empty(matrix_shape(use.results[k])));
  if (has_rows)
    call.rows.resize(call.operands.size() + call.targets.size());
  else
    call.rows.clear();
  slots_.emplace(&node, call.targets);
  call.custom = use.operation;
  out_.custom(std::move(call));
}

}  // namespace rewriter
