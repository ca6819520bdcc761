#include "rewriter/reader/selection_order.hpp"

#include <algorithm>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/run_slices.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

Array int_zero() {
  return Array(std::int64_t{0});
}

/// Of a mask that selects the first places, how many these are.
std::optional<Array> first_count(const Array& mask) {
  const Node& node = *mask.node();
  const bool is_first = node.kind == Kind::Map && node.op == Op::less_than && mask.ndim() == 1 &&
                        node.args[1]->size() == 1 && node.args[0]->dims == node.dims &&
                        is_same_mask(Array(node.args[0]), counting(0, 1, mask.size()));
  return is_first ? std::optional(Array(node.args[1])) : std::nullopt;
}

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
Selection selected_as(const Array& a, const Array& mask, DType dtype) {
  if (a.dtype() == dtype) return {a, mask, 0};
  return {where(mask, a, int_zero()).as_type(dtype), mask, 0};
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
  return where(any_nan(s), Array(std::nan("")), (low + high) / Array(2.0));
}

/// The call with this in the place of its first argument.
Value call_with(const Call& call, std::string name, const Value& first) {
  Call made = call;
  made.name = std::move(name);
  made.arguments[0] = first;
  return call_function(made);
}

/// Whether it asks for no more than the elements one behind the other: no axis, or the only one.
bool is_of_all(const Call& call, const Selection& s, const Value* axis) {
  if (axis == nullptr) return s.others() == 1 || has_word("np.argmax np.argmin", call.name);
  if (s.whole.ndim() != s.mask.ndim()) return false;
  const Index at = axis->integer(call.name + "'s axis");
  return at == 0 || at == -1;
}

