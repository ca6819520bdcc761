// Printers of statement lists and trees. print_statements(), the form that people read, has its own
// header, because parse_list.hpp parses it.
//
// All take linear time, and the same list gives the same text. Numbers are the shortest decimals
// that read back as the same double; infinities and NaN are spelled as the language requires.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/listing/print_statements.hpp"

namespace rewriter {

/// A Python module for the original cudamat package. Its function program(**inputs) takes NumPy
/// arrays by input name and returns a dict of NumPy arrays by output name. Allocations that the
/// list does in loops are done before the loops.
///
/// A missing input is a TypeError, an input of another shape a ValueError; other arrays are
/// ignored. Local names are those of the list, with `_` appended if Python or the module itself
/// uses the name. Throws CUDAMatException `[cudamat-py] prog.py:3:5: the original package has no
/// log1p; ...` for a call that the original package lacks.
std::string print_cudamat_py(const StatementList& list, const PrintOptions& options = {});

/// The libraries that print_array_module() prints for.
enum class ArrayLibrary : std::uint8_t { Numpy, Cupy, Torch };

/// A Python module for one of these libraries, which needs nothing else (but NumPy for random
/// numbers and for reading files). Its function program() takes arrays by input name, as keywords,
/// and returns a dictionary of the library's arrays by output name, in the shapes and types of
/// `program`'s results; without a program all are floats. It computes in float32, float64 or (NumPy
/// alone) long double, as options.bytes_per_element says.
///
/// Every call writes into memory that is allocated before the first one. Temporaries lie in one
/// block, at the places of plan_arena(), if that takes less memory than each alone. Calls that do
/// several things at once, fused statements among them, are printed as the operations that they
/// consist of. The stream of random numbers is NumPy's default_rng(seed), drawn on the
/// host, and so not the numbers that run() draws.
///
/// A missing input is a TypeError, an input of another shape a ValueError. Throws CUDAMatException
/// `[numpy] prog.py:3:5: ...` for a statement that the library has no functions for.
std::string print_array_module(const StatementList& list, ArrayLibrary library,
                               const Program* program = nullptr, const PrintOptions& options = {});

/// A C++ header with one function template:
///
///     template <class Matrix>
///     std::map<std::string, npmat::Array<T>> program(
///         const std::map<std::string, npmat::Array<T>>& inputs);    // T: Matrix::value_type
///
/// for Matrix any engine's CUDAMatrix, npmat::CUDAMatrix<float> for example. What the list
/// allocates in loops the function allocates before them. It throws CUDAMatException for an input
/// that is missing or of another shape; other arrays are ignored.
std::string print_cudamat_cpp(const StatementList& list, const PrintOptions& options = {});

/// One C++17 file without a library of ours: `extern "C" int program(...)` with pointers to arrays
/// in C order and their sizes, inputs and then outputs, and a main() that reads and writes .npy
/// files. Products and factorisations call a CBLAS and LAPACK, or with -DNO_BLAS plain loops.
///
/// Its results have the bits of npmat in options.bytes_per_element, but for products,
/// factorisations, and sin, cos, log2, log10, pow and arctan2, which are within rounding of them.
/// Fused statements are loops; those that reduce in between, or draw, are printed as the calls that
/// they consist of. Throws CUDAMatException `[cpp] prog.py:3:5: ...` for an operation of the
/// user's.
std::string print_cpp_program(const StatementList& list, const Program* program = nullptr,
                              const PrintOptions& options = {});

/// The same as one CUDA file: a kernel for each statement of elements, the engine's own kernels for
/// reductions, sorts and counts, cuBLAS and cuSOLVER. Its results have the bits of the CUDA engine,
/// but for products and factorisations. Throws CUDAMatException for long double, too.
std::string print_cuda_program(const StatementList& list, const Program* program = nullptr,
                               const PrintOptions& options = {});

/// The forms of `symdump --emit`: "statements", "numpy", ..., "json".
std::vector<std::string> print_forms();

/// The list in one of them. With its program, `tree` and `dot` are of the program's expressions,
/// and results have its types and lengths. Throws CUDAMatException for a form that there is not.
std::string print_form(std::string_view form, const StatementList& list, const Program* program,
                       const PrintOptions& options = {});

// clang-format off
/// JSON; one statement, variable, input or output a line, keys in this order:
///
///     {"format": "cudamat-statements", "version": 1,
///      "source": "gradient.py" or null, "bytes_per_element": 4,
///      "inputs":     [{"name", "variable", "dims": [128, 784], "bytes"}],
///      "variables":  [{"name", "shape": [rows, cols], "view_of": name or null}],
///      "statements": [{"kind": "call", "op": "subtract", "target": "t1",
///                      "operands": [{"variable": "x", "transposed": false}, ...],
///                      "numbers": [], "integers": [], "shape": [rows, cols],
///                      "bytes": 0, "total": 1204224, "launches": 1, "line": 7, "column": 12,
///                      "text": "x.subtract(z, target=t1)"}],
///      "outputs":    [as inputs],
///      "source_lines": {"7": "delta_o = -(x - z)"},
///      "peak": {"bytes", "statement": its index, or null if the inputs alone are the peak}}
///
/// kind is empty, constant, slice, reshape, call, seed, free, loop, end, print, fused or custom; op is
/// null unless kind is call or custom, which is an operation of the user's; target and shape are null
/// for a seed, a loop, an end and a print, and for fused and custom, which have "targets":
/// [{"variable", "shape"}], the first one's "body", the operands of the second perhaps "rows": first
/// and last as {"constant", "terms"}, its integers being their dimensions. A loop and its end
/// have "loop": {"variable", "start", "stop", "step"}; integers (of an assign: its number) that depend
/// on loops "terms": [{"loop": variable, "factor"}], which add to them, "stretch", which adds to the
/// last of a slice besides, and in a loop "start_terms" and "stop_terms"; a variable whose shape
/// depends on loops "varying": its rows and columns as {"constant", "terms"}; a print "parts": texts
/// {"text"}, integers {"integer", "terms", "format"} and elements {"operand", "type", "format"}.
/// bytes is what the statement adds to the memory in use or (negative) takes from it, total what is
/// in use after it, launches the kernels that it starts on a device. line and column are 0 where
/// there is no source. A constant has "data" too: the rows of its matrix. Numbers that JSON lacks
/// are the strings "nan", "inf" and "-inf".
// clang-format on
std::string print_json(const StatementList& list, const PrintOptions& options = {});

/// The tree of each name that the program assigns, below its source line; without assignments, the
/// trees of its results. A node is printed once: later uses refer to a value by its name, or by its
/// number `%3`. A branch deeper than 24 continues in a separate tree.
std::string print_tree(const Program& program, const PrintOptions& options = {});
std::string print_tree(const std::vector<NodePtr>& roots, const PrintOptions& options = {});

/// The tree of a list, which has no expressions: it shows how its statements use each other. There
/// is a tree for each statement whose value is an output, is printed, or is used in several places
/// or outside of its loop; below it are the statements that made its operands. `%3` refers to the
/// tree of that number.
std::string print_tree(const StatementList& list);

/// The same as a directed graph for Graphviz, operands above results; what an iteration finds of
/// the one before is dashed.
std::string print_dot(const Program& program, const PrintOptions& options = {});
std::string print_dot(const std::vector<NodePtr>& roots, const PrintOptions& options = {});
std::string print_dot(const StatementList& list);

}  // namespace rewriter
