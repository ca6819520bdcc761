// The regions of a list (rewriter/regions/regions.hpp) while it runs on the host: which of them are
// compiled, and their runs. Internal to the runner.
//
// CUDAMAT_COMPILE says when regions are compiled, as for fused statements (npmat/fused_loops.hpp).
// A region whose statements take little time each is compiled in the background once it has taken
// long; its function takes over in the next iteration of its loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rewriter/list/host_numbers.hpp"
#include "rewriter/list/iterations.hpp"

namespace rewriter {

/// What a compiled region asks of the runner, which may throw.
class RegionHost {
 public:
  RegionHost() = default;
  virtual ~RegionHost() = default;
  RegionHost(const RegionHost&) = delete;
  RegionHost& operator=(const RegionHost&) = delete;

  /// The memory of a variable that exists, or that the region makes.
  virtual void* memory(Var var) = 0;
  /// By variable, the numbers that the host holds; null: it holds none.
  virtual double* numbers() = 0;
  /// Runs a statement; `data`: by variable, its memory.
  virtual void call(std::size_t statement, void* const* data) = 0;
  /// After the region: where the memory of a variable is that it defined.
  virtual void made(Var var, void* memory) = 0;
  /// Throws the error of a Select's index.
  virtual void bad_index(std::size_t statement, double index, Index size) = 0;
  /// Between iterations of a Loop, at least every few milliseconds, and before each call().
  virtual void look(std::size_t statement) = 0;
  /// Once a run, before the statements [first, last] run for the first time.
  virtual void account(std::size_t first, std::size_t last) = 0;
};

class CompiledRegions {
 public:
  /// Of a list that runs in T. Both must outlive this.
  template <class T>
  static CompiledRegions of(const StatementList& list, const HostNumbers& numbers);
  ~CompiledRegions();
  CompiledRegions(CompiledRegions&&) noexcept;

  /// A run begins.
  void begin();
  /// Before a statement: runs the region that begins there, if it is compiled. Returns where the
  /// list goes on, the statement itself if nothing was run.
  std::size_t enter(std::size_t statement, std::int64_t count, LoopVariables& variables,
                    RegionHost& host);
  /// After a statement that leads to `next`: runs the rest of the loop that ends there, if it is
  /// compiled by now.
  /// Returns where the list goes on. `count`: how many statements were run one by one so far.
  std::size_t after(std::size_t done, std::size_t next, std::int64_t count,
                    LoopVariables& variables, RegionHost& host);

 private:
  struct Parts;
  explicit CompiledRegions(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;  // null: no region, or none is to be compiled
};

extern template CompiledRegions CompiledRegions::of<float>(const StatementList&,
                                                           const HostNumbers&);
extern template CompiledRegions CompiledRegions::of<double>(const StatementList&,
                                                            const HostNumbers&);
extern template CompiledRegions CompiledRegions::of<long double>(const StatementList&,
                                                                 const HostNumbers&);

/// The number of times that a region ran compiled in this process.
std::int64_t compiled_region_runs();

/// For tests: whether loops that threads may share run on the calling thread, their last iterations
/// first, in parts of one.
void set_shared_backwards(bool backwards);

/// For engines that compile none.
struct NoRegions {};

}  // namespace rewriter
