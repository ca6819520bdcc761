// symdump's verifications: what a run of a statement list gave, against direct evaluation or NumPy.
#pragma once

#include <map>
#include <string>

#include "npmat/array.hpp"
#include "rewriter/expr/program.hpp"
#include "rewriter/list/statement.hpp"
#include "tools/symdump_numpy.hpp"
#include "tools/symdump_options.hpp"

namespace symdump {

/// A run of a list, and the program that it is to agree with.
template <class T>
struct Run {
  const rewriter::Program& program;
  const rewriter::StatementList& list;
  const Options& options;
  const std::map<std::string, npmat::Array<T>>& inputs;
  const std::map<std::string, npmat::Array<T>>& outputs;
  std::string engine;
  bool on_cpu = true;
  std::string printed{};  ///< by lines that are not in program.left_out
};

/// Shortens arrays whose length is known only at run time to that length, where the length is
/// a result, too.
template <class T>
void cut_to_lengths(const rewriter::Program& program,
                    std::map<std::string, npmat::Array<T>>& results) {
  for (const auto& [name, length] : program.lengths) {
    const auto found = results.find(name), its = results.find(length.result);
    if (found == results.end() || its == results.end()) continue;
    npmat::Array<T>& array = found->second;
    const auto axis = array.shape.begin() + length.axis;
    const std::int64_t after = npmat::element_count({axis + 1, array.shape.end()});
    const std::int64_t had = *axis * after;
    *axis = static_cast<std::int64_t>(its->second.data[0]);
    const std::int64_t has = *axis * after;
    const std::int64_t parts = npmat::element_count({array.shape.begin(), axis});
    for (std::int64_t k = 0; k < parts; ++k)
      std::copy_n(array.data.begin() + k * had, has, array.data.begin() + k * has);
    array.data.resize(static_cast<std::size_t>(parts * has));
  }
}

/// Against the program's expressions, evaluated by value on npmat. Adds a table to the report; says
/// whether they agree. Throws CUDAMatException if the program does not have the list's outputs.
///
/// On the CPU both sum in the same order and call the same functions, so that a difference of more
/// than a few roundings is an error. A GPU sums in other orders and has functions of its own, and
/// `--passes all` rounds otherwise; what a program makes of the last places grows with it.
template <class T>
bool verify_by_evaluation(const Run<T>& run, std::string& report);

/// The same against NumPy, which finishes here. Types (booleans, integers, floats), shapes and what
/// is printed must be NumPy's, too; NumPy sums in other orders.
template <class T>
bool verify_by_numpy(const Run<T>& run, NumpyRun& numpy, const DrawSource& draws,
                     std::string& report);

#define SYMDUMP_EXTERN_VERIFY(T)                                          \
  extern template bool verify_by_evaluation(const Run<T>&, std::string&); \
  extern template bool verify_by_numpy(const Run<T>&, NumpyRun&, const DrawSource&, std::string&);
SYMDUMP_EXTERN_VERIFY(float)
SYMDUMP_EXTERN_VERIFY(double)
SYMDUMP_EXTERN_VERIFY(long double)
#undef SYMDUMP_EXTERN_VERIFY

}  // namespace symdump
