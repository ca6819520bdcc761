// Functions that change shapes, take parts of arrays and join them. Part of functions.hpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- the same elements: new values; garray's methods of these names return views ----

garray reshape(const garray_base& a, Shape shape, Where where = Where::current());
garray reshape_2d(const garray_base& a, int row_axes, Where where = Where::current());
garray ravel(const garray_base& a, Where where = Where::current());
/// Removes all axes of extent 1, or these, which must have extent 1.
garray squeeze(const garray_base& a, const Axes& axes = {}, Where where = Where::current());
/// Adds axes of extent 1 at these positions of the result's shape.
garray expand_dims(const garray_base& a, const Axes& axes, Where where = Where::current());

// ---- axes in another order: copies ----

inline garray transpose(const garray_base& a, Where where = Where::current()) {
  return a.T(where);
}
/// Axis k of the result is axis axes[k].
inline garray transpose(const garray_base& a, std::vector<int> axes,
                        Where where = Where::current()) {
  return a.transpose(std::move(axes), where);
}
garray swapaxes(const garray_base& a, int axis1, int axis2, Where where = Where::current());
/// Axis source[k] becomes axis destination[k]; the others keep their order.
garray moveaxis(const garray_base& a, const Axes& source, const Axes& destination,
                Where where = Where::current());
inline garray copy(const garray_base& a, Where where = Where::current()) {
  return a.copy(where);
}

// ---- parts: copies ----

/// Elements by index along the axis, or of all elements in C order: in any order, any number of
/// times; negative indices count from the end; throws for indices out of bounds. The axes of the
/// indices replace the axis. Indices in a garray must be whole numbers, not booleans; reading them
/// waits for the engine.
garray take(const garray_base& a, const garray_base& indices, Axis axis = {},
            Where where = Where::current());
garray take(const garray_base& a, const std::vector<Index>& indices, Axis axis = {},
            Where where = Where::current());
inline garray take(const garray_base& a, std::initializer_list<Index> indices, Axis axis = {},
                   Where where = Where::current()) {
  return take(a, std::vector<Index>(indices), axis, where);
}
/// The elements a[i, i + offset] of two axes, as the last axis of the result.
garray diagonal(const garray_base& a, Index offset = 0, int axis1 = 0, int axis2 = 1,
                Where where = Where::current());
/// The sums of diagonals.
garray trace(const garray_base& a, Index offset = 0, int axis1 = 0, int axis2 = 1,
             Where where = Where::current());
/// A square matrix with the elements of `a`, ravelled, on a diagonal.
garray diagflat(const garray_base& a, Index offset = 0, Where where = Where::current());
/// diagflat of a 1-D array, diagonal of a 2-D array.
garray diag(const garray_base& a, Index offset = 0, Where where = Where::current());

// ---- joining: copies; the parts agree in all extents except that of the axis ----

/// Parts of at least one dimension, along an axis that all have.
garray concatenate(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// Parts of the same shape, along a new axis.
garray stack(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// As rows: along axis 0, after 1-D arrays become matrices of one row.
garray vstack(const std::vector<garray>& parts, Where where = Where::current());
inline garray row_stack(const std::vector<garray>& parts, Where where = Where::current()) {
  return vstack(parts, where);
}
/// Along axis 1, or axis 0 if the first is 1-D.
garray hstack(const std::vector<garray>& parts, Where where = Where::current());
/// Along axis 2, after (n,) becomes (1, n, 1) and (m, n) becomes (m, n, 1).
garray dstack(const std::vector<garray>& parts, Where where = Where::current());
/// As columns: along axis 1, after 1-D arrays become matrices of one column.
garray column_stack(const std::vector<garray>& parts, Where where = Where::current());

/// `a` repeated reps[k] times along axis k.
garray tile(const garray_base& a, Shape reps, Where where = Where::current());

}  // namespace gnumpy
