#include "rewriter/lower/matrices.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "rewriter/expr/build.hpp"

namespace rewriter {

namespace {

Index extent_of(const Dims& dims, std::size_t first, std::size_t last) {
  Index size = 1;
  for (std::size_t i = first; i < last; ++i) size *= dims[i];
  return size;
}

/// The matrix of a reading as a whole.
Dims matrix_dims(const Dims& dims) {
  if (dims.empty()) return {1, 1};
  return {dims.back(), extent_of(dims, 0, dims.size() - 1)};
}

/// Reads the elements of `a`, by columns, as a matrix of this shape.
Array as(const Array& a, Index rows, Index cols) {
  const Dims dims = {rows, cols};
  return a.shape() == dims ? a : a.reshape_columns(dims);
}

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

std::vector<Group> groups_of(const Node& node) {
  std::vector<Group> groups;
  for (std::size_t axis = 0; axis < node.dims.size(); ++axis) {
    const Index extent = node.dims[axis];
    if (extent == 1) continue;
    unsigned has = 0;
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      const Dims& dims = node.args[k]->dims;
      const std::size_t missing = node.dims.size() - dims.size();
      if (axis >= missing && dims[axis - missing] == extent) has |= 1u << k;
    }
    if (!groups.empty() && groups.back().has == has)
      groups.back().extent *= extent;
    else
      groups.push_back({extent, has});
  }
  return groups;
}

/// The operand's elements repeated along those of the first `count` groups that it lacks.
Array expanded(Array a, std::vector<Group> groups, unsigned bit, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((groups[i].has & bit) != 0) continue;
    const Index outer = product(groups, 0, i, bit);
    const Index inner = product(groups, i + 1, groups.size(), bit);
    const Index repeat = groups[i].extent;
    if (outer == 1) {
      a = ones({inner, repeat}) * as(a, inner, 1);
    } else {
      if (inner > 1) a = as(a, inner, outer).T();
      a = ones({repeat, inner * outer}) * as(a, 1, inner * outer);
      if (inner > 1) a = as(a, repeat * outer, inner).T();
    }
    groups[i].has |= bit;
  }
  return a;
}

/// [first][second][inner] as [second][first][inner].
Array exchanged(const Array& a, Index first, Index second, Index inner) {
  if (first == 1 || second == 1) return a;
  if (inner == 1) return as(a, second, first).T();
  const Array columns = as(a, second * inner, first);
  std::vector<Array> parts;
  if (second <= first) {
    for (Index k = 0; k < second; ++k) parts.push_back(columns.rows(k * inner, (k + 1) * inner));
    return concatenate(parts, 1);
  }
  for (Index k = 0; k < first; ++k) parts.push_back(as(columns.cols(k, k + 1), inner, second));
  return concatenate(parts, 0);
}

/// The nodes that the roots need, operands first and from left to right.
std::vector<NodePtr> post_order(const std::vector<NodePtr>& roots) {
  std::vector<NodePtr> order;
  std::unordered_map<const Node*, bool> is_done;
  std::vector<NodePtr> open(roots.rbegin(), roots.rend());
  while (!open.empty()) {
    const NodePtr node = open.back();
    const auto [state, is_new] = is_done.try_emplace(node.get(), false);
    if (is_new) {
      for (auto arg = node->args.rbegin(); arg != node->args.rend(); ++arg)
        if (!is_done.contains(arg->get())) open.push_back(*arg);
      continue;
    }
    open.pop_back();
    if (!std::exchange(state->second, true)) order.push_back(node);
  }
  return order;
}

class Translator {
 public:
  explicit Translator(Layout layout) : layout_(layout) {}

  MatrixProgram translate(const Program& program, const std::vector<NodePtr>& roots,
                          const std::vector<Program::Named>& outputs) {
    MatrixProgram result;
    result.program.source = program.source;
    result.program.parameters = program.parameters;
    for (const auto& [name, node] : program.inputs) declare(name, node, result.program);
    const std::vector<NodePtr> order =
        layout_ == Layout::COrder ? post_order(roots) : in_order(roots);
    for (const NodePtr& node : order)
      if (node->kind == Kind::LoopEnd) ends_.emplace(node->args[0].get(), node.get());
    for (const NodePtr& node : order) {
      if (values_.contains(node.get())) continue;
      const At at(node->where);
      values_.emplace(node.get(), node->kind == Kind::Number ? Value{Array(node)} : value(*node));
    }
    for (const auto& [name, node] : outputs) result.outputs.push_back({name, output(node)});
    for (const auto& [name, node] : program.assignments)
      if (values_.contains(node.get())) result.program.assignments.push_back({name, shown(node)});
    for (const NodePtr& root : roots) result.roots.push_back(shown(root));
    return result;
  }

