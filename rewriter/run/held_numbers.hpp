// The numbers of a run, which the host computes in double. Internal to the runner.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "npmat/npmat.hpp"
#include "rewriter/list/host_numbers.hpp"
#include "rewriter/list/table.hpp"
#include "rewriter/run/execute_call.hpp"
#include "rewriter/run/execute_fused.hpp"

namespace rewriter::detail {

/// Of a run in T: none where T has the digits of a double.
template <class T>
class HeldNumbers {
 public:
  HeldNumbers(const StatementList& list, const std::vector<bool>& given) {
    if constexpr (std::is_same_v<T, float>) plan_ = host_numbers(list, given);
    if (!plan_.any) return;
    values_.resize(list.variables.size());
    for (double& value : values_)
      matrices_.push_back(npmat::CUDAMatrix<double>::borrow(&value, {1, 1}));
  }

  [[nodiscard]] const HostNumbers& plan() const { return plan_; }
  [[nodiscard]] bool computes(std::size_t at) const { return plan_.any && plan_.computes[at]; }
  /// Whether the operand of a Loop, an End or a Print is a number.
  [[nodiscard]] bool reads(std::size_t at, std::size_t operand) const {
    return plan_.any && plan_.reads[at][operand];
  }
  [[nodiscard]] double operator[](Var var) const { return values_[var]; }
  /// By variable; null: none.
  [[nodiscard]] double* data() { return plan_.any ? values_.data() : nullptr; }
  template <class U>
  void set(Var var, U value) {
    if (plan_.any) values_[var] = static_cast<double>(value);
  }

  /// `shift` as in execute_call().
  void compute(const Statement& s, Index shift, const LoopVariables& iteration) {
    if (s.kind == Statement::Kind::Fused)
      fused_(s, matrices_, iteration);
    else
      execute_call<npmat::CUDAMatrix<double>>(s, matrices_, shift);
  }

  /// By output, what is a number.
  [[nodiscard]] std::vector<std::optional<double>> results(const StatementList& list) const {
    std::vector<std::optional<double>> made(list.outputs.size());
    for (std::size_t i = 0; plan_.any && i < made.size(); ++i)
      if (plan_.outputs[i]) made[i] = values_[list.outputs[i].var];
    return made;
  }

 private:
  HostNumbers plan_;
  Table<double> values_;  // by variable
  Table<npmat::CUDAMatrix<double>> matrices_;
  FusedExecutor<npmat::CUDAMatrix<double>> fused_;
};

}  // namespace rewriter::detail
