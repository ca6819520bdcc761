// The layers side by side: the same step of a model, written by hand, with garrays, or made by the
// rewriter, measured in turns so that what else the machine does meets all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "npmat/array.hpp"
#include "rewriter/list/statement.hpp"

namespace bench {

/// What a step takes.
struct Cost {
  double statements = 0;   ///< views and allocations among them
  double launches = 0;     ///< of kernels, as rewriter::launches() counts them
  double allocations = 0;  ///< of matrices
  std::int64_t peak_bytes = 0;
};

/// On the clock, and of the processor: of all threads together. Ratios of them, too.
struct Seconds {
  double clock = 0, processor = 0;
};
/// The time now, from some point on.
Seconds now();
Seconds operator-(Seconds a, Seconds b);

/// One way to run a model's step.
struct Layer {
  std::string name;
  /// Runs some steps, each of which waits for the device, and adds what each took.
  std::function<void(std::vector<Seconds>&)> time;
  std::function<Cost()> cost;
};

struct Result {
  Seconds best, median;  ///< of a step
  /// Of the best step of a turn to the first layer's in the same turn: the median of the turns,
  /// from which drops out what disturbs the machine for longer than a turn.
  Seconds ratio;
  Cost cost;
};

/// Measures the layers in turns, one after the other. The first step of a turn finds another
/// layer's data in the caches, and does not count.
std::vector<Result> race(const std::vector<Layer>& layers);

/// A function of a program, to be called once.
struct Training {
  std::string file, text;  ///< the program
  std::string function;
  std::map<std::string, rewriter::Dims> shapes;                       ///< of its inputs
  std::map<std::string, std::variant<std::int64_t, double>> numbers;  ///< its other parameters
};
/// Its statements after these passes.
rewriter::StatementList list_of(const Training& training, const std::string& passes);

/// The body of a list's last loop, a step: [first, end) of its statements.
struct Body {
  std::size_t first = 0, end = 0;
};
Body last_loop(const rewriter::StatementList& list);
/// What the statements of a step say; matrices of its own are its allocations. Without the peak.
Cost cost_of_step(const rewriter::StatementList& list);

}  // namespace bench
