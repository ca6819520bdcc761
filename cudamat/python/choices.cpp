// Functions of the module: what values choose. How many there are is known when it is computed, so
// that they make new matrices, and wait.
#include <algorithm>
#include <utility>

#include "cudamat/python/operations.hpp"

namespace cudamat::python {

namespace {

/// The first `count` elements of a row, in memory of their own.
template <class M>
M first(M& row, Index count) {
  return row.slice(0, count).copy();
}

/// The least and the greatest of a matrix that has elements.
template <class M>
std::pair<double, double> extremes(const M& m) {
  const auto number = [](M one) { return static_cast<double>(one.asarray()(0, 0)); };
  return {number(m.min(0).min(1)), number(m.max(0).max(1))};
}

nb::object unique(nb::handle mat, bool return_counts) {
  return std::visit(
      [&](auto& m) -> nb::object {
        using M = std::remove_cvref_t<decltype(m)>;
        if (!return_counts)
          return made(computing([&] {
            M values = M::empty({1, m.size()});
            return first(values, cudamat::unique(m, values));
          }));
        auto [values, counts] = computing([&] {
          M all = M::empty({1, m.size()}), often = M::empty({1, m.size()});
          const Index count = cudamat::unique(m, all, often);
          return std::pair(first(all, count), first(often, count));
        });
        return nb::make_tuple(made(std::move(values)), made(std::move(counts)));
      },
      matrix_of("unique", "mat", mat).matrix);
}

template <class M>
Index bins_for(const M& m, Index minlength) {
  if (minlength < 0) misuse("bincount", "'minlength' must not be negative");
  if (m.size() == 0) return minlength;
  const double most = extremes(m).second;  // raises an error for what is not an index
  return most >= 0 && most < 0x1p62 ? std::max(minlength, static_cast<Index>(most) + 1) : minlength;
}

nb::object bincount(nb::handle mat, nb::handle weights, Index minlength, TargetArg target) {
  const auto count = [&](auto& m, auto& t) {
    using M = std::remove_cvref_t<decltype(m)>;
    if (weights.is_none()) {
      computing([&] { cudamat::bincount(m, t); });
    } else {
      const M& w = like("bincount", "weights", weights, m);
      computing([&] { cudamat::bincount(m, w, t); });
    }
  };
  return std::visit(
      [&](auto& m) -> nb::object {
        using M = std::remove_cvref_t<decltype(m)>;
        if (is_given(target)) {
          count(m, like("bincount", "target", target.object, m));
          return nb::borrow(target.object);
        }
        M t = computing([&] { return M::empty({1, bins_for(m, minlength)}); });
        count(m, t);
        return made(std::move(t));
      },
      matrix_of("bincount", "mat", mat).matrix);
}

/// NumPy's edges, whose errors are NumPy's.
template <class M>
nb::object edges_of(const M& m, nb::handle bins, nb::handle range) {
  const nb::object edges_function = numpy().attr("histogram_bin_edges");
  nb::list ends;
  if (PyIndex_Check(bins.ptr()) != 0 && range.is_none() && m.size() > 0) {
    const auto [least, most] = computing([&] { return extremes(m); });
    ends.append(least);
    ends.append(most);
  }
  return edges_function(numpy().attr("array")(ends, dtype_of<M>), bins, range);
}

nb::tuple histogram(nb::handle mat, nb::handle bins, nb::handle range, nb::handle weights) {
  if (PyUnicode_Check(bins.ptr()) != 0)
    throw nb::type_error("[histogram] bins must be their number, or their edges");
  return std::visit(
      [&](auto& m) {
        using M = std::remove_cvref_t<decltype(m)>;
        M edges;
        if (is_matrix(bins)) {
          edges = computing([&, &given = like("histogram", "bins", bins, m)] {
            M copy = given.copy();
            copy.reshape({1, copy.size()});
            return copy;
          });
        } else {
          const nb::object array = make_array(edges_of(m, bins, range), dtype_of<M>, 'F', false);
          const Elements elements(array, 'F', false);
          HostMatrix<typename M::value_type> host(Shape{1, Index(elements.size())});
          std::copy_n(static_cast<const typename M::value_type*>(elements.data()), elements.size(),
                      host.data());
          edges = computing([&] { return M(host); });
        }
        M counts = M::empty({1, std::max(Index(0), edges.size() - 1)});
        if (weights.is_none()) {
          computing([&] { cudamat::histogram(m, edges, counts); });
        } else {
          const M& w = like("histogram", "weights", weights, m);
          computing([&] { cudamat::histogram(m, edges, w, counts); });
        }
        return nb::make_tuple(made(std::move(counts)), made(std::move(edges)));
      },
      matrix_of("histogram", "mat", mat).matrix);
}

}  // namespace

void def_choices(nb::module_& m) {
  m.def("unique", unique, "mat"_a, "return_counts"_a = false,
        nb::sig("def unique(mat: CUDAMatrix, return_counts: bool = False) -> CUDAMatrix | "
                "tuple[CUDAMatrix, CUDAMatrix]"),
        "The distinct elements in ascending order, as a new row; all NaNs count as one, "
        "at the end. With return_counts=True also\n"
        "the number of occurrences of each. Waits for the device.");
  m.def(
      "bincount",
      [](MatrixArg mat, nb::handle weights, Index minlength, TargetArg target) {
        return bincount(mat.object, weights, minlength, target);
      },
      "mat"_a, "weights"_a = nb::none(), "minlength"_a = 0, "target"_a = nb::none(),
      nb::sig("def bincount(mat: CUDAMatrix, weights: CUDAMatrix | None = None, minlength: int = "
              "0, target: CUDAMatrix | None = None) -> CUDAMatrix"),
      "The number of elements that are 0, 1, 2, ..., or the sums of their weights: a "
      "new row up to the largest element, or\n"
      "target, 1 x n, for elements below n. Waits for the device.");
  m.def(
      "histogram",
      [](MatrixArg mat, nb::handle bins, nb::handle range, nb::handle weights) {
        return histogram(mat.object, bins, range, weights);
      },
      "mat"_a, "bins"_a = 10, "range"_a = nb::none(), "weights"_a = nb::none(),
      nb::sig("def histogram(mat: CUDAMatrix, bins: int | CUDAMatrix | numpy.typing.ArrayLike = "
              "10, range: tuple[float, float] | None = None, weights: CUDAMatrix | None = None) -> "
              "tuple[CUDAMatrix, CUDAMatrix]"),
      "The number of elements in each bin, or the sums of their weights, and the edges "
      "of the bins, as new rows. bins is the\n"
      "number of equal bins in range (by default from the smallest to the largest "
      "element), or the edges. Waits for the device.");
}

}  // namespace cudamat::python
