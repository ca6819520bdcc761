// Regions of a list: its outermost loops, each with its body, as C++ functions for the system's
// compiler (npmat/compiled_function.hpp).
//
// A function computes what its statements compute one by one, with the same bits. Views are
// pointers, small matrices that nothing else needs are local arrays, and element-wise statements
// and copies are loops of the function. What it has no text for, and what is large, is a call of
// the statement back in the runner.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rewriter/list/host_numbers.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"

namespace rewriter {

/// Statements [first, last] of a list: a Loop that repeats its body, and all to its End.
struct Region {
  std::size_t first = 0;
  std::size_t last = 0;
};
/// Those that are worth a function, in the order of the statements.
std::vector<Region> regions(const StatementList& list);

/// What a region's function calls and reads. A callback that fails keeps the exception and returns
/// 1; the function then returns.
struct RegionCalls {
  void** data;   ///< by variable: its memory; the function sets that of its views before calls
  Index* loops;  ///< by loop: its variable, which the function sets before calls
  int (*call)(RegionCalls*, Index statement);
  /// Whether the condition of a Loop or an End holds; less than 0: failed.
  int (*holds)(RegionCalls*, Index statement);
  /// An index of the statement, a Select, which does not select from `size` columns. Fails.
  void (*bad_index)(RegionCalls*, Index statement, double index, Index size);
  /// Called at least every few milliseconds.
  int (*look)(RegionCalls*, Index statement);
};

/// Writes the functions of a list that runs in T: float, double or long double. The list and the
/// numbers must outlive it.
template <class T>
class RegionTexts {
 public:
  RegionTexts(const StatementList& list, const HostNumbers& numbers)
      : list_(list), numbers_(numbers), uses_(list), nesting_(loop_nesting(list)) {}

  /// The text of a region's function after its name: (void* calls, long start), where `start` is
  /// the first value of the loop's variable.
  [[nodiscard]] std::string text(const Region& region) const;

 private:
  const StatementList& list_;
  const HostNumbers& numbers_;
  Uses uses_;
  LoopNesting nesting_;
};

/// The variables that the region names before it defines them as views, in their order.
std::vector<Var> memory_of(const StatementList& list, const Region& region);

}  // namespace rewriter
