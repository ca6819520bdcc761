#include "rewriter/reader/selections/selection_calls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_writes.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

/// The elements with NaN, or what else comes last in order, where nothing is selected.
Array with_last(const Selection& s) {
  return s.with(Array(s.whole.dtype() == DType::Float ? std::nan("") : kInfinity));
}

/// The elements of one dimension in order, which are the first `count` of these.
Array sorted_first(const Selection& s) {
  return sort(with_last(s), 0);
}

Array element(const Array& a, const Array& place) {
  const Value at = new_array(place.as_type(DType::Int));
  return to_array(subscript(new_array(a), {at}), "an element");
}

/// Of a type that has it: what was not selected may not be one of its numbers.
Array selected_as(const Array& a, const Array& mask, DType dtype) {
  return a.dtype() == dtype ? a : where(mask, a, Array(std::int64_t{0})).as_type(dtype);
}

Array any_nan(const Selection& s) {
  return reduce(Op::any, Selection{not_equal(s.whole, s.whole), s.mask, 0}.with(
                             Array::number(0, DType::Bool)));
}

/// Among the selected elements the first one that is this, or NaN.
Array place_of(const Array& value, const Selection& s) {
  const Array is_found =
      logical_and(s.mask, logical_or(equal(s.whole, value), not_equal(s.whole, s.whole)));
  const Index size = s.mask.size();
  const Array place = reduce(Op::min, where(is_found, counting(0, 1, size), Array(size)));
  return (element(cumsum(s.mask.as_type(DType::Int), 0), place) - 1).as_type(DType::Int);
}

Array median_of(const Selection& s) {
  const Array count = s.count();
  const Array sorted = sorted_first(s);
  const Array low = element(sorted, floor_divide(count - 1, Array(2)));
  const Array high = element(sorted, floor_divide(count, Array(2)));
  return where(any_nan(s), Array(std::nan("")), (low + high) / Array(2.0), true);
}

/// The call with this in the place of its first argument.
Value call_with(const Call& call, std::string name, const Value& first) {
  Call made = call;
  made.name = std::move(name);
  made.arguments[0] = first;
  return call_function(made);
}

/// Whether it asks for no more than the elements one after the other: no axis, or the only one.
bool is_of_all(const Call& call, const Selection& s, const Value* axis) {
  if (axis == nullptr) return s.others() == 1 || has_word("np.argmax np.argmin", call.name);
  if (s.whole.ndim() != s.mask.ndim()) return false;
  const Index at = axis->integer(call.name + "'s axis");
  return at == 0 || at == -1;
}

std::string unprefixed(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

/// What is given for axis=; null if it is None or nothing.
const Value* given_axis(const Call& call) {
  const auto& signature = call.row->signature;
  const std::size_t count =  // *shape has any number of positions
      std::min({call.row->positions, signature.size(), call.arguments.size()});
  for (std::size_t i = 0; i < count; ++i)
    if (signature[i].name == "axis")
      return call.arguments[i].is_none() ? nullptr : &call.arguments[i];
  return call.keyword("axis");
}

/// The extents of a reshape, with `size` in the place of the number of selected elements.
void with_size(std::vector<Value>& extents, const Array& count, Index size) {
  for (Value& extent : extents) {
    if (const auto* tuple = extent.as<Sequence>()) {
      std::vector<Value> inner(tuple->items.begin(), tuple->items.end());
      with_size(inner, count, size);
      extent = new_sequence(tuple->list, std::move(inner));
    }
    const auto* object = extent.as<ObjectPtr>();
    if (object != nullptr && is_same_mask((*object)->read(), count)) extent = {size};
  }
}

Index elements_before(const Dims& dims, std::size_t axis) {
  return npmat::element_count(Dims(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis)));
}

