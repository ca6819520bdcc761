// RowTest of the rows that move numbers without changing them: every result is exact.
#pragma once

#include "tests/conformance/row_test.hpp"

namespace conformance {

/// Distinct numbers, with special ones among them.
template <class T>
Host<T> labels(Shape shape, Index first = 0) {
  Host<T> result(shape);
  for (Index k = 0; k < shape.size(); ++k) result.data()[k] = static_cast<T>(first + k);
  for (Index k = 3; k < shape.size(); k += 17)
    result.data()[k] =
        special_values<T>()[static_cast<std::size_t>(k) % special_values<T>().size()];
  return result;
}

/// A host matrix whose element (i, j) is at(i, j).
template <class T, class At>
Host<T> made_of(Shape shape, At at) {
  Host<T> result(shape);
  for (Index j = 0; j < shape.cols; ++j)
    for (Index i = 0; i < shape.rows; ++i) result(i, j) = at(i, j);
  return result;
}

/// Indices as a matrix of one row or one column.
template <class T>
Host<T> index_vector(const std::vector<double>& indices, bool standing = false) {
  const Index n = std::ssize(indices);
  Host<T> result(standing ? Shape{n, 1} : Shape{1, n});
  for (Index k = 0; k < n; ++k)
    result.data()[k] = static_cast<T>(indices[static_cast<std::size_t>(k)]);
  return result;
}

/// Indices of n elements: every one, from both ends, out of range, not numbers.
inline std::vector<double> all_kinds_of_indices(Index n) {
  std::vector<double> result{kNaN<double>, kInfinity<double>, -kInfinity<double>, 1e30, -1e30};
  for (Index k = -n - 2; k < n + 2; ++k) result.push_back(static_cast<double>(k));
  return result;
}

/// The element that index means among n, or -1.
inline Index meant(double index, Index n) {
  if (!(index >= -static_cast<double>(n) && index < static_cast<double>(n))) return -1;
  const auto whole = static_cast<Index>(index);
  return whole < 0 ? whole + n : whole;
}

template <>
struct RowTest<Op::transpose> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const bool flagged : {false, true}) {
        const Host<T> values = labels<T>(shape);
        Framed<E> mat(values, 1);
        mat->set_trans(flagged);
        Framed<E> target(flagged ? shape : shape.transposed(), 2);
        EXPECT_EQ(&mat->transpose(*target), &*target);
        expect_same(target.contents(), flagged ? values : transposed(values));
        expect_same(mat.contents(), values, "operand");
        if (::testing::Test::HasFailure()) return;
      }
  }
};

template <>
struct RowTest<Op::assign> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes()) {
      Framed<E> mat(labels<T>(shape), 1), target(shape, 2);
      EXPECT_EQ(&target->assign(*mat), &*target);
      expect_same(target.contents(), labels<T>(shape));
      mat->assign(*mat);
      expect_same(mat.contents(), labels<T>(shape), "assigned to itself");
      for (const T number : {T(2.5), T(-0.0), kNaN<T>}) {
        EXPECT_EQ(&target->assign(number), &*target);
        expect_same(target.contents(), Host<T>(shape, number));
      }
    }
  }
};

template <>
struct RowTest<Op::where> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (int place = 0; place < 5; ++place) {
        const Host<T> conditions = made_of<T>(shape, [](Index i, Index j) {
          constexpr T kConditions[] = {1, 0, T(-0.0), kNaN<T>, -3, kInfinity<T>};
          return kConditions[(i + 5 * j) % 6];
        });
        const Host<T> yes = labels<T>(shape, 1000), no = labels<T>(shape, 3000000);
        const Host<T> wanted = made_of<T>(
            shape, [&](Index i, Index j) { return conditions(i, j) != 0 ? yes(i, j) : no(i, j); });
        Framed<E> cond(conditions, 1), if_mat(yes, 2), else_mat(no, 3), target(shape, 0);
        const std::array<Framed<E>*, 4> all{&target, &cond, &if_mat, &else_mat};
        if (place == 4) {
          for (Framed<E>* mat : all) (*mat)->set_trans(true);
          EXPECT_EQ(&cudamat::where(*cond, *if_mat, *else_mat), &*cond);
          expect_same(cond.contents(), wanted, "in place, all flagged");
        } else {
          Framed<E>& out = *all[static_cast<std::size_t>(place)];
          EXPECT_EQ(&cudamat::where(*cond, *if_mat, *else_mat, *out), &*out);
          expect_same(out.contents(), wanted, fmt::format("{}, place {}", shape, place));
          if (place != 2) expect_same(if_mat.contents(), yes, "if_mat");
          if (place != 3) expect_same(else_mat.contents(), no, "else_mat");
        }
        if (::testing::Test::HasFailure()) return;
      }
  }
};

