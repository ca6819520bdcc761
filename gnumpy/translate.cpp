#include "gnumpy/translate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "gnumpy/form.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"

namespace gnumpy::detail {

namespace {

using rewriter::Array;
namespace sym = rewriter;

/// Neighbouring axes of a broadcast that the same operands have; bit k: operand k has them.
struct Group {
  Index extent = 1;
  unsigned has = 0;
};

Index product(const std::vector<Group>& groups, std::size_t first, std::size_t last, unsigned bit) {
  Index size = 1;
  for (std::size_t i = first; i < last; ++i)
    if ((groups[i].has & bit) != 0) size *= groups[i].extent;
  return size;
}

std::vector<Group> groups_of(const Node& map) {
  std::vector<Group> groups;
  for (std::size_t axis = 0; axis < map.dims.size(); ++axis) {
    const Index extent = map.dims[axis];
    if (extent == 1) continue;
    unsigned has = 0;
    for (std::size_t k = 0; k < map.args.size(); ++k) {
      const Dims& dims = map.args[k]->dims;
      const std::size_t missing = map.dims.size() - dims.size();
      if (axis >= missing && dims[axis - missing] == extent) has |= 1u << k;
    }
    if (!groups.empty() && groups.back().has == has)
      groups.back().extent *= extent;
    else
      groups.push_back({extent, has});
  }
  return groups;
}

/// Reads the elements of `a`, by columns, as a matrix of this shape.
Array as(const Array& a, Index rows, Index cols) {
  const Dims dims = {rows, cols};
  return a.shape() == dims ? a : a.reshape_columns(dims);
}

/// The operand's elements repeated along those of the first `count` groups that it lacks.
Array expanded(Array a, std::vector<Group> groups, unsigned bit, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((groups[i].has & bit) != 0) continue;
    const Index outer = product(groups, 0, i, bit);
    const Index inner = product(groups, i + 1, groups.size(), bit);
    const Index repeat = groups[i].extent;
    if (outer == 1) {
      a = sym::ones({inner, repeat}) * as(a, inner, 1);
    } else {
      if (inner > 1) a = as(a, inner, outer).T();
      a = sym::ones({repeat, inner * outer}) * as(a, 1, inner * outer);
      if (inner > 1) a = as(a, repeat * outer, inner).T();
    }
    groups[i].has |= bit;
  }
  return a;
}

class Translator {
 public:
  Translator(const std::vector<InputLeaf>& inputs, bool in_place, double (*change)(double))
      : inputs_(inputs), in_place_(in_place), change_(change) {
    for (const InputLeaf& input : inputs) {
      const Dims& dims = input.leaf->dims;
      const Index rows = dims.empty() ? 1 : dims.back();
      const std::string name = fmt::format("x{}", leaves_.size() + 1);
      leaves_.push_back(
          sym::input(name, {rows, rows == 0 ? outer(dims) : input.leaf->size / rows}));
    }
  }

  sym::StatementList list(const Node& root, std::string_view passes) {
    sym::Program program;
    Array result = value(root);
    if (in_place_) result = sym::in_place(result);
    for (const Array& leaf : leaves_) program.inputs.push_back({leaf.node()->text, leaf.node()});
    program.steps.push_back(result.node());
    program.assignments.push_back({"result", result.node()});
    program.results.push_back({"result", result.node()});
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      if (!inputs_[i].may_overwrite)
        program.results.push_back({leaves_[i].node()->text, leaves_[i].node()});
    sym::PassChoice choice = sym::parse_pass_names(passes);
    choice.options.may_overwrite_inputs = true;
    choice.options.transposed_factors_are_flags = true;
    sym::StatementList made = sym::run_passes(sym::lower(program), choice).list;
    std::erase_if(made.outputs, [](const sym::Binding& output) { return output.name != "result"; });
    return made;
  }

 private:
  static Index outer(const Dims& dims) {
    Index size = 1;
    for (std::size_t i = 0; i + 1 < dims.size(); ++i) size *= dims[i];
    return size;
  }