/// What moves axes, or acts along another axis than the mask's: the same of the whole array. The
/// mask's axis is then the one whose extent follows that of the mask.
std::optional<Value> beside_mask(const Call& call, const Selection& given) {
  const bool moves = call.row->has(kMovesAxes);
  if (!moves && !call.row->has(kAlongAxis)) return std::nullopt;
  const std::string name = unprefixed(call.name);
  const bool reshapes = name == "reshape";
  const Selection s = in_one_axis(given);
  const Value* const axis = given_axis(call);
  if (axis == nullptr && (!moves || name == "squeeze")) return std::nullopt;
  if (!moves && (!axis->is_number() || axis_of(call, s, *axis) == s.first)) return std::nullopt;
  const auto made_of = [&](const Array& whole, Index size) -> std::optional<Array> {
    Call same = call;
    same.arguments[0] = new_array(whole);
    std::vector<Value> extents(same.arguments.begin() + 1, same.arguments.end());
    if (reshapes) with_size(extents, given.count(), size);
    std::copy(extents.begin(), extents.end(), same.arguments.begin() + 1);
    const Value made = call_function(same);
    const auto* object = made.as<ObjectPtr>();
    return object == nullptr ? std::nullopt : std::optional((*object)->read());
  };
  const Index size = s.mask.size();
  Dims more = s.whole.shape();
  ++more[static_cast<std::size_t>(s.first)];
  const auto made = made_of(s.whole, size);
  const auto longer = made ? made_of(full(more, 0, s.whole.dtype()), size + 1) : std::nullopt;
  if (!longer || made->ndim() != longer->ndim()) return std::nullopt;
  const Dims& dims = made->shape();
  const auto at = std::mismatch(dims.begin(), dims.end(), longer->shape().begin()).first;
  const auto first = static_cast<std::size_t>(at - dims.begin());
  if (at == dims.end() || *at != size) return std::nullopt;
  const auto of_mask = static_cast<std::size_t>(s.first);
  if (reshapes && elements_before(dims, first) != elements_before(s.whole.shape(), of_mask))
    return std::nullopt;
  return select(*made, s.mask, static_cast<int>(first));
}

/// np.quantile and np.percentile: NaN if an element is.
std::optional<Value> quantile_of(const Call& call, const Selection& s) {
  if (call.name != "np.quantile" && call.name != "np.percentile") return std::nullopt;
  const auto bound = call.bind(
      {"a", "q", "axis", "out", "overwrite_input", "method", "keepdims", "interpolation"}, 2);
  if (s.others() != 1 || s.whole.dtype() == DType::Bool ||
      (bound[2] != nullptr && bound[2]->as<Sequence>() != nullptr))
    return std::nullopt;
  const Selection flat = in_one_axis(s);
  const Array found = to_array(
      call_with(call, "np.nan" + unprefixed(call.name), new_array(flat.with(Array(std::nan(""))))),
      "a quantile");
  const Array one = checked(Array(1), flat.count() > 0);  // NumPy raises where there is none
  return new_array(
      choice(any_nan(flat), Array(std::nan("")), map(Op::mult, found, one.as_float())));
}

/// np.cumsum, np.cumprod and the largest so far, at the places of the elements.
std::optional<Value> running_of(const Call& call, const Selection& s) {
  const std::string name = unprefixed(call.name);
  const bool is_largest = call.name == "np.maximum.accumulate";
  if ((is_largest || call.name == "np.minimum.accumulate") && s.mask.ndim() == 1 &&
      s.others() == 1 && call.arguments.size() == 1 && call.keywords.empty()) {
    const Array all = s.with(Array(is_largest ? -kInfinity : kInfinity));
    const Array found = to_array(call_with(call, call.name, new_array(all)), "a selection");
    return select(selected_as(found, s.mask, s.whole.dtype()), s.mask, 0);
  }
  const bool adds = name == "cumsum" || call.name == "np.add.accumulate";
  if (!adds && name != "cumprod" && call.name != "np.multiply.accumulate") return std::nullopt;
  const auto bound = call.bind({"a", "axis", "dtype"}, 1);
  if (s.mask.ndim() > 1 || (bound[1] == nullptr && s.others() != 1)) return std::nullopt;
  const Array neutral = Array::number(adds ? 0 : 1, DType::Bool);
  const Value all = call_with(call, call.name, new_array(s.with(neutral)));
  return select(to_array(all, "a selection"), s.mask, s.first);
}

/// np.linalg.norm, of which elements that are 0 are no part.
std::optional<Value> norm_of(const Call& call, const Selection& s) {
  if (call.name != "np.linalg.norm") return std::nullopt;
  const auto bound = call.bind({"x", "ord", "axis", "keepdims"}, 1);
  const bool adds = bound[1] == nullptr || (bound[1]->is_number() && bound[1]->real() > 0 &&
                                            std::isfinite(bound[1]->real()));
  if (!adds || (s.mask.ndim() > 1 && bound[2] != nullptr)) return std::nullopt;
  return call_with(call, call.name, new_array(s.with(Array(0.0))));
}

