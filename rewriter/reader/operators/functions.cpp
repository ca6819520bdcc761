// Calls of functions by name: which form the arguments have, and what the result's order and width
// are.
#include "rewriter/reader/values/functions.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/operators/characters.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Whether an array of two dimensions or more among them may lie in another order than C's.
template <class Values>
bool any_out_of_order(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](const Value& value) {
    if (const auto* sequence = value.as<Sequence>()) return any_out_of_order(sequence->items);
    const auto* object = value.as<ObjectPtr>();
    return object != nullptr && !(*object)->contiguous() && (*object)->shape().size() > 1;
  });
}

/// What the call made, and nobody else holds, may lie in another order than C's.
void forget_order(const Value& result) {
  if (const auto* sequence = result.as<Sequence>())
    std::for_each(sequence->items.begin(), sequence->items.end(), forget_order);
  const auto* object = result.as<ObjectPtr>();
  if (object != nullptr && is_held_once(*object) && (*object)->shape().size() > 1)
    (*object)->forget_order();
}

}  // namespace

static bool has_out(const Call& call, bool is_none = false) {
  return std::any_of(call.keywords.begin(), call.keywords.end(), [&](const auto& keyword) {
    return keyword.first == "out" && keyword.second.is_none() == is_none;
  });
}

namespace {

bool makes_doubles(const Call& call) {
  return call.row->has(kMakesDoubles) || (numpy_version() < 2 && call.row->has(kOldDoubles));
}

/// Whether the function makes floats like those that it gets, as most do.
bool makes_like(const Call& call) {
  const bool is_numpys = call.name.starts_with("np.") || call.name.starts_with('.');
  const bool is_pythons = call.name == "sum" && numpy_version() >= 2;
  return (is_numpys || is_pythons) && !makes_doubles(call) && !call.row->has(kOwnWidth);
}

int width_like(const Call& call) {
  if (!makes_like(call)) return 0;
  std::vector<Value> all = call.arguments;
  for (const auto& [name, value] : call.keywords)
    if (name != "axis") all.push_back(value);
  return width_like(all);
}

/// What the call made has the floats that it asked for, or that NumPy makes there.
void note_float_bits(const Call& call, std::uint64_t newest, int asked, Value& result) {
  const auto* object = result.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_python()) return;
  const Array array = (*object)->read();
  if (array.dtype() != DType::Float) return;
  const bool is_new = array.node()->id > newest;
  if (asked == 0 && is_new && call.row->has(kLikeFirst)) {
    const auto* like = call.arguments[0].as<ObjectPtr>();
    if (like == nullptr || (*like)->read().dtype() != DType::Float) return;
    asked = (*like)->float_bits();
    if (asked == 0) asked = float_width_of((*like)->read().node());
    if (asked == 0) return;
  }
  if (asked == 0) {
    const Kind kind = array.node()->kind;
    const bool is_known = kind == Kind::Constant || kind == Kind::Fill;
    if (!is_new) return;
    const bool is_wide = makes_doubles(call) || (call.row->has(kGathers) && is_known);
    asked = is_wide ? 64 : width_like(call);
    if (asked == 0) return;
  }
  if (!is_new) {
    const int known =
        (*object)->float_bits() != 0 ? (*object)->float_bits() : float_width_of(array.node());
    const int bits = known != 0 ? known : float_bits() != 0 ? float_bits() : 64;
    if (asked == bits || has_out(call)) return;
    result = new_array(array.copy(), (*object)->contiguous());
    object = result.as<ObjectPtr>();
  }
  if (has_out(call)) return;
  (*object)->read().node()->float_bits = static_cast<std::uint8_t>(asked);
  if (!(*object)->is_scalar()) (*object)->set_float_bits(asked);
}