  Array value(const Node& node) {
    switch (node.kind) {
      case Node::Kind::Leaf:
        return leaf(node);
      case Node::Kind::Number:
        return {change_ != nullptr && is_ordinary(node.number) ? change_(node.number)
                                                               : node.number};
      case Node::Kind::Map:
        return map(node).as_float();
      case Node::Kind::Reduce:
        return reduce(node).as_float();
      case Node::Kind::Norm:
        return sym::whole(node.op, value(*node.args[0])).reshape_columns({1, 1});
      case Node::Kind::Dot:
        return dot(node);
      case Node::Kind::Transpose:
        return as(value(*node.args[0]), node.dims[0], node.dims[1]).T();
      case Node::Kind::Reshape:
        return value(*node.args[0]);
      case Node::Kind::Copy:
        return value(*node.args[0]).copy();
      case Node::Kind::Repeat:
        return repeated(node);
      case Node::Kind::Gather:
      case Node::Kind::Part:
        break;
    }
    throw cudamat::InternalError("a garray's expression has a node of an unknown kind");
  }

  Array leaf(const Node& node) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].leaf->storage == node.storage && inputs_[i].leaf->offset == node.offset &&
          inputs_[i].leaf->size == node.size)
        return leaves_[i];
    throw cudamat::InternalError("a garray's expression has a leaf that is no input");
  }

  Array repeated(const Node& node) {
    const std::vector<Group> groups = groups_of(node);
    return expanded(value(*node.args[0]), groups, 1, groups.size());
  }

  Array map(const Node& node) {
    std::vector<Array> operands;
    for (const NodePtr& arg : node.args) operands.push_back(value(*arg));
    const std::vector<Group> groups = groups_of(node);
    const auto have_all = [&](unsigned bit) {
      return std::all_of(groups.begin(), groups.end(),
                         [&](const Group& group) { return (group.has & bit) != 0; });
    };
    if (groups.size() <= 1) {
      same_reading(node, operands, have_all);
    } else {
      const std::size_t inner = groups.size() - 1;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].is_number()) continue;
        const unsigned bit = 1u << k;
        const Index outer = product(groups, 0, inner, bit),
                    all_outer = product(groups, 0, inner, ~0u);
        const bool in_part = outer != all_outer && outer != 1;
        if (in_part) operands[k] = expanded(operands[k], groups, bit, inner);
        operands[k] = as(operands[k], product(groups, inner, groups.size(), bit),
                         in_part ? all_outer : outer);
      }
    }
    return node.build(operands.data());
  }

  /// Operands of one size, or of one element.
  template <class HaveAll>
  static void same_reading(const Node& node, std::vector<Array>& operands,
                           const HaveAll& have_all) {
    const Array* first = nullptr;
    for (std::size_t k = 0; k < operands.size() && first == nullptr; ++k)
      if (!operands[k].is_number() && have_all(1u << k)) first = &operands[k];
    const Dims dims = first == nullptr ? Dims{node.size, 1} : first->shape();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].is_number()) continue;
      operands[k] = have_all(1u << k) ? as(operands[k], dims[0], dims[1]) : as(operands[k], 1, 1);
    }
  }

  Array reduce(const Node& node) {
    const Node& arg = *node.args[0];
    const Array a = value(arg);
    if (node.axis < 0) return sym::reduce(node.op, as(a, arg.size, 1), 0, true);
    const auto axis = static_cast<std::size_t>(node.axis);
    Index before = 1, after = 1;
    for (std::size_t i = 0; i < arg.dims.size(); ++i) {
      if (i < axis) before *= arg.dims[i];
      if (i > axis) after *= arg.dims[i];
    }
    const Index extent = arg.dims[axis];
    if (after == 1) return sym::reduce(node.op, as(a, extent, before), 0, true);
    if (before == 1) return sym::reduce(node.op, as(a, after, extent), 1, true);
    const Array turned = as(a, after, extent * before).T();
    const Array sums = sym::reduce(node.op, as(turned, extent, before * after), 0, true);
    return as(sums, before, after).T();
  }

  Array dot(const Node& node) {
    const Node& x = *node.args[0];
    const Node& y = *node.args[1];
    const Index inner = x.dims.back();
    const Index cols = y.dims.size() == 1 ? 1 : y.dims.back();
    const Index rows = x.size == 0 ? outer(x.dims) : x.size / inner;
    return sym::dot(as(value(y), cols, inner), as(value(x), inner, rows));
  }

  const std::vector<InputLeaf>& inputs_;
  bool in_place_;
  double (*change_)(double);
  std::vector<Array> leaves_;
};

}  // namespace

sym::StatementList translate(const Node& root, const std::vector<InputLeaf>& inputs, bool in_place,
                             std::string_view passes, double (*change)(double)) {
  return Translator(inputs, in_place, change).list(root, passes);
}

}  // namespace gnumpy::detail