 private:
  /// A value, and whether it is a reading in C order or an array of up to two dimensions.
  struct Value {
    Array array;
    bool reads = false;
  };

  // ---- values as they are asked for ----

  const Value& known(const NodePtr& node) const { return values_.at(node.get()); }

  /// A reading of the operand; of a number the number.
  Array operand(const Node& node, std::size_t k) {
    const auto& [array, reads] = known(node.args[k]);
    if (reads || array.is_number()) return array;
    const auto found = turned_.find(node.args[k].get());
    if (found != turned_.end()) return found->second;
    const Array reading = array.ndim() == 2 ? array.T() : as(array, array.size(), 1);
    return turned_.emplace(node.args[k].get(), reading).first->second;
  }

  /// The array of up to two dimensions that the node is.
  NodePtr matrix(const NodePtr& node) {
    const auto& [array, reads] = known(node);
    if (!reads) return array.node();
    if (node->ndim() != 2) return array.reshape_columns(node->dims).node();
    return as(array, node->dims[1], node->dims[0]).T().node();
  }

  /// What has the node's name. What a loop's body computed is not read outside of it.
  NodePtr shown(const NodePtr& node) {
    const auto found = outputs_.find(node.get());
    if (found != outputs_.end()) return found->second;
    return layout_ == Layout::COrder ? output(node) : known(node).array.node();
  }

  /// What a list's input or output shows of the node.
  NodePtr output(const NodePtr& node) {
    const auto found = outputs_.find(node.get());
    if (found != outputs_.end()) return found->second;
    const auto& [array, reads] = known(node);
    NodePtr shown;
    if (!reads)
      shown = array.node();
    else if (layout_ == Layout::COrder)
      shown = (is_computed(*node) ? array.as_float() : array).node();
    else if (node->ndim() < 3)
      shown = matrix(node);
    else
      shown = as(array, node->dims.back(), matrix_dims(node->dims)[1]).node();
    return outputs_.emplace(node.get(), std::move(shown)).first->second;
  }

  /// Whether it is, in whatever shape, the result of an element-wise function or a reduction.
  static bool is_computed(const Node& node) {
    const Node* from = &node;
    while (from->kind == Kind::Reshape) from = from->args[0].get();
    return from->kind == Kind::Map || from->kind == Kind::LogicalNot || from->kind == Kind::Where ||
           from->kind == Kind::Reduce;
  }

  void declare(const std::string& name, const NodePtr& node, Program& program) {
    const auto same = [&](const Program::Named& input) { return input.name == name; };
    const auto found = std::find_if(program.inputs.begin(), program.inputs.end(), same);
    if (found != program.inputs.end() && layout_ == Layout::COrder) {
      values_.emplace(node.get(), Value{Array(found->node), true});
      return;
    }
    const Value value{input(name, shape(*node), node->dtype), is_reading(*node)};
    program.inputs.push_back({name, value.array.node()});
    values_.emplace(node.get(), value);
  }

  // ---- nodes ----

  bool is_reading(const Node& node) const {
    return layout_ == Layout::COrder || node.ndim() > 2 ||
           std::any_of(node.args.begin(), node.args.end(),
                       [&](const NodePtr& arg) { return known(arg).reads; });
  }
  Dims shape(const Node& node) const {
    return is_reading(node) ? matrix_dims(node.dims) : node.dims;
  }

  static Array like(const Node& node, Dims dims, const std::vector<Array>& args) {
    std::vector<NodePtr> operands;
    for (const Array& arg : args) operands.push_back(arg.node());
    return detail::to_array(detail::make_like(node, std::move(dims), std::move(operands)));
  }

  Value value(const Node& node) {
    switch (node.kind) {
      case Kind::LoopBegin:
        return {begin_loop(node)};
      case Kind::Carried:
        return {firsts_.at(&node), is_carried_as_reading(node)};
      case Kind::LoopEnd:
        return {end_loop(node)};
      case Kind::After:
        return after(node);
      case Kind::LoopValue:
        return {like(node, node.dims, {})};
      case Kind::Print:
        return {like(node, node.dims, printed(node))};
      case Kind::Seed:
      case Kind::Sort:
      case Kind::Solver:
      case Kind::Scan:
      case Kind::Custom:
      case Kind::CustomResult:
        return {like(node, node.dims, matrices(node))};
      case Kind::SetSlice:
        if (known(node.args[0]).reads || layout_ == Layout::COrder) return {set_slice(node), true};
        return {like(node, node.dims, matrices(node))};
      case Kind::Put:
        if (is_reading(node)) return {put(node), true};
        return {like(node, node.dims, own(node))};
      default:
        if (is_reading(node)) return {reading(node), true};
        return {like(node, node.dims, own(node))};
    }
  }

