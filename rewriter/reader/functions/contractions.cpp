// np.einsum, which contracts arrays of any number of dimensions: what is a product of matrices
// becomes one; and ufunc.at.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Array transposed(const Array& a, const std::vector<std::size_t>& order) {
  return a.transpose({order.begin(), order.end()});
}

// ---- einsum

/// An array, each of whose axes has a letter.
struct Term {
  Array array;
  std::string labels;
};

bool has(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

/// An axis for each letter once: of those that stand twice, the diagonal.
Term without_repeats(const Call& call, Term term) {
  for (std::size_t first = 0; first < term.labels.size(); ++first) {
    const std::size_t second = term.labels.find(term.labels[first], first + 1);
    if (second == std::string::npos) continue;
    const Index extent = term.array.shape()[first];
    if (term.array.shape()[second] != extent)
      misuse(Exception::ValueError, call.name, "dimensions of '{}' do not match: {} and {}",
             term.labels[first], extent, term.array.shape()[second]);
    std::vector<std::size_t> order(term.labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(second));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(first) + 1, second);
    const Array turned = transposed(term.array, order);
    Dims dims = turned.shape();
    dims[first] = extent * extent;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    term.array = take(turned.reshape(std::move(dims)), counting(0, extent + 1, extent),
                      static_cast<int>(first));
    term.labels.erase(second, 1);
    --first;  // it may stand a third time
  }
  return term;
}

/// Summed over the letters that nothing else needs.
Term only(Term term, const std::string& needed) {
  std::vector<int> axes;
  std::string left;
  for (std::size_t axis = 0; axis < term.labels.size(); ++axis)
    if (has(needed, term.labels[axis]))
      left += term.labels[axis];
    else
      axes.push_back(static_cast<int>(axis));
  if (axes.empty()) return term;
  return {reduce_over(Op::sum, term.array, axes), left};
}

/// The term with its axes in this order; letters that it lacks get an axis of one element.
Array ordered(const Term& term, const std::string& labels) {
  std::vector<std::size_t> order;
  Dims dims;
  for (const char label : labels) {
    const std::size_t at = term.labels.find(label);
    if (at != std::string::npos) order.push_back(at);
    dims.push_back(at == std::string::npos ? 1 : term.array.shape()[at]);
  }
  return transposed(term.array, order).reshape(std::move(dims));
}

Index extent_of(const Term& term, const std::string& labels) {
  Index extent = 1;
  for (const char label : labels) extent *= term.array.shape()[term.labels.find(label)];
  return extent;
}

void append_dims(Dims& dims, const Term& term, const std::string& labels) {
  for (const char label : labels) dims.push_back(term.array.shape()[term.labels.find(label)]);
}

/// Without its axis of one element, which NumPy repeats where another operand has more.
Term without(Term term, char label) {
  const std::size_t at = term.labels.find(label);
  Dims dims = term.array.shape();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at));
  term.array = term.array.reshape(std::move(dims));
  term.labels.erase(at, 1);
  return term;
}

/// The product of two terms, summed over what they share and nothing else needs.
Term joined(const Call& call, const Term& a, const Term& b, const std::string& needed) {
  for (const char label : a.labels) {
    if (!has(b.labels, label)) continue;
    const std::string one(1, label);
    const Index of_a = extent_of(a, one), of_b = extent_of(b, one);
    if (of_a == of_b) continue;
    if (of_a == 1) return joined(call, without(a, label), b, needed);
    if (of_b == 1) return joined(call, a, without(b, label), needed);
    misuse(Exception::ValueError, call.name, "dimensions of '{}' do not match in shapes {} and {}",
           label, to_string(a.array.shape()), to_string(b.array.shape()));
  }
  std::string batch, inner, of_a, of_b;
  for (const char label : a.labels) {
    if (!has(b.labels, label))
      of_a += label;
    else
      (has(needed, label) ? batch : inner) += label;
  }
  for (const char label : b.labels)
    if (!has(a.labels, label)) of_b += label;
  const std::string result = batch + of_a + of_b;
  if (inner.empty()) return {ordered(a, result) * ordered(b, result), result};
  const Index count = extent_of(a, batch), rows = extent_of(a, of_a), cols = extent_of(b, of_b),
              depth = extent_of(a, inner);
  Dims dims;
  append_dims(dims, a, batch + of_a);
  append_dims(dims, b, of_b);
  if (!batch.empty() && (rows == 1 || cols == 1)) {
    const std::string all = result + inner;
    const Array factors = ordered(a, all) * ordered(b, all);
    Dims flat = dims;
    flat.push_back(depth);
    return {factors.reshape(std::move(flat)).sum(-1), result};
  }
  const Array x = ordered(a, batch + of_a + inner), y = ordered(b, batch + inner + of_b);
  const Array product =
      batch.empty() ? dot(x.reshape({rows, depth}), y.reshape({depth, cols}))
                    : matmul(x.reshape({count, rows, depth}), y.reshape({count, depth, cols}));
  return {product.reshape(std::move(dims)), result};
}

struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};

Subscripts parsed(const Call& call, std::string text) {
  std::erase(text, ' ');
  Subscripts subscripts;
  const std::size_t arrow = text.find("->");
  std::string operands = text.substr(0, arrow);
  for (std::size_t comma; (comma = operands.find(',')) != std::string::npos;) {
    subscripts.operands.push_back(operands.substr(0, comma));
    operands.erase(0, comma + 1);
  }
  subscripts.operands.push_back(operands);
  std::string all;
  for (const std::string& each : subscripts.operands) all += each;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (arrow != std::string::npos) {
    subscripts.result = text.substr(arrow + 2);
  } else {
    for (const char label : all)
      if (std::count(all.begin(), all.end(), label) == 1) subscripts.result += label;
    std::sort(subscripts.result.begin(), subscripts.result.end());
  }
  for (const char label : all + subscripts.result)
    if (!is_letter(label))
      misuse(Exception::ValueError, call.name, "'{}' is not a letter of the subscripts", label);
  for (const char label : subscripts.result)
    if (!has(all, label) ||
        std::count(subscripts.result.begin(), subscripts.result.end(), label) > 1)
      misuse(Exception::ValueError, call.name,
             "einstein sum subscripts string included output subscript '{}' which {}", label,
             has(all, label) ? "appears more than once" : "never appeared in an input");
  return subscripts;
}

/// NumPy gives a view where the axes only change their order.
std::optional<Value> turned_view(const Call& call, const Subscripts& subscripts) {
  const auto* object = call.arguments[1].as<ObjectPtr>();
  const std::string& labels = subscripts.operands[0];
  if (call.arguments.size() != 2 || object == nullptr || labels.empty() ||
      labels.size() != subscripts.result.size() || (*object)->is_scalar())
    return std::nullopt;
  ViewStep step{ViewStep::Kind::Transpose};
  for (const char label : subscripts.result)
    step.axes.push_back(static_cast<int>(labels.find(label)));
  const bool moves = !std::is_sorted(step.axes.begin(), step.axes.end());
  return Value{
      std::make_shared<ArrayObject>(*object, std::move(step), !moves && (*object)->contiguous())};
}

/// What no sum of products of integers is beyond.
double most_of(const std::string& result, const std::vector<Term>& factors) {
  double most = 1;
  std::string summed = result;
  for (const Term& term : factors) {
    const detail::Bounds values = detail::bounds(*term.array.node());
    most *= std::max(-values.least, values.greatest);
    for (std::size_t axis = 0; axis < term.labels.size(); ++axis)
      if (!has(summed, term.labels[axis])) {
        summed += term.labels[axis];
        most *= static_cast<double>(term.array.shape()[axis]);
      }
  }
  return most;
}

