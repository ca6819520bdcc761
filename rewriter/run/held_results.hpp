// The results that a list's runs share: what lasting.hpp finds. Internal to the runner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rewriter/list/lasting.hpp"
#include "rewriter/run/held_numbers.hpp"

namespace rewriter::detail {

/// If all of them together have no more than `most` bytes.
template <class T>
class HeldResults {
 public:
  /// What `numbers` computes is the host's.
  HeldResults(const StatementList& list, const HostNumbers& numbers, Index most)
      : state_(list.statements.size()) {
    const Table<bool> lasts = lasting_results(list);
    Index bytes = 0;
    for (std::size_t i = 0; i < list.variables.size(); ++i)
      if (lasts[static_cast<Var>(i)]) {
        vars_.push_back(static_cast<Var>(i));
        bytes += list.variables[static_cast<Var>(i)].shape.size() * Index(sizeof(T));
      }
    if (bytes > most) vars_.clear();
    if (vars_.empty()) return;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      const auto targets = targets_of(list.statements[i]);
      const bool computed =
          computes(list.statements[i]) && !targets.empty() && !(numbers.any && numbers.computes[i]);
      if (computed &&
          std::ranges::all_of(targets, [&](Var var) { return lasts[owner(list, var)]; }))
        state_[i] = State::Lasting;
    }
    for (const Var var : vars_)
      held_.emplace_back(static_cast<std::size_t>(list.variables[var].shape.size()));
  }

  /// Of each its variable and its memory.
  template <class F>
  void for_each(const F& use) {
    for (std::size_t i = 0; i < vars_.size(); ++i) use(vars_[i], held_[i].data());
  }

  /// Whether the statement's results are there: it has run. What a compiled region computes of them
  /// may have been elsewhere.
  [[nodiscard]] bool has(std::size_t statement) const { return state_[statement] == State::Held; }
  /// The statement has run.
  void note(std::size_t statement) {
    if (state_[statement] == State::Lasting) state_[statement] = State::Held;
  }

 private:
  enum class State : std::uint8_t { Other, Lasting, Held };

  Table<State> state_;  // by statement
  std::vector<Var> vars_;
  std::vector<std::vector<T>> held_;
};

}  // namespace rewriter::detail
