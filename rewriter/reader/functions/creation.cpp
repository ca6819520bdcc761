// Functions of the notation that make arrays and move their elements.
#include <algorithm>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/run_lengths.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- making arrays ----

/// gpu.zeros(2, 3)
Value filled_by_extents(const Call& call, double value) {
  return new_array(full(dims_of_rest(call, 0), value));
}

Value filled(const Call& call, double value) {
  const auto bound = call.bind();
  const DType dtype = dtype_argument(bound[1]).value_or(DType::Float);
  if (auto made = filled_at_run(call, *bound[0], Array(value), dtype)) return *made;
  return new_array(full(dims_of(call, *bound[0]), value, dtype));
}

/// An array into which the value is assigned, which broadcasts.
Value filled_with(const Dims& dims, const Array& value, DType dtype, bool ordered = true) {
  return new_array(set_slice(full(dims, 0, dtype), {}, value), ordered);
}

Value np_full(const Call& call) {
  const auto bound = call.bind();
  const Array value = array_argument(call, bound[1], "fill_value");
  const DType dtype = dtype_argument(bound[2]).value_or(value.dtype());
  if (bound[2] == nullptr) asked_float_bits = joint_width({bound[1], 1});
  check_fits(*bound[1], dtype);
  const Array held = converted(value, dtype);
  if (held.ndim() == 0)
    if (auto made = filled_at_run(call, *bound[0], held, dtype)) return *made;
  if (!held.is_number()) return filled_with(dims_of(call, *bound[0]), held, dtype);
  return new_array(full(dims_of(call, *bound[0]), held.node()->number, dtype));
}

Value filled_like(const Call& call, double value) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  return new_array(full(a.shape(), value, dtype_argument(bound[1]).value_or(a.dtype())),
                   contiguous(bound[0]));
}

Value full_like(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  const DType dtype = dtype_argument(bound[2]).value_or(a.dtype());
  return filled_with(a.shape(), converted(array_argument(call, bound[1], "fill_value"), dtype),
                     dtype, contiguous(bound[0]));
}

Value np_eye(const Call& call) {
  const auto bound = call.bind();
  std::optional<Index> columns;
  if (bound[1] != nullptr) columns = bound[1]->integer("eye's M");
  const Array ones = eye(bound[0]->integer("eye's N"), columns, bound[2]->integer("eye's k"));
  return new_array(converted(ones, dtype_argument(bound[3]).value_or(DType::Float)));
}

Value np_identity(const Call& call) {
  const auto bound = call.bind();
  const Array ones = eye(bound[0]->integer("identity's n"));
  return new_array(converted(ones, dtype_argument(bound[1]).value_or(DType::Float)));
}

/// Raises an error for order='F' and others.
void check_order(const Call& call, const Value* order) {
  const auto* text = order == nullptr ? nullptr : order->as<std::string>();
  if (order != nullptr && (text == nullptr || *text != "C"))
    misuse(call.name, "only order='C' is supported");
}

/// Of what is not known to be in C order: whether it is known not to be.
bool certainly_out_of_order(const ObjectPtr& object) {
  const Dims& dims = object->shape();
  return ArrayObject::root_of(object)->contiguous() &&
         std::none_of(dims.begin(), dims.end(), [](Index extent) { return extent < 2; });
}

/// How a function makes an array of something: of an array a copy, or itself where it fits. Of a
/// NumPy scalar all but its method make a 0-d array, which is not immutable.
enum class Makes : std::uint8_t { New, Same, Ordered, Copy, CopyOfMethod, Flat };

/// Without dtype=, copy=: np.copy and the methods.
Value array_copy(const Call& call, Makes makes) {
  const auto bound = call.bind();
  check_order(call, bound[1]);
  Array array = array_argument(call, bound[0], "a");
  const auto* given = bound[0]->as<ObjectPtr>();
  const bool is_method = makes == Makes::CopyOfMethod;
  if (given != nullptr && (*given)->is_scalar() && !is_method)
    array = array.reshape({}).copy();
  else if (given != nullptr)
    array = array.copy();
  else if (array.is_number())
    array = full({}, array.node()->number, array.dtype());
  if (makes == Makes::Flat) return new_array(array.reshape({-1}));
  return new_array(array, is_method || contiguous(bound[0]));
}

