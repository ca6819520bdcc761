// The C++ source of the loop of a fused statement, which the system's compiler compiles. The loop
// computes a piece of the space whose operands are contiguous, with all intermediate values in
// registers; the caller cuts the space into such pieces. Numbers are arguments, so that the source
// does not depend on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudamat/code/step_text.hpp"
#include "cudamat/fused.hpp"

namespace npmat::fused {

/// What a loop knows beforehand.
struct LoopLayout {
  std::string_view type = {};  ///< of its numbers: "float"
  std::uint64_t single = 0;    ///< by input, the first one's bit the lowest: it is one number
  bool columns = false;        ///< the code is that of column_source.hpp
  std::uint64_t late = 0;      ///< of columns, by target: its memory is an input's
  friend bool operator==(const LoopLayout&, const LoopLayout&) = default;
};

/// What a loop writes: the value of each stored target, and each value that is reduced, once.
struct LoopOutputs {
  std::vector<cudamat::FusedValue> values;
  std::vector<int> of_target;  ///< for each target of the body: which of `values`
};
LoopOutputs loop_outputs(const cudamat::FusedBody& body);

/// Of loops that are worth making; one more input is needed for each step that draws.
inline constexpr int kMostLoopPointers = 24;  ///< inputs, and outputs
inline constexpr int kMostLoopSteps = 256;
inline constexpr int kLoopBlock = 128;
bool loop_within_limits(const cudamat::FusedBody& body);

/// How steps are spelled.
inline constexpr cudamat::code::Spelling kLoopSpelling{"OnCpu<functors::{}>{{}}", "v{}", "in{}",
                                                       "number{}"};

/// A function that code is found by: its name, of its text, and
///   void name(const T* const* in, const T* number, T* const* out, long n, const char* ahead,
///             long lines)
/// in: the body's inputs, then the values of steps that draw, in their order. Outputs may be
/// inputs, element for element the same. With every kLoopBlock elements it asks memory for so many
/// lines, from `ahead` on, which is an address or nothing if they are 0.
struct LoopCode {
  std::string name, text;
};
LoopCode loop_code(const cudamat::FusedBody& body, const LoopLayout& layout);

/// The same for any function: `rest` is the text after its name.
LoopCode named_function(const std::string& rest);

/// The source of functions, whole: the headers that it needs are in it.
std::string loop_source(const std::vector<LoopCode>& functions);

}  // namespace npmat::fused