/// The same of each result, and of the parts of complex ones.
void note_widths(const Call& call, std::uint64_t newest, int asked, Value& result) {
  if (result.as<ObjectPtr>() != nullptr) return note_float_bits(call, newest, asked, result);
  if (result.is_real() && result.is_numpy && makes_like(call)) {
    const int bits = asked != 0 ? asked : width_like(call);
    if (bits != 0) result.float_bits = static_cast<std::uint8_t>(bits);
  }
  const auto has_width = [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object == nullptr || (*object)->read().node()->float_bits != 0;
  };
  if (const auto* complex = std::get_if<Complex>(&result.held)) {
    Complex parts = *complex;
    for (Value& part : parts.parts.own()) note_widths(call, newest, asked, part);
    result.held = std::move(parts);
  } else if (const auto* several = std::get_if<Sequence>(&result.held);
             several != nullptr && !several->list) {
    Sequence items = *several;
    for (Value& item : items.items.own())
      if (!has_width(item)) note_widths(call, newest, asked, item);
    result.held = std::move(items);
  }
}

}  // namespace

std::optional<Value> call_of_other_form(const Call& call, unsigned takes) {
  if ((takes & kAnyForm) == 0)
    if (const auto complex = complex_call(call)) return complex;
  const auto is_run_list = [](const Value& value) { return value.as<RunList>() != nullptr; };
  if ((takes & kRunLists) == 0 &&
      std::any_of(call.arguments.begin(), call.arguments.end(), is_run_list))
    return call_function(of_selected_elements(call));
  return (takes & kAnyForm) == 0 ? selection_call(call) : std::nullopt;
}

namespace {

/// Whether NumPy takes the value for axis=: no truth value and no float is an int there.
bool is_axis(const Value& value) {
  const auto* several = value.as<Sequence>();
  if (several != nullptr) return std::all_of(several->items.begin(), several->items.end(), is_axis);
  return value.as<bool>() == nullptr && !value.is_real();
}

void check_axis(const Call& call, const Row& row) {
  const auto refuse = [&](const Value& value) {
    if (!is_axis(value)) misuse(call.name, "axis must be an integer; got {}", value.description());
  };
  for (const auto& [keyword, value] : call.keywords)
    if (keyword == "axis") {
      if (row.has(kOfOneAxis) && !value.is_integer())
        misuse(call.name, "axis must be an integer; got {}", value.description());
      refuse(value);
    }
  for (std::size_t i = 0; i < std::min(row.signature.size(), call.arguments.size()); ++i)
    if (row.signature[i].name == "axis") refuse(call.arguments[i]);
}

/// NumPy's loop reads what it has written.
void check_overlap(const Call& call) {
  if (call.name != "np.place" || call.arguments.size() != 3) return;
  const auto* target = call.arguments[0].as<ObjectPtr>();
  const auto* source = call.arguments[2].as<ObjectPtr>();
  if (target != nullptr && source != nullptr &&
      ArrayObject::root_of(*target) == ArrayObject::root_of(*source))
    misuse(call.name, "NumPy reads this array while it writes to it; assign a copy");
}

}  // namespace

Value call_function(Call call) {
  if (has_out(call, true))  // as if it were omitted
    std::erase_if(call.keywords, [](const auto& each) { return each.first == "out"; });
  if (const auto made = characters_call(call)) return *made;
  const Row* const row = call.row = row_of(call.name);
  if (row != nullptr) check_arguments(call), check_axis(call, *row);
  check_overlap(call);
  if (row == nullptr)
    if (const auto complex = complex_call(call)) return *complex;
  if (row == nullptr) refuse_function("call", call.name);
  if (row->has(kIsIndexed)) misuse(call.name, "is subscripted, not called: {}[...]", call.name);
  const std::uint64_t newest = newest_node();
  const int asked_outside = std::exchange(asked_float_bits, 0);
  const auto of_other_form = call_of_other_form(call, row->facts);
  Value result = of_other_form ? *of_other_form : row->handler(call);
  note_widths(call, newest, std::exchange(asked_float_bits, asked_outside), result);
  if (of_other_form) return result;
  if (any_out_of_order(call.arguments) && !row->has(kInOrder)) forget_order(result);
  return result;
}

}  // namespace rewriter
