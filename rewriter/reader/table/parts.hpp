// The parts of the table of functions, by topic. Internal to the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

// Parts of the table, by topic.
void enter_elementwise(FunctionTable& table);
void enter_reductions(FunctionTable& table);
void enter_making(FunctionTable& table);
void enter_moving(FunctionTable& table);
void enter_linalg(FunctionTable& table);
void enter_order(FunctionTable& table);
void enter_quantiles(FunctionTable& table);
void enter_heaps(FunctionTable& table);
void enter_contractions(FunctionTable& table);
void enter_complex(FunctionTable& table);
void enter_texts(FunctionTable& table);
void enter_builtins(FunctionTable& table);
void enter_itertools(FunctionTable& table);
void enter_numbers(FunctionTable& table);
void enter_math(FunctionTable& table);
void enter_functional(FunctionTable& table);
void enter_attributes(FunctionTable& table);
void enter_container_methods(FunctionTable& table);
void enter_text_methods(FunctionTable& table);

// Parts of the table.
void enter_known(FunctionTable& table);
void enter_places(FunctionTable& table);
void enter_sets(FunctionTable& table);
void enter_types(FunctionTable& table);
void enter_dtypes(FunctionTable& table);
void enter_joining(FunctionTable& table);
void enter_composed(FunctionTable& table);
void enter_draws(FunctionTable& table);

void enter_bits(FunctionTable& table);

void enter_library(FunctionTable& table);

/// The index arrays of np.indices, one for each axis, as np.fromfunction passes them to its
/// function.
std::vector<Value> index_arrays(const Call& call, const Value& shape, DType dtype);
/// Python's int() of an array of one element.
Value python_int(const Array& number);

/// A constant of np.finfo(float) and similar objects: "finfo(float64).eps".
std::optional<Value> limit_constant(std::string_view name);

/// Throws for a draw of a generator if another generator with the same seed has drawn in between.
void refuse_interleaved(const Module& generator, const std::vector<NodePtr>& steps);

/// What np.vectorize makes, called: the function and its otypes come first.
Value vectorized(const Call& call);
void enter_dict_methods(FunctionTable& table);

}  // namespace rewriter
