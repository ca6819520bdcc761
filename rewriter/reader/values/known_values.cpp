// What arrays of whole numbers hold, where it follows from what the program wrote out: how many
// classes np.arange(90) % 3 has. Sizes and ranges may depend on it.
#include "rewriter/reader/values/known_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

thread_local bool contents_are_known = false;

namespace {

using Known = npmat::Array<double>;

constexpr Index kMostElements = Index{1} << 16;
constexpr double kExact = 0x1p24;  ///< at every precision

/// Goes through the places of an array in C order, and gives the offset of each in another one that
/// has these strides.
template <class F>
void each_place(const Dims& dims, const Dims& strides, Index start, const F& f) {
  Dims at(dims.size(), 0);
  Index offset = start;
  const Index count = npmat::element_count(dims);
  for (Index done = 0; done < count; ++done) {
    f(static_cast<std::size_t>(offset));
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < dims[axis]) break;
      offset -= strides[axis] * dims[axis];
      at[axis] = 0;
    }
  }
}

Dims strides_of(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

Known broadcast_values(const Known& a, const Dims& dims) {
  const Dims own = strides_of(a.shape);
  Dims strides(dims.size(), 0);
  const std::size_t more = dims.size() - a.shape.size();
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
    if (a.shape[axis] > 1) strides[axis + more] = own[axis];
  Known made{dims, {}};
  each_place(dims, strides, 0, [&](std::size_t at) { made.data.push_back(a.data[at]); });
  return made;
}

/// Of up to two dimensions.
Known transposed(const Known& a) {
  if (a.shape.size() != 2) return a;
  Known made{{a.shape[1], a.shape[0]}, {}};
  each_place(made.shape, {1, a.shape[1]}, 0,
             [&](std::size_t at) { made.data.push_back(a.data[at]); });
  return made;
}

class StaticValues {
 public:
  /// Looks at no more than so many nodes. any: also of numbers that are not whole, of which there
  /// are parts, but no results of arithmetic.
  explicit StaticValues(std::size_t most = 1024, bool any = false) : most_(most), any_(any) {}

  /// What was found of an operand is kept while inputs are known, so that each is looked at once.
  std::optional<Known> of(const NodePtr& node) {
    if (!contents_are_known) return of(*node);
    const auto found = kept_.find(node);
    if (found != kept_.end()) return found->second;
    std::optional<Known> made = of(*node);
    if (made) kept_elements_ += made->data.size();
    if (kept_elements_ > kMostKept) forget();
    kept_.emplace(node, made);
    return made;
  }
  static void forget() {
    kept_.clear();
    kept_elements_ = 0;
  }

  std::optional<Known> of(const Node& node) {
    const auto found = known_.find(&node);
    if (found != known_.end()) return found->second;
    if (known_.size() > most_ || node.size() > kMostElements) return std::nullopt;
    known_.emplace(&node, std::nullopt);
    std::optional<Known> made = computed(node);
    if (made && !(any_ && moves(node.kind)) && !are_whole(*made)) made.reset();
    return known_[&node] = std::move(made);
  }

  static bool are_whole(const Known& known) {
    return std::all_of(known.data.begin(), known.data.end(),
                       [](double x) { return x == std::trunc(x) && std::abs(x) < kExact; });
  }

 private:
  /// Whether the elements of such a node are those of its arguments, at other places.
  static bool moves(Kind kind) {
    return kind == Kind::Number || kind == Kind::Fill || kind == Kind::Constant ||
           kind == Kind::Copy || kind == Kind::Broadcast || kind == Kind::Reshape ||
           kind == Kind::Transpose || kind == Kind::Concatenate || kind == Kind::Slice ||
           kind == Kind::Take;
  }

  std::optional<Known> computed(const Node& node) {
    if (node.kind == Kind::Number || node.kind == Kind::Fill)
      return Known{node.dims,
                   std::vector<double>(static_cast<std::size_t>(node.size()), node.number)};
    if (node.kind == Kind::Constant || (node.kind == Kind::Input && node.data != nullptr))
      return std::get<Known>(*node.data);
    std::vector<Known> args;
    if (node.args.empty() || node.kind == Kind::LoopBegin || node.kind == Kind::Carried) return {};
    for (const NodePtr& arg : node.args) {
      std::optional<Known> made = of(arg);
      if (!made || (any_ && !moves(node.kind) && !are_whole(*made))) return std::nullopt;
      args.push_back(*std::move(made));
    }
    switch (node.kind) {
      case Kind::Map:
        return mapped(node, args);
      case Kind::LogicalNot:
        for (double& x : args[0].data) x = x == 0 ? 1 : 0;
        return args[0];
      case Kind::Where: {
        for (Known& arg : args) arg = broadcast_values(arg, node.dims);
        for (std::size_t i = 0; i < args[0].data.size(); ++i)
          args[1].data[i] = args[args[0].data[i] != 0 ? 1 : 2].data[i];
        return args[1];
      }
      case Kind::Copy:
        return args[0];
      case Kind::Broadcast:
        return broadcast_values(args[0], node.dims);
      case Kind::Reshape: {
        if (!node.by_columns) return Known{node.dims, args[0].data};
        const Known turned = transposed(args[0]);  // of up to two dimensions
        const Dims back = node.dims.size() == 2 ? Dims{node.dims[1], node.dims[0]} : node.dims;
        Known made = transposed({back, turned.data});
        return Known{node.dims, std::move(made.data)};
      }
      case Kind::Transpose:
        if (node.dims.size() != 2) return {};
        return transposed(args[0]);
      case Kind::Concatenate: {
        if (node.axis != 0) return {};
        Known all{node.dims, {}};
        for (const Known& arg : args)
          all.data.insert(all.data.end(), arg.data.begin(), arg.data.end());
        return all;
      }
      case Kind::Slice:
      case Kind::SetSlice:
        return part(node, args);
      case Kind::Take:
        return taken(node, args);
      case Kind::Reduce:
        return reduced(node, args[0]);
      case Kind::Sort:
        return sorted(node, args[0]);
      case Kind::Scan: {
        if (node.op != Op::cumsum || args[0].shape.size() != 1) return {};
        for (std::size_t i = 1; i < args[0].data.size(); ++i)
          args[0].data[i] += args[0].data[i - 1];
        return args[0];
      }
      default:
        return {};
    }
  }

  static std::optional<Known> mapped(const Node& node, std::vector<Known>& args) {
    using namespace cudamat::functors;
    for (Known& arg : args) arg = broadcast_values(arg, node.dims);
    std::vector<double>& x = args[0].data;
    const auto each = [&](const auto& f) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], args.back().data[i]);
      return std::optional<Known>(args[0]);
    };
    switch (node.op) {
      case Op::add:
        return each(Add{});
      case Op::subtract:
        return each(Subtract{});
      case Op::mult:
        return each(Mult{});
      case Op::divide:
        return each(Divide{});
      case Op::mod:
        return each(Mod{});
      case Op::floor_divide:
        return each(FloorDivide{});
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return each(functor{});
        CUDAMAT_INTEGER_OPS(ROW)
#undef ROW
      case Op::maximum:
        return each(Maximum{});
      case Op::minimum:
        return each(Minimum{});
      case Op::equals:
        return each(Equals{});
      case Op::less_than:
        return each(LessThan{});
      case Op::greater_than:
        return each(GreaterThan{});
      case Op::abs:
        return each([](double a, double) { return std::abs(a); });
      case Op::trunc:
        return args[0];  // of whole numbers
      default:
        return {};
    }
  }

  static std::optional<Known> part(const Node& node, const std::vector<Known>& args) {
    Dims dims;
    const Dims strides = strides_of(args[0].shape);
    Index start = 0;
    for (std::size_t axis = 0; axis < node.ranges.size(); ++axis) {
      if (!node.ranges[axis].shift.empty()) return {};
      dims.push_back(node.ranges[axis].extent());
      start += node.ranges[axis].start * strides[axis];
    }
    if (node.kind == Kind::Slice) {
      Known made{node.dims, {}};
      each_place(dims, strides, start,
                 [&](std::size_t at) { made.data.push_back(args[0].data[at]); });
      return made;
    }
    Dims kept;
    for (const Range& range : node.ranges)
      if (!range.drops_axis) kept.push_back(range.extent());
    const Known written = broadcast_values(args[1], kept);
    Known made = args[0];
    std::size_t next = 0;
    each_place(dims, strides, start, [&](std::size_t at) { made.data[at] = written.data[next++]; });
    return made;
  }

  static std::optional<Known> taken(const Node& node, const std::vector<Known>& args) {
    const auto axis = static_cast<std::size_t>(std::max(node.axis, 0));
    const Dims& dims = args[0].shape;
    if (axis >= dims.size() || args[1].shape.size() > 1) return {};
    const Index inner = strides_of(dims)[axis];
    const Index outer = npmat::element_count(dims) / std::max<Index>(inner * dims[axis], 1);
    const auto n = static_cast<double>(dims[axis]);
    Known made{node.dims, {}};
    for (Index i = 0; i < outer; ++i)
      for (const double at : args[1].data) {
        if (at < -n || at >= n) return {};
        const auto first = (i * dims[axis] + static_cast<Index>(at < 0 ? at + n : at)) * inner;
        for (Index k = 0; k < inner; ++k)
          made.data.push_back(args[0].data[static_cast<std::size_t>(first + k)]);
      }
    return made;
  }

  /// Each column of a matrix.
  static std::optional<Known> sorted(const Node& node, const Known& a) {
    if (a.shape.size() != 2 || (node.op != Op::sort && node.op != Op::argsort)) return {};
    const auto rows = static_cast<std::size_t>(a.shape[0]);
    const auto cols = static_cast<std::size_t>(a.shape[1]);
    Known made = a;
    std::vector<std::size_t> order(rows);
    for (std::size_t j = 0; j < cols; ++j) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return a.data[x * cols + j] < a.data[y * cols + j];
      });
      for (std::size_t i = 0; i < rows; ++i)
        made.data[i * cols + j] =
            node.op == Op::sort ? a.data[order[i] * cols + j] : static_cast<double>(order[i]);
    }
    return made;
  }

  static std::optional<double> reduced(Op op, const std::vector<double>& numbers) {
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    switch (op) {
      case Op::max:
        return *most;
      case Op::min:
        return *least;
      case Op::sum:
        return std::accumulate(numbers.begin(), numbers.end(), 0.0);
      case Op::prod:
        return std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>());
      case Op::all:
        return std::find(numbers.begin(), numbers.end(), 0.0) == numbers.end() ? 1.0 : 0.0;
      case Op::any:
        return *least != 0 || *most != 0 ? 1.0 : 0.0;
      default:
        return std::nullopt;
    }
  }

  static std::optional<Known> reduced(const Node& node, const Known& a) {
    const bool whole = node.axis < 0 || a.shape.size() == 1;
    const auto axis = static_cast<std::size_t>(whole ? 0 : node.axis);
    const Index extent = whole ? std::ssize(a.data) : a.shape[axis];
    if (extent == 0 || a.data.empty()) return {};
    const Index inner = whole ? 1 : strides_of(a.shape)[axis];
    Known made{node.dims, {}};
    for (Index i = 0; i < std::ssize(a.data) / (extent * inner); ++i)
      for (Index k = 0; k < inner; ++k) {
        std::vector<double> numbers;
        for (Index at = 0; at < extent; ++at)
          numbers.push_back(a.data[static_cast<std::size_t>((i * extent + at) * inner + k)]);
        const auto one = reduced(node.op, numbers);
        if (!one) return {};
        made.data.push_back(*one);
      }
    return made;
  }

  static constexpr std::size_t kMostKept = std::size_t{1} << 22;
  static thread_local std::unordered_map<NodePtr, std::optional<Known>> kept_;
  static thread_local std::size_t kept_elements_;

  std::size_t most_;
  bool any_;
  std::unordered_map<const Node*, std::optional<Known>> known_;
};

