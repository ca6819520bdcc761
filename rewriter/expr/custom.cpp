#include "rewriter/expr/custom.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "cudamat/error.hpp"
#include "rewriter/expr/build.hpp"

namespace rewriter {

namespace {

using cudamat::misuse;

struct Registry {
  std::mutex mutex;
  std::map<std::string, CustomPtr, std::less<>> operations;
};

Registry& registry() {
  static Registry all;
  return all;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// A range of some rows or columns, within those of `of`.
Range within(const Range& of, const Range& range) {
  const Affine first = Affine{of.start, of.shift} + Affine{range.start, range.shift};
  return {first.constant, first.constant + range.extent(), false, first.terms};
}

/// What an operand of a strided operation shows, followed to the matrix that has its elements.
class Shown {
 public:
  explicit Shown(const Array& array) : of_(array) {
    if (array.ndim() == 1) {
      vector();
    } else if (array.ndim() == 2) {
      rows_ = {0, array.shape(0)};
      cols_ = {0, array.shape(1)};
    }
    while (of_.ndim() == 2 && follow()) {
    }
  }

  /// The argument of the node; columns of a matrix are a matrix.
  [[nodiscard]] Array argument() const {
    const bool all = of_.ndim() != 2 || cols_.extent() == of_.shape(1);
    return all ? of_ : of_.slice({Range{0, of_.shape(0)}, cols_});
  }
  [[nodiscard]] CustomUse::Operand operand(const Dims& dims) const {
    CustomUse::Operand result{dims};
    if (of_.ndim() != 2) return result;
    result.is_part = rows_.extent() != of_.shape(0);
    if (result.is_part) result.rows = rows_;
    result.transposed = transposed_;
    return result;
  }

 private:
  /// One row or one column of a matrix.
  void vector() {
    const Node& node = *of_.node();
    if (node.kind != Kind::Slice || node.args[0]->ndim() != 2) return;
    rows_ = node.ranges[0];
    cols_ = node.ranges[1];
    transposed_ = !rows_.drops_axis;
    rows_.drops_axis = cols_.drops_axis = false;
    of_ = Array(node.args[0]);
  }

  bool follow() {
    const Node& node = *of_.node();
    if (node.kind == Kind::Transpose && node.args[0]->ndim() == 2 && node.axes.empty()) {
      std::swap(rows_, cols_);
      transposed_ = !transposed_;
    } else if (node.kind == Kind::Slice && node.args[0]->ndim() == 2) {
      rows_ = within(node.ranges[0], rows_);
      cols_ = within(node.ranges[1], cols_);
    } else {
      return false;
    }
    of_ = Array(node.args[0]);
    return true;
  }

  Array of_;
  Range rows_{};
  Range cols_{};
  bool transposed_ = false;
};

std::string several(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::vector<cudamat::Argument> CustomCall::arguments() const {
  std::vector<cudamat::Argument> all;
  for (const auto* matrices : {&operands, &results})
    for (const CustomMatrix& matrix : *matrices) all.push_back(matrix.argument);
  all.insert(all.end(), numbers.begin(), numbers.end());
  return all;
}

CustomPtr define_custom(CustomOperation operation) {
  if (!is_name(operation.name))
    misuse("define_custom", "'{}' is not an identifier", operation.name);
  if (operation.operands > CustomOperation::kMostOperands)
    misuse(operation.name, "an operation has at most {} operands; got {}",
           CustomOperation::kMostOperands, operation.operands);
  if (!operation.shapes || !operation.launch || !operation.numpy.in<double>())
    misuse(operation.name,
           "an operation needs a function for its shapes, one that launches it, and its NumPy "
           "function");
  const std::string name = operation.name;
  CustomPtr made = std::make_shared<const CustomOperation>(std::move(operation));
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.operations.try_emplace(name, made).second)
    misuse("define_custom", "an operation '{}' is defined already", name);
  return made;
}

CustomPtr find_custom(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.operations.find(name);
  return found == all.operations.end() ? nullptr : found->second;
}

std::string unknown_custom(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string known;
  for (const auto& [each, operation] : all.operations) known += (known.empty() ? "" : ", ") + each;
  return fmt::format("no operation '{}' is defined; define_custom() defines one; defined {}", name,
                     known.empty() ? "are none" : "are: " + known);
}

std::vector<Dims> custom_shapes(const CustomOperation& operation, const std::vector<Dims>& dims) {
  std::vector<Dims> results = operation.shapes(dims);
  if (results.empty()) misuse(operation.name, "an operation has at least one result");
  for (const Dims& result : results) {
    detail::check_dims(operation.name, result);
    if (result.size() > 2)
      misuse(operation.name, "a result has at most two dimensions; its shape would be {}",
             to_string(result));
  }
  return results;
}

std::vector<Array> custom(std::string_view name, const std::vector<Array>& operands,
                          const std::vector<double>& numbers) {
  const CustomPtr operation = find_custom(name);
  if (operation == nullptr) misuse("custom", "{}", unknown_custom(name));
  if (operands.size() != operation->operands || numbers.size() != operation->numbers)
    misuse(name, "takes {} and {}; got {} and {}", several(operation->operands, "operand"),
           several(operation->numbers, "number"), operands.size(), numbers.size());
  auto use = std::make_shared<CustomUse>();
  use->operation = operation;
  use->numbers = numbers;
  std::vector<Dims> dims;
  std::vector<NodePtr> args;
  for (const Array& operand : operands) {
    if (operand.ndim() > 2)
      misuse(name,
             "operand {} has the shape {}; an operand has at most two dimensions; reshape() it",
             dims.size(), to_string(operand.shape()));
    dims.push_back(operand.shape());
    const Shown shown(operand);
    use->operands.push_back(operation->strided ? shown.operand(dims.back())
                                               : CustomUse::Operand{dims.back()});
    args.push_back(operation->strided ? shown.argument().node() : operand.node());
  }
  use->results = custom_shapes(*operation, dims);
  const auto call = detail::make_node(name, Kind::Custom, DType::Float, {}, std::move(args));
  call->custom = use;
  std::vector<Array> results;
  for (std::size_t k = 0; k < use->results.size(); ++k) {
    auto result =
        detail::make_node(name, Kind::CustomResult, DType::Float, use->results[k], {call});
    result->slot = k;
    results.push_back(detail::to_array(std::move(result)));
  }
  return results;
}

}  // namespace rewriter