  /// The operands as arrays of up to two dimensions.
  std::vector<Array> matrices(const Node& node) {
    std::vector<Array> args;
    for (const NodePtr& arg : node.args)
      args.emplace_back(arg->kind == Kind::Number ? arg : matrix(arg));
    return args;
  }

  /// The same, and those of more dimensions as an output shows them.
  std::vector<Array> printed(const Node& node) {
    std::vector<Array> args;
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      const NodePtr& arg = node.args[k];
      const Dims dims = matrix_dims(arg->dims);
      if (arg->ndim() > 2)
        args.push_back(as(operand(node, k), dims[0], dims[1]));
      else
        args.emplace_back(arg->kind == Kind::Number ? arg : matrix(arg));
    }
    return args;
  }

  // ---- loops: between the iterations, arrays of up to two dimensions are their own matrices

  bool is_carried_as_reading(const Node& node) const {
    return layout_ == Layout::COrder || node.ndim() > 2;
  }

  Array carried(const NodePtr& node) {
    if (node->kind == Kind::Number) return Array(node);
    if (node->ndim() < 3 && layout_ != Layout::COrder) return Array(matrix(node));
    const Dims dims = matrix_dims(node->dims);
    return as(Array(known(node).array), dims[0], dims[1]);
  }

  Array begin_loop(const Node& node) {
    const Node& end = *ends_.at(&node);
    std::vector<Array> firsts;
    for (std::size_t k = 0; k < end.carried; ++k)
      firsts.push_back(carried(end.args[1 + 2 * k]->args[0]));
    const std::vector<Array> condition = matrices(node);
    open_.push_back(turned_);
    const Array begin = like(node, {}, condition);
    for (std::size_t k = 0; k < end.carried; ++k) {
      const Node& old = *end.args[1 + 2 * k];
      const Dims dims = is_carried_as_reading(old) ? matrix_dims(old.dims) : old.dims;
      firsts_.emplace(&old, like(old, dims, {firsts[k], begin}));
    }
    return begin;
  }

  Array end_loop(const Node& node) {
    std::vector<Array> args{known(node.args[0]).array};
    for (std::size_t k = 0; k < node.carried; ++k) {
      args.push_back(known(node.args[1 + 2 * k]).array);
      args.push_back(carried(node.slot_value(k)));
    }
    for (std::size_t k = node.carried; k < node.slot_count(); ++k) {
      const auto found = values_.find(node.slot_value(k).get());
      // in_order() omits those that nothing takes
      args.push_back(found == values_.end() ? args.front() : carried(node.slot_value(k)));
    }
    turned_ = std::move(open_.back());  // what the body made is its own
    open_.pop_back();
    return like(node, {}, args);
  }

  Value after(const Node& node) {
    const Array end = known(node.args[0]).array;
    const NodePtr& value = end.node()->slot_value(node.slot);
    return {like(node, value->dims, {end}), is_carried_as_reading(node)};
  }

  std::vector<Array> own(const Node& node) const {
    std::vector<Array> args;
    for (const NodePtr& arg : node.args) args.push_back(known(arg).array);
    return args;
  }

  Array reading(const Node& node) {
    switch (node.kind) {
      case Kind::Input:
      case Kind::Fill:
      case Kind::Random:
        return like(node, matrix_dims(node.dims), {});
      case Kind::Data:
      case Kind::Constant:
        return data(node);
      case Kind::Map:
      case Kind::LogicalNot:
      case Kind::Where:
        return map(node);
      case Kind::Reduce:
      case Kind::Variance:
      case Kind::Deviation:
        return reduce(node);
      case Kind::Whole:
        return like(node, {}, {operand(node, 0)}).reshape_columns({1, 1});
      case Kind::Dot:
        return dot(node);
      case Kind::Transpose:
        return transpose(node);
      case Kind::Reshape:
        if (node.by_columns && node.dims != node.args[0]->dims) return by_columns(node);
        return operand(node, 0);
      case Kind::Broadcast: {
        const std::vector<Group> groups = groups_of(node);
        return expanded(operand(node, 0), groups, 1, groups.size());
      }
      case Kind::Slice:
        return slice(node);
      case Kind::Take:
        return take(node);
      case Kind::Concatenate:
        return joined(node);
      case Kind::Copy:
        return operand(node, 0).copy();
      default:
        throw cudamat::InternalError("lower: unknown node kind");
    }
  }

  static Array data(const Node& node) {
    const Dims dims = matrix_dims(node.dims);
    const auto turned = [&]<class T>(const npmat::Array<T>& array) -> HostData {
      npmat::Array<T> result{dims, {}};
      result.data.reserve(array.data.size());
      for (Index i = 0; i < dims[0]; ++i)
        for (Index j = 0; j < dims[1]; ++j)
          result.data.push_back(array.data[static_cast<std::size_t>(j * dims[0] + i)]);
      return result;
    };
    auto made = detail::make_like(node, dims, {});
    made->kind = Kind::Data;
    made->text.clear();
    made->data = std::make_shared<const HostData>(std::visit(turned, *node.data));
    return detail::to_array(std::move(made));
  }

  Array map(const Node& node) {
    std::vector<Array> operands;
    for (std::size_t k = 0; k < node.args.size(); ++k) operands.push_back(operand(node, k));
    const std::vector<Group> groups = groups_of(node);
    if (groups.size() <= 1) {
      same_reading(node, operands, groups);
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
    Dims dims;
    for (const Array& each : operands)
      dims = detail::broadcast_or_refuse("lower", dims, each.shape());
    const bool of_numbers = dims.empty();
    const Array result = like(node, std::move(dims), operands);
    return of_numbers ? as(result, 1, 1) : result;
  }

  /// Operands of one size, or of one element.
  static void same_reading(const Node& node, std::vector<Array>& operands,
                           const std::vector<Group>& groups) {
    const auto has_all = [&](std::size_t k) {
      return std::all_of(groups.begin(), groups.end(),
                         [&](const Group& group) { return (group.has >> k & 1u) != 0; });
    };
    Dims dims{node.size(), 1};
    for (std::size_t k = operands.size(); k-- > 0;)
      if (!operands[k].is_number() && has_all(k)) dims = operands[k].shape();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].is_number()) continue;
      operands[k] = has_all(k) ? as(operands[k], dims[0], dims[1]) : as(operands[k], 1, 1);
    }
  }

  static Array reduced(const Node& node, const Array& a, int axis) {
    Dims dims = a.shape();
    dims[static_cast<std::size_t>(axis)] = 1;
    auto made = detail::make_like(node, std::move(dims), {a.node()});
    made->axis = axis;
    made->keepdims = true;
    return detail::to_array(std::move(made));
  }

  Array reduce(const Node& node) {
    const Dims& dims = node.args[0]->dims;
    const Array a = operand(node, 0);
    if (node.axis < 0) return reduced(node, as(a, a.size(), 1), 0);
    const auto axis = static_cast<std::size_t>(node.axis);
    const Index before = extent_of(dims, 0, axis), extent = dims[axis],
                after = extent_of(dims, axis + 1, dims.size());
    if (after == 1) return reduced(node, as(a, extent, before), 0);
    if (before == 1) return reduced(node, as(a, after, extent), 1);
    const Array turned = as(a, after, extent * before).T();
    return as(reduced(node, as(turned, extent, before * after), 0), before, after).T();
  }

  Array dot(const Node& node) {
    const Dims& x = node.args[0]->dims;
    const Dims& y = node.args[1]->dims;
    const Index inner = x.back(), cols = y.size() == 1 ? 1 : y.back();
    const Index rows = extent_of(x, 0, x.size() - 1);
    const Array left = as(operand(node, 0), inner, rows);
    return like(node, {cols, rows}, {as(operand(node, 1), cols, inner), left});
  }

  // From the last axis to the first: the wanted one goes after those before it, by an exchange of
  // the two groups of axes.
  Array transpose(const Node& node) {
    Array a = operand(node, 0);
    if (node.axes.empty()) return as(a, node.dims[0], node.dims[1]).T();
    if (node.size() == 0) return zeros(matrix_dims(node.dims));
    std::vector<int> order(node.axes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto extent = [&](std::size_t first, std::size_t last) {
      Index size = 1;
      for (std::size_t i = first; i < last; ++i)
        size *= node.args[0]->dims[static_cast<std::size_t>(order[i])];
      return size;
    };
    for (std::size_t place = order.size(); place-- > 0;) {
      const auto at = std::find(order.begin(), order.end(), node.axes[place]) + 1;
      const auto first = static_cast<std::size_t>(at - order.begin());
      a = exchanged(a, extent(0, first), extent(first, place + 1), extent(place + 1, order.size()));
      std::rotate(order.begin(), at, order.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
    return a;
  }

  /// In Fortran order, of up to two dimensions: as their matrices have it.
  Array by_columns(const Node& node) {
    const Array from{matrix(node.args[0])};
    const Array to = from.reshape_columns(node.dims);
    return node.ndim() == 2 ? to.T() : as(to, to.size(), 1);
  }

  /// The range of an axis as one of the rows or columns that its elements are, `size` each.
  static Range block(const Range& range, Index size) {
    Range result{range.start * size, range.stop * size, false, range.shift};
    for (LoopTerm& term : result.shift) term.factor *= size;
    return result;
  }

  static std::size_t first_part(const Dims& dims, const std::vector<Range>& ranges,
                                std::size_t from) {
    while (from < dims.size() && ranges[from].extent() == dims[from]) ++from;
    return from;
  }

  /// The first axes of which ranges take a part, as rows and columns of a matrix.
  struct Parts {
    Index rows, cols;         ///< of the matrix
    std::vector<Range> both;  ///< its rows and columns
    std::size_t next;         ///< the axis after the last of them
  };

  // Columns, if all axes before have one element, else rows of what comes after the axes before.
  static Parts parts_of(const Dims& dims, const std::vector<Range>& ranges) {
    const auto before = [&](std::size_t axis) { return extent_of(dims, 0, axis); };
    const auto after = [&](std::size_t axis) { return extent_of(dims, axis + 1, dims.size()); };
    const std::size_t first = first_part(dims, ranges, 0);
    const bool by_columns = before(first) == 1;
    const std::size_t second = by_columns ? first_part(dims, ranges, first + 1) : first;
    if (second == dims.size())
      return {after(first), dims[first], {{0, after(first)}, block(ranges[first], 1)}, dims.size()};
    const Index rows = dims[second] * after(second), cols = before(second);
    const Range whole{0, cols};
    return {rows,
            cols,
            {block(ranges[second], after(second)),
             by_columns ? block(ranges[first], cols / dims[first]) : whole},
            second + 1};
  }

  static void shrink(Dims& dims, const std::vector<Range>& ranges, std::size_t end) {
    for (std::size_t axis = 0; axis < end; ++axis) dims[axis] = ranges[axis].extent();
  }

  Array slice(const Node& node) {
    Array a = operand(node, 0);
    Dims dims = node.args[0]->dims;
    while (first_part(dims, unmoved(node.ranges, dims), 0) < dims.size()) {
      const auto ranges = unmoved(node.ranges, dims);
      const Parts parts = parts_of(dims, ranges);
      a = as(a, parts.rows, parts.cols).slice(parts.both);
      shrink(dims, ranges, parts.next);
    }
    return a;
  }

  /// The ranges, but those of axes that have been cut take all of them.
  static std::vector<Range> unmoved(std::vector<Range> ranges, const Dims& dims) {
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (ranges[axis].extent() == dims[axis]) ranges[axis] = {0, dims[axis]};
    return ranges;
  }

  Array set_slice(const Node& node) {
    const auto& [value, reads] = known(node.args[1]);
    (void)reads;
    Dims region;
    for (const Range& range : node.ranges)
      if (!range.drops_axis) region.push_back(range.extent());
    Array written = value;
    if (!value.is_number()) {
      auto all = detail::make_node("setitem", Kind::Broadcast, node.dtype, region, {node.args[1]});
      const std::vector<Group> groups = groups_of(*all);
      written = expanded(operand(node, 1), groups, 1, groups.size());
    }
    Array a = operand(node, 0);
    const Dims whole = matrix_dims(node.dims);
    if (extent_of(region, 0, region.size()) == 0) return a;
    return as(with_part(as(a, whole[0], whole[1]), node.dims, node.ranges, written), whole[0],
              whole[1]);
  }

  /// A reading of dims with another one, or a number, at these ranges.
  static Array with_part(const Array& a, Dims dims, const std::vector<Range>& given,
                         const Array& value) {
    const std::vector<Range> ranges = unmoved(given, dims);
    const auto is_whole = [&](const Dims& left) {
      return first_part(left, unmoved(ranges, left), 0) == left.size();
    };
    if (is_whole(dims)) {
      const Dims all = matrix_dims(dims);
      const Array target = as(a, all[0], all[1]);
      return set_slice_of(target, {{0, all[0]}, {0, all[1]}}, value);
    }
    const Parts parts = parts_of(dims, ranges);
    const Array matrix = as(a, parts.rows, parts.cols);
    shrink(dims, ranges, parts.next);
    const Array inner =
        is_whole(dims) ? value : with_part(matrix.slice(parts.both), dims, ranges, value);
    return set_slice_of(matrix, parts.both, inner);
  }

  static Array set_slice_of(const Array& a, const std::vector<Range>& ranges, const Array& value) {
    const Array part =
        value.is_number() ? value : as(value, ranges[0].extent(), ranges[1].extent());
    auto node =
        detail::make_node("setitem", Kind::SetSlice, a.dtype(), a.shape(), {a.node(), part.node()});
    node->ranges = ranges;
    node->in_place = true;
    return detail::to_array(std::move(node));
  }

  // ---- selections: of columns, which the axis is when it comes first

  Array chosen_first(const Array& a, const Dims& dims, std::size_t axis) {
    return exchanged(a, extent_of(dims, 0, axis), dims[axis],
                     extent_of(dims, axis + 1, dims.size()));
  }

  Array chosen_back(const Array& a, const Dims& dims, std::size_t axis) {
    return exchanged(a, dims[axis], extent_of(dims, 0, axis),
                     extent_of(dims, axis + 1, dims.size()));
  }

  Array selection(const Node& node, Dims dims, const std::vector<Array>& args) {
    auto made = like(node, std::move(dims), args).node();
    auto same = Node::create_like(*made);
    same->id = made->id;
    same->axis = 1;
    return detail::to_array(std::move(same));
  }

  /// A row, as Cudamat's calls take them.
  Array indices(const Node& node) const {
    const Array& array = known(node.args[1]).array;
    return array.ndim() == 1 ? array : as(array, 1, array.size());
  }

  Array take(const Node& node) {
    const Dims& dims = node.args[0]->dims;
    const auto axis = static_cast<std::size_t>(node.axis);
    if (node.size() == 0 || dims[axis] == 0) return zeros(matrix_dims(node.dims));
    const Index others = node.args[0]->size() / dims[axis];
    const Array columns = as(chosen_first(operand(node, 0), dims, axis), others, dims[axis]);
    const Array taken = selection(node, {others, node.dims[axis]}, {columns, indices(node)});
    return chosen_back(taken, node.dims, axis);
  }

  Array put(const Node& node) {
    const auto axis = static_cast<std::size_t>(node.axis);
    if (node.size() == 0) return operand(node, 0);
    const Dims& part = node.args[2]->dims;
    const Index others = node.size() / node.dims[axis];
    const Array columns =
        as(chosen_first(operand(node, 0), node.dims, axis), others, node.dims[axis]);
    const Array values = as(chosen_first(operand(node, 2), part, axis), others, part[axis]);
    const Array all = selection(node, {others, node.dims[axis]}, {columns, indices(node), values});
    return chosen_back(all, node.dims, axis);
  }

  Array joined(const Node& node) {
    const auto axis = static_cast<std::size_t>(node.axis);
    const Index before = extent_of(node.dims, 0, axis),
                after = extent_of(node.dims, axis + 1, node.dims.size());
    std::vector<Array> parts;
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      const Index extent = node.args[k]->dims[axis];
      parts.push_back(before == 1 ? as(operand(node, k), after, extent)
                                  : as(operand(node, k), extent * after, before));
    }
    return concatenate(parts, before == 1 ? 1 : 0);
  }

  Layout layout_;
  std::unordered_map<const Node*, Value> values_;
  std::unordered_map<const Node*, Array> turned_;             // readings of arrays that are none
  std::vector<std::unordered_map<const Node*, Array>> open_;  // what it was before each open loop
  std::unordered_map<const Node*, const Node*> ends_;         // by LoopBegin
  std::unordered_map<const Node*, Array> firsts_;             // by Carried: made with its loop
  std::unordered_map<const Node*, NodePtr> outputs_;          // made by output()
};

}  // namespace

MatrixProgram to_matrices(const Program& program, const std::vector<NodePtr>& roots,
                          const std::vector<Program::Named>& outputs, Layout layout) {
  return Translator(layout).translate(program, roots, outputs);
}

}  // namespace rewriter
