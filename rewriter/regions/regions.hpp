// Regions of a list: its outermost loops, each with its body, and its chains of small statements,
// as C++ functions for the system's compiler (npmat/compiled_function.hpp).
//
// A function computes what its statements compute one by one, with the same bits. Views are
// pointers, small matrices that nothing else needs are local arrays, and element-wise statements
// and copies are loops of the function. Products, reductions and functions that run in blocks are
// calls of the engine (npmat/region_calls.hpp); what has no text, and what is large, is a call of
// the statement back in the runner. Iterations that are apart run on all threads (shared_loop.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rewriter/list/host_numbers.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"

namespace rewriter {

/// Statements [first, last] of a list: a Loop that repeats its body, and all to its End; or a chain
/// of statements that repeats nothing.
struct Region {
  std::size_t first = 0;
  std::size_t last = 0;
  bool is_loop = true;
};
/// Those that are worth a function, in the order of the statements.
std::vector<Region> regions(const StatementList& list);

/// By variable the last statement that names it; of an output the number of statements.
Table<std::size_t> last_named(const StatementList& list);

/// Writes the functions of a list that runs in T: float, double or long double. The list and the
/// numbers must outlive it.
template <class T>
class RegionTexts {
 public:
  RegionTexts(const StatementList& list, const HostNumbers& numbers)
      : list_(list),
        numbers_(numbers),
        uses_(list),
        nesting_(loop_nesting(list)),
        last_named_(last_named(list)) {}

  /// The text of a region's function after its name: (void* calls, long start), where `start` is
  /// the first value of the loop's variable.
  [[nodiscard]] std::string text(const Region& region) const;
  /// What a function is made of.
  struct Contents {
    /// A statement that is a call of the runner, and why.
    struct Call {
      std::size_t statement = 0;
      std::string why;
    };
    std::vector<Call> calls;
    bool is_shared = false;  ///< threads may share the iterations of its loop (shared_loop.hpp)
  };
  [[nodiscard]] Contents contents(const Region& region) const;

 private:
  const StatementList& list_;
  const HostNumbers& numbers_;
  Uses uses_;
  LoopNesting nesting_;
  Table<std::size_t> last_named_;
};

/// The variables that the region names before it defines them as views, in their order.
std::vector<Var> memory_of(const StatementList& list, const Region& region);
/// The variables that it defines and that statements or outputs after it name.
std::vector<Var> made_by(const StatementList& list, const Region& region,
                         const Table<std::size_t>& last_named);

}  // namespace rewriter
