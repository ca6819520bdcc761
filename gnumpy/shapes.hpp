// Functions that give arrays other shapes, take parts of them and join them. Part of functions.hpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- the same elements: new values; garray's methods of these names give views ----

garray reshape(const garray_base& a, Shape shape, Where where = Where::current());
garray reshape_2d(const garray_base& a, int row_axes, Where where = Where::current());
garray ravel(const garray_base& a, Where where = Where::current());
/// Without the axes of extent 1, or without these, which must have it.
garray squeeze(const garray_base& a, const Axes& axes = {}, Where where = Where::current());
/// With axes of extent 1 at these places of the result's shape.
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

/// Elements of the axis, or without one of `a` in C order, by number: in any order, as often as
/// they are there, negative ones from the end; refuses those out of bounds. The indices' axes stand
/// where the axis stood. Indices in a garray must be whole numbers, no truth values; reading them
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
/// Their sums.
garray trace(const garray_base& a, Index offset = 0, int axis1 = 0, int axis2 = 1,
             Where where = Where::current());
/// A square matrix with the elements of `a`, ravelled, on a diagonal.
garray diagflat(const garray_base& a, Index offset = 0, Where where = Where::current());
/// Of a 1-D array diagflat, of a 2-D one diagonal.
garray diag(const garray_base& a, Index offset = 0, Where where = Where::current());

// ---- joined: copies; the parts agree in all extents but that of the axis ----

/// Of 1-D and more, along an axis that all have.
garray concatenate(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// Parts of one shape, along a new axis.
garray stack(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// As rows: along axis 0, after 1-D arrays have become matrices of one row.
garray vstack(const std::vector<garray>& parts, Where where = Where::current());
inline garray row_stack(const std::vector<garray>& parts, Where where = Where::current()) {
  return vstack(parts, where);
}
/// Along axis 1, or axis 0 if the first is 1-D.
garray hstack(const std::vector<garray>& parts, Where where = Where::current());
/// Along axis 2, after (n,) has become (1, n, 1) and (m, n) has become (m, n, 1).
garray dstack(const std::vector<garray>& parts, Where where = Where::current());
/// As columns: along axis 1, after 1-D arrays have become matrices of one column.
garray column_stack(const std::vector<garray>& parts, Where where = Where::current());

/// `a` repeated reps[k] times along axis k.
garray tile(const garray_base& a, Shape reps, Where where = Where::current());

}  // namespace gnumpy