/// The subscripts with letters in place of each "...": those of the last axes refer to the same.
std::string with_named_axes(const Call& call, const std::string& given) {
  std::string text;
  std::copy_if(given.begin(), given.end(), std::back_inserter(text),
               [](char c) { return c != ' '; });
  const std::size_t arrow = text.find("->");
  const std::string_view kEllipsis = "...";
  std::vector<std::size_t> counts;  // of axes of each operand's ellipsis; npos: it has none
  std::size_t most = 0, operand = 1, letters = 0;
  for (std::size_t i = 0; i <= std::min(arrow, text.size()); ++i) {
    const bool ends = i == std::min(arrow, text.size()) || text[i] == ',';
    if (!ends) {
      letters += text[i] != '.';
      continue;
    }
    if (operand >= call.arguments.size())
      misuse(Exception::ValueError, call.name, "there are more subscripts than operands");
    const auto ndim = static_cast<std::size_t>(
        array_argument(call, &call.arguments[operand++], "operands").ndim());
    counts.push_back(ndim - std::min(ndim, letters));
    most = std::max(most, counts.back());
    letters = 0;
  }
  if (most > 0 && arrow != std::string::npos && text.find(kEllipsis) < arrow &&
      text.find(kEllipsis, arrow) == std::string::npos)
    misuse(Exception::ValueError, call.name,
           "output has no ellipsis, but broadcast dimensions exist in the operands: '{}->...{}' "
           "keeps them",
           text.substr(0, arrow), text.substr(arrow + 2));
  std::string names;
  for (char c = 'Z'; c >= 'A' && names.size() < most; --c)
    if (!has(text, c)) names.insert(names.begin(), c);
  for (char c = 'z'; c >= 'a' && names.size() < most; --c)
    if (!has(text, c)) names.insert(names.begin(), c);
  std::string result;
  operand = 0;
  bool found_in_operands = false;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_result = arrow != std::string::npos && i > arrow;
    if (text.compare(i, kEllipsis.size(), kEllipsis) == 0) {
      const std::size_t count = in_result ? most : counts[operand];
      result += names.substr(most - count);
      found_in_operands = found_in_operands || !in_result;
      i += kEllipsis.size();
      continue;
    }
    operand += text[i] == ',';
    result += text[i++];
  }
  if (arrow == std::string::npos && found_in_operands) {  // they come first
    std::string once;
    for (const char c : result)
      if (c != ',' && !has(names, c) && std::count(result.begin(), result.end(), c) == 1) once += c;
    std::sort(once.begin(), once.end());
    result += "->" + names + once;
  }
  return result;
}

Value np_einsum(const Call& call) {
  const auto* text = call.arguments.empty() ? nullptr : call.arguments[0].as<std::string>();
  if (text == nullptr)
    misuse(call.name, "the first argument must be the subscripts, a string such as 'ij,jk->ik'");
  for (const auto& [name, value] : call.keywords)
    if (name != "optimize")
      misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'", name);
  std::string written = *text;
  if (written.find('.') != std::string::npos) written = with_named_axes(call, written);
  const Subscripts subscripts = parsed(call, written);
  if (subscripts.operands.size() + 1 != call.arguments.size())
    misuse(Exception::ValueError, call.name, "the subscripts are of {} operands; got {}",
           subscripts.operands.size(), call.arguments.size() - 1);
  std::vector<Term> terms;
  DType dtype = DType::Bool;
  for (std::size_t k = 0; k < subscripts.operands.size(); ++k) {
    const Array array = array_argument(call, &call.arguments[k + 1], "operands");
    if (array.ndim() != std::ssize(subscripts.operands[k]))
      misuse(Exception::ValueError, call.name,
             "operand {} has the shape {}, which does not match its subscripts '{}'", k,
             to_string(array.shape()), subscripts.operands[k]);
    dtype = detail::promote(dtype, array.dtype());
    terms.push_back({array, subscripts.operands[k]});
  }
  if (const auto view = turned_view(call, subscripts)) return *view;
  const bool of_truths = dtype == DType::Bool;  // whose sums and products are truth values
  const DType computed = is_narrow(dtype) ? DType::Int : dtype;
  for (Term& term : terms) {
    term.array = of_truths ? term.array.as_float() : term.array.as_type(computed);
    term = without_repeats(call, std::move(term));
  }
  const std::vector<Term> factors = terms;
  const auto needed_after = [&](std::size_t k) {
    std::string needed = subscripts.result;
    for (std::size_t other = k; other < terms.size(); ++other) needed += terms[other].labels;
    return needed;
  };
  // A letter of one operand alone is summed after the product: 0 * inf is not 0.
  Term result = terms.size() == 1 ? only(terms[0], subscripts.result) : terms[0];
  const bool is_view = result.labels.size() == terms[0].labels.size() && terms.size() == 1;
  for (std::size_t k = 1; k < terms.size(); ++k) {
    const std::string needed = needed_after(k + 1);
    result = only(joined(call, result, terms[k], needed), needed);
  }
  Array array = ordered(result, subscripts.result);
  if (of_truths) array = detail::truth(array);
  if (is_narrow(dtype)) {
    if (most_of(subscripts.result, factors) > 0x1p53)
      misuse(call.name, "NumPy computes this in {}, which may wrap; write a.astype(int)",
             detail::type_name(dtype));
    array = detail::as_integers(array, dtype);
  }
  if (array.ndim() == 0) array = array.reshape({1}).slice({index_range(0, 1)});  // a scalar
  if (is_view)
    if (const auto* object = call.arguments[1].as<ObjectPtr>();
        object != nullptr && array.ndim() > 0)
      return new_array_unless_shared(
          array, *object,
          "the result of einsum is a view of this array in NumPy; an in-place change of either is "
          "not supported; take a copy of it",
          false);
  return new_array(array, array.ndim() < 2);
}