/// The letters of an einsum: those of each operand, and those of the result last.
std::vector<std::string> letters_of(std::string subscripts) {
  std::erase(subscripts, ' ');
  const std::size_t arrow = subscripts.find("->");
  std::string result, terms = subscripts.substr(0, arrow);
  if (arrow != std::string::npos) {
    result = subscripts.substr(arrow + 2);
  } else {
    for (char letter = 'A'; letter <= 'z'; ++letter)
      if (std::isalpha(letter) != 0 && std::count(terms.begin(), terms.end(), letter) == 1)
        result += letter;
  }
  std::vector<std::string> letters(1);
  for (const char c : terms)
    if (c == ',')
      letters.emplace_back();
    else
      letters.back() += c;
  letters.push_back(result);
  return letters;
}

/// np.einsum of operands that one mask selects along one letter: where that is summed, what is not
/// selected is 0, else the result's elements are selected along it.
std::optional<Value> einsum_of(const Call& call) {
  if (call.name != "np.einsum" || call.arguments.empty()) return std::nullopt;
  const auto* subscripts = call.arguments[0].as<std::string>();
  if (subscripts == nullptr || subscripts->find('.') != std::string::npos) return std::nullopt;
  const std::vector<std::string> letters = letters_of(*subscripts);
  if (letters.size() != call.arguments.size()) return std::nullopt;
  std::string along;
  std::vector<std::size_t> places;
  std::vector<Selection> selections;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const auto selection = selection_of(call.arguments[i]);
    if (!selection) continue;
    selections.push_back(in_one_axis(*selection));
    places.push_back(i);
    const auto first = static_cast<std::size_t>(selections.back().first);
    if (letters[i - 1].size() != static_cast<std::size_t>(selections.back().whole.ndim()))
      misuse(Exception::ValueError, call.name,
             "einstein sum subscripts string has another number of letters than operand {}", i - 1);
    along += letters[i - 1][first];
  }
  const auto holds = [&](std::size_t i) { return letters[i].find(along[0]) != std::string::npos; };
  if (selections.empty() || along.find_first_not_of(along[0]) != std::string::npos)
    return std::nullopt;
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    if (std::count(letters[i - 1].begin(), letters[i - 1].end(), along[0]) > 1 ||
        (!is_selection(call.arguments[i]) && holds(i - 1)))
      return std::nullopt;
  selections = by_one_mask(std::move(selections));
  const bool stays = holds(letters.size() - 1);
  Call inner = call;
  for (std::size_t k = 0; k < places.size(); ++k)
    inner.arguments[places[k]] =
        new_array(stays ? selections[k].whole : selections[k].with(Array(std::int64_t{0})));
  Value made = call_function(inner);
  if (!stays) return made;
  return select(to_array(made, "a selection"), selections[0].mask,
                static_cast<int>(letters.back().find(along[0])));
}

/// np.sort, np.argsort, np.median, np.argmax and np.argmin of one dimension.
std::optional<Value> in_order(const Call& call, const Selection& s) {
  const bool is_last = call.name == "np.argmax" || call.name == ".argmax";
  const bool is_place = is_last || call.name == "np.argmin" || call.name == ".argmin";
  const bool sorts = call.name == "np.sort";
  const bool orders = call.name == "np.argsort" || call.name == ".argsort";
  if (!sorts && !orders && call.name != "np.median" && !is_place) return std::nullopt;
  if (is_place && s.others() != 1) {
    const auto bound = call.bind({"a", "axis", "out", "keepdims"}, 1);
    if (bound[1] == nullptr || bound[2] != nullptr) return std::nullopt;
    (void)axis_of(call, s, *bound[1]);
    if (flag(bound[3])) return std::nullopt;
    const Array all = packed(s).with(Array(is_last ? -kInfinity : kInfinity));
    const Array found = reduce(is_last ? Op::argmax : Op::argmin, all, s.first);
    return new_array(checked(found, s.count() > 0));
  }
  const auto bound = call.bind({"a", "axis", "kind", "keepdims"}, 1);
  if (s.others() != 1 || s.whole.dtype() == DType::Bool || !is_of_all(call, s, bound[1]) ||
      bound[3] != nullptr || (bound[2] != nullptr && !sorts && !orders))
    return std::nullopt;
  const Selection flat = in_one_axis(s);
  if (is_place)
    return new_array(place_of(reduce_selection(is_last ? Op::max : Op::min, flat, true), flat));
  if (call.name == "np.median") return new_array(median_of(flat));
  const Array first = first_places(flat.mask.size(), flat.count());
  if (orders) return select(argsort(with_last(packed(flat)), 0), first, 0);
  return select(selected_as(sorted_first(flat), first, s.whole.dtype()), first, 0);
}