/// Begin and end of slices of an extent.
inline std::vector<std::pair<Index, Index>> ranges_of(Index n) {
  return {{0, 0}, {0, n}, {n, n}, {n / 3, n - n / 4}, {n / 2, n / 2 + (n > 0 ? 1 : 0)}};
}

template <>
struct RowTest<Op::get_col_slice> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const auto& [first, last] : ranges_of(shape.cols)) {
        const Host<T> values = labels<T>(shape);
        const Shape part{shape.rows, last - first};
        const Host<T> wanted =
            made_of<T>(part, [&, first = first](Index i, Index j) { return values(i, first + j); });
        Framed<E> mat(values, 1), target(part, 2);
        EXPECT_EQ(&mat->get_col_slice(first, last, *target), &*target);
        expect_same(target.contents(), wanted);
        expect_same(read(mat->get_col_slice(first, last)), wanted, "view");
        expect_same(mat.contents(), values, "operand");
      }
    // Columns may move within a matrix.
    Mat<E> mat(Host<T>{{1, 2, 3, 4}, {5, 6, 7, 8}});
    mat.get_col_slice(2, 4, mat.slice(0, 2));
    expect_same(read(mat), Host<T>{{3, 4, 3, 4}, {7, 8, 7, 8}});
  }
};

template <>
struct RowTest<Op::set_col_slice> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const auto& [first, last] : ranges_of(shape.cols)) {
        const Host<T> values = labels<T>(shape);
        const Host<T> part = labels<T>({shape.rows, last - first}, 5000000);
        Framed<E> mat(values, 1), source(part, 2);
        EXPECT_EQ(&mat->set_col_slice(first, last, *source), &*mat);
        expect_same(mat.contents(),
                    made_of<T>(shape, [&, first = first, last = last](Index i, Index j) {
                      return j >= first && j < last ? part(i, j - first) : values(i, j);
                    }));
        expect_same(source.contents(), part, "operand");
      }
    Mat<E> mat(Host<T>{{1, 2, 3, 4}, {5, 6, 7, 8}});
    mat.set_col_slice(0, 2, mat.slice(2, 4));
    expect_same(read(mat), Host<T>{{3, 4, 3, 4}, {7, 8, 7, 8}});
  }
};

template <>
struct RowTest<Op::get_row_slice> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const auto& [start, end] : ranges_of(shape.rows)) {
        const Host<T> values = labels<T>(shape);
        const Shape part{end - start, shape.cols};
        const Host<T> wanted =
            made_of<T>(part, [&, start = start](Index i, Index j) { return values(start + i, j); });
        Framed<E> mat(values, 1), target(part, 2);
        EXPECT_EQ(&mat->get_row_slice(start, end, *target), &*target);
        expect_same(target.contents(), wanted);
        Mat<E> copy = mat->get_row_slice(start, end);
        copy.assign(T(0));
        expect_same(mat.contents(), values, "a row slice is a copy");
      }
  }
};

template <>
struct RowTest<Op::set_row_slice> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const auto& [start, end] : ranges_of(shape.rows)) {
        const Host<T> values = labels<T>(shape);
        const Host<T> part = labels<T>({end - start, shape.cols}, 5000000);
        Framed<E> mat(values, 1), source(part, 2);
        EXPECT_EQ(&mat->set_row_slice(start, end, *source), &*mat);
        expect_same(mat.contents(),
                    made_of<T>(shape, [&, start = start, end = end](Index i, Index j) {
                      return i >= start && i < end ? part(i - start, j) : values(i, j);
                    }));
        expect_same(source.contents(), part, "operand");
      }
  }
};

template <>
struct RowTest<Op::select_columns> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const bool standing : {false, true}) {
        if (shape.cols > 5000) continue;  // their indices would fill more than the shape itself
        const Host<T> values = labels<T>(shape);
        const std::vector<double> list = all_kinds_of_indices(shape.cols);
        const Shape wanted_shape{shape.rows, std::ssize(list)};
        Framed<E> mat(values, 1), indices(index_vector<T>(list, standing), 2);
        Framed<E> target(Host<T>(wanted_shape, 7), 3);
        EXPECT_EQ(&mat->select_columns(*indices, *target), &*target);
        expect_same(target.contents(),
                    made_of<T>(wanted_shape,
                               [&](Index i, Index k) {
                                 const Index j =
                                     meant(list[static_cast<std::size_t>(k)], shape.cols);
                                 return j < 0 ? kNaN<T> : values(i, j);
                               }),
                    fmt::format("columns of {}", shape));
        expect_same(mat.contents(), values, "operand");
        if (::testing::Test::HasFailure()) return;
      }
  }
};

