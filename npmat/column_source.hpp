// The compiled code of a fused statement that uses its own reductions over columns: C++ that
// computes one column with all its passes, while the first caches have it. The reductions are those
// of reducers.hpp, in their order; the parts of the statement are those of detail/fused_cut.hpp.
#pragma once

#include "cudamat/detail/fused_cut.hpp"
#include "cudamat/index.hpp"
#include "npmat/loop_source.hpp"

namespace npmat::fused {

using cudamat::Index;

/// Whether columns have code of their own: all reductions are over axis 0, and nothing is the same
/// in all columns that would have to be computed first.
bool has_column_code(const cudamat::FusedBody& body, const cudamat::detail::FusedParts& parts);

/// And which columns it takes: longer ones do not fit the caches, shorter ones are computed several
/// at a time.
bool is_column_length(Index rows);

/// A function: its name, of its text, and
///   void name(const T* const* in, const T* const* next, const T* number, T* const* out, long rows,
///             T* scratch, long stride)
/// in: where the column begins in each input of the body, or the one number that it has there;
/// next: where the next one begins, in those that are whole, for memory to be asked for it, which
/// may be nowhere; out: the column, or the one number, in each target. Scratch is column_scratch()
/// columns, `stride` apart.
LoopCode column_code(const cudamat::FusedBody& body, const cudamat::detail::FusedParts& parts,
                     std::string_view type);

int column_scratch(const cudamat::detail::FusedParts& parts);

}  // namespace npmat::fused
