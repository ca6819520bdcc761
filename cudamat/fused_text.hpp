// Fused statements as text: "h = sigmoid(h + row(w_h)); s = rand() < h".
//
// The text is a list of assignments, separated by semicolons. Expressions may have + - * /, < > ==,
// Cudamat's names of the other element-wise operations (exp(a), maximum(a, b), where(c, a, b),
// rand(), randn()), numbers, and names. A name is a matrix of the full shape; row(v), col(v) and
// one(v) are vectors and a number that are broadcast; A[2:7] are rows of a matrix. An assignment to
// the name of a matrix is stored; an assignment to any other name makes a value that later
// assignments may use. A name refers to its last assignment. The right side of `=` may be a
// reduction: sum(e, axis=0), max(e, axis=1), total_sum(e), add_sums(e, axis=0, mult=0.1, beta=0.9).
//
// A reduction over an axis is a vector, which may be broadcast in turn: with `m = max(x, axis=1)`,
// col(m) is a value, and so is col(max(x, axis=1)): "e = exp(x - col(max(x, axis=1))); y = e /
// col(sum(e, axis=1))". A value that is the same in every column, or row, is stored as a vector by
// col(v) = sqrt(col(v) + 1), or row(v) = ....
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "cudamat/detail/fused_parser.hpp"
#include "cudamat/detail/fused_printer.hpp"

namespace cudamat {

/// Parses such a text; is_matrix says which names are matrices. Throws CUDAMatException with the
/// place of a syntax error. Inputs, numbers and steps are in the order of the text.
inline FusedText parse_fused(std::string_view text,
                             const std::function<bool(std::string_view)>& is_matrix) {
  return detail::FusedParser(text, is_matrix).parse();
}

/// Prints the text; for the result of parse_fused(), parsing it again gives the same. is_taken says
/// which other names have a meaning; values get different names.
inline std::string print_fused(const FusedText& fused,
                               const std::function<bool(const std::string&)>& is_taken = {}) {
  return detail::FusedPrinter(fused, is_taken).print();
}

/// The same with inputs, numbers, steps and targets in the order in which the text has them.
inline FusedText in_text_order(const FusedText& fused,
                               const std::function<bool(const std::string&)>& is_taken = {}) {
  FusedText counted = fused;  // numbers by their place, which tells them apart
  for (std::size_t i = 0; i < counted.numbers.size(); ++i)
    counted.numbers[i] = static_cast<double>(i);
  const auto is_matrix = [&](std::string_view name) {
    const auto has_it = [&](const FusedPlace& place) { return place.name == name; };
    return std::any_of(fused.inputs.begin(), fused.inputs.end(), has_it) ||
           std::any_of(fused.targets.begin(), fused.targets.end(), has_it);
  };
  FusedText result = parse_fused(print_fused(counted, is_taken), is_matrix);
  for (double& number : result.numbers) number = fused.numbers[static_cast<std::size_t>(number)];
  return result;
}

}  // namespace cudamat
