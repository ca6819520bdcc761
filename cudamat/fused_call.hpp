// Runs a fused statement, on any engine:
//
//   cudamat::fused("h = sigmoid(h + row(w_h)); s = rand() < h",
//                  {{"h", h}, {"w_h", w_h}, {"s", s}});
//
// fused_text.hpp describes the text. Every matrix that it names is among the arguments; an
// assignment to a matrix overwrites it, and the matrix must have the right shape. Conventions are
// those of matrix.hpp.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cudamat/fused_rules.hpp"
#include "cudamat/fused_text.hpp"
#include "cudamat/matrix.hpp"

namespace cudamat {

/// A matrix, or its rows [first, last), under a name of the text.
template <Engine E>
struct FusedArgument {
  FusedArgument(std::string_view text_name, Matrix<E>& of)
      : FusedArgument(text_name, of, 0, of.rows()) {}
  FusedArgument(std::string_view text_name, Matrix<E>& of, Index first_row, Index last_row)
      : name(text_name), matrix(&of), first(first_row), last(last_row) {}

  std::string_view name;
  Matrix<E>* matrix;
  Index first, last;

  [[nodiscard]] Shape shape() const { return {last - first, matrix->cols()}; }
  [[nodiscard]] auto* data() const { return matrix->data() + first; }
  [[nodiscard]] Index ld() const { return matrix->rows(); }

  friend bool overlap(const FusedArgument& a, const FusedArgument& b) {
    const bool apart = coincide(*a.matrix, *b.matrix) && (a.last <= b.first || b.last <= a.first);
    return !apart && a.shape().size() > 0 && b.shape().size() > 0 && overlap(*a.matrix, *b.matrix);
  }
  friend bool coincide(const FusedArgument& a, const FusedArgument& b) {
    return coincide(*a.matrix, *b.matrix) && a.first == b.first && a.last == b.last;
  }
};

/// A body whose numbers are known.
template <Engine E>
void fused(const FusedBody& body, std::span<const FusedArgument<E>> inputs,
           std::span<const typename E::value_type> numbers,
           std::span<const FusedArgument<E>> targets) {
  using T = typename E::value_type;
  for (const auto& part : {inputs, targets})
    for (const FusedArgument<E>& argument : part) {
      const Matrix<E>& m = *argument.matrix;
      Check<Matrix<E>>("fused")
          .on_device(argument.name, m)
          .not_transposed(argument.name, m)
          .range("rows", argument.first, argument.last, m.rows());
    }
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (!body.targets[t].is_stored() && targets[t].shape() != targets[t].matrix->shape())
      misuse("fused", "what is reduced goes into a matrix of its own, not into rows of one");
  rules::fused(body, inputs, targets);
  const Shape space = *rules::fused_space(body, inputs, targets);
  rules::fused_not_empty(body, space);
  std::vector<typename FusedCall<T>::Input> from;
  std::vector<typename FusedCall<T>::Target> to;
  for (const FusedArgument<E>& input : inputs) from.push_back({input.data(), input.ld()});
  for (const FusedArgument<E>& target : targets) to.push_back({target.data(), target.ld()});
  E::fused({body, space.rows, space.cols, from, numbers, to});
}

/// As text, which is read once.
template <Engine E>
void fused(std::string_view text, std::initializer_list<FusedArgument<E>> arguments) {
  const auto argument = [&](std::string_view name) {
    return std::find_if(arguments.begin(), arguments.end(),
                        [&](const FusedArgument<E>& each) { return each.name == name; });
  };
  constexpr std::size_t kMostTexts = 4096;  // of a program that writes numbers into them
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const FusedText>, std::less<>> known;
  std::shared_ptr<const FusedText> read;
  {
    const std::lock_guard lock(mutex);
    auto found = known.find(text);
    if (found == known.end()) {
      const auto is_matrix = [&](std::string_view name) {
        return argument(name) != arguments.end();
      };
      FusedText made = parse_fused(text, is_matrix);
      rules::fused_body(made.body);
      if (known.size() == kMostTexts) known.clear();
      found = known.emplace(text, std::make_shared<const FusedText>(std::move(made))).first;
    }
    read = found->second;
  }
  const auto gathered = [&](const std::vector<FusedPlace>& places) {
    std::vector<FusedArgument<E>> result;
    for (const FusedPlace& place : places) {
      if (!place.first.empty())
        misuse("fused", "{}: rows are given with the argument", place.text());
      const auto found = argument(place.name);
      if (found == arguments.end()) misuse("fused", "there is no argument {}", place.name);
      result.push_back(*found);
    }
    return result;
  };
  const std::vector<FusedArgument<E>> inputs = gathered(read->inputs);
  const std::vector<FusedArgument<E>> targets = gathered(read->targets);
  const std::vector<typename E::value_type> numbers(read->numbers.begin(), read->numbers.end());
  fused<E>(read->body, inputs, numbers, targets);
}

}  // namespace cudamat
