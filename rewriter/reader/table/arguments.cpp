#include "rewriter/reader/table/arguments.hpp"

#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Puts the arguments of the call in the places of the parameters.
std::vector<const Value*> placed(const Call& call, const std::vector<std::string_view>& parameters,
                                 std::size_t positions) {
  const std::size_t self = call.name.starts_with('.') ? 1 : 0;
  const std::size_t most = std::min(positions, parameters.size());
  if (call.arguments.size() > most)
    misuse(Exception::TypeError, call.name, "takes at most {}{} argument{}; got {}", most - self,
           positions < parameters.size() ? " positional" : "", most - self == 1 ? "" : "s",
           call.arguments.size() - self);
  std::vector<const Value*> bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) bound[i] = &call.arguments[i];
  for (const auto& [keyword, value] : call.keywords) {
    const auto at = std::find(parameters.begin(), parameters.end(), keyword);
    if (at == parameters.end()) {
      std::vector<std::string_view> takes(parameters.begin() + std::ptrdiff_t(self),
                                          parameters.end());
      std::erase(takes, "out");
      misuse(Exception::TypeError, call.name,
             "got an unexpected keyword argument '{}'; the supported ones are {}", keyword,
             takes.empty() ? "none" : fmt::format("{}", fmt::join(takes, ", ")));
    }
    const Value*& slot = bound[static_cast<std::size_t>(at - parameters.begin())];
    if (slot != nullptr)
      misuse(Exception::TypeError, call.name, "got multiple values for argument '{}'", keyword);
    slot = &value;
  }
  return bound;
}

}  // namespace

void check_arguments(const Call& call) {
  const Row& row = *call.row;
  if (call.arguments.size() > row.most) {
    const bool has_self = row.parameters.starts_with("self") || call.name.starts_with('.');
    const std::size_t most = row.most - (has_self ? 1 : 0);
    throw PythonError(
        "TypeError", call.name,
        fmt::format("takes at most {}{} argument{}; got {}", most,
                    row.most < row.keywords.size() ? " positional" : "", most == 1 ? "" : "s",
                    call.arguments.size() - (has_self ? 1 : 0)));
  }
  if (row.takes_keywords || !row.signature.empty()) return;
  for (const auto& [keyword, value] : call.keywords)
    if (std::find(row.keywords.begin(), row.keywords.end(), keyword) == row.keywords.end())
      throw PythonError(
          "TypeError", call.name,
          fmt::format(
              "got an unexpected keyword argument '{}'; the supported ones are {}", keyword,
              row.keywords.empty() ? "none" : fmt::format("{}", fmt::join(row.keywords, ", "))));
}

std::vector<const Value*> Call::bind(const std::vector<std::string_view>& parameters,
                                     std::size_t required) const {
  std::vector<const Value*> bound = placed(*this, parameters, parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i] != nullptr && bound[i]->is_none()) bound[i] = nullptr;
    if (i < required && bound[i] == nullptr)
      misuse(Exception::TypeError, name, "needs the argument '{}'", parameters[i]);
  }
  return bound;
}

std::vector<const Value*> Call::bind() const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : row->signature) names.push_back(parameter.name);
  std::vector<const Value*> bound = placed(*this, names, row->positions);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const auto& standard = row->signature[i].standard;
    if (bound[i] != nullptr && bound[i]->is_none()) bound[i] = nullptr;
    if (bound[i] == nullptr && !standard)
      misuse(Exception::TypeError, name, "needs the argument '{}'", names[i]);
    const bool is_axis = names[i] == "axis" && is_none("axis");  // which means all elements
    if (bound[i] == nullptr && !standard->is_none() && !is_axis) bound[i] = &*standard;
  }
  return bound;
}

std::vector<Value> Call::values() const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : row->signature) names.push_back(parameter.name);
  std::vector<Value> all;
  for (std::size_t i = 0; const Value* const each : placed(*this, names, row->positions)) {
    const auto& standard = row->signature[i].standard;
    if (each == nullptr && !standard)
      misuse(Exception::TypeError, name, "needs the argument '{}'", names[i]);
    all.push_back(each != nullptr ? *each : *standard);
    ++i;
  }
  return all;
}

Value Call::apply(const Value& function, std::vector<Value> given) const {
  Call made{"", std::move(given), {}, steps};
  if (const auto* known = function.as<Function>(); known != nullptr && known->self)
    made.arguments.insert(made.arguments.begin(), Value{known->self});
  return reader().call_value(function, made);
}

