// What values choose, as functions of the module: distinct elements and counts.
#include <optional>
#include <utility>

#include "gnumpy/python/array.hpp"

namespace gnumpy::python {

namespace {

/// With the words that make NumPy's function take the call (_numpy.py).
[[noreturn]] void leave_to_numpy(const char* text) {
  throw nb::type_error(fmt::format("{}: incompatible function arguments", text).c_str());
}

std::optional<std::pair<double, double>> range_in(nb::handle range) {
  if (range.is_none()) return std::nullopt;
  if (PySequence_Check(range.ptr()) == 0 || nb::len(range) != 2)
    throw nb::type_error("[histogram] range must be two numbers: (least, greatest)");
  const auto bound = [&](int k) {
    return cudamat::python::number("histogram", "range", nb::object(range[k]));
  };
  return std::pair(bound(0), bound(1));
}

nb::tuple histogram(ArrayArg a, BinsArg bins, nb::handle range, nb::handle density,
                    BoundArg weights) {
  const Where where = here();
  if (PyUnicode_Check(bins.ptr()) != 0)
    leave_to_numpy("[histogram] bins by the name of a rule are np.histogram's");
  const garray of = to_garray(a, where);
  std::optional<garray> weight;
  if (!weights.is_none()) weight = to_garray(weights, where);
  HistogramOptions options;
  options.range = range_in(range);
  options.weights = weight ? &*weight : nullptr;
  options.density = !density.is_none() && nb::cast<bool>(nb::bool_(density));
  const bool is_number = !is_garray_object(bins.ptr()) && PyIndex_Check(bins.ptr()) != 0 &&
                         (!is_array(bins) || PyLong_Check(bins.ptr()) != 0);
  std::optional<garray> edges;
  if (!is_number) edges = to_garray(bins, where);
  const Index count = is_number ? integer("histogram", "bins", bins) : 0;
  auto [counts, at] = computing([&] {
    return edges ? gnumpy::histogram(of, *edges, options, where)
                 : gnumpy::histogram(of, count, options, where);
  });
  const bool counted = !weight && !options.density;
  return nb::make_tuple(counted ? places(counts) : nb::object(made(std::move(counts))),
                        made(std::move(at)));
}

}  // namespace

void def_choices(nb::module_& m) {
  m.def(
      "unique",
      [](ArrayArg a, bool return_counts) -> nb::object {
        const Where where = here();
        const garray of = to_garray(a, where);
        if (!return_counts) return made(computing([&] { return gnumpy::unique(of, where); }));
        auto [values, counts] = computing([&] { return gnumpy::unique_counts(of, where); });
        return nb::make_tuple(made(std::move(values)), places(counts));
      },
      "a"_a, "return_counts"_a = false,
      nb::sig("def unique(a: garray | numpy.typing.ArrayLike, return_counts: bool = False) -> "
              "garray | tuple[garray, numpy.typing.NDArray[numpy.int64]]"),
      "The distinct elements in ascending order; all NaNs count as one, at the end. "
      "With return_counts=True also the number of\n"
      "occurrences of each, as NumPy integers. Computed on the engine; waits for it.");
  m.def(
      "bincount",
      [](ArrayArg x, BoundArg weights, Index minlength) -> nb::object {
        const Where where = here();
        const garray of = to_garray(x, where);
        if (weights.is_none())
          return places(computing([&] { return gnumpy::bincount(of, minlength, where); }));
        const garray weight = to_garray(weights, where);
        return made(computing([&] { return gnumpy::bincount(of, weight, minlength, where); }));
      },
      "x"_a, "weights"_a = nb::none(), "minlength"_a = 0,
      nb::sig("def bincount(x: garray | numpy.typing.ArrayLike, weights: garray | "
              "numpy.typing.ArrayLike | None = None, minlength: int = 0) -> garray | "
              "numpy.typing.NDArray[numpy.int64]"),
      "The number of elements that are 0, 1, 2, ..., as NumPy integers, or the sums of "
      "their weights, as a garray. Elements\n"
      "must be whole numbers, not negative. Computed on the engine; waits for it.");
  m.def("histogram", histogram, "a"_a, "bins"_a = 10, "range"_a = nb::none(),
        "density"_a = nb::none(), "weights"_a = nb::none(),
        nb::sig("def histogram(a: garray | numpy.typing.ArrayLike, bins: int | garray | "
                "numpy.typing.ArrayLike = 10, range: tuple[float, float] | None = None, density: "
                "bool | None = None, weights: garray | numpy.typing.ArrayLike | None = None) -> "
                "tuple[garray | numpy.typing.NDArray[numpy.int64], garray]"),
        "The number of elements in each bin, as NumPy integers, and the edges of the "
        "bins. bins is the number of equal bins in\n"
        "range (by default from the smallest to the largest element), or the edges. With "
        "weights the sums of weights, with\n"
        "density=True the density, as garrays. Computed on the engine; waits for it.");
}

}  // namespace gnumpy::python