thread_local std::unordered_map<NodePtr, std::optional<Known>> StaticValues::kept_;
thread_local std::size_t StaticValues::kept_elements_ = 0;

}  // namespace

std::optional<npmat::Array<double>> known_values(const NodePtr& node) {
  if (auto known = StaticValues().of(*node)) return known;
  auto computed = computed_values(node);
  if (computed && !StaticValues::are_whole(*computed)) computed.reset();
  return computed;
}

std::optional<Array> as_constant(const Array& array) {
  constexpr Index kFew = 64;  // elements, and nodes that are looked at
  const Node& node = *array.node();
  if (node.kind == Kind::Constant || node.kind == Kind::Number || node.kind == Kind::Fill ||
      node.kind == Kind::Input || node.size() == 0 || node.size() > kFew || contents_are_known)
    return std::nullopt;
  const auto known = StaticValues(kFew, true).of(node);
  if (!known) return std::nullopt;
  const std::vector<double>& x = known->data;
  if (array.ndim() == 0) return Array::number(x[0], array.dtype());
  const bool is_one = std::all_of(x.begin(), x.end(), [&](double each) {
    return each == x[0] && std::signbit(each) == std::signbit(x[0]);
  });
  Array made =
      is_one ? full(array.shape(), x[0], array.dtype()) : written_out(*known, array.dtype());
  made.node()->float_bits = node.float_bits;
  return made;
}

void know_contents(bool known) {
  contents_are_known = known;
  StaticValues::forget();
}

std::optional<std::vector<Value>> known_places(const Array& mask) {
  constexpr std::size_t kFew = 64;  // where nothing of what was found is kept for the next mask
  StaticValues values(contents_are_known ? 1024 : kFew);
  auto known = mask.ndim() > 0 ? values.of(*mask.node()) : std::nullopt;
  if (!known && mask.ndim() > 0) known = computed_values(mask.node());
  if (!known) return std::nullopt;
  const Dims& dims = mask.shape();
  std::vector<std::vector<double>> places(dims.size());
  for (std::size_t i = 0; i < known->data.size(); ++i) {
    if (known->data[i] == 0) continue;
    auto rest = static_cast<Index>(i);
    for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      places[axis].push_back(static_cast<double>(rest % dims[axis]));
  }
  std::vector<Value> made;
  for (std::vector<double>& numbers : places) {
    const Index count = std::ssize(numbers);
    made.push_back(new_array(written_out({{count}, std::move(numbers)}, DType::Int)));
  }
  return made;
}

}  // namespace rewriter
