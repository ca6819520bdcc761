#include "tools/symdump_integers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <vector>

#include "cudamat/error.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/inexact.hpp"
#include "rewriter/expr/number_in.hpp"

namespace symdump {

namespace {

bool has_custom_operations(const std::vector<rewriter::NodePtr>& roots) {
  const auto order = rewriter::in_order(roots);
  return std::any_of(order.begin(), order.end(), [](const rewriter::NodePtr& node) {
    return node->kind == rewriter::Kind::Custom;
  });
}

}  // namespace

template <class T>
std::string rounded_integers(const rewriter::Program& program,
                             const std::map<std::string, npmat::Array<T>>& inputs,
                             const std::map<std::string, npmat::Array<T>>& outputs,
                             std::uint64_t seed) {
  std::string text;
  std::set<int> said;
  const auto say = [&](const std::string& what) {
    text += fmt::format("# {} integers beyond 2^{}, which may be rounded{}\n", what,
                        rewriter::kIntegerBits<T>,
                        std::numeric_limits<T>::digits < 63 ? "; --precision gives more" : "");
  };
  for (const auto& [name, node] : program.results) {
    const auto found = outputs.find(name);
    if (found == outputs.end() || !rewriter::is_integer(node->dtype)) continue;
    const auto& data = found->second.data;
    if (std::all_of(data.begin(), data.end(), rewriter::is_exact_integer<T>)) continue;
    say(name + " has");
    said.insert(node->where.line);
  }
  std::vector<rewriter::NodePtr> roots = program.steps;
  for (const auto& [name, node] : program.results) roots.push_back(node);
  const double most = std::ldexp(1.0, rewriter::kIntegerBits<T>);
  if (rewriter::inexact_integer(roots, most) == nullptr || has_custom_operations(roots))
    return text;
  try {
    for (const rewriter::Node* node : rewriter::rounded_integers<T>(roots, inputs, seed))
      if (node->where.line > 0 && said.insert(node->where.line).second)
        say(fmt::format("{}: computes with", program.source->named_line(node->where.line)));
  } catch (const cudamat::CUDAMatException& error) {
    text +=
        fmt::format("# not looked at: integers that a step may have rounded: {}\n", error.what());
  }
  return text;
}

#define ROUNDED_INTEGERS(T)                                                    \
  template std::string rounded_integers(                                       \
      const rewriter::Program&, const std::map<std::string, npmat::Array<T>>&, \
      const std::map<std::string, npmat::Array<T>>&, std::uint64_t);
ROUNDED_INTEGERS(float)
ROUNDED_INTEGERS(double)
ROUNDED_INTEGERS(long double)
#undef ROUNDED_INTEGERS

}  // namespace symdump