/// np.delete at places that a mask selects.
std::optional<Value> deleted(const Call& call) {
  if (call.name != "np.delete" || call.arguments.size() < 2) return std::nullopt;
  const auto places = selection_of(call.arguments[1]);
  const auto* object = call.arguments[0].as<ObjectPtr>();
  if (!places || object == nullptr || (*object)->shape().empty()) return std::nullopt;
  const auto bound = call.bind({"arr", "obj", "axis"}, 2);
  const bool is_first = bound[2] != nullptr && bound[2]->is_number() && bound[2]->real() == 0;
  if (!is_first && (bound[2] != nullptr || (*object)->shape().size() > 1)) return std::nullopt;
  const Value stays = new_array(full({(*object)->shape()[0]}, 1, DType::Bool));
  assign_at_selected(*stays.as<ObjectPtr>(), *places, {false});
  return subscript(call.arguments[0], {stays});
}

/// np.repeat by a number, np.tile and np.roll of elements.
std::optional<Value> rearranged(const Call& call, const Selection& given) {
  if (!has_word("np.repeat .repeat np.tile np.roll", call.name)) return std::nullopt;
  if (call.arguments.size() != 2 || !call.keywords.empty() || given.others() != 1 ||
      !call.arguments[1].is_number() || call.arguments[1].is_real())
    return std::nullopt;
  const Index count = call.arguments[1].integer(call.name);
  const Selection s = in_one_axis(given);
  if (call.name == "np.roll") {
    const Selection all = packed(s);
    const Array places = counting(0, 1, all.mask.size()) - Array(count);
    const Array from = mod(places, maximum(s.count(), Array(std::int64_t{1})));
    return select(take(all.whole, from.as_type(DType::Int)), all.mask, 0);
  }
  if (count < 1) return std::nullopt;
  const auto made = call.name == "np.tile" ? tiled : repeated;
  return select(made(s.whole, count, 0), made(s.mask, count, 0), 0);
}

/// Where the elements are true: np.flatnonzero, np.nonzero, np.where.
std::optional<Value> true_places(const Call& call, const Selection& s) {
  if (call.arguments.size() != 1 || !call.keywords.empty() || s.others() != 1) return std::nullopt;
  const bool is_flat = call.name == "np.flatnonzero";
  const bool is_column = call.name == "np.argwhere";
  if (!is_flat && !is_column && !has_word("np.where np.nonzero .nonzero", call.name))
    return std::nullopt;
  const Selection all = packed(s);
  const Value places =
      select(counting(0, 1, all.mask.size()), logical_and(all.mask, detail::truth(all.whole)), 0);
  if (is_column) return subscript(places, {{Slice{}}, {}});
  return is_flat ? places : new_sequence(false, {places});
}

/// selection.sort()
std::optional<Value> sorted_in_place(const Call& call) {
  const auto* selected = call.arguments.empty() ? nullptr : call.arguments[0].as<Selected>();
  if (call.name != ".sort" || selected == nullptr) return std::nullopt;
  Call sorts = call;
  sorts.name = "np.sort";
  const Value sorted = call_function(sorts);
  assign_to_selection(*selected, {{Slice{}}}, sorted);
  return Value{};
}

/// np.add.at(selection, indices, b) and its kin.
std::optional<Value> added_at(const Call& call) {
  if (!call.name.ends_with(".at") || call.arguments.size() < 2) return std::nullopt;
  const auto* target = call.arguments[0].as<Selected>();
  const auto* indices = call.arguments[1].as<ObjectPtr>();
  if (target == nullptr || indices == nullptr || target->whole->stands_for_part())
    return std::nullopt;
  const Selection s = *selection_of(call.arguments[0]);
  if (s.first != 0 || s.mask.ndim() != 1 || !is_integer((*indices)->read().dtype()))
    return std::nullopt;
  Call of_whole = call;
  of_whole.arguments[0] = {target->whole};
  of_whole.arguments[1] = new_array(places_in_whole(s, (*indices)->read()));
  return call_function(of_whole);
}

