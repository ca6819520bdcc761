// Descriptions of values, and values as arrays.
#include "rewriter/reader/values/value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

// ---- views ----

HeldValue::HeldValue() = default;
HeldValue::HeldValue(const HeldValue&) = default;
HeldValue::HeldValue(HeldValue&&) noexcept = default;
HeldValue& HeldValue::operator=(const HeldValue&) = default;
HeldValue& HeldValue::operator=(HeldValue&&) noexcept = default;
HeldValue::~HeldValue() = default;

// ---- values ----

double Value::real() const {
  if (const auto* flag = as<bool>()) return *flag ? 1 : 0;
  if (const auto* whole = as<std::int64_t>()) return static_cast<double>(*whole);
  return std::get<double>(held);
}

Index Value::integer(const std::string& what) const {
  if (const auto* object = as<InstancePtr>(); object != nullptr && (*object)->whole)
    return *(*object)->whole;
  if (const auto* whole = as<std::int64_t>()) return *whole;
  if (const auto* flag = as<bool>()) return *flag ? 1 : 0;
  if (const auto* object = as<ObjectPtr>(); object != nullptr && (*object)->shape().empty())
    if (const Array number = (*object)->read(); rewriter::is_integer(number.dtype()))
      if (const auto known = known_values(number.node())) return static_cast<Index>(known->data[0]);
  if (as<Affine>() != nullptr)
    misuse("program", "{} must be the same in every iteration; got {}", what, description());
  misuse(is_no_integer(*this) ? Exception::TypeError : Exception::None, "program",
         "{} must be an int known when the program is read; got {}", what, description());
}

Affine Value::affine(const std::string& what) const {
  if (const auto* value = as<Affine>()) return *value;
  return {integer(what), {}};
}

std::string Value::description() const {
  struct Describe {
    std::string operator()(const NoneValue&) const { return "None"; }
    std::string operator()(bool) const { return "a bool"; }
    std::string operator()(std::int64_t) const { return "an int"; }
    std::string operator()(double) const { return "a float"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const ObjectPtr& object) const {
      if (object->is_python()) return "a number known only at run time";
      return fmt::format("an array of shape {}", to_string(object->shape()));
    }
    std::string operator()(const Module& module) const {
      return module.name.starts_with("an object of ") ? module.name : "the module " + module.name;
    }
    std::string operator()(const Function& function) const {
      return "the function " + function.name;
    }
    std::string operator()(const Slice&) const { return "a slice"; }
    std::string operator()(const EllipsisValue&) const { return "..."; }
    std::string operator()(const Affine& value) const {
      return fmt::format("an int that depends on a loop, {}", to_string(value));
    }
    std::string operator()(const NumberList& list) const {
      return list.type && !list.type->dims.empty() ? "a list of arrays" : "a list of numbers";
    }
    std::string operator()(const RunList&) const {
      return "a list whose length is known only at run time";
    }
    std::string operator()(const Text&) const { return "a string"; }
    std::string operator()(const RangeValue&) const { return "a range"; }
    std::string operator()(const Selected&) const {
      return "a masked selection, whose length is known only at run time";
    }
    std::string operator()(const UserFunction& function) const {
      return "the function " + function.name;
    }
    std::string operator()(const Sequence& sequence) const {
      return fmt::format("a {} of {}",
                         sequence.is_set ? "set"
                         : sequence.list ? "list"
                                         : "tuple",
                         sequence.items.size());
    }
    std::string operator()(const Dict& dict) const {
      return fmt::format("a dictionary of {}", dict.keys.size());
    }
    std::string operator()(const Iteration& iteration) const {
      using enum Iteration::Kind;
      return iteration.kind == Zip         ? "a zip"
             : iteration.kind == Enumerate ? "an enumerate"
             : iteration.kind == Selected  ? "an iterator whose length is known only at run time"
                                           : "an iterator";
    }
    std::string operator()(const Ignored& ignored) const {
      return "the value of " + ignored.name + ", which is ignored";
    }
    std::string operator()(const Complex&) const { return "a complex number or array"; }
    std::string operator()(const Perhaps& perhaps) const {
      return fmt::format("{} or {}, which is known only at run time",
                         perhaps.otherwise().description(), perhaps.value().description());
    }
    std::string operator()(const Method& method) const { return "the method " + method.name; }
    std::string operator()(const ClassPtr& type) const { return "the class " + type->name; }
    std::string operator()(const InstancePtr& object) const {
      return "an object of the class " + object->type->name;
    }
    std::string operator()(const Super&) const { return "super()"; }
    std::string operator()(const Descriptor&) const { return "a property"; }
    std::string operator()(const OutsideObject& object) const { return object.told; }
  };
  return std::visit(Describe{}, held);
}