std::string unprefixed(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

/// np.nanmean and its kin leave out what is not selected as they leave out NaN.
std::optional<Value> without_nan(const Call& call, const Selection& s) {
  const std::string name = unprefixed(call.name);
  if (!call.name.starts_with("np.nan") || !is_function(call.name) || name == "nan_to_num" ||
      name.starts_with("nanarg"))
    return std::nullopt;
  if (s.whole.dtype() != DType::Float)  // has no NaN
    return call_function({"np." + name.substr(3), call.arguments, call.keywords, call.steps});
  if (s.others() != 1) return std::nullopt;
  const Array all = s.with(Array(std::nan(""))).reshape({s.mask.size()});
  return call_with(call, call.name, new_array(all));
}

/// np.quantile and np.percentile: NaN if an element is.
std::optional<Value> quantile_of(const Call& call, const Selection& s) {
  if (call.name != "np.quantile" && call.name != "np.percentile") return std::nullopt;
  if (s.others() != 1 || s.whole.dtype() == DType::Bool) return std::nullopt;
  const Selection flat = in_one_axis(s);
  const Array found = to_array(
      call_with(call, "np.nan" + unprefixed(call.name), new_array(flat.with(Array(std::nan(""))))),
      "a quantile");
  return new_array(choice(any_nan(flat), Array(std::nan("")), found));
}

/// np.cumsum, np.cumprod and the largest so far, at the places of the elements.
std::optional<Value> running_of(const Call& call, const Selection& s) {
  const std::string name = unprefixed(call.name);
  const bool is_largest = call.name == "np.maximum.accumulate";
  if ((is_largest || call.name == "np.minimum.accumulate") && s.mask.ndim() == 1 &&
      s.others() == 1 && call.arguments.size() == 1 && call.keywords.empty()) {
    const Array all = s.with(Array(is_largest ? -kInfinity : kInfinity));
    const Array found = to_array(call_with(call, call.name, new_array(all)), "a selection");
    const Selection result = selected_as(found, s.mask, s.whole.dtype());
    return select(result.whole, s.mask, 0);
  }
  if (name != "cumsum" && name != "cumprod") return std::nullopt;
  const auto bound = call.bind({"a", "axis"}, 1);
  if (s.mask.ndim() > 1 || (bound[1] == nullptr && s.others() != 1)) return std::nullopt;
  const Array neutral = Array::number(name == "cumsum" ? 0 : 1, DType::Bool);
  const Value all = call_with(call, call.name, new_array(s.with(neutral)));
  return select(to_array(all, "a selection"), s.mask, s.first);
}

/// np.diff of elements or rows.
std::optional<Value> differences(const Call& call, const Selection& s) {
  if (call.name != "np.diff" && call.name != "np.ediff1d") return std::nullopt;
  const auto bound = call.bind({"a", "n", "axis"}, 1);
  if (bound[1] != nullptr || s.first != 0) return std::nullopt;
  const Index axis = bound[2] == nullptr ? -1 : bound[2]->integer("np.diff's axis");
  if (axis != 0 && (axis != -1 || s.rest() > 0)) return std::nullopt;
  const Selection all = packed(s);
  const Index size = all.mask.size();
  if (size == 0) return std::nullopt;
  Call inner = call;
  inner.name = "np.diff";
  inner.arguments = {new_array(all.whole)};
  inner.keywords = {{"axis", {std::int64_t{0}}}};
  const Array apart = to_array(call_function(inner), "a selection");
  return select(apart, first_places(size - 1, s.count() - Array(std::int64_t{1})), 0);
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
    const int at = axis_of(call, s, *bound[1]);
    if (at != s.first) return over_other(call, s, at, bound[3]);
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
  const Selection sorted = selected_as(sorted_first(flat), first, s.whole.dtype());
  return select(sorted.whole, sorted.mask, 0);
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

/// np.flip of elements or rows.
std::optional<Value> flipped(const Call& call, const Selection& s) {
  if (call.name != "np.flip" || s.first != 0) return std::nullopt;
  const auto bound = call.bind({"m", "axis"}, 1);
  const bool is_first = bound[1] != nullptr && bound[1]->is_number() && bound[1]->real() == 0;
  if (!is_first && (bound[1] != nullptr || s.others() != 1)) return std::nullopt;
  const Selection back = reversed(s);
  return select(back.whole, back.mask, 0);
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

/// np.interp and np.polyval at the elements.
std::optional<Value> at_elements(const Call& call) {
  const std::size_t which = call.name == "np.polyval" ? 1 : 0;
  if ((call.name != "np.interp" && which == 0) || call.arguments.size() <= which)
    return std::nullopt;
  const auto selects = [](const Value& value) { return value.as<Selected>() != nullptr; };
  const auto s = selection_of(call.arguments[which]);
  if (!s || std::count_if(call.arguments.begin(), call.arguments.end(), selects) != 1)
    return std::nullopt;
  Call whole = call;
  whole.arguments[which] = new_array(s->whole);
  return select(to_array(call_function(whole), "a selection"), s->mask, s->first);
}

/// Sets: np.setdiff1d, np.intersect1d and np.union1d.
std::optional<Value> set_operation(const Call& call) {
  if (!has_word("np.setdiff1d np.intersect1d np.union1d", call.name) ||
      call.arguments.size() != 2 || !call.keywords.empty())
    return std::nullopt;
  const auto selects = [](const Value& value) { return value.as<Selected>() != nullptr; };
  if (std::none_of(call.arguments.begin(), call.arguments.end(), selects)) return std::nullopt;
  const auto of = [&](std::string name, std::vector<Value> values) {
    return call_function({std::move(name), std::move(values), {}, call.steps});
  };
  const Value &a = call.arguments[0], &b = call.arguments[1];
  if (call.name == "np.union1d")
    return of("np.unique", {of("np.concatenate", {new_sequence(true, {a, b})})});
  const Value unique = of("np.unique", {a});
  const Value is_in = of("np.isin", {unique, b});
  return subscript(
      unique, {call.name == "np.setdiff1d" ? unary_operator(ast::Operator::Invert, is_in) : is_in});
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
  if (element) inner.arguments[0] = new_array(element->whole);
  if (const auto among = selection_of(call.arguments[1]))
    inner.arguments[1] = new_array(among->with(Array(std::nan(""))));
  const Array found = to_array(call_function(inner), "a mask");
  return element ? select(found, element->mask, element->first) : new_array(found);
}

/// What NumPy says that np.ptp, np.average, np.count_nonzero, np.outer and np.polyfit are.
std::optional<Value> composed(const Call& call, const Selection& s) {
  const auto of = [&](std::string_view name, const Value& value) {
    return call_function({std::string(name), {value}, {}, call.steps});
  };
  const bool is_range = call.name == "np.ptp" || call.name == ".ptp";
  if (is_range && call.arguments.size() + call.keywords.size() == 1)
    return binary_operator(ast::Operator::Subtract, of("np.max", call.arguments[0]),
                           of("np.min", call.arguments[0]));
  if ((call.name == "any" || call.name == "all") && s.whole.ndim() == 1)
    return python_number(to_array(of("np." + call.name, call.arguments[0]), "a truth"));
  if (call.name == "np.allclose") {
    Call each{"np.isclose", call.arguments, call.keywords, call.steps};
    return of("np.all", call_function(each));
  }
  if (has_word("np.extract np.compress", call.name) && call.arguments.size() == 2)
    return subscript(call.arguments[1], {call.arguments[0]});
  if (call.name == "np.trapz" && call.keywords.empty() && s.others() == 1) {
    const Value& y = call.arguments[0];
    const Value ends =
        binary_operator(ast::Operator::Add, subscript(y, {{Slice{{}, Affine{-1, {}}, {}}}}),
                        subscript(y, {{Slice{Affine{1, {}}, {}, {}}}}));
    const Value area =
        call.arguments.size() == 1
            ? ends
            : binary_operator(ast::Operator::Multiply, of("np.diff", call.arguments[1]), ends);
    return binary_operator(ast::Operator::Divide, of("np.sum", area), {2.0});
  }
  if (call.name == "np.count_nonzero") {
    Call sum{"np.sum", call.arguments, call.keywords, call.steps};
    sum.arguments[0] =
        binary_operator(ast::Operator::NotEqual, call.arguments[0], {std::int64_t{0}});
    return call_function(sum);
  }
  if (call.name == "np.outer" && call.arguments.size() == 2 && call.keywords.empty() &&
      s.others() == 1 && call.arguments[1].as<Selected>() == nullptr) {
    const Value column = subscript(call.arguments[0], {{Slice{}}, {}});
    return binary_operator(ast::Operator::Multiply, column,
                           new_array(raveled(to_array(call.arguments[1], "b"))));
  }
  if (call.name == "np.polyfit" && call.arguments.size() == 3 && call.keywords.empty() &&
      s.others() == 1) {
    const auto y = selection_of(call.arguments[1]);
    if (y && y->rest() > 0) return std::nullopt;
    const std::vector<Selection> both = by_one_mask(
        {in_one_axis(s), y ? in_one_axis(*y) : all_of(to_array(call.arguments[1], "y"))});
    Call fit = call;  // what has no weight has no part in it
    for (std::size_t i = 0; i < 2; ++i) fit.arguments[i] = new_array(both[i].with(Array(0.0)));
    fit.keywords.emplace_back("w", new_array(both[0].mask.as_float()));
    return call_function(fit);
  }
  if (call.name != "np.average") return std::nullopt;
  const auto bound = call.bind({"a", "axis", "weights"}, 1);
  if (bound[2] == nullptr)
    return call_function({"np.mean", call.arguments, call.keywords, call.steps});
  if (bound[1] != nullptr || s.others() != 1) return std::nullopt;
  const Value weighted = binary_operator(ast::Operator::Multiply, *bound[0], *bound[2]);
  return binary_operator(ast::Operator::Divide, of("np.sum", weighted), of("np.sum", *bound[2]));
}

/// The last place of so many, or 0.
Array last_of(const Array& count) {
  return maximum(count - Array(std::int64_t{1}), int_zero());
}

/// Whether perhaps_element made them, so that none is beyond so many.
bool stay_below(const Array& indices, const Array& count) {
  const Node& node = *indices.node();
  return node.kind == Kind::Map && node.op == Op::minimum &&
         is_same_mask(Array(node.args[1]), last_of(count));
}

/// Python's indices counted from the start, and `out` where they are not below `count`.
Array places_below(const Array& indices, const Array& count, const Array& out) {
  const Array places = where(indices < 0, indices + count, indices);
  return where(logical_and(places < count, logical_not(places < 0)), places, out);
}

}  // namespace

Selection all_of(const Array& array) {
  return {array, full({array.shape(0)}, 1, DType::Bool), 0};
}

Array first_places(Index size, const Array& count) {
  return counting(0, 1, size) < count;
}

Selection in_one_axis(const Selection& s) {
  if (s.mask.ndim() == 1) return s;
  Dims dims = s.whole.shape();
  dims.erase(dims.begin() + s.first, dims.begin() + s.first + s.mask.ndim());
  dims.insert(dims.begin() + s.first, s.mask.size());
  return {s.whole.reshape(std::move(dims)), s.mask.reshape({s.mask.size()}), s.first};
}

Selection packed(const Selection& given) {
  const Selection s = in_one_axis(given);
  if (first_count(s.mask)) return s;
  const Array order = argsort(logical_not(s.mask), 0);
  return {take(s.whole, order, s.first), first_places(s.mask.size(), s.count()), s.first};
}

Array checked(const Array& number, const Array& holds) {
  const Array none = take(counting(0, 1, 1), where(holds, int_zero(), Array(1)).reshape({1}));
  return number + none.slice({index_range(0, 1)});
}

Array exactly(const Selection& s, Index count) {
  const Selection all = packed(s);
  if (count > all.mask.size())
    misuse("index", "{} elements stand beside a selection by a mask of {}, which has no more",
           count, all.mask.size());
  const Array places = checked(counting(0, 1, count), equal(s.count(), Array(count)));
  return take(all.whole, places.as_type(DType::Int), all.first);
}

std::vector<Selection> by_one_mask(std::vector<Selection> selections) {
  const Array mask = selections[0].mask;
  const auto is_by_mask = [&](const Selection& s) { return is_same_mask(mask, s.mask); };
  if (std::all_of(selections.begin(), selections.end(), is_by_mask)) return selections;
  const Array count = selections[0].count();
  std::optional<Array> all_agree;
  Index size = selections[0].mask.size();
  for (Selection& s : selections) {
    const Array agrees = equal(s.count(), count);
    all_agree = all_agree ? logical_and(*all_agree, agrees) : agrees;
    size = std::min(size, s.mask.size());
    s = packed(s);
  }
  const Array together = first_places(size, checked(count, *all_agree));
  for (Selection& s : selections) s = {part(s.whole, s.first, 0, size), together, s.first};
  return selections;
}

Array places_in_whole(const Selection& s, const Array& indices) {
  const Index size = s.mask.size();
  if (const auto count = first_count(s.mask); count && stay_below(indices, *count)) return indices;
  if (first_count(s.mask)) return places_below(indices, s.count(), Array(size)).as_type(DType::Int);
  if (indices.ndim() > 0)
    return take(argsort(logical_not(s.mask), 0),
                places_below(indices, s.count(), Array(size)).as_type(DType::Int));
  // The rank that it has among the selected elements, from 1 on; of none: an index out of bounds.
  Array is_it = s.mask;
  if (!indices.is_number() || indices.node()->number != 0) {  // else the first that is selected
    const Array rank = where(indices < 0, indices + s.count(), indices) + Array(std::int64_t{1});
    is_it = logical_and(is_it, equal(cumsum(s.mask.as_type(DType::Int), 0), rank));
  }
  return reduce(Op::min, where(is_it, counting(0, 1, size), Array(size))).as_type(DType::Int);
}

Value element_at(const Selection& s, const Array& index) {
  if (stay_below(index, s.count()))  // of none where there is none, which nobody asks for
    return subscript(new_array(packed(s).whole), {new_array(index.as_type(DType::Int))});
  return subscript(new_array(s.whole), {new_array(places_in_whole(s, index))});
}

Array elements_at(const Selection& s, const Array& indices, const Array* wanted) {
  const Selection all = packed(s);
  Array out(all.mask.size());
  if (wanted != nullptr) out = where(*wanted, out, int_zero());
  const Array places = places_below(indices, s.count(), out).as_type(DType::Int);
  return to_array(subscript(new_array(all.whole), {new_array(places)}), "elements");
}

Selection reversed(const Selection& s) {
  const Selection all = packed(s);
  const Array back = s.count() - Array(std::int64_t{1}) - counting(0, 1, all.mask.size());
  return {take(all.whole, maximum(back, int_zero()).as_type(DType::Int), all.first), all.mask,
          all.first};
}

Array dealt(const Array& source, const Array& mask, const Array& holds) {
  const Array flat = mask.reshape({mask.size()});
  const Array ranks = cumsum(flat.as_type(DType::Int), 0) - Array(std::int64_t{1});
  const Array places = checked(where(flat, ranks, int_zero()), holds);
  const Array found = take(source, places.as_type(DType::Int));
  Dims dims = mask.shape();
  dims.insert(dims.end(), source.shape().begin() + 1, source.shape().end());
  return found.reshape(std::move(dims));
}

Array dealt(const Array& source, const Array& mask) {
  return dealt(source, mask, equal(reduce(Op::sum, mask), Array(source.shape(0))));
}

void assign_at_selected(const ObjectPtr& array, const Selection& index, const Value& value) {
  const Array old = array->read();
  if (old.ndim() == 0 || index.first != 0 || index.others() != 1)
    misuse("index", "a selection by a mask is an index where it holds integers, of one axis");
  Selection at = in_one_axis(index);
  Value source = value;
  if (const auto values = selection_of(value)) {
    const std::vector<Selection> both = by_one_mask({at, in_one_axis(*values)});
    at = both[0];
    source = new_array(both[1].whole);
  } else if (const Array each = to_array(value, "what is assigned");
             each.ndim() == old.ndim() && each.shape(0) != 1) {
    source = new_array(dealt(each, at.mask));
  }
  // With a row more, which takes what is assigned to no place.
  const Index size = old.shape(0);
  Dims dims = old.shape();
  dims[0] = 1;
  const Value longer = new_array(concatenate({old, full(dims, 0, old.dtype())}));
  const Array places = places_below(at.whole, Array(size), Array(size + 1));
  assign_subscript(longer, {new_array(where(at.mask, places, Array(size)).as_type(DType::Int))},
                   source);
  array->write(set_slice(old, {}, part(to_array(longer, "an array"), 0, 0, size)));
}

/// All parts beside all masks.
static std::optional<Value> one_behind_another(const Call& call) {
  const bool appends = call.name == "np.append";
  if (!appends && !has_word("np.concatenate np.hstack", call.name)) return std::nullopt;
  const auto selects = [](const Value& part) { return part.as<Selected>() != nullptr; };
  if (!call.keywords.empty() || call.arguments.size() != (appends ? 2 : 1)) return std::nullopt;
  const auto* sequence = appends ? nullptr : call.arguments[0].as<Sequence>();
  if (!appends && sequence == nullptr) return std::nullopt;
  const std::vector<Value> parts =
      appends ? call.arguments : std::vector<Value>(sequence->items.begin(), sequence->items.end());
  if (std::none_of(parts.begin(), parts.end(), selects)) return std::nullopt;
  std::vector<Array> wholes, masks;
  for (const Value& part : parts) {
    if (const auto selection = selection_of(part)) {
      const Selection s = in_one_axis(*selection);
      if (s.first != 0 || (s.rest() > 0 && call.name != "np.concatenate")) return std::nullopt;
      wholes.push_back(s.whole);
      masks.push_back(s.mask);
    } else {
      Array whole = to_array(part, "an array");
      if (appends) whole = raveled(whole);
      if (whole.ndim() == 0) misuse(call.name, "zero-dimensional arrays cannot be concatenated");
      if (whole.ndim() > 1 && call.name == "np.hstack") return std::nullopt;
      masks.push_back(all_of(whole).mask);
      wholes.push_back(whole);
    }
  }
  return select(concatenate(wholes), concatenate(masks), 0);
}

/// By one mask, as columns or as rows.
static std::optional<Value> stacked_selections(const Call& call) {
  if (!has_word("np.array np.vstack np.stack np.column_stack np.hstack np.concatenate", call.name))
    return std::nullopt;
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const auto selects = [](const Value& part) { return part.as<Selected>() != nullptr; };
  if (sequence == nullptr || std::none_of(sequence->items.begin(), sequence->items.end(), selects))
    return std::nullopt;
  Index axis = 0;
  for (const auto& [name, value] : call.keywords) {
    if (name != "axis" || !value.is_number()) return std::nullopt;
    axis = value.integer("the axis");
  }
  std::vector<Selection> parts;
  int least = 2, most = 1;
  for (const Value& item : sequence->items) {
    const auto selection = selection_of(item);
    parts.push_back(selection ? in_one_axis(*selection) : all_of(to_array(item, "an array")));
    if (parts.back().first != 0) return std::nullopt;
    least = std::min(least, parts.back().whole.ndim());
    most = std::max(most, parts.back().whole.ndim());
  }
  if (most > 2) return std::nullopt;
  const bool joins = call.name == "np.hstack" || call.name == "np.concatenate";
  const bool is_column = call.name == "np.column_stack" || call.name == "np.hstack" || axis != 0;
  if (joins ? least < 2 || !is_column : most > 1 && call.name != "np.column_stack")
    return std::nullopt;
  parts = by_one_mask(std::move(parts));
  std::vector<Value> wholes;
  for (const Selection& part : parts) wholes.push_back(new_array(part.whole));
  Call inner = call;
  inner.arguments[0] = new_sequence(true, std::move(wholes));
  return select(to_array(call_function(inner), "a selection"), parts[0].mask, is_column ? 0 : 1);
}

std::optional<Value> joined_selections(const Call& call) {
  if (auto result = one_behind_another(call)) return result;
  return stacked_selections(call);
}

bool has_run_length(const Value& iterable) {
  const auto* iteration = iterable.as<Iteration>();
  return iterable.as<Selected>() != nullptr ||
         (iteration != nullptr && iteration->kind == Iteration::Kind::Selected);
}

Value range_at_run(const Call& call) {
  const std::size_t given = call.arguments.size();
  if (given > 3) misuse("range", "takes one to three ints; got {}", given);
  const Value start = given == 1 ? Value{std::int64_t{0}} : call.arguments[0];
  const Value stop = call.arguments[given == 1 ? 0 : 1];
  const Index step = given == 3 ? call.arguments[2].integer("the step of range()") : 1;
  if (step == 0) misuse("range", "the step must not be zero");
  const Array from = to_array(start, "the start of range()"), to = to_array(stop, "its stop");
  const detail::Bounds first = detail::bounds(*from.node()), last = detail::bounds(*to.node());
  const double low = step > 0 ? first.least : last.least;
  const double high = step > 0 ? last.greatest : first.greatest;
  constexpr double kMost = 1 << 20;
  if (!(high - low <= kMost))
    misuse("range",
           "runs to a number that the run computes, and nothing says how large that may be; a "
           "loop with `while` takes it");
  if (std::abs(step) != 1 && !start.is_number())
    misuse("range", "from a number that the run computes has the step 1 or -1");
  const Index begin = start.is_number() ? start.integer("the start of range()")
                                        : static_cast<Index>(step > 0 ? low : high);
  const RangeValue all{begin, static_cast<Index>(step > 0 ? high : low), step};
  const Array places = counting(begin, step, Loop{"", all.start, all.stop, all.step}.count());
  const auto before = [&](const Array& a, const Array& b) { return step > 0 ? a < b : b < a; };
  Array are_there = before(places, to);
  if (!start.is_number()) are_there = logical_and(are_there, logical_not(before(places, from)));
  return {Iteration{Iteration::Kind::Selected, Items({{all}, new_array(are_there)})}};
}

/// Its elements one behind the other, and how many of them are there; nothing: all.
static std::pair<Value, std::optional<Array>> elements_and_count(const Value& iterable) {
  if (const auto selection = selection_of(iterable)) {
    if (selection->first > 0)
      misuse("program", "a loop runs over a selection by a mask of elements or rows");
    const ObjectPtr& whole = iterable.as<Selected>()->whole;
    if (const auto count = first_count(selection->mask)) return {{whole}, count};
    const Selection all = packed(*selection);
    const Value elements = new_array(all.whole);
    (*elements.as<ObjectPtr>())->stands_for_part_of(whole);
    return {elements, first_count(all.mask)};
  }
  if (!has_run_length(iterable)) return {iterable, std::nullopt};
  const Items& parts = iterable.as<Iteration>()->parts;
  const auto count = first_count(to_array(parts[1], "a mask"));
  if (!count)
    misuse("program", "zip and enumerate go through ranges from 0 where the run computes the end");
  return {parts[0], count};
}

Value zipped_at_run(const std::vector<Value>& parts) {
  std::vector<Value> items;
  std::optional<Array> fewest;
  for (const Value& part : parts) {
    auto [elements, count] = elements_and_count(part);
    if (!iteration_length(elements)) misuse("zip", "{} is not iterable", part.description());
    items.push_back(std::move(elements));
    if (count && (!fewest || !is_same_mask(*fewest, *count)))
      fewest = fewest ? minimum(*fewest, *count) : *count;
  }
  const Value all{Iteration{Iteration::Kind::Zip, Items(std::move(items))}};
  const Array are_there = first_places(*iteration_length(all), *fewest);
  return {Iteration{Iteration::Kind::Selected, Items({all, new_array(are_there)})}};
}

Value enumerated_at_run(const Value& iterable, Index start) {
  auto [elements, count] = elements_and_count(iterable);
  const Value all{Iteration{Iteration::Kind::Enumerate, Items({std::move(elements)}), start}};
  const Array are_there = first_places(*iteration_length(all), *count);
  return {Iteration{Iteration::Kind::Selected, Items({all, new_array(are_there)})}};
}

/// As NumPy does into an array of the type that it has.
static void write_into(const Selected& selected, const Array& value) {
  selected.whole->write(set_slice(selected.whole->read(), {}, value));
}

/// selection[:, ...] = value: to all rows, whether they are selected or not.
static void assign_columns(const Selected& selected, const Selection& s,
                           const std::vector<Value>& index, const Value& value) {
  Value source = value;
  if (const auto values = selection_of(value)) {
    const bool is_same = is_same_mask(s.mask, values->mask);
    if (values->first != 0 || (!is_same && values->others() != 1))
      misuse("index", "columns of a selection take numbers, and selections by the same mask");
    source = new_array(
        is_same ? values->whole
                : dealt(packed(*values).whole, s.mask, equal(s.count(), values->count())));
  } else if (const Array each = to_array(value, "what is assigned"); each.ndim() > 0) {
    if (each.ndim() > 1 || index.size() != 2 || index[1].as<Slice>() != nullptr)
      misuse("index", "an array of shape {} is assigned to columns of a selection by a mask",
             to_string(each.shape()));
    source = new_array(dealt(each, s.mask));
  }
  assign_subscript({selected.whole}, index, source);
}

void assign_to_selection(const Selected& selected, const std::vector<Value>& index,
                         const Value& value) {
  const Selection s{selected.whole->read(), selected.mask->read(), selected.first};
  if (selected.whole->stands_for_part())
    misuse("index",
           "a part of an array whose bounds the run computes cannot be indexed where it is written "
           "to; write the part of the array, x[i:j] = ...");
  if (s.first != 0 || s.mask.ndim() != 1 || index.empty())
    misuse("index", "of selections by a mask, those of elements or rows can be written to");
  const auto* slice = index[0].as<Slice>();
  const bool is_all =
      slice != nullptr && !slice->start && !slice->stop && !slice->step && slice->numbers.empty();
  if (is_all && index.size() > 1) return assign_columns(selected, s, index, value);
  const auto write = [&](const Array& mask) {
    if (index.size() > 1)
      misuse("index", "rows that a mask selects of a selection can be written to as a whole");
    write_into(selected, with_selected(s.whole, mask, 0, value));
  };
  const auto chosen = selection_of(index[0]);
  if (slice != nullptr) {
    if (slice->step == Affine{-1, {}})
      misuse("index", "a selection by a mask is not written to from behind");
    return write(selection_of(selection_slice(s, *slice))->mask);
  }
  if (chosen && chosen->whole.dtype() == DType::Bool && is_same_mask(s.mask, chosen->mask) &&
      chosen->rest() == s.rest()) {
    return write(chosen->with(Array::number(0, DType::Bool)));
  }
  if (chosen && chosen->whole.dtype() == DType::Bool && chosen->others() == 1) {
    const bool is_same = is_same_mask(s.mask, chosen->mask);
    return write(logical_and(
        s.mask, is_same ? chosen->whole
                        : dealt(packed(*chosen).whole, s.mask, equal(s.count(), chosen->count()))));
  }
  if (chosen)
    misuse("index", "{} is no index where a selection is written to", index[0].description());
  const Array indices = to_array(index[0], "an index");
  if (!is_integer(indices.dtype()))
    misuse("index",
           "what is written of a selection by a mask has ints as an index, or truths that "
           "the same mask selects");
  std::vector<Value> places = index;
  places[0] = new_array(places_in_whole(s, indices));
  assign_subscript({selected.whole}, places, value);
}

void write_selected(const Selected& selected, std::string_view op, const Value& result) {
  const Array old = selected.whole->read();
  const auto made = selection_of(result);
  detail::check_in_place(op, old, made ? made->whole : to_array(result, "a result"));
  write_into(selected,
             with_selected(old, selected.mask->read(), std::size_t(selected.first), result));
}

std::optional<Value> filled_at_run(const Call& call, const Value& shape, const Array& value,
                                   DType dtype) {
  const auto* tuple = shape.as<Sequence>();
  const Value& extent = tuple != nullptr && !tuple->items.empty() ? tuple->items[0] : shape;
  if (!is_run_bound(extent)) return std::nullopt;
  const Array count = to_array(extent, "an extent");
  const double most = detail::bounds(*count.node()).greatest;
  constexpr double kMost = 1 << 20;
  if (!(most <= kMost)) return std::nullopt;
  Dims dims{static_cast<Index>(most)};
  for (std::size_t i = 1; tuple != nullptr && i < tuple->items.size(); ++i)
    dims.push_back(tuple->items[i].integer("an extent of " + call.name + "'s shape"));
  const Array all = value.is_number() ? full(dims, value.node()->number, dtype)
                                      : set_slice(full(dims, 0, dtype), {}, value);
  return select(all, first_places(dims[0], count), 0);
}

Value perhaps_element(const Value& element, const Value& iterable, const Array& mask) {
  const auto number = [&](const Value& value, bool is_place) {
    const Array made = to_array(value, "an element");
    const auto count = is_place ? first_count(mask) : std::nullopt;
    return python_number(count ? minimum(made, last_of(*count)) : made);
  };
  if (const auto* range = iterable.as<RangeValue>())
    return number(element, range->start == 0 && range->step == 1);
  if (const auto* object = element.as<ObjectPtr>(); object != nullptr && !(*object)->is_scalar()) {
    const Value row = new_array((*object)->read());
    (*row.as<ObjectPtr>())
        ->refuse_writes(
            "it is a row of an array as long as the run decides; where that is to change, write "
            "a[i] = "
            "...; else make it a copy");
    return row;
  }
  const auto* iteration = iterable.as<Iteration>();
  const auto* tuple = element.as<Sequence>();
  if (iteration == nullptr || tuple == nullptr) return element;
  const Items& parts = iteration->parts;
  std::vector<Value> items;
  if (iteration->kind == Iteration::Kind::Enumerate) {
    items.push_back(number(tuple->items[0], iteration->start == 0));
    items.push_back(perhaps_element(tuple->items[1], parts[0], mask));
  } else {
    for (std::size_t k = 0; k < tuple->items.size(); ++k)
      items.push_back(perhaps_element(tuple->items[k], parts[k], mask));
  }
  return new_sequence(false, std::move(items));
}

Value sorted_selection(const Call& call) {
  const Value& elements = call.arguments[0];
  const auto sorted = selection_of(call_function({"np.sort", {elements}, {}, call.steps}));
  const auto down = std::find_if(call.keywords.begin(), call.keywords.end(),
                                 [](const auto& keyword) { return keyword.first == "reverse"; });
  const bool turns = down != call.keywords.end() && flag(&down->second);
  const Selection all = turns ? reversed(*sorted) : packed(*sorted);
  return run_list_of(all.whole, all.mask, false);
}

bool takes_selections(std::string_view name) {
  return has_word(
      "enumerate zip reversed np.unique np.bincount np.histogram np.histogram_bin_edges "
      "np.searchsorted .searchsorted np.digitize np.cov np.corrcoef",
      name);
}

std::optional<Value> order_call(const Call& call) {
  if (auto result = membership(call)) return result;
  if (auto result = added_at(call)) return result;
  if (auto result = deleted(call)) return result;
  if (auto result = sorted_in_place(call)) return result;
  if (auto result = at_elements(call)) return result;
  if (auto result = set_operation(call)) return result;
  if (auto result = joined_selections(call)) return result;
  const auto selection = call.arguments.empty() ? std::nullopt : selection_of(call.arguments[0]);
  if (!selection) return std::nullopt;
  for (const auto of : {without_nan, quantile_of, running_of, differences, in_order, flipped,
                        rearranged, true_places, composed})
    if (auto result = of(call, *selection)) return result;
  return std::nullopt;
}

}  // namespace rewriter