/// np.ascontiguousarray of no dimensions, which NumPy gives one.
Value ordered_number(const Value& given, Array array, std::optional<DType> dtype) {
  const auto* object = given.as<ObjectPtr>();
  const bool is_same = !dtype || array.dtype() == *dtype;
  if (is_same && object != nullptr && !(*object)->is_scalar()) return with_shape(*object, {1});
  if (!is_same) array = converted(array, *dtype);
  return new_array(array.is_number() ? raveled(array) : raveled(array).copy());
}

Value np_array(const Call& call, Makes makes) {
  const auto bound = call.bind();
  check_order(call, bound.back());
  const auto dtype = dtype_argument(bound[1]);
  const bool in_order = makes == Makes::Ordered;
  const bool may_share = makes == Makes::New && (!flag(bound[2]) || call.is_none("copy"));
  const bool must_share = (makes == Makes::New || makes == Makes::Same) && !flag(bound[2]) &&
                          !call.is_none("copy") && numpy_version() >= 2;
  const auto check_copy = [&] {
    if (must_share)
      misuse(call.name, "Unable to avoid copy while creating an array as requested by copy=False");
  };
  const bool copies = !may_share && makes != Makes::Same && !(in_order && contiguous(bound[0]));
  Array array = array_argument(call, bound[0], "a");
  const auto* given = bound[0]->as<ObjectPtr>();
  if (may_share && !call.is_none("copy") && numpy_version() >= 2 &&
      (given == nullptr || (*given)->is_scalar() || (dtype && array.dtype() != *dtype)))
    throw PythonError("ValueError", call.name,
                      "Unable to avoid copy while creating an array as requested; np.asarray(a) "
                      "copies only when needed");
  if (in_order && array.ndim() == 0) return ordered_number(*bound[0], array, dtype);
  if (dtype && array.dtype() != *dtype) {
    check_copy();
    for_each_part(*bound[0], [&](const Value& part) { check_fits(part, *dtype); });
    array = converted(array, *dtype);
    if (array.is_number()) array = full({}, array.node()->number, array.dtype());
    if (is_numpy_scalar(array)) array = array.reshape({}).copy();
    return new_array(array, contiguous(bound[0]) || in_order);
  }
  const bool made_array = given != nullptr && (*given)->is_scalar();
  if (!copies && !made_array && given != nullptr) return *bound[0];
  check_copy();
  if (made_array)
    array = array.reshape({}).copy();
  else if (given != nullptr)
    array = array.copy();
  else if (array.is_number())
    array = full({}, array.node()->number, array.dtype());
  if (in_order && given != nullptr && !made_array && !certainly_out_of_order(*given))
    return new_array_unless_shared(
        array, *given,
        "whether NumPy's ascontiguousarray copies this array depends on its layout in memory; an "
        "in-place change of it is not supported; write np.array(a, order='C')");
  return new_array(array, in_order || contiguous(bound[0]));
}

Value draw(const Call& call, const Array& drawn) {
  call.steps.push_back(drawn.node());
  note_draws(call.steps);
  return new_array(drawn);
}

Array drawn(Op op, Dims dims) {
  return op == Op::fill_with_rand ? rand(std::move(dims)) : randn(std::move(dims));
}

/// rand(2, 3); rand() is a number of Python's.
Value random(const Call& call, Op op) {
  const Value numbers = draw(call, drawn(op, dims_of_rest(call, 0)));
  return call.arguments.empty() ? python_number(to_array(numbers, "a draw")) : numbers;
}

/// .rand(): of the array's shape.
Value random_like(const Call& call, Op op) {
  return draw(call, drawn(op, array_argument(call, call.bind()[0], "a").shape()));
}

/// np.random.random_sample(size)
Value random_of_size(const Call& call) {
  const auto bound = call.bind();
  if (bound[0] != nullptr) return draw(call, rand(dims_of(call, *bound[0])));
  return python_number(to_array(draw(call, rand({})), "a draw"));
}

Value np_seed(const Call& call) {
  const auto bound = call.bind();
  const Affine number = bound[0]->affine("the seed");
  if (number.least() < 0)
    misuse(Exception::ValueError, call.name, "the seed cannot be negative; got {}", number.least());
  (void)seed(static_cast<std::uint64_t>(number.greatest()));  // whether it is one
  const auto made = Node::create_like(*seed(0).node());
  made->number = static_cast<double>(number.constant);
  made->terms = number.terms;
  call.steps.push_back(made);
  note_draws(call.steps);
  return {};
}

