// One fused statement of a list on the matrices of its variables, on any engine.
#pragma once

#include <span>
#include <vector>

#include "cudamat/fused_rules.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/list/iterations.hpp"

namespace rewriter {

/// Keeps its lists from one statement to the next.
template <class M>
class FusedExecutor {
 public:
  using T = typename M::value_type;

  /// Requires a statement of kind Fused in a list that verify() accepts; the matrices are those of
  /// the iteration.
  void operator()(const Statement& s, std::span<M> matrices, const LoopVariables& iteration = {}) {
    inputs_.clear();
    targets_.clear();
    numbers_.clear();
    cudamat::Shape space;
    const auto data = [&](Var var, std::size_t part, bool is_space) {
      M& m = matrices[static_cast<std::size_t>(var)];
      const Statement::Rows* const rows = rows_of(s, part);
      const Index first = rows == nullptr ? 0 : value_in(iteration, rows->first);
      const Index last = rows == nullptr ? m.rows() : value_in(iteration, rows->last);
      if (is_space) space = {last - first, m.cols()};
      return m.data() + first;
    };
    const auto ld = [&](Var var) { return matrices[static_cast<std::size_t>(var)].rows(); };
    for (std::size_t i = 0; i < s.operands.size(); ++i) {
      const Var var = s.operands[i].var;
      const bool is_space = s.fused->inputs[i] == cudamat::Spread::Whole;
      inputs_.push_back({data(var, i, is_space), ld(var)});
    }
    for (std::size_t t = 0; t < s.targets.size(); ++t) {
      const bool is_space = s.fused->targets[t].is_stored();
      targets_.push_back({data(s.targets[t], s.operands.size() + t, is_space), ld(s.targets[t])});
    }
    for (const Number& number : s.numbers) numbers_.push_back(number_in<T>(number.value()));
    cudamat::rules::fused_not_empty(*s.fused, space);
    M::engine::fused({*s.fused, space.rows, space.cols, inputs_, numbers_, targets_});
  }

 private:
  std::vector<typename cudamat::FusedCall<T>::Input> inputs_;
  std::vector<typename cudamat::FusedCall<T>::Target> targets_;
  std::vector<T> numbers_;
};

}  // namespace rewriter
