// a[...], read and written, for Python.
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/python/array.hpp"
#include "gnumpy/views.hpp"

namespace gnumpy::python {

using detail::Node;
using detail::NodePtr;

namespace {

/// Of start, stop or step.
std::optional<Index> bound(const nb::object& object) {
  if (object.is_none()) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  return static_cast<Index>(
      PyNumber_AsSsize_t(number.ptr(), nullptr));  // beyond the range: its end
}

slice slice_of(PyObject* object) {
#ifdef Py_LIMITED_API
  static PyObject* const names[] = {PyUnicode_InternFromString("start"),
                                    PyUnicode_InternFromString("stop"),
                                    PyUnicode_InternFromString("step")};
  const auto part = [&](int k) { return nb::steal(PyObject_GetAttr(object, names[k])); };
  return {bound(part(0)), bound(part(1)), bound(part(2))};
#else
  const auto* range = reinterpret_cast<PySliceObject*>(object);
  return {bound(nb::borrow(range->start)), bound(nb::borrow(range->stop)),
          bound(nb::borrow(range->step))};
#endif
}

class Parser {
 public:
  Parser(const garray& array, const Where& where) : array_(array), where_(where) {}

  Key parse(nb::handle key) {
    if (PyTuple_Check(key.ptr())) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key.ptr()); ++k)
        add(PyTuple_GET_ITEM(key.ptr(), k));
    } else {
      add(key.ptr());
    }
    put_together();
    return std::move(key_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { detail::misuse("getitem", where_, what); }

  void add(PyObject* o) {
    auto& to = key_.subscripts;
    if (PyLong_CheckExact(o)) {
      to.emplace_back(index(o), where_);
    } else if (PySlice_Check(o)) {
      to.emplace_back(slice_of(o), where_);
    } else if (o == Py_None) {
      to.emplace_back(newaxis, where_);
    } else if (o == Py_Ellipsis) {
      to.emplace_back(ellipsis, where_);
    } else if (PyBool_Check(o)) {
      fail("True and False are not supported as indices");
    } else if (is_garray_object(o)) {
      of_garray(array_of(o).value, o);
    } else if (is_array(o) || PyList_Check(o)) {
      of_array(o);
    } else if (PyIndex_Check(o) != 0) {
      to.emplace_back(index(o), where_);
    } else {
      fail(
          "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer or boolean "
          "arrays are valid "
          "indices; got " +
          name_of_type(o));
    }
  }

  Index index(PyObject* o) const {
    const Py_ssize_t value = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
  }

  void of_garray(const garray& indices, PyObject* object) {
    compute(indices.node());
    if (indices.node()->content() == detail::Content::Numbers && indices.ndim() != 1) {
      if (indices.ndim() == 0) {
        const nb::object number = nb::steal(PyNumber_Index(object));
        if (!number.is_valid()) throw nb::python_error();
        key_.subscripts.emplace_back(index(number.ptr()), where_);
        return;
      }
      return of_array(
          nb::object(nb::handle(object).attr("as_numpy_array")().attr("astype")("int64")).ptr());
    }
    key_.copies = true;
    key_.subscripts.push_back(computing([&] { return Subscript(indices, where_); }));
  }

  void of_array(PyObject* object) {
    const nb::object array = cudamat::python::numpy().attr("asarray")(nb::handle(object));
    const auto kind = nb::cast<std::string>(nb::object(array.attr("dtype").attr("kind")));
    const Dims dims = dims_of("getitem", nb::object(array.attr("shape")));
    const bool empty_list = dims == Dims{0} && PyList_Check(object);
    if (kind == "b") {
      key_.copies = true;
      key_.subscripts.push_back(computing_subscript(array));
      return;
    }
    if (kind != "i" && kind != "u" && !empty_list)
      detail::misuse("getitem", where_,
                     "arrays used as indices must be of integer (or boolean) type");
    if (dims.empty()) {
      key_.subscripts.emplace_back(index(nb::object(array.attr("item")()).ptr()), where_);
      return;
    }
    const cudamat::python::Elements elements(
        cudamat::python::make_array(array.attr("ravel")(), "int64", 'C', false), 'C', false);
    const auto* numbers = static_cast<const std::int64_t*>(elements.data());
    key_.copies = true;
    places_.push_back({key_.subscripts.size(), dims});
    key_.subscripts.emplace_back(std::vector<Index>(numbers, numbers + elements.size()), where_);
  }

  Subscript computing_subscript(nb::handle mask) const {
    const garray truths = to_garray(mask, where_);
    if (truths.size() == 0) {
      Subscript none(slice(), where_);
      none.held = Mask{truths.shape(), {}};
      return none;
    }
    return computing([&] { return Subscript(truths, where_); });
  }

  /// Where index arrays have several dimensions, all are broadcast to those, which take the place
  /// of the axis of the result that flat ones have.
  void put_together() {
    std::vector<Dims> shapes;
    for (const auto& [at, dims] : places_) shapes.push_back(dims);
    if (std::ranges::all_of(shapes, [](const Dims& dims) { return dims.size() == 1; })) return;
    const Dims all = detail::broadcast("getitem", shapes, where_);
    for (const auto& [at, dims] : places_) {
      const auto& flat = std::get<std::vector<Index>>(key_.subscripts[at].held);
      std::vector<Index> spread;
      for (Index k = 0, n = std::accumulate(all.begin(), all.end(), Index{1}, std::multiplies<>());
           k < n; ++k) {
        Index rest = k, from = 0, step = 1;
        for (std::size_t axis = all.size(); axis-- > 0; rest /= all[axis]) {
          const std::size_t missing = all.size() - dims.size();
          if (axis < missing || dims[axis - missing] == 1) continue;
          from += rest % all[axis] * step;
          step *= dims[axis - missing];
        }
        spread.push_back(flat[static_cast<std::size_t>(from)]);
      }
      key_.subscripts[at].held = std::move(spread);
    }
    key_.shape = all;
  }

  const garray& array_;
  const Where& where_;
  Key key_;
  std::vector<std::pair<std::size_t, Dims>> places_;  ///< of index arrays
};

/// The result's shape where an index array has several dimensions: in the place of its one axis.
Dims spread(const Key& key, const Shape& of, const Shape& picked) {
  std::size_t axis = 0, others = 0;
  bool before = true;
  std::size_t axes = 0;
  for (const Subscript& each : key.subscripts)
    if (!std::holds_alternative<Newaxis>(each.held) && !std::holds_alternative<Ellipsis>(each.held))
      ++axes;
  for (const Subscript& each : key.subscripts) {
    if (std::holds_alternative<std::vector<Index>>(each.held)) before = false;
    if (!before) continue;
    if (std::holds_alternative<Ellipsis>(each.held))
      axis += of.size() - axes;
    else if (!std::holds_alternative<Index>(each.held))
      ++axis;
    ++others;
  }
  Dims dims = picked;
  const auto at = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  dims.insert(dims.erase(at), key.shape->begin(), key.shape->end());
  return dims;
}

}  // namespace