Value new_array(const Array& array, bool contiguous) {
  const Array held = array.is_number() ? full({}, array.node()->number, array.dtype()) : array;
  return {std::make_shared<ArrayObject>(held, contiguous)};
}

bool is_held_once(const ObjectPtr& object) {
  return object.use_count() == 1 && ArrayObject::root_of(object) == object;
}

Value new_array_unless_shared(const Array& array, const ObjectPtr& of, const std::string& why,
                              bool contiguous) {
  const Value result = new_array(array, contiguous);
  of->refuse_writes_beside(*result.as<ObjectPtr>(), why);
  (*result.as<ObjectPtr>())->refuse_writes_beside(ArrayObject::root_of(of), why);
  return result;
}

Value python_number(const Array& number) {
  return {std::make_shared<ArrayObject>(number, true, true)};
}

Value python_element(const Value& element) {
  if (element.is_number()) return {element.held};
  return python_number(to_array(element, "an element").reshape({}));
}

bool is_python_number(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return (value.is_number() && !value.is_numpy) || value.as<Affine>() != nullptr ||
         (object != nullptr && (*object)->is_python());
}

namespace {

/// Whether the int is a floating-point number of 64 bits. Those at the ends of int64 represent
/// infinity.
bool is_exact(std::int64_t whole) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const auto number = static_cast<double>(whole);
  if (whole == kEnd || whole == -kEnd) return true;
  return number < 0x1p63 && static_cast<std::int64_t>(number) == whole;
}

/// Raises an error for those that would be rounded.
std::int64_t exact(std::int64_t whole) {
  if (!is_exact(whole))
    misuse("program",
           "integers are exact up to 2^53; {} would be rounded: write a float, or compute with "
           "remainders",
           whole);
  return whole;
}

/// A list of numbers, or of such lists of one shape, in C order.
struct NestedNumbers {
  npmat::Array<double> data;
  DType dtype = DType::Bool;  ///< the widest of the numbers'

  explicit NestedNumbers(const Sequence& list) : data{extents(list), {}} {
    add(list, 0);
    if (data.data.empty()) dtype = DType::Float;
    if (dtype == DType::Int) (void)exact(rounded_);
  }

 private:
  /// Those of the first rows.
  static Dims extents(const Sequence& list) {
    Dims dims;
    for (const Sequence* rows = &list; rows != nullptr;) {
      dims.push_back(std::ssize(rows->items));
      rows = rows->items.empty() ? nullptr : rows->items[0].as<Sequence>();
    }
    return dims;
  }
  void add(const Sequence& list, std::size_t depth) {
    const bool nested = !list.items.empty() && list.items[0].as<Sequence>() != nullptr;
    if (depth >= data.shape.size() || std::ssize(list.items) != data.shape[depth]) refuse();
    for (const Value& item : list.items) {
      const auto* inner = item.as<Sequence>();
      if ((inner != nullptr) != nested) refuse();
      if (nested)
        add(*inner, depth + 1);
      else
        add(item, depth + 1);
    }
  }
  void add(const Value& value, std::size_t depth) {
    if (depth != data.shape.size()) refuse();
    if (const Value whole = whole_of(value); whole.is_number() && !value.is_number())
      return add(whole, depth);
    if (!value.is_number())
      misuse("array", "only a list of numbers, arrays, or lists of these makes an array; got {}",
             value.description());
    data.data.push_back(value.real());
    if (const auto* whole = value.as<std::int64_t>(); whole != nullptr && !is_exact(*whole))
      rounded_ = *whole;
    const bool truth = value.as<bool>() != nullptr;
    dtype = std::max(dtype, value.is_real() ? DType::Float : truth ? DType::Bool : DType::Int);
  }
  [[noreturn]] static void refuse() {
    misuse(Exception::ValueError, "array",
           "the lists are not nested evenly: every row needs the same length");
  }

