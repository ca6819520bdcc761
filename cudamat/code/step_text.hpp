// The steps of fused statements as text: calls of their functors (cudamat/functors.hpp), so that
// what is compiled at run time computes what the engines do.
#pragma once

#include <string>
#include <string_view>

#include "cudamat/fused.hpp"

namespace cudamat::code {

/// The functor of a row: "Add".
std::string_view functor(Op op);

/// How text calls functors and values: formats (of fmt) of a functor's name, and of the numbers of
/// steps, inputs and numbers.
struct Spelling {
  std::string_view functor, step, input, number;
};

std::string text(const FusedValue& value, const Spelling& spelling);
std::string text(const FusedStep& step, const Spelling& spelling);

}  // namespace cudamat::code
