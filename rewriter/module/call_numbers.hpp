// What follows from a call's numbers alone (1 - beta ** t): computed in double before the run, as
// Python does it, in every precision. At run time it is an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rewriter/expr/program.hpp"

namespace rewriter::module {

class CallNumbers {
 public:
  /// Before the program is read: takes ids of nodes that are older than all of it.
  void reserve();
  /// Nodes of the program that follow from these inputs, numbers of no dimension, become inputs.
  void take_out_of(Program& program, const std::vector<std::string>& numbers);

  /// The input's place among values(); nothing of other inputs.
  [[nodiscard]] const std::size_t* find(const std::string& input) const;
  /// The values that these inputs have, where the numbers have those. Throws CUDAMatException where
  /// an int is beyond 2^53, which Python would compute exactly.
  [[nodiscard]] std::vector<double> values(const std::map<std::string, double>& numbers) const;
  [[nodiscard]] bool empty() const { return made_.empty() && whole_.empty(); }

 private:
  struct Made {
    std::string name;
    NodePtr node;
  };
  std::vector<std::uint64_t> ids_;
  std::vector<Made> made_;
  std::vector<NodePtr> whole_;  ///< ints that are computed in any case
  std::map<std::string, std::size_t> places_;
};

}  // namespace rewriter::module
