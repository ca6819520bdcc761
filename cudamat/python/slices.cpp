// CUDAMatrix: slices, transposes, random numbers, and npmat's additions.
#include "cudamat/python/operations.hpp"

namespace cudamat::python {

namespace {

using Class = nb::class_<PyMatrix>;

void def_slices(Class& matrix) {
  matrix.def(
      "get_col_slice",
      [](nb::handle self, Index first, Index last, TargetArg target) {
        if (is_given(target))
          return into("get_col_slice", self, target, [&](auto& x, auto& t) {
            if (is_column(x))
              t.assign(part_of(x, first, last));
            else
              x.get_col_slice(first, last, t);
          });
        return std::visit([&](auto& x) { return made(part_of(x, first, last)); },
                          matrix_of("get_col_slice", "self", self).matrix);
      },
      "first_col"_a, "last_col"_a, "target"_a = nb::none(),
      nb::sig("def get_col_slice(self, first_col: int, last_col: int, target: CUDAMatrix | None = "
              "None) -> CUDAMatrix"),
      "A view of the columns [first_col, last_col), or of these elements of a column; "
      "with a target, a copy.");
  matrix.def(
      "get_row_slice",
      [](nb::handle self, Index start, Index end, TargetArg target) {
        return into_or_new(
            "get_row_slice", self, target,
            [&](auto& x, auto& t) { x.get_row_slice(start, end, t); },
            [&](auto& x) { return x.get_row_slice(start, end); });
      },
      "start"_a, "end"_a, "target"_a = nb::none(),
      nb::sig("def get_row_slice(self, start: int, end: int, target: CUDAMatrix | None = None) -> "
              "CUDAMatrix"),
      "The rows [start, end): a copy, (end - start) x n.");
#define SET_SLICE(op, first, last, doc)                                                \
  matrix.def(                                                                          \
      #op,                                                                             \
      [](nb::handle self, Index from, Index to, MatrixArg mat) {                       \
        return with_matrix(#op, self, "mat", mat.object, {},                           \
                           [&](auto& x, const auto& v, auto&) { x.op(from, to, v); }); \
      },                                                                               \
      #first ""_a, #last ""_a, "mat"_a,                                                \
      nb::sig("def " #op "(self, " #first ": int, " #last                              \
              ": int, mat: CUDAMatrix) -> CUDAMatrix"),                                \
      doc);
  SET_SLICE(set_col_slice, first_col, last_col, "self[:, first_col:last_col] = mat.")
  SET_SLICE(set_row_slice, start, end, "self[start:end, :] = mat.")
#undef SET_SLICE
  matrix.def(
      "select_columns",
      [](nb::handle self, MatrixArg indices, TargetArg target) {
        if (!is_given(target)) {
          return std::visit(
              [&](auto& x) {
                using M = std::remove_cvref_t<decltype(x)>;
                const M& at = like("select_columns", "indices", indices.object, x);
                return made(computing([&] {
                  M t = M::empty({x.rows(), at.size()});
                  x.select_columns(at, t);
                  return t;
                }));
              },
              matrix_of("select_columns", "self", self).matrix);
        }
        return with_matrix("select_columns", self, "indices", indices.object, target,
                           [](auto& x, const auto& at, auto& t) { x.select_columns(at, t); });
      },
      "indices"_a, "target"_a = nb::none(),
      nb::sig("def select_columns(self, indices: CUDAMatrix, target: CUDAMatrix | None = None) -> "
              "CUDAMatrix"),
      "target[:, k] = self[:, indices[k]]. indices is a vector of whole numbers; "
      "negative ones count from the end; an index out\n"
      "of range gives a column of NaN.");
  matrix.def(
      "set_selected_columns",
      [](nb::handle self, MatrixArg indices, MatrixArg source) {
        std::visit(
            [&](auto& x) {
              const auto& at = like("set_selected_columns", "indices", indices.object, x);
              const auto& from = like("set_selected_columns", "source", source.object, x);
              computing([&] { x.set_selected_columns(at, from); });
            },
            matrix_of("set_selected_columns", "self", self).matrix);
        return nb::borrow(self);
      },
      "indices"_a, "source"_a,
      nb::sig(
          "def set_selected_columns(self, indices: CUDAMatrix, source: CUDAMatrix) -> CUDAMatrix"),
      "self[:, indices[k]] = source[:, k], in the order of k; an index out of range writes "
      "nothing.");
  matrix.def(
      "transpose",
      [](nb::handle self, TargetArg target) {
        return into_or_new(
            "transpose", self, target, [](auto& x, auto& t) { x.transpose(t); },
            [](auto& x) { return x.transpose(); });
      },
      "target"_a = nb::none(),
      nb::sig("def transpose(self, target: CUDAMatrix | None = None) -> CUDAMatrix"),
      "A transposed copy: a new matrix, or target.");
}

void def_random(nb::module_& m, Class& matrix) {
  matrix.def(
      "fill_with_rand",
      [](nb::handle self, nb::args none) {
        if (!none.empty())
          throw nb::type_error(
              "[fill_with_rand] takes no argument: it fills the matrix; "
              "CUDAMatrix.init_random(seed) seeds");
        return into("fill_with_rand", self, {}, [](auto& x, auto&) { x.fill_with_rand(); });
      },
      nb::sig("def fill_with_rand(self) -> CUDAMatrix"),
      "Fills the matrix with uniform random numbers on (0, 1]; CUDAMatrix.init_random "
      "sets the seed.");
  matrix.def(
      "fill_with_randn",
      [](nb::handle self) {
        return into("fill_with_randn", self, {}, [](auto& x, auto&) { x.fill_with_randn(); });
      },
      nb::sig("def fill_with_randn(self) -> CUDAMatrix"),
      "Fills the matrix with standard normal random numbers.");
  m.def(
      "zeros",
      [](nb::handle shape, nb::handle dtype) {
        Any any = make_empty("zeros", shape_of("zeros", shape), dtype);
        std::visit([](auto& x) { x.assign(0); }, any);
        return nb::cast(PyMatrix(std::move(any)), nb::rv_policy::move);
      },
      "shape"_a, "dtype"_a = nb::none(),
      nb::sig("def zeros(shape: tuple[int, int], dtype: numpy.typing.DTypeLike | None = None) -> "
              "CUDAMatrix"),
      "A matrix of zeros.");
  m.def(
      "randn",
      [](Index rows, Index cols, nb::handle dtype) {
        Any any = make_empty("randn", {rows, cols}, dtype);
        std::visit([](auto& x) { x.fill_with_randn(); }, any);
        return nb::cast(PyMatrix(std::move(any)), nb::rv_policy::move);
      },
      "a"_a, "b"_a, "dtype"_a = nb::none(),
      nb::sig(
          "def randn(a: int, b: int, dtype: numpy.typing.DTypeLike | None = None) -> CUDAMatrix"),
      "An a x b matrix of standard normal numbers.");
}

void def_npmat(nb::module_& m, Class& matrix) {
#define SCAN(op, doc)                                                                              \
  matrix.def(                                                                                      \
      #op,                                                                                         \
      [](nb::handle self, TargetArg target) {                                                      \
        return into_or_new(                                                                        \
            #op, self, target, [](auto& x, auto& t) { x.op(t); }, [](auto& x) { return x.op(); }); \
      },                                                                                           \
      "target"_a = nb::none(),                                                                     \
      nb::sig("def " #op "(self, target: CUDAMatrix | None = None) -> CUDAMatrix"), doc);
  SCAN(cumsum, "Running sums along each row: a new matrix, or target.")
  SCAN(sort, "Sorts each column in ascending order, NaN last: a new matrix, or target.")
  SCAN(argsort,
       "For each column, the row indices that sort it in ascending order: a new matrix, "
       "or target.")
#undef SCAN
  matrix.def(
      "softmax",
      [](nb::handle self, int axis, TargetArg target) {
        return into("softmax", self, target, [&](auto& x, auto& t) { x.softmax(axis, t); });
      },
      "axis"_a, "target"_a = nb::none(),
      nb::sig("def softmax(self, axis: int, target: CUDAMatrix | None = None) -> CUDAMatrix"),
      "exp(x - max) divided by its sum, in place or into target: with axis 0 each "
      "column sums to 1, with axis 1 each row.");
  matrix.def(
      "get_item_from_each_row",
      [](nb::handle self, MatrixArg inds, TargetArg target) {
        return with_matrix_or_new(
            "get_item_from_each_row", self, "indices", inds.object, target,
            [](auto& x, const auto& at, auto& t) { x.get_item_from_each_row(at, t); },
            [](auto& x, const auto& at) { return x.get_item_from_each_row(at); });
      },
      "inds"_a, "target"_a = nb::none(),
      nb::sig(
          "def get_item_from_each_row(self, inds: CUDAMatrix, target: CUDAMatrix | None = None) -> "
          "CUDAMatrix"),
      "target[i] = self[i, inds[i]], m x 1; NaN where the index is out of range.");
  matrix.def(
      "set_item_to_each_row",
      [](nb::handle self, MatrixArg inds, ValueArg val) {
        return std::visit(
            [&](auto& x) {
              const auto& at = like("set_item_to_each_row", "indices", inds.object, x);
              return with_value("set_item_to_each_row", self, val, {},
                                [&](auto& mat, const auto& v, auto&) {
                                  if constexpr (std::is_same_v<decltype(&mat), decltype(&x)>)
                                    mat.set_item_to_each_row(at, v);
                                });
            },
            matrix_of("set_item_to_each_row", "self", self).matrix);
      },
      "inds"_a, "value"_a,
      nb::sig("def set_item_to_each_row(self, inds: CUDAMatrix, value: CUDAMatrix | float) -> "
              "CUDAMatrix"),
      "self[i, inds[i]] = value, or value[i] of an m x 1 matrix.");
  m.def(
      "ind_incr",
      [](nb::handle target, MatrixArg inds, int axis) {
        return with_matrix("ind_incr", target, "inds", inds.object, {},
                           [&](auto& x, const auto& at, auto&) { cudamat::ind_incr(x, at, axis); });
      },
      "target"_a, "inds"_a, "axis"_a,
      nb::sig("def ind_incr(target: CUDAMatrix, inds: CUDAMatrix, axis: int) -> CUDAMatrix"),
      "axis 1: target[i, inds[i]] += 1 for every row; axis 0: target[inds[j], j] += 1 for every "
      "column.");
  m.def(
      "sample_multinomial",
      [](nb::handle probs, TargetArg target) {
        return into_or_new(
            "sample_multinomial", probs, target,
            [](auto& x, auto& t) { cudamat::sample_multinomial(x, t); },
            [](auto& x) { return cudamat::sample_multinomial(x); });
      },
      "probs"_a, "target"_a = nb::none(),
      nb::sig("def sample_multinomial(probs: CUDAMatrix, target: CUDAMatrix | None = None) -> "
              "CUDAMatrix"),
      "In each row a 1 at an index drawn from the row's distribution, 0 elsewhere.");
  m.def(
      "multi_transpose",
      [](nb::handle in, MatrixArg out, Index w, Index h, Index batch) {
        return into("multi_transpose", in, {out.object},
                    [&](auto& x, auto& t) { cudamat::multi_transpose(x, t, w, h, batch); });
      },
      "in_"_a, "out"_a, "w"_a, "h"_a, "batch_size"_a,
      nb::sig("def multi_transpose(in_: CUDAMatrix, out: CUDAMatrix, w: int, h: int, batch_size: "
              "int) -> CUDAMatrix"),
      "Transposes images: each row of in_ is an h x w image in row-major order, and the "
      "same row of out its transpose.");
}

}  // namespace

void def_moves(nb::module_& m, Class& matrix) {
  def_slices(matrix);
  def_random(m, matrix);
  def_npmat(m, matrix);
}

}  // namespace cudamat::python
