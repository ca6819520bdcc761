#include "rewriter/module/call_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/module/conversion.hpp"
#include "rewriter/module/dispatch.hpp"

namespace rewriter::module {

namespace {

constexpr std::size_t kMost = 256;

bool computes(const Node& node) {
  return node.dims.empty() && !node.in_place && !node.args.empty() &&
         (node.kind == Kind::Map || node.kind == Kind::LogicalNot || node.kind == Kind::Where);
}

}  // namespace

void CallNumbers::reserve() {
  while (ids_.size() < kMost)
    ids_.push_back(detail::make_node("number", Kind::Number, DType::Float, {})->id);
}

void CallNumbers::take_out_of(Program& program, const std::vector<std::string>& numbers) {
  std::vector<NodePtr> roots = program.steps;
  for (const Program::Named& result : program.results) roots.push_back(result.node);
  const std::unordered_set<std::string> named(numbers.begin(), numbers.end());
  std::unordered_map<const Node*, NodePtr> follows;  // what stays to be computed of it
  std::unordered_set<const Node*> wanted;            // by what does not follow
  std::vector<NodePtr> order;
  int depth = 0;
  for (const NodePtr& node : in_order(roots)) {
    if (node->kind == Kind::LoopBegin) ++depth;
    if (node->kind == Kind::LoopEnd) --depth;
    const auto does = [&](const NodePtr& arg) { return follows.contains(arg.get()); };
    const bool is_number = node->kind == Kind::Input && named.contains(node->text);
    if (is_number || (computes(*node) && std::any_of(node->args.begin(), node->args.end(), does) &&
                      std::all_of(node->args.begin(), node->args.end(), [&](const NodePtr& arg) {
                        return does(arg) || arg->kind == Kind::Number;
                      }))) {
      const std::shared_ptr<Node> copy = Node::create_like(*node);
      for (NodePtr& arg : copy->args)
        if (const auto found = follows.find(arg.get()); found != follows.end()) arg = found->second;
      follows.emplace(node.get(), copy);
      if (!is_number) order.push_back(node);
      if (!is_number && depth == 0 && is_integer(copy->dtype)) whole_.emplace_back(copy);
      continue;
    }
    for (const NodePtr& arg : node->args) wanted.insert(arg.get());
  }
  for (const NodePtr& root : roots) wanted.insert(root.get());
  for (const NodePtr& node : order) {
    if (!wanted.contains(node.get()) || made_.size() == ids_.size()) continue;
    std::string name = "number_" + std::to_string(made_.size() + 1);
    while (named.contains(name) ||
           std::any_of(program.inputs.begin(), program.inputs.end(),
                       [&](const auto& input) { return input.name == name; }))
      name += "_";
    // The program is this conversion's own, and all that holds the node means its value.
    Node& input = const_cast<Node&>(*node);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    input.kind = Kind::Input;
    input.id = ids_[made_.size()];
    input.text = name;
    input.args.clear();
    places_.emplace(name, made_.size());
    program.inputs.push_back({name, node});
    made_.push_back({std::move(name), follows.at(node.get())});
  }
}

const std::size_t* CallNumbers::find(const std::string& input) const {
  const auto found = places_.find(input);
  return found == places_.end() ? nullptr : &found->second;
}

std::vector<double> CallNumbers::values(const std::map<std::string, double>& numbers) const {
  if (empty()) return {};
  Values<double> given;
  for (const auto& [name, number] : numbers)
    given.emplace(name, npmat::Array<double>{{}, {number}});
  std::vector<NodePtr> roots = whole_;
  for (const Made& made : made_) roots.push_back(made.node);
  std::vector<npmat::Array<double>> computed;
  {
    const std::lock_guard turn(engine_stream());
    computed = rewriter::evaluate<double>(roots, given);
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double value = computed[i].data[0];
    if (i >= whole_.size())
      result.push_back(value);
    else if (std::fabs(value) >= module::kExact)
      cudamat::misuse("convert",
                      "an int computed from the numbers of the call is {}, beyond 2**53, up to "
                      "which ints are exact; pass the number as a float",
                      value);
  }
  return result;
}

}  // namespace rewriter::module
