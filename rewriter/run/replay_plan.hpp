// Which statements of a list's loops a GPU can be given as one graph, again in each iteration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rewriter/list/host_numbers.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Statements [first, last) of a loop's body, at least two calls among them, that touch the same
/// memory in the same way in every iteration: neither where a matrix lies, nor its shape, nor a
/// number depends on a loop. None of them waits for the device, seeds random numbers or prints.
struct ReplayRegion {
  std::size_t first = 0;
  std::size_t last = 0;
  int calls = 0;
};

/// A remark on a statement.
struct ReplayRemark {
  std::size_t statement = 0;
  bool refused = false;
  std::string text;
};

struct ReplayPlan {
  std::vector<ReplayRegion> regions;  ///< in order
  /// By statement: whether it is a Slice whose columns are copied to memory that stays where it is,
  /// for the statements that read them. Nobody writes to them in the loop, they are few, and they
  /// lie as the copy does, so that every bit of what is computed of them stays.
  std::vector<bool> staged;
  std::vector<bool> on_host;          ///< by statement: it computes numbers that no graph reads
  std::vector<ReplayRemark> remarks;  ///< calls in loops that are in no region, and why
};

/// Of a list that verify() accepts. Loops of fewer than three iterations have no regions. The host
/// computes the numbers.
ReplayPlan plan_replay(const StatementList& list, int bytes_per_element,
                       const HostNumbers& numbers = {});

}  // namespace rewriter