/// np.isin(a, selection), and of a selection.
std::optional<Value> membership(const Call& call) {
  if (!has_word("np.isin np.in1d", call.name) || call.arguments.size() != 2) return std::nullopt;
  Call inner = call;
  const auto element = selection_of(call.arguments[0]);
  if (element && call.name == "np.in1d" && element->others() != 1) return std::nullopt;
  if (element) inner.arguments[0] = new_array(element->whole);
  if (const auto among = selection_of(call.arguments[1]))
    inner.arguments[1] = new_array(among->with(Array(std::nan(""))));
  const Array found = to_array(call_function(inner), "a mask");
  return element ? select(found, element->mask, element->first) : new_array(found);
}

/// What is composed of other operations.
std::optional<Value> composed(const Call& call, const Selection& s) {
  const auto of = [&](std::string_view name, const Value& value) {
    return call_function({std::string(name), {value}, {}, call.steps});
  };
  if ((call.name == "any" || call.name == "all") && s.whole.ndim() == 1)
    return python_number(to_array(of("np." + call.name, call.arguments[0]), "a truth"));
  if (call.name == "np.compress" && call.arguments.size() == 2 && call.keywords.empty() &&
      s.others() == 1 && s.whole.ndim() == 1)
    return subscript(call.arguments[1], {call.arguments[0]});
  if (call.name == "np.linalg.lstsq" && s.first == 0) {  // rows of zeros have no part in it
    const auto y = selection_of(call.arguments.at(1));
    const std::vector<Selection> both = by_one_mask(
        {in_one_axis(s), y ? in_one_axis(*y) : all_of(to_array(call.arguments[1], "b"))});
    Call squares = call;
    for (std::size_t i = 0; i < 2; ++i) squares.arguments[i] = new_array(both[i].with(Array(0.0)));
    Sequence parts = *call_function(squares).as<Sequence>();
    std::vector<Value> items(parts.items.begin(), parts.items.end());
    items[3] = {
        Function{"np.linalg.lstsq's residuals and singular values of a masked selection", nullptr}};
    items[1] = items[3];
    return new_sequence(false, std::move(items));
  }
  return std::nullopt;
}

}  // namespace

Value sorted_selection(const Call& call) {
  const Value& elements = call.arguments[0];
  const auto sorted = selection_of(call_function({"np.sort", {elements}, {}, call.steps}));
  const auto down = std::find_if(call.keywords.begin(), call.keywords.end(),
                                 [](const auto& keyword) { return keyword.first == "reverse"; });
  const bool turns = down != call.keywords.end() && flag(&down->second);
  const Selection all = turns ? reversed(*sorted) : packed(*sorted);
  return run_list_of(all.whole, all.mask, false);
}

/// np.outer, of which one is a selection.
static std::optional<Value> outer_product(const Call& call) {
  if (call.name != "np.outer" || call.arguments.size() != 2 || !call.keywords.empty())
    return std::nullopt;
  if (is_selection(call.arguments[0]) == is_selection(call.arguments[1])) return std::nullopt;
  const auto flat = [&](const Value& x) {
    return call_function({"np.ravel", {x}, {}, call.steps});
  };
  return binary_operator(ast::Operator::Multiply,
                         subscript(flat(call.arguments[0]), {{Slice{}}, {}}),
                         subscript(flat(call.arguments[1]), {{}, {Slice{}}}));
}

std::optional<Value> order_call(const Call& call) {
  if (auto result = membership(call)) return result;
  if (auto result = added_at(call)) return result;
  if (auto result = deleted(call)) return result;
  if (auto result = sorted_in_place(call)) return result;
  if (auto result = joined_selections(call)) return result;
  if (auto result = outer_product(call)) return result;
  if (auto result = einsum_of(call)) return result;
  const auto selection = call.arguments.empty() ? std::nullopt : selection_of(call.arguments[0]);
  if (!selection) return std::nullopt;
  for (const auto of :
       {beside_mask, norm_of, quantile_of, running_of, in_order, rearranged, true_places, composed})
    if (auto result = of(call, *selection)) return result;
  return std::nullopt;
}

}  // namespace rewriter
