// Statement lists for the CUDA engine, and numbers for their inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run_cuda.hpp"

namespace cuda_lists {

using namespace rewriter;
namespace cuda = cudamat::cuda;

/// Gradient descent on columns of X, a batch at a time, three times over.
inline constexpr const char* kDescent =
    "X: (16, 40)\nY: (4, 40)\nW: (4, 16)\n"
    "for epoch in range(3):\n"
    "    for i in range(5):\n"
    "        x = X[:, 8*i:8*i+8]\n"
    "        y = Y[:, 8*i:8*i+8]\n"
    "        e = np.tanh(W @ x) - y\n"
    "        W = W - 0.1 * ((e * (1 - e * e)) @ x.T) / 8\n";

/// The program's text comes after the import of NumPy.
inline StatementList list_of(const std::string& text, const char* passes) {
  return run_passes(lower(read(Source("prog.py", "import numpy as np\n" + text))),
                    parse_pass_names(passes))
      .list;
}

template <class T = float>
std::map<std::string, npmat::Array<T>> inputs_of(const StatementList& list) {
  std::map<std::string, npmat::Array<T>> inputs;
  std::uint32_t state = 7;
  for (const Binding& input : list.inputs) {
    npmat::Array<T> array{input.dims, {}};
    for (Index k = 0; k < npmat::element_count(input.dims); ++k) {
      state = state * 1664525u + 1013904223u;
      array.data.push_back(static_cast<T>(state >> 8) / T(1 << 24) - T(0.5));
    }
    inputs.emplace(input.name, std::move(array));
  }
  return inputs;
}

/// What was said of replay.
inline std::vector<std::string> texts(const std::vector<ReplayRemark>& remarks, bool refused) {
  std::vector<std::string> result;
  for (const ReplayRemark& remark : remarks)
    if (remark.refused == refused) result.push_back(remark.text);
  return result;
}

/// Inputs of ones.
template <class T>
std::map<std::string, npmat::Array<T>> ones(const StatementList& list) {
  std::map<std::string, npmat::Array<T>> inputs;
  for (const Binding& input : list.inputs)
    inputs.emplace(
        input.name,
        npmat::Array<T>{
            input.dims,
            std::vector<T>(static_cast<std::size_t>(npmat::element_count(input.dims)), T(1))});
  return inputs;
}

}  // namespace cuda_lists
