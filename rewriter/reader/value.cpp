#include "rewriter/reader/value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "cudamat/functors.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/decisions.hpp"
#include "rewriter/reader/objects.hpp"
#include "rewriter/reader/promotion.hpp"

namespace rewriter {

using cudamat::misuse;

// ---- views ----

static std::vector<int> inverse(const std::vector<int>& axes) {
  std::vector<int> result(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k)
    result[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
  return result;
}

HeldValue::HeldValue() = default;
HeldValue::HeldValue(const HeldValue&) = default;
HeldValue::HeldValue(HeldValue&&) noexcept = default;
HeldValue& HeldValue::operator=(const HeldValue&) = default;
HeldValue& HeldValue::operator=(HeldValue&&) noexcept = default;
HeldValue::~HeldValue() = default;

Array ViewStep::apply(const Array& base) const {
  switch (kind) {
    case Kind::Slice:
      return base.slice(ranges);
    case Kind::Transpose:
      return base.transpose(axes);
    case Kind::Reshape:
      return base.reshape(dims);
    case Kind::Steps:
      return base.stepped(axis, steps);
    case Kind::Diagonal:
      return rewriter::diagonal(base, diagonal);
    case Kind::Broadcast:
      return broadcast_to(base, dims);
  }
  throw cudamat::InternalError("unknown view kind");
}

Array ViewStep::write_back(const Array& base, const Array& value) const {
  switch (kind) {
    case Kind::Slice:
      return set_slice(base, ranges, value);
    case Kind::Transpose:
      return value.transpose(inverse(axes));
    case Kind::Reshape:
      return value.reshape(base.shape());
    case Kind::Steps:
      return set_stepped(base, axis, steps, value);
    case Kind::Diagonal:
    case Kind::Broadcast:
      misuse("assignment", "assignment destination is read-only; write into a copy: a.copy()");
  }
  throw cudamat::InternalError("unknown view kind");
}

ArrayObject::ArrayObject(Array value, bool contiguous, bool python)
    : value_(std::move(value)), contiguous_(contiguous), python_(python) {}

ArrayObject::ArrayObject(ObjectPtr base, ViewStep step, bool contiguous)
    : value_(step.apply(base->read())),
      contiguous_(contiguous),
      base_(std::move(base)),
      step_(std::move(step)) {
  root_ = base_->root_ ? base_->root_ : base_;
  version_ = root_->version_;
}

ArrayObject::~ArrayObject() {
  ObjectPtr next = std::move(base_);
  while (next && next.use_count() == 1) next = ObjectPtr(std::move(next->base_));
}

ArrayObject& ArrayObject::root() {
  return root_ ? *root_ : *this;
}

void ArrayObject::refuse_writes_beside(const ObjectPtr& other, const std::string& why) {
  const bool is_free = refusal().empty();
  ArrayObject& owner = root();
  if (is_free || !owner.refused_for_.empty()) owner.refused_for_.push_back(other);
  root_of(other)->is_beside_ = true;
  if (is_free) owner.refusal_ = why;
}

const std::string& ArrayObject::refusal() {
  ArrayObject& owner = root();
  const auto is_gone = [](const auto& other) { return other.expired(); };
  if (!owner.refused_for_.empty() &&
      std::all_of(owner.refused_for_.begin(), owner.refused_for_.end(), is_gone)) {
    owner.refused_for_.clear();
    owner.refusal_.clear();
  }
  return owner.refusal_;
}

ObjectPtr ArrayObject::root_of(const ObjectPtr& object) {
  return object->root_ ? object->root_ : object;
}

const std::vector<ObjectPtr>& ArrayObject::origins() {
  const auto is_gone = [](const ObjectPtr& origin) {
    return origin.use_count() == 1 && !origin->beginning_ && !origin->is_beside_;
  };
  if (std::none_of(origins_.begin(), origins_.end(), is_gone)) return origins_;
  std::vector<ObjectPtr> left(origins_.rbegin(), origins_.rend());
  origins_.clear();
  std::unordered_set<const ArrayObject*> seen;
  while (!left.empty()) {
    ObjectPtr origin = std::move(left.back());
    left.pop_back();
    if (!is_gone(origin)) {
      if (seen.insert(origin.get()).second) origins_.push_back(std::move(origin));
      continue;
    }
    wrote_origin_ = wrote_origin_ || origin->may_be_written();
    const std::vector<ObjectPtr> before = std::exchange(origin->origins_, {});
    left.insert(left.end(), before.rbegin(), before.rend());
  }
  return origins_;
}

void ArrayObject::replace(const Array& value, std::uint64_t writes) {
  value_ = value;
  writes_ = writes;
  ++version_;
}

void ArrayObject::fix(const LoopPtr& loop, Index value) {
  for (ArrayObject* view = this; view->base_; view = view->base_.get()) {
    for (Range& range : view->step_.ranges) {
      const Affine shift = Affine{0, range.shift}.with(loop, value);
      range.start += shift.constant;
      range.stop += shift.constant;
      range.shift = shift.terms;
    }
    view->step_.steps.start = view->step_.steps.start.with(loop, value);
    view->version_ = kStale;
  }
}

void ArrayObject::forget(std::uint64_t since) {
  for (ArrayObject* view = this; view->base_; view = view->base_.get())
    if (view->value_.node()->id >= since) view->version_ = kStale;
}

void ArrayObject::stands_for_part_of(const ObjectPtr& of) {
  part_of_ = root_of(of);
  part_writes_ = part_of_->writes_;
  refuse_writes(
      "this is a view at an index that is known only at run time; write to the array itself, or to "
      "a copy");
}

Array ArrayObject::read() {
  if (is_outdated())
    misuse("index",
           "this is a view, at an index that is known only at run time, of an array that was "
           "written to since; make it a copy: x[i].copy()");
  std::vector<ArrayObject*> stale;
  for (ArrayObject* view = this; view->base_ && view->version_ != view->root_->version_;
       view = view->base_.get())
    stale.push_back(view);
  for (auto it = stale.rbegin(); it != stale.rend(); ++it) {
    (*it)->value_ = (*it)->step_.apply((*it)->base_->value_);
    (*it)->version_ = (*it)->root_->version_;
  }
  return value_;
}

void ArrayObject::count_write() {
  ++writes_;
  std::vector<ArrayObject*> left{this};
  std::unordered_set<const ArrayObject*> seen{this};
  while (!left.empty()) {
    ArrayObject& owner = *left.back();
    left.pop_back();
    const auto count = [&](const ObjectPtr& other) {
      if (other == nullptr || !seen.insert(other.get()).second) return;
      ++other->perhaps_writes_;
      left.push_back(other.get());
    };
    count(owner.beginning_);
    for (const ObjectPtr& origin : owner.origins()) count(origin);
  }
}

void ArrayObject::write(const Array& value) {
  if (!refusal().empty()) misuse("assignment", "{}", refusal());
  read();
  std::vector<std::pair<ArrayObject*, Array>> written{{this, value}};
  for (ArrayObject* view = this; view->base_; view = view->base_.get()) {
    view->base_->read();
    written.emplace_back(view->base_.get(),
                         view->step_.write_back(view->base_->value_, written.back().second));
  }
  root().count_write();
  const std::uint64_t version = ++root().version_;
  for (auto& [object, now] : written) {
    object->value_ = now;
    object->version_ = version;
  }
}

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
  misuse("program", "{} must be an int known when the program is read; got {}", what,
         description());
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
    std::string operator()(const NumberList&) const { return "a list of numbers"; }
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
    misuse("array", "the lists are not nested evenly: every row needs the same length");
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

/// The items, arrays or numbers or lists of them, along a first axis.
Array stacked(const Sequence& list) {
  std::vector<Array> parts;
  for (const Value& item : list.items) {
    const Array part = to_array(item, "an element");
    Dims dims = part.shape();
    dims.insert(dims.begin(), 1);
    parts.push_back(part.is_number() ? full(dims, part.node()->number, part.dtype())
                                     : part.reshape(dims));
    if (parts.back().shape() != parts[0].shape())
      misuse("array", "the elements of a list must have one shape to make an array; got {} and {}",
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
      list.length.constant == all.size() ? all : all.slice({Range{0, list.length.constant}});
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
  return ElementType{std::max(a->dtype, b->dtype), a->is_python && b->is_python};
}

std::optional<ElementType> element_type(const Value& list) {
  if (const auto* grown = list.as<NumberList>()) return grown->type;
  std::optional<ElementType> type;
  const auto* sequence = list.as<Sequence>();
  if (sequence == nullptr) return type;
  for (const Value& item : sequence->items)
    type = joined_types(type,
                        ElementType{to_array(item, "an element").dtype(), is_python_number(item)});
  return type;
}

Array to_array(const Value& value, const std::string& what) {
  if (value.as<InstancePtr>() != nullptr)
    if (const Value whole = whole_of(value); whole.is_number()) return to_array(whole, what);
  if (const auto* object = value.as<ObjectPtr>()) return (*object)->read();
  if (const auto* flag = value.as<bool>()) return {*flag};
  if (const auto* whole = value.as<std::int64_t>()) return {exact(*whole)};
  if (const auto* real = value.as<double>()) return {*real};
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

namespace {

Value integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result))
      misuse("program", "the integer exceeds 64 bits; write a float");
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
      misuse("program", "the integer exceeds 64 bits; write a float");
  }
  return {result};
}

Value integer_arithmetic(ast::Operator op, std::int64_t a, std::int64_t b) {
  using enum ast::Operator;
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case FloorDivide:
    case Modulo: {
      if (b == 0)
        throw PythonError(
            "ZeroDivisionError", "program", "integer division or modulo by zero",
            {{op == Modulo ? "integer modulo by zero" : "integer division or modulo by zero"}});
      if (b == -1) {
        overflow = op == FloorDivide && __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const std::int64_t quotient = a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
      result = op == FloorDivide ? quotient : a - quotient * b;
      break;
    }
    case Power:
      return integer_power(a, b);
    case BitAnd:
      result = a & b;
      break;
    case BitOr:
      result = a | b;
      break;
    case BitXor:
      result = a ^ b;
      break;
    default:
      throw cudamat::InternalError("integer arithmetic of another operator");
  }
  if (overflow) misuse("program", "the integer exceeds 64 bits; write a float");
  return {result};
}

Value real_arithmetic(ast::Operator op, double a, double b) {
  using enum ast::Operator;
  switch (op) {
    case Add:
      return {a + b};
    case Subtract:
      return {a - b};
    case Multiply:
      return {a * b};
    case Power:
      if (a == 0 && b < 0 && std::isfinite(b))
        misuse("program", "0 cannot be raised to a negative power");
      if (a < 0 && std::isfinite(a) && b != std::floor(b) && std::isfinite(b))
        misuse("program", "a negative number to a fractional power is complex");
      if (std::isfinite(a) && std::isfinite(b) && !std::isfinite(std::pow(a, b)))
        misuse("program", "the power exceeds the range of a float");
      return {std::pow(a, b)};
    default:
      break;
  }
  if (b == 0) throw PythonError("ZeroDivisionError", "program", "division by zero");
  if (op == Divide) return {a / b};
  return {op == Modulo ? cudamat::functors::Mod{}(a, b) : cudamat::functors::FloorDivide{}(a, b)};
}

template <class T>
bool compare(ast::Operator op, T a, T b) {
  using enum ast::Operator;
  switch (op) {
    case Less:
      return a < b;
    case LessEqual:
      return a <= b;
    case Greater:
      return a > b;
    case GreaterEqual:
      return a >= b;
    case Equal:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

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

static Value truth_arithmetic(ast::Operator op, bool a, bool b) {
  using enum ast::Operator;
  if (op == Add || op == BitOr) return {a || b};
  if (op == Multiply || op == BitAnd) return {a && b};
  if (op == BitXor) return {a != b};
  misuse("program", "NumPy does not support '{}' of booleans", ast::spelling(op));
}

static Value python_numbers(ast::Operator op, const Value& a, const Value& b) {
  using enum ast::Operator;
  const bool whole = !a.is_real() && !b.is_real();
  if (op >= Less)
    return {whole ? compare(op, a.integer(""), b.integer("")) : compare(op, a.real(), b.real())};
  if ((op == BitAnd || op == BitOr || op == BitXor) && !whole)
    misuse("program", "'{}' expects ints", ast::spelling(op));
  if (op == MatMul) misuse("program", "'@' expects arrays; got two numbers");
  if (whole && op != Divide && !(op == Power && b.integer("") < 0))
    return integer_arithmetic(op, a.integer(""), b.integer(""));
  return real_arithmetic(op, a.real(), b.real());
}

Value number_arithmetic(ast::Operator op, const Value& a, const Value& b) {
  using enum ast::Operator;
  const bool is_numpy = a.is_numpy || b.is_numpy;
  const auto* truth_a = a.as<bool>();
  const auto* truth_b = b.as<bool>();
  const bool of_bits = op == BitAnd || op == BitOr || op == BitXor;
  const bool of_truths = truth_a != nullptr && truth_b != nullptr && op < Less;
  if (is_numpy && op == Power && !a.is_real() && !b.is_real() && b.integer("") < 0)
    misuse("program", "Integers to negative integer powers are not allowed; write a float");
  const bool divides = op == Divide || op == FloorDivide || op == Modulo;
  if (is_numpy && divides && b.real() == 0) {  // which NumPy does, and warns
    if (op != Divide && !a.is_real() && !b.is_real()) return {std::int64_t{0}, true};
    return {op == Modulo ? std::nan("") : a.real() / b.real(), true};
  }
  Value result = of_truths && (of_bits || (is_numpy && op != Divide))
                     ? truth_arithmetic(op, *truth_a, *truth_b)
                     : python_numbers(op, a, b);
  result.is_numpy = is_numpy;
  const auto bits = [](const Value& x) {  // of Python's numbers from NumPy 2 on none
    if (x.is_numpy && x.is_real()) return int{x.float_bits};
    return x.as<bool>() != nullptr || (!x.is_numpy && numpy_version() >= 2) ? 0 : 64;
  };
  if (const int wider = std::max(bits(a), bits(b)); wider != 0)
    result.float_bits = static_cast<std::uint8_t>(wider);
  return result;
}

}  // namespace rewriter