template <>
struct RowTest<Op::set_selected_columns> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes()) {
      if (shape.cols > 5000) continue;
      const Host<T> values = labels<T>(shape);
      const std::vector<double> list = all_kinds_of_indices(shape.cols);
      const Host<T> columns = labels<T>({shape.rows, std::ssize(list)}, 4000000);
      Host<T> wanted = values;
      for (Index k = 0; k < std::ssize(list); ++k)
        if (const Index j = meant(list[static_cast<std::size_t>(k)], shape.cols); j >= 0)
          for (Index i = 0; i < shape.rows; ++i) wanted(i, j) = columns(i, k);
      Framed<E> mat(values, 1), indices(index_vector<T>(list), 2), source(columns, 3);
      EXPECT_EQ(&mat->set_selected_columns(*indices, *source), &*mat);
      expect_same(mat.contents(), wanted, fmt::format("columns of {}", shape));
      expect_same(source.contents(), columns, "operand");
      if (::testing::Test::HasFailure()) return;
    }
  }
};

/// For each row (or column, without `along_rows`) of a shape an index: of all kinds, in turn.
inline std::vector<double> index_each(Index count, Index n) {
  const std::vector<double> kinds = all_kinds_of_indices(n);
  std::vector<double> result;
  for (Index i = 0; i < count; ++i)
    result.push_back(kinds[static_cast<std::size_t>(7 * i) % kinds.size()]);
  return result;
}

template <>
struct RowTest<Op::get_item_from_each_row> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes()) {
      const Host<T> values = labels<T>(shape);
      const std::vector<double> list = index_each(shape.rows, shape.cols);
      const Host<T> wanted = made_of<T>({shape.rows, 1}, [&](Index i, Index) {
        const Index j = meant(list[static_cast<std::size_t>(i)], shape.cols);
        return j < 0 ? kNaN<T> : values(i, j);
      });
      Framed<E> mat(values, 1), indices(index_vector<T>(list, true), 2);
      Framed<E> target(Shape{shape.rows, 1}, 3);
      EXPECT_EQ(&mat->get_item_from_each_row(*indices, *target), &*target);
      expect_same(target.contents(), wanted, fmt::format("{}", shape));
      expect_same(read(mat->get_item_from_each_row(*indices)), wanted);
      mat->get_item_from_each_row(*indices, *indices);
      expect_same(indices.contents(), wanted, "the indices' own memory may be the target");
    }
  }
};

template <>
struct RowTest<Op::set_item_to_each_row> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const bool number : {false, true}) {
        const Host<T> values = labels<T>(shape);
        const Host<T> items = labels<T>({shape.rows, 1}, 4000000);
        const std::vector<double> list = index_each(shape.rows, shape.cols);
        Host<T> wanted = values;
        for (Index i = 0; i < shape.rows; ++i)
          if (const Index j = meant(list[static_cast<std::size_t>(i)], shape.cols); j >= 0)
            wanted(i, j) = number ? T(-5) : items(i, 0);
        Framed<E> mat(values, 1), indices(index_vector<T>(list), 2), val(items, 3);
        EXPECT_EQ(number ? &mat->set_item_to_each_row(*indices, -5)
                         : &mat->set_item_to_each_row(*indices, *val),
                  &*mat);
        expect_same(mat.contents(), wanted, fmt::format("{}", shape));
      }
  }
};

template <>
struct RowTest<Op::ind_incr> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Shape shape : shapes())
      for (const int axis : {0, 1}) {
        const Index count = axis == 1 ? shape.rows : shape.cols;
        const Index n = axis == 1 ? shape.cols : shape.rows;
        const std::vector<double> list = index_each(count, n);
        Host<T> wanted(shape, T(0.5));
        for (Index k = 0; k < count; ++k)
          if (const Index at = meant(list[static_cast<std::size_t>(k)], n); at >= 0)
            ++(axis == 1 ? wanted(k, at) : wanted(at, k));
        Framed<E> target(Host<T>(shape, T(0.5)), 1), inds(index_vector<T>(list, axis == 0), 2);
        EXPECT_EQ(&cudamat::ind_incr(*target, *inds, axis), &*target);
        expect_same(target.contents(), wanted, fmt::format("{} axis {}", shape, axis));
      }
  }
};

template <>
struct RowTest<Op::multi_transpose> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const Index batch : {0, 1, 3, 33})
      for (const auto& [w, h] : std::vector<std::pair<Index, Index>>{
               {0, 4}, {1, 1}, {1, 7}, {5, 3}, {28, 28}, {33, 70}}) {
        const Host<T> values = labels<T>({batch, w * h});
        Host<T> wanted(Shape{batch, w * h});
        for (Index b = 0; b < batch; ++b)
          for (Index y = 0; y < h; ++y)
            for (Index x = 0; x < w; ++x) wanted(b, x * h + y) = values(b, y * w + x);
        Framed<E> in(values, 1), out(values.shape(), 2);
        EXPECT_EQ(&cudamat::multi_transpose(*in, *out, w, h, batch), &*out);
        expect_same(out.contents(), wanted, fmt::format("{} images of {} x {}", batch, h, w));
      }
  }
};

}  // namespace conformance