// ---- ufunc.at

/// Where indices of the first axes are, as one index of these axes made one; checked.
Array flat_places(const Call& call, const std::vector<Array>& indices, const Dims& shape,
                  const Array& a) {
  std::optional<Array> flat;
  Index stride = 1;
  for (std::size_t k = indices.size(); k-- > 0;) {
    if (indices[k].dtype() > DType::Int || indices[k].dtype() == DType::Bool)
      misuse(call.name, "takes arrays of integers, for the first axes");
    const Index extent = a.shape()[k];
    const Array places = broadcast_to(indices[k], shape).reshape({-1});
    const Array checked = take(counting(0, 1, extent), places);
    const Array part = stride == 1 ? checked : checked * Array(stride);
    flat = flat ? *flat + part : part;
    stride *= extent;
  }
  return *flat;
}

/// The indices of the first axes, where slices stand for all places that they take.
std::vector<Array> indices_of(const Call& call, const Items& items, const Array& a) {
  if (static_cast<int>(items.size()) > a.ndim())
    misuse(call.name, "takes an array of integers for each of the first axes");
  const auto is_slice = [](const Value& item) { return item.as<Slice>() != nullptr; };
  const auto first = std::find_if_not(items.begin(), items.end(), is_slice);
  const auto after = std::find_if(first, items.end(), is_slice);
  if (!std::all_of(after, items.end(), is_slice))
    misuse(call.name, "takes slices before and after the arrays of indices, not between them");
  int ndim = 0;
  for (auto item = first; item != after; ++item)
    ndim = std::max(ndim, array_argument(call, &*item, "indices").ndim());
  std::vector<Array> made;
  // Axes of the result that come after an item's own.
  auto rest =
      static_cast<int>(first - items.begin()) + ndim + static_cast<int>(items.end() - after);
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (item == first) rest -= ndim;
    const Index extent = a.shape()[made.size()];
    const bool is_whole = is_slice(*item);
    const Value places =
        is_whole ? subscript(new_array(counting(0, 1, extent)), {*item}) : Value(*item);
    Array array = array_argument(call, &places, "indices");
    if (is_whole) --rest;
    Dims dims(array.shape().begin(), array.shape().end());
    dims.insert(dims.end(), static_cast<std::size_t>(rest), 1);
    made.push_back(rest > 0 ? array.reshape(dims) : array);
  }
  return made;
}

/// For each row the sum of the values whose place it is; `merged`: the shape of all sums. Of one
/// whole number they are multiples of the counts.
Array sums_by_place(const Array& places, const Array& values, const Dims& merged) {
  const DType type = reduce(Op::sum, values).dtype();
  const Index rows = merged[0], rest = npmat::element_count(merged) / rows, count = places.size();
  Dims of_values = merged;
  of_values[0] = count;
  Array keys = places;
  if (rest != 1)
    keys = (places.reshape({count, 1}) * Array(rest) + counting(0, 1, rest)).reshape({-1});
  const auto is_whole = [](double value) {
    return std::abs(value) < 0x1p20 && value == std::trunc(value);
  };
  const auto known = values.ndim() == 0 ? known_values(values.node()) : std::nullopt;
  if (values.ndim() == 0 && (values.dtype() != DType::Float || (known && is_whole(known->data[0]))))
    return (bincount(keys, std::nullopt, rows * rest) * values).as_type(type).reshape(merged);
  const Array all = broadcast_to(values, of_values).reshape({-1});
  return bincount(keys, all, rows * rest).as_type(type).reshape(merged);
}