// ---- products and moving ----

/// NumPy leaves a number times an array of floats to its BLAS, which may not look at what it
/// multiplies by 0. A 0 known only at run time is multiplied as all others are.
void refuse_known_zero(const Call& call, const Value& number, const Value& other) {
  if (!number.is_number() || number.real() != 0) return;
  const Array array = array_argument(call, &other, "b");
  const Node& node = *array.node();
  if (node.kind == Kind::Fill && std::isfinite(node.number) && !std::signbit(node.number) &&
      !std::signbit(number.real()))
    return;  // 0 in any case
  if (array.dtype() == DType::Float && array.size() != 1)
    misuse(call.name,
           "NumPy's result for 0 times infinity or NaN depends on its BLAS; 0 * array multiplies "
           "element by element");
}

Value matrix_product(const Call& call, BinaryBuilder build) {
  const auto bound = call.bind();
  const Array result =
      build(array_argument(call, bound[0], "a"), array_argument(call, bound[1], "b"));
  const auto* out = bound[2] == nullptr ? nullptr : bound[2]->as<ObjectPtr>();
  if (out != nullptr && build == dot && (*out)->read().dtype() != result.dtype())
    misuse(Exception::ValueError, call.name,
           "output array is not acceptable: it must have the product's type");
  return give(call, result, bound[2],
              build == dot || result.ndim() < 4 || (contiguous(bound[0]) && contiguous(bound[1])));
}

Value np_dot(const Call& call) {
  const auto bound = call.bind();
  if (bound[0]->is_number() && bound[1]->is_number() && bound[2] == nullptr)
    return numpy_number(number_arithmetic(ast::Operator::Multiply, numpy_number(*bound[0]),
                                          numpy_number(*bound[1])));
  refuse_known_zero(call, *bound[0], *bound[1]);
  refuse_known_zero(call, *bound[1], *bound[0]);
  return matrix_product(call, dot);
}

Value transposed(const ObjectPtr& object, std::vector<int> axes) {
  if (std::is_sorted(axes.begin(), axes.end())) return {object};
  ViewStep step{ViewStep::Kind::Transpose};
  step.axes = std::move(axes);
  return {std::make_shared<ArrayObject>(object, std::move(step), false)};
}

int axis_of(const Call& call, const Value& value, std::size_t ndim) {
  return detail::normalize_axis(call.name, static_cast<int>(value.integer(call.name + "'s axis")),
                                static_cast<int>(ndim));
}

/// An axis or a tuple of axes.
std::vector<int> axes_of(const Call& call, const Value& value, std::size_t ndim) {
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr) return {axis_of(call, value, ndim)};
  std::vector<int> axes;
  for (const Value& item : sequence->items) {
    axes.push_back(axis_of(call, item, ndim));
    if (std::count(axes.begin(), axes.end(), axes.back()) > 1)
      misuse(Exception::ValueError, call.name, "repeated axis {}", axes.back());
  }
  return axes;
}

