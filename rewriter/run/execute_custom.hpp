// One operation of the user's in a list, on the matrices of its variables, on any engine.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "rewriter/expr/custom.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Requires a statement of kind Custom in a list that verify() accepts; the matrices are those of
/// the iteration.
template <class M>
void execute_custom(const Statement& s, std::span<M> matrices, const LoopVariables& iteration) {
  CustomCall call;
  if constexpr (cudamat::KernelScalar<typename M::value_type>)
    call.type = cudamat::scalar_of<typename M::value_type>();
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const auto [var, transposed] = s.operands[i];
    M& matrix = matrices[static_cast<std::size_t>(var)];
    const Index column = std::max<Index>(matrix.rows(), 1);
    CustomMatrix operand{cudamat::In(matrix), matrix.shape(), 1, column};
    if (const Statement::Rows* const rows = rows_of(s, i)) {
      const Index first = value_in(iteration, rows->first);
      operand.shape.rows = value_in(iteration, rows->last) - first;
      const Index last =
          operand.size() == 0 ? 0 : operand.shape.rows + (operand.shape.cols - 1) * column;
      operand.argument = cudamat::In(M::borrow(matrix.data() + first, {1, last}));
    }
    if (transposed) {
      operand.shape = operand.shape.transposed();
      std::swap(operand.row_step, operand.column_step);
    }
    call.operands.push_back(operand);
  }
  for (const Var var : s.targets) {
    M& matrix = matrices[static_cast<std::size_t>(var)];
    call.results.push_back({cudamat::Out(matrix), matrix.shape(), 1, matrix.rows()});
  }
  for (const Number& number : s.numbers) call.numbers.push_back(number.value());
  const bool has_elements = std::ranges::any_of(
      call.results, [](const CustomMatrix& result) { return result.size() != 0; });
  if (has_elements) s.custom->launch(call);
}

}  // namespace rewriter
