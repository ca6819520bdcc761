// What symdump computes: runs of a statement list, their verification, the files they leave.
#pragma once

#include <map>
#include <string>

#include "rewriter/expr/program.hpp"
#include "rewriter/list/statement.hpp"
#include "tools/symdump_options.hpp"

namespace symdump {

struct Report {
  std::string text;           ///< for standard output
  bool verified = true;       ///< false: a verification found a difference
  std::string interrupted{};  ///< where, if it was; the text has what was known until then
};

/// 4, 8 or the size of a long double.
int bytes_per_element(int precision);

/// What a file given with --input says of its array.
struct InputHead {
  rewriter::Dims dims;
  rewriter::DType dtype;
  bool is_complex = false;
};

/// Of all files given with --input. Throws CUDAMatException for files that are not arrays.
std::map<std::string, InputHead> input_heads(const Options& options);

/// Runs, verifies and saves as the options ask. Progress goes to standard error if that is a
/// terminal. A list that was read may come without its program, if nothing is to be verified; with
/// it, CUDAMatException where inputs or outputs of the two do not agree.
/// Before anything is computed or printed: what is saved are outputs, each in a file of its own
/// that nothing is read from.
void check_saves(const rewriter::StatementList& list, const Options& options);

Report compute(const rewriter::Program* program, const rewriter::StatementList& list,
               const Options& options);

}  // namespace symdump