std::vector<int> all_axes(std::size_t ndim) {
  std::vector<int> axes(ndim);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// np.transpose(a, axes)
Value np_transpose(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  const std::size_t ndim = object->shape().size();
  std::vector<int> axes = all_axes(ndim);
  std::reverse(axes.begin(), axes.end());
  if (bound[1] != nullptr) {
    const auto* several = bound[1]->as<Sequence>();
    if ((several == nullptr ? 1 : several->items.size()) != ndim)
      misuse(Exception::ValueError, call.name, "axes don't match the array of shape {}",
             to_string(object->shape()));
    axes = axes_of(call, *bound[1], ndim);
  }
  return transposed(object, std::move(axes));
}

/// a.transpose(axes), a.transpose(0, 2, 1)
Value transpose_method(const Call& call) {
  Call given = call;
  if (given.arguments.size() > 2)
    given.arguments = {call.arguments[0],
                       new_sequence(false, {call.arguments.begin() + 1, call.arguments.end()})};
  return call_as("np.transpose", given);
}

Value np_swapaxes(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  const std::size_t ndim = object->shape().size();
  std::vector<int> axes = all_axes(ndim);
  std::swap(axes[static_cast<std::size_t>(axis_of(call, *bound[1], ndim))],
            axes[static_cast<std::size_t>(axis_of(call, *bound[2], ndim))]);
  return transposed(object, std::move(axes));
}

Value np_expand_dims(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  const auto* sequence = bound[1]->as<Sequence>();
  const std::size_t more = sequence == nullptr ? 1 : sequence->items.size();
  std::vector<int> axes = axes_of(call, *bound[1], object->shape().size() + more);
  std::sort(axes.begin(), axes.end());
  Dims dims = object->shape();
  for (const int axis : axes) dims.insert(dims.begin() + axis, 1);
  return with_shape(object, dims);
}

Value np_squeeze(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  Dims dims = object->shape();
  if (bound[1] == nullptr) {
    std::erase(dims, 1);
    return with_shape(object, dims);
  }
  std::vector<int> axes = axes_of(call, *bound[1], dims.size());
  std::sort(axes.rbegin(), axes.rend());
  for (const int axis : axes) {
    if (dims[static_cast<std::size_t>(axis)] != 1)
      misuse(Exception::ValueError, call.name,
             "cannot select an axis to squeeze out which has size not equal to one");
    dims.erase(dims.begin() + axis);
  }
  return with_shape(object, dims);
}

/// A view where the array is in C order; else NumPy copies, or not, by the layout of what it was
/// made from.
Value reshaped(const ObjectPtr& object, const Dims& dims) {
  if (object->is_scalar())  // which a reshape to () leaves as it is
    return dims.empty() ? Value{object} : new_array(object->read().reshape(dims));
  if (object->contiguous()) {
    const Dims known = object->read().reshape(dims).shape();
    return {
        std::make_shared<ArrayObject>(object, ViewStep{ViewStep::Kind::Reshape, {}, known}, true)};
  }
  return new_array_unless_shared(
      object->read().reshape(dims), object,
      "whether NumPy's reshape copies this array depends on its layout in memory; an in-place "
      "change of it is not supported; reshape a copy: a.copy().reshape(...)");
}

Value np_reshape(const Call& call) {
  const auto bound = call.bind();
  check_order(call, bound[2]);
  return reshaped(object_argument(call, bound[0]), dims_of(call, *bound[1]));
}

/// .reshape(shape, order=) and .reshape(rows, columns, order=).
Value reshape_method(const Call& call) {
  Call plain = call;
  std::erase_if(plain.keywords, [&](const auto& keyword) {
    if (keyword.first == "order") check_order(call, &keyword.second);
    return keyword.first == "order";
  });
  if (plain.arguments.size() < 2) misuse(call.name, "needs the new shape");
  return reshaped(object_argument(call, &plain.arguments[0]), dims_of_rest(plain, 1));
}

Value np_ravel(const Call& call) {
  const auto bound = call.bind();
  check_order(call, bound[1]);
  return reshaped(object_argument(call, bound[0]), {-1});
}

/// NumPy copies one array after the other: what is written to out= changes those that follow.
void refuse_overlap(const Call& call, const Value& arrays, const Value* out) {
  const auto* target = out == nullptr ? nullptr : out->as<ObjectPtr>();
  const auto is_in_out = [&](const Value& item) {
    const auto* array = item.as<ObjectPtr>();
    return array != nullptr && ArrayObject::root_of(*array) == ArrayObject::root_of(*target);
  };
  const auto* sequence = arrays.as<Sequence>();
  if (target != nullptr && (sequence == nullptr ? is_in_out(arrays)
                                                : std::any_of(sequence->items.begin(),
                                                              sequence->items.end(), is_in_out)))
    misuse(call.name, "NumPy reads this array while it writes to it; assign the result");
}

Value np_concatenate(const Call& call) {
  const auto bound = call.bind();
  refuse_overlap(call, *bound[0], bound[2]);
  std::vector<Array> parts = arrays_argument(call, *bound[0]);
  if (bound[1] == nullptr)  // axis=None
    for (Array& part : parts) part = raveled(part);
  const auto* sequence = bound[0]->as<Sequence>();
  const bool ordered =
      sequence == nullptr || std::all_of(sequence->items.begin(), sequence->items.end(),
                                         [](const Value& item) { return contiguous(&item); });
  const auto* axis = bound[1];
  return give(call, concatenate(parts, axis == nullptr ? 0 : int(axis->integer("the axis"))),
              bound[2], ordered);
}

}  // namespace