Key parse_key(const garray& array, nb::handle key, const Where& where) {
  return Parser(array, where).parse(key);
}

nb::object get_item(nb::handle self, nb::handle key) {
  const Where where = here();
  garray& array = array_of(self).value;
  const Key parsed = parse_key(array, key, where);
  compute(array.node());
  if (parsed.copies) {
    garray picked = std::as_const(array).subscript(parsed.subscripts, where);
    if (!parsed.shape) return made_scalar(std::move(picked));
    const Dims dims = spread(parsed, array.shape(), picked.shape());
    compute(picked.node());
    return made_scalar(garray(picked.reshape(dims, where).node()));
  }
  if (array_of(self).scalar) {  // of a number a copy
    garray own = shared_by(self);
    const garray_view view = own.subscript(parsed.subscripts, where);
    return view.ndim() == 0 ? made_scalar(garray(view)) : nb::object(made(garray(view.node())));
  }
  const garray_view view = array.subscript(parsed.subscripts, where);
  const bool is_element = view.ndim() == 0;
  // A range of the first axis is an alias; a number, and every other part, a copy.
  if (view.node()->is_leaf() && !is_element) return made(garray(view.node()));
  return made_scalar(garray(view));
}

namespace {

/// An equal expression, which no garray holds.
NodePtr twin_of(const NodePtr& node) {
  return detail::make_expression(*node->tree, node->args, node->expected, node->where);
}

/// view = value.
void write(const garray_view& view, nb::handle value, const Where& where) {
  if (is_garray_object(value.ptr())) {
    const NodePtr& from = array_of(value).value.node();
    const NodePtr& to = view.node();
    // a[k] += b ends with a[k] = a[k].
    if (from->is_leaf() && to->is_leaf() && from->storage == to->storage &&
        from->offset == to->offset && from->dims == to->dims)
      return;
    if (from->kind == Node::Kind::Expression && to->is_leaf() && is_temporary(value)) {
      const NodePtr twin = twin_of(from);
      if (computing([&] { return detail::materialize_into(twin, *to); })) return;
    }
  }
  const operand from = operand_of(value, where);
  computing([&] { detail::write(view.node(), from.node); });
}

}  // namespace

garray shared_by(nb::handle self) {
  const garray& value = array_of(self).value;
  compute(value.node());
  if (!array_of(self).scalar) return garray(value.node());
  garray copy = computing([&] { return garray(detail::copy_of(value.node())); });
  compute(copy.node());
  return copy;
}

void require_array(nb::handle self) {
  if (array_of(self).scalar)
    throw nb::type_error("a garray that is a number does not support item assignment");
}

void set_item(nb::handle self, nb::handle key, nb::handle value) {
  require_array(self);
  const Where where = here();
  garray& array = array_of(self).value;
  const Key parsed = parse_key(array, key, where);
  compute(array.node());
  garray_view view = array.subscript(parsed.subscripts, where);
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr())) {
    const double number = cudamat::python::number("setitem", "the value", value);
    computing([&] { std::move(view) = number; });
    return;
  }
  if (parsed.copies) {
    garray from = to_garray(value, where);
    compute(from.node());
    computing([&] {
      if (parsed.shape) {
        const Dims wide = spread(parsed, array.shape(), view.shape());
        const NodePtr all = detail::repeat("setitem", from.node(), wide, where);
        from = gnumpy::reshape(garray(all), view.shape(), where);
      }
      std::move(view) = from;
    });
    return;
  }
  write(view, value, where);
}

nb::object write_back(nb::handle self, const garray& result, const Where& where) {
  require_array(self);
  garray& array = array_of(self).value;
  compute(array.node());
  compute(result.node());
  computing([&] { detail::write(garray_view(array).node(), result.node()); });
  (void)where;
  return nb::borrow(self);
}

}  // namespace gnumpy::python
