// Attributes of arrays, masked selections and complex arrays, and the functions that ask for the
// same: np.shape(a) is a.shape.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value shape_of(const Call& call) {
  const Value& given = *call.bind()[0];
  Sequence shape;
  const auto selection = selection_of(given);
  const Array a = selection ? selection->whole : array_argument(call, &given, "a");
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (selection && axis == selection->first)
      shape.items.push_back(python_number(selection->count()));
    if (!selection || axis < selection->first || axis >= selection->first + selection->mask.ndim())
      shape.items.push_back({a.shape(axis)});
  }
  return {std::move(shape)};
}

Value size_of(const Call& call) {
  const auto bound = call.bind();
  const Value* const axis = bound.size() > 1 ? bound[1] : nullptr;
  if (axis != nullptr) {
    const Value shape =
        shape_of({call.name, {*bound[0]}, {}, call.steps, {}, {}, row_of("np.shape")});
    const Items& extents = shape.as<Sequence>()->items;
    return extents[static_cast<std::size_t>(detail::normalize_axis(
        "size", static_cast<int>(axis->integer("size's axis")), static_cast<int>(extents.size())))];
  }
  const auto selection = selection_of(*bound[0]);
  if (!selection) return {array_argument(call, bound[0], "a").size()};
  const Array count = selection->count();
  return python_number(selection->others() == 1 ? count : count * Array(selection->others()));
}

Value ndim_of(const Call& call) {
  const Value& given = *call.bind()[0];
  if (const auto selection = selection_of(given))
    return {std::int64_t{selection->first + selection->rest() + 1}};
  return {std::int64_t{array_argument(call, &given, "a").ndim()}};
}

/// A view with the axes reversed.
Value turned(const Call& call) {
  const Value& given = *call.bind()[0];
  if (const auto* z = given.as<Complex>()) {
    const auto part = [&](std::size_t i) {
      return call_function({call.name, {z->parts[i]}, {}, call.steps});
    };
    return new_complex(part(0), part(1));
  }
  if (const auto selection = selection_of(given)) {
    if (selection->mask.ndim() != 1) refuse_selection(call);
    return select(selection->whole.T(), selection->mask, selection->rest());
  }
  const ObjectPtr object = object_argument(call, &given);
  if (object->shape().size() < 2) return given;
  ViewStep step{ViewStep::Kind::Transpose};
  for (auto axis = static_cast<int>(object->shape().size()); axis-- > 0;) step.axes.push_back(axis);
  return {std::make_shared<ArrayObject>(object, std::move(step), false)};
}

Value type_of(const Call& call) {
  const Value& given = *call.bind()[0];
  if (given.as<Complex>() != nullptr) return new_dtype({Function{"np.complex128", nullptr}});
  if (const auto selection = selection_of(given)) return dtype_of(selection->whole.dtype());
  const ObjectPtr object = object_argument(call, &given);
  const DType dtype = returned_type(*object->read().node());
  const int bits = dtype == DType::Float ? width_of(given) : 0;
  if (bits != 32 && bits != 64) return dtype_of(dtype);
  return new_dtype({Function{bits == 32 ? "np.float32" : "np.float64", nullptr}});
}

Value item_size_of(const Call& call) {
  return {item_size(array_argument(call, call.bind()[0], "a").dtype())};
}

Value bytes_of(const Call& call) {
  const Array a = array_argument(call, call.bind()[0], "a");
  return {a.size() * item_size(a.dtype())};
}

Value flat(const Call& call) {
  const ObjectPtr object = object_argument(call, call.bind()[0]);
  if (!object->contiguous() || object->is_scalar())
    misuse(call.name, "of an array that is not in C order is not supported; write a.ravel()");
  ViewStep step{ViewStep::Kind::Reshape, {}, {object->read().size()}};
  const auto all = std::make_shared<ArrayObject>(object, std::move(step), true);
  all->become_flat();
  return {all};
}

Value real_of(const Call& call) {
  const Value& given = *call.bind()[0];
  if (const auto* z = given.as<Complex>()) return z->parts[0];
  const auto selection = selection_of(given);
  return selection ? select(*selection) : given;
}

Value imag_of(const Call& call) {
  const Value& given = *call.bind()[0];
  if (const auto* z = given.as<Complex>()) return z->parts[1];
  if (const auto selection = selection_of(given)) {
    const Array& whole = selection->whole;
    return select(full(whole.shape(), 0, whole.dtype()), selection->mask, selection->first);
  }
  const Array a = array_argument(call, call.bind()[0], "a");
  return new_array(full(a.shape(), 0, a.dtype()));
}

}  // namespace

void enter_attributes(FunctionTable& table) {
  constexpr unsigned is_attribute = kIsAttribute | kInOrder, any = is_attribute | kAnyForm;
  enter(table, Topic::Attribute,
        {{".shape", "a", shape_of, is_attribute | kSelections},
         {".size", "a", size_of, is_attribute | kSelections},
         {".ndim", "a", ndim_of, is_attribute | kSelections},
         {".T", "a", turned, any},
         {".dtype", "a", type_of, any},
         {".itemsize", "a", item_size_of, is_attribute},
         {".nbytes", "a", bytes_of, is_attribute},
         {".flat", "a", flat, is_attribute},
         {".real", "a", real_of, any},
         {".imag", "a", imag_of, any}});
  enter(table, Topic::Movement,
        {{"np.shape", "a", shape_of, kSelections},
         {"np.size", "a, axis=None", size_of, kSelections},
         {"np.ndim", "a", ndim_of, kSelections}});
}

}  // namespace rewriter