  std::int64_t rounded_ = 0;  ///< an int that is not exact
};

/// [1, 2], [[1, 2], [3, 4]]: the axes from `axis` on, from the element number `next` on.
std::string spelling(const npmat::Array<double>& data, DType dtype, std::size_t axis,
                     std::size_t& next) {
  std::string text = "[";
  for (Index i = 0; i < data.shape[axis]; ++i) {
    text += i == 0 ? "" : ", ";
    if (axis + 1 < data.shape.size()) {
      text += spelling(data, dtype, axis + 1, next);
      continue;
    }
    const double number = data.data[next++];
    const bool whole = dtype == DType::Float && number == std::floor(number);
    if (!std::isfinite(number))
      text += fmt::format("float('{}')", number);
    else
      text += fmt::format("{}{}", number, whole && std::abs(number) < 1e15 ? ".0" : "");
  }
  return text + "]";
}

/// Whether it is a list of numbers that are known, or of such lists.
bool is_known(const Sequence& list) {
  return std::all_of(list.items.begin(), list.items.end(), [](const Value& item) {
    const auto* inner = item.as<Sequence>();
    return inner != nullptr ? is_known(*inner)
                            : item.as<ObjectPtr>() == nullptr && item.as<Affine>() == nullptr &&
                                  item.as<NumberList>() == nullptr;
  });
}

/// The array whose part at `place` along the first axis this is, or a copy of it; null: it is none.
NodePtr array_with_part(const NodePtr& part, Index place) {
  NodePtr node = part;
  while (node->kind == Kind::Copy || (node->kind == Kind::Reshape && !node->by_columns))
    node = node->args[0];
  if (node->kind != Kind::Slice || node->ranges.empty()) return nullptr;
  const Node& whole = *node->args[0];
  const Range& first = node->ranges[0];
  const Index size = whole.dims[0] == 0 ? 0 : whole.size() / whole.dims[0];
  const Dims own = part->dims, rest(whole.dims.begin() + 1, whole.dims.end());
  if (first.start != place || first.extent() != 1 || !first.shift.empty() || own != rest ||
      node->size() != size)
    return nullptr;
  return node->args[0];
}

/// Of arrays that are all parts of one array along its first axis, in order, a copy of that.
std::optional<Array> array_of_parts(const Sequence& list) {
  NodePtr whole;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const auto* object = list.items[i].as<ObjectPtr>();
    if (object == nullptr || (*object)->shape().empty()) return std::nullopt;
    const NodePtr found = array_with_part((*object)->read().node(), static_cast<Index>(i));
    if (found == nullptr || (i > 0 && found != whole)) return std::nullopt;
    whole = found;
  }
  if (whole == nullptr || whole->dims[0] != std::ssize(list.items)) return std::nullopt;
  return Array(whole).copy();
}

/// The items, arrays or numbers or lists of them, along a first axis.
Array stacked(const Sequence& list) {
  if (const auto whole = array_of_parts(list)) return *whole;
  std::vector<Array> parts;
  for (const Value& item : list.items) {
    const Array part = to_array(item, "an element");
    Dims dims = part.shape();
    dims.insert(dims.begin(), 1);
    parts.push_back(part.is_number() ? full(dims, part.node()->number, part.dtype())
                                     : part.reshape(dims));
    if (parts.back().shape() != parts[0].shape())
      misuse(Exception::ValueError, "array",
             "the elements of a list must have one shape to make an array; got {} and {}",
             to_string({parts[0].shape().begin() + 1, parts[0].shape().end()}),
             to_string(part.shape()));
  }
  return concatenate(parts);
}

}  // namespace

