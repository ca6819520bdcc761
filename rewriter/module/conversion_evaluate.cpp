// A converted program by direct evaluation of its tree.
#include <algorithm>
#include <cmath>

#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/module/conversion.hpp"
#include "rewriter/module/life.hpp"
#include "rewriter/module/numpy.hpp"

namespace rewriter::module {

template <class T>
std::map<std::string, npmat::Array<T>> Conversion::values_of_inputs(
    const std::vector<Leaf>& leaves) const {
  std::map<std::string, npmat::Array<T>> values;
  const std::vector<double> numbers = numbers_of(leaves);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (const auto number = inputs_[i].number) {
      values.emplace(list_.inputs[i].name, npmat::Array<T>{{}, {number_in<T>(numbers[*number])}});
      continue;
    }
    const Leaf& leaf = leaves[inputs_[i].leaf];
    npmat::Array<T> array{list_.inputs[i].dims, {}};
    array.data.resize(static_cast<std::size_t>(npmat::element_count(array.shape)),
                      number_in<T>(leaf.number));
    if (leaf.is_array) leaf.buffer.read(array.data.data(), inputs_[i].part);
    values.emplace(list_.inputs[i].name, std::move(array));
  }
  return values;
}

std::vector<NodePtr> Conversion::roots() const {
  std::vector<NodePtr> roots;
  for (const Binding& output : list_.outputs)
    for (const Program::Named& result : program_.results)
      if (result.name == output.name) roots.push_back(result.node);
  roots.insert(roots.end(), program_.steps.begin(), program_.steps.end());
  return roots;
}

template <class T>
nb::dict Conversion::tree_values_as(std::uint64_t seed) {
  std::vector<Leaf> leaves;
  add_bound(leaves);
  const auto values = values_of_inputs<T>(leaves);
  std::vector<npmat::Array<T>> made;
  {
    const Ending::Unlocked unlocked;
    const std::lock_guard turn(engine_stream());
    made = rewriter::evaluate<T>(roots(), values, seed);
  }
  nb::dict result;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Code code = outputs_[i].code != 0 ? outputs_[i].code : floating_;
    nb::object array = new_array(outputs_[i].shape, code, outputs_[i].size);
    Buffer buffer;
    if (!buffer.take(array.ptr())) throw nb::python_error();
    cast_elements(made[i].data.data(), outputs_[i].size, code, buffer.data());
    result[list_.outputs[i].name.c_str()] = array;
  }
  return result;
}

nb::dict Conversion::tree_values(std::uint64_t seed) {
  return in_precision([&]<class T>(T*) { return tree_values_as<T>(seed); });
}

}  // namespace rewriter::module