void enter_making(FunctionTable& table) {
  const char* const of_shape = "shape, dtype=None, order='C'";
  const char* const like = "a, dtype=None";
  const char* const of_array = "a, dtype=None, *, copy=True, order=None";
  constexpr unsigned like_first = kLikeFirst | kBesideMask;
  constexpr unsigned of_numbers = kInOrder | kGathers | kBesideMask | kEachPart;
  enter(
      table, Topic::Creation,
      {{"np.zeros np.empty np.ndarray", of_shape, with(filled, 0.0), kInOrder | kMakesDoubles},
       {"np.ones", of_shape, with(filled, 1.0), kInOrder | kMakesDoubles},
       {"gpu.zeros gpu.empty", "*shape", with(filled_by_extents, 0.0), kInOrder},
       {"gpu.ones", "*shape", with(filled_by_extents, 1.0), kInOrder},
       {"np.zeros_like np.empty_like", like, with(filled_like, 0.0), like_first | kEachPart},
       {"np.ones_like", like, with(filled_like, 1.0), like_first},
       {"np.full_like", "a, fill_value, dtype=None", full_like, like_first | kEachPart},
       {"np.full", "shape, fill_value, dtype=None", np_full, kInOrder | kMakesDoubles | kEachPart},
       {"np.eye", "N, M=None, k=0, dtype=None", np_eye, kInOrder | kMakesDoubles},
       {"gpu.eye", "N, M=None, k=0, dtype=None", np_eye, kInOrder},
       {"np.identity", "n, dtype=None", np_identity, kInOrder | kMakesDoubles},
       {"np.array", of_array, with(np_array, Makes::New), of_numbers},
       {"np.asarray", of_array, with(np_array, Makes::Same), of_numbers},
       {"np.asanyarray gpu.as_garray", of_array, with(np_array, Makes::Same), kInOrder | kEachPart},
       {"gpu.garray .as_numpy_array", of_array, with(np_array, Makes::New)},
       {".asarray", of_array, with(np_array, Makes::New), kInOrder | kEachPart},
       {"np.ascontiguousarray", of_array, with(np_array, Makes::Ordered), kInOrder | kEachPart},
       {"np.copy", "a, order=None", with(array_copy, Makes::Copy), kBesideMask | kEachPart},
       {".copy", "a, order=None", with(array_copy, Makes::CopyOfMethod),
        kInOrder | kBesideMask | kEachPart},
       {".flatten", "a, order='C'", with(array_copy, Makes::Flat), kEachPart}});
  enter(table, Topic::Draw,
        {{".rand", "a", with(random_like, Op::fill_with_rand), kInOrder},
         {".randn", "a", with(random_like, Op::fill_with_randn), kInOrder},
         {"np.random.random_sample", "size=None", random_of_size, kMakesDoubles},
         {"np.random.seed gpu.seed_rand", "seed", np_seed}});
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (row.family == cudamat::Family::Fill)
      enter_rest(table, Topic::Draw,
                 {fmt::format("{} np.random.RandomState().{}", row.numpy,
                              row.op == Op::fill_with_rand ? "rand" : "randn"),
                  "*dims", with(random, row.op), kInOrder | kMakesDoubles});
}

void enter_moving(FunctionTable& table) {
  constexpr unsigned moves = kMovesAxes | kEachPart;
  enter(
      table, Topic::Movement,
      {{"np.transpose", "a, axes=None", np_transpose, moves},
       {".transpose", "a, *axes", transpose_method, moves},
       {"np.swapaxes .swapaxes", "a, axis1, axis2", np_swapaxes, moves},
       {"np.expand_dims", "a, axis", np_expand_dims, moves},
       {"np.squeeze .squeeze", "a, axis=None", np_squeeze, moves},
       {"np.reshape", "a, newshape, order='C'", np_reshape, moves},
       {".reshape", "a, *shape, order='C'", reshape_method, moves},
       {"np.ravel .ravel", "a, order='C'", np_ravel, kEachPart},
       {"np.concatenate gpu.concatenate", "arrays, axis=0, out=None", np_concatenate, kEachPart}});
  enter(table, Topic::Contraction,
        {{"np.dot gpu.dot .dot", "a, b, out=None", np_dot, kInOrder},
         {"np.matmul", "a, b, out=None", with(matrix_product, matmul), kInOrder},
         {"np.outer gpu.outer", "a, b, out=None", with(matrix_product, outer), kInOrder}});
}

}  // namespace rewriter