Array written_out(npmat::Array<double> data, DType dtype) {
  if (data.data.empty()) return full(data.shape, 0, dtype);
  std::size_t next = 0;
  const std::string text = "np.array(" + spelling(data, dtype, 0, next) + ")";
  return constant(std::move(data), text, dtype);
}

static Array list_array(const NumberList& list) {
  if (!list.length.known())
    misuse("program",
           "the length of this list, {}, differs between iterations; read it after the "
           "loop, or begin a new list in each iteration",
           to_string(list.length));
  const Array all = list.cell->read();
  const Array held =
      list.length.constant == all.shape(0) ? all : all.slice({Range{0, list.length.constant}});
  return list.type && list.type->dtype != DType::Float ? held.as_type(list.type->dtype) : held;
}

std::optional<ElementType> joined_types(const std::optional<ElementType>& a,
                                        const std::optional<ElementType>& b) {
  if (!a || !b) return a ? a : b;
  const bool of_truths = a->dtype == DType::Bool || b->dtype == DType::Bool;
  const bool of_widths = is_narrow(a->dtype) || is_narrow(b->dtype);
  if (of_widths && a->dtype != b->dtype)
    misuse("program", "a list that grows in a loop must hold integers of one type; append int(x)");
  if (of_truths && *a != *b)
    misuse("program",
           "a list that grows in a loop must hold booleans or numbers, of Python or of NumPy, not "
           "both");
  if (a->dims != b->dims)
    misuse("program",
           "a list that grows in a loop must hold numbers, or arrays of one shape; got shapes {} "
           "and {}",
           to_string(a->dims), to_string(b->dims));
  return ElementType{std::max(a->dtype, b->dtype), a->is_python && b->is_python, a->dims};
}

ElementType type_of_element(const Value& item) {
  const Array array = to_array(item, "an element");
  return {array.dtype(), is_python_number(item), array.shape()};
}

std::optional<ElementType> element_type(const Value& list) {
  if (const auto* grown = list.as<NumberList>()) return grown->type;
  std::optional<ElementType> type;
  const auto* sequence = list.as<Sequence>();
  if (sequence == nullptr) return type;
  for (const Value& item : sequence->items) type = joined_types(type, type_of_element(item));
  return type;
}

Array to_array(const Value& value, const std::string& what) {
  if (value.as<InstancePtr>() != nullptr)
    if (const Value whole = whole_of(value); whole.is_number()) return to_array(whole, what);
  if (const auto* object = value.as<ObjectPtr>()) return (*object)->read();
  if (const auto* flag = value.as<bool>()) return {*flag};
  if (const auto* whole = value.as<std::int64_t>()) return {exact(*whole)};
  if (const auto* real = value.as<double>()) {
    const Array number(*real);
    if (value.is_numpy) number.node()->float_bits = value.float_bits;
    return number;
  }
  if (const auto* integer = value.as<Affine>()) return loop_value(*integer);
  const std::uint64_t newest = newest_node();
  if (const auto* list = value.as<NumberList>())
    return with_width_of(value, list_array(*list), newest);
  if (value.as<RangeValue>() != nullptr)
    return to_array(new_sequence(true, elements_of(value)), what);
  if (const auto* sequence = value.as<Sequence>()) {
    if (!is_known(*sequence)) return with_width_of(value, stacked(*sequence), newest);
    NestedNumbers list(*sequence);
    return with_width_of(value, written_out(std::move(list.data), list.dtype), newest);
  }
  if (value.as<RunList>() != nullptr)
    misuse("program",
           "a list whose length is known only at run time can be read by len(), sum(), np.mean(), "
           "np.array() and similar functions, and by an index");
  misuse("program", "{} must be an array or a number; got {}", what, value.description());
}