/// a[indices] += values, once for each index: the sums of the values by their places. The extremes
/// are those by a mask for each place.
Value ufunc_at(const Call& call, Op op) {
  const auto bound = call.bind();
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar())
    misuse(call.name, "writes into an array; got {}", bound[0]->description());
  const Array a = (*object)->read();
  const auto* tuple = bound[1]->as<Sequence>();
  std::vector<Array> indices;
  if (tuple != nullptr && !tuple->list)
    indices = indices_of(call, tuple->items, a);
  else
    indices.push_back(array_argument(call, bound[1], "indices"));
  const auto axes = static_cast<std::ptrdiff_t>(indices.size());
  if (axes == 0 || axes > a.ndim())
    misuse(call.name, "takes an array of integers for each of the first axes");
  Dims shape;
  for (const Array& each : indices) {
    const auto joined = broadcast(shape, each.shape());
    if (!joined) misuse(call.name, "the arrays of indices do not broadcast");
    shape = *joined;
  }
  const Array flat = flat_places(call, indices, shape, a);
  Dims merged{npmat::element_count(Dims(a.shape().begin(), a.shape().begin() + axes))};
  Dims of_values = shape;
  merged.insert(merged.end(), a.shape().begin() + axes, a.shape().end());
  of_values.insert(of_values.end(), a.shape().begin() + axes, a.shape().end());
  const Array given = array_argument(call, bound[2], "b");
  if (broadcast(given.shape(), of_values) != of_values)
    misuse(call.name, "could not broadcast {} to {}", to_string(given.shape()),
           to_string(of_values));
  if (a.dtype() != DType::Float && given.dtype() == DType::Float)
    misuse(Exception::UFuncTypeError, call.name, "Cannot cast ufunc output from float64 to {}",
           detail::type_name(a.dtype()));
  if (a.dtype() == DType::Bool && (op == Op::subtract || given.dtype() != DType::Bool))
    misuse(call.name,
           "of an array of booleans is not supported: NumPy rounds to 0 or 1 after each "
           "element; write to a.astype(int)");
  const Index rows = merged[0], count = npmat::element_count(shape);
  const bool adds = op == Op::add || op == Op::subtract;
  constexpr Index kMost = Index{1} << 27;
  if (!adds && a.size() > 0 && count > kMost / a.size())
    misuse(call.name,
           "this needs an element for each pair of an index and an element of the array, which is "
           "too much memory; sort the indices, and use a loop");
  if (a.size() == 0 || count == 0) return {};
  const auto widened = [&](const Array& array, Dims dims) {
    dims.insert(dims.end(), merged.size() - 1, 1);
    return array.reshape(std::move(dims));
  };
  Array values = given;
  if (given.ndim() > 0) {
    Dims dims = merged;
    dims[0] = count;
    values = broadcast_to(given, of_values).reshape(std::move(dims));
  }
  const Array old = a.reshape(merged);
  const auto by_mask = [&](Op reducer, const Array& other) {
    const Array hits = equal(widened(counting(0, 1, rows), {rows, 1}), widened(flat, {1, count}));
    return reduce(reducer, where(hits, values, other), 1);
  };
  const auto sums = [&] { return sums_by_place(flat, values, merged); };
  const double infinity = std::numeric_limits<double>::infinity();
  const Array result = op == Op::maximum    ? maximum(old, by_mask(Op::max, Array(-infinity)))
                       : op == Op::minimum  ? minimum(old, by_mask(Op::min, Array(infinity)))
                       : op == Op::subtract ? old - sums()
                                            : old + sums();
  (*object)->write(set_slice(a, {}, result.reshape(a.shape())));
  call.steps.push_back((*object)->read().node());
  return {};
}

}  // namespace

void enter_contractions(FunctionTable& table) {
  enter(table, Topic::Contraction,
        {{"np.einsum", "subscripts, *operands, optimize=False", np_einsum},
         {"np.add.at", "a, indices, b", with(ufunc_at, Op::add)},
         {"np.subtract.at", "a, indices, b", with(ufunc_at, Op::subtract)},
         {"np.maximum.at", "a, indices, b", with(ufunc_at, Op::maximum)},
         {"np.minimum.at", "a, indices, b", with(ufunc_at, Op::minimum)}});
}

}  // namespace rewriter