bool Call::is_none(std::string_view parameter) const {
  for (const auto& [keyword, value] : keywords)
    if (keyword == parameter) return value.is_none();
  const auto at = std::find_if(row->signature.begin(), row->signature.end(),
                               [&](const Parameter& each) { return each.name == parameter; });
  const auto place = static_cast<std::size_t>(at - row->signature.begin());
  return place < arguments.size() && arguments[place].is_none();
}

const Value* Call::keyword(std::string_view wanted) const {
  for (const auto& [given, value] : keywords)
    if (given == wanted && !value.is_none()) return &value;
  return nullptr;
}

Caller& Call::reader() const {
  if (caller == nullptr) misuse(name, "can only be called by its name");
  return *caller;
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

Value numpy_number(Value number) {
  number.is_numpy = true;
  return number;
}

Array array_argument(const Call& call, const Value* value, std::string_view parameter) {
  return to_array(*value, fmt::format("{}'s argument '{}'", call.name, parameter));
}

bool contiguous(const Value* value) {
  const auto* object = value == nullptr ? nullptr : value->as<ObjectPtr>();
  return object == nullptr || (*object)->contiguous();
}

bool flag(const Value* value) {
  return value != nullptr && value->is_number() && value->real() != 0;
}

std::optional<int> axis_argument(const Call& call, const Value* axis) {
  if (axis == nullptr) return std::nullopt;
  if (axis->as<Sequence>() != nullptr) misuse(call.name, "takes one axis; got a tuple");
  return static_cast<int>(axis->integer(call.name + "'s axis"));
}

int one_axis(const Call& call, const Value* axis, int ndim) {
  const Index at = axis == nullptr ? 0 : axis->integer(call.name + "'s axis");
  return detail::normalize_axis(call.name, static_cast<int>(at), ndim);
}

Dims dims_of(const Call& call, const Value& shape) {
  const std::string what = fmt::format("an extent of {}'s shape", call.name);
  if (const auto* sequence = shape.as<Sequence>()) {
    Dims dims;
    for (const Value& item : sequence->items) dims.push_back(item.integer(what));
    return dims;
  }
  return {shape.integer(what)};
}

Dims dims_of_rest(const Call& call, std::size_t first) {
  if (!call.keywords.empty())
    misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'",
           call.keywords[0].first);
  if (call.arguments.size() == first + 1) return dims_of(call, call.arguments[first]);
  Dims dims;
  for (std::size_t i = first; i < call.arguments.size(); ++i)
    dims.push_back(call.arguments[i].integer(fmt::format("an extent of {}'s shape", call.name)));
  return dims;
}

const Value& only_argument(const Call& call) {
  if (call.arguments.size() != 1 || !call.keywords.empty())
    misuse(Exception::TypeError, call.name, "takes one argument; got {}",
           call.arguments.size() + call.keywords.size());
  return call.arguments[0];
}

thread_local int asked_float_bits = 0;

void float_dtype_argument(const Call& call, const Value* dtype) {
  if (dtype_argument(dtype).value_or(DType::Float) != DType::Float)
    misuse(call.name, "dtype= must be a type of floats; convert the result with .astype(...)");
}

std::optional<DType> dtype_argument(const Value* dtype) {
  if (dtype == nullptr) return std::nullopt;
  const TypeWords* type = named_type(*dtype);
  if (type != nullptr && type->kind != 'c' && type->name != "float16") {
    if (type->kind == 'f') asked_float_bits = 8 * type->bytes;
    return type->dtype;
  }
  const auto* function = dtype->as<Function>();
  const auto* text = dtype->as<std::string>();
  const std::string name = function != nullptr ? function->name : text != nullptr ? *text : "";
  misuse("dtype",
         "the type {} of arrays is not supported; arrays are of float, float32 or float64, which "
         "all have the precision of the run, of integers or of bool",
         name.empty() ? dtype->description() : name);
}

ObjectPtr object_argument(const Call& call, const Value* value) {
  const auto* object = value->as<ObjectPtr>();
  if (object != nullptr && (*object)->is_python())
    return *new_array((*object)->read().reshape({}).copy()).as<ObjectPtr>();
  if (object != nullptr) return *object;
  return *new_array(array_argument(call, value, "a")).as<ObjectPtr>();
}

Value with_shape(const ObjectPtr& object, const Dims& dims) {
  if (object->is_scalar() && (object->is_python() || !dims.empty()))
    return new_array(object->read().reshape(dims));
  if (dims == object->shape()) return {object};
  return {std::make_shared<ArrayObject>(object, ViewStep{ViewStep::Kind::Reshape, {}, dims},
                                        object->contiguous())};
}

}  // namespace rewriter