Value integer_value(const Affine& value) {
  if (value.known()) return {value.constant};
  return {value};
}

std::optional<bool> truth_of(const Value& value) {
  if (value.is_number()) return value.real() != 0;
  if (value.is_none()) return false;
  if (const auto* outside = value.as<OutsideObject>()) return outside->truth;
  if (const auto* text = value.as<std::string>()) return !text->empty();
  if (const auto* text = value.as<Text>();
      text != nullptr &&
      std::any_of(text->pieces.begin(), text->pieces.end(), [](const auto& piece) {
        return !piece.text.empty() || piece.number.index() != 0;
      }))
    return true;
  if (const auto* sequence = value.as<Sequence>()) return !sequence->items.empty();
  if (const auto* dict = value.as<Dict>()) return !dict->keys.empty();
  if (value.as<UserFunction>() != nullptr || value.as<Function>() != nullptr ||
      value.as<Module>() != nullptr || value.as<ClassPtr>() != nullptr ||
      value.as<Method>() != nullptr)
    return true;
  if (const auto* held = value.as<InstancePtr>()) {  // Objects::truth asks its methods
    const Class& type = *(*held)->type;
    if (type.member("__bool__") == nullptr && type.member("__len__") == nullptr) return true;
  }
  if (const auto* object = value.as<ObjectPtr>(); contents_are_known && object != nullptr &&
                                                  (*object)->read().size() == 1 &&
                                                  (*object)->read().dtype() != DType::Float)
    if (const auto known = known_values((*object)->read().node())) return known->data[0] != 0;
  if (const auto known = computed_truth(value)) return known;
  const auto* list = value.as<NumberList>();
  if (list != nullptr && list->length == Affine{}) return false;
  if (const auto* integer = list != nullptr ? &list->length : value.as<Affine>())
    if (integer->least() > 0 || integer->greatest() < 0) return true;
  return std::nullopt;
}

bool is_of_either_width(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return object != nullptr && (*object)->shape().empty() &&
         detail::is_of_either_width(*(*object)->read().node());
}

namespace {

bool is_known(const Node& node) {
  return node.kind == Kind::Number || node.kind == Kind::Fill || node.kind == Kind::Constant;
}

}  // namespace

Array converted(const Array& a, DType dtype) {
  if (a.dtype() == dtype) return a;
  if (dtype == DType::Float) return a * Array(1.0);
  if (dtype == DType::Bool) return detail::truth(a);
  const Node& node = *a.node();
  if (is_narrow(dtype) && node.kind == Kind::Constant) {
    npmat::Array<double> data = std::get<npmat::Array<double>>(*node.data);
    for (double& number : data.data)
      number = node.dtype == DType::Float ? detail::converted_number(number, dtype)
                                          : detail::whole_number(number, node.dtype, dtype);
    return written_out(std::move(data), dtype);
  }
  if (is_narrow(dtype)) return detail::as_integers(a, dtype);
  if (a.dtype() != DType::Float) return a.as_type(dtype);
  if (is_known(node)) {
    if (node.dims.empty() && node.kind != Kind::Constant && !(std::abs(node.number) < 9.2e18))
      misuse("astype", "{} is not a 64-bit integer", node.number);
    const auto whole = [&](double number) { return detail::converted_number(number, dtype); };
    if (node.kind == Kind::Number) return Array::number(whole(node.number), dtype);
    if (node.kind == Kind::Fill) return full(node.dims, whole(node.number), dtype);
    npmat::Array<double> data{node.dims, {}};
    std::visit(
        [&](const auto& array) {
          for (const auto number : array.data) data.data.push_back(whole(double(number)));
        },
        *node.data);
    return written_out(std::move(data), dtype);
  }
  return detail::truncated(a);
}

}  // namespace rewriter
