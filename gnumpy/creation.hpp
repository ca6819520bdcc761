// More functions that make arrays. Part of functions.hpp.
#pragma once

#include <cstdint>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- of an array's shape; zeros_like and ones_like of truth values are truth values ----

garray empty_like(const garray_base& a, Where where = Where::current());  ///< uninitialised
garray zeros_like(const garray_base& a, Where where = Where::current());
garray ones_like(const garray_base& a, Where where = Where::current());
garray full_like(const garray_base& a, double value, Where where = Where::current());
inline garray identity(Index n, Where where = Where::current()) {
  return eye(n, {}, 0, where);
}

// ---- numbers in steps, in the engine's type; made on the host ----

/// 0, 1, ... and start, start + step, ...: ceil((stop - start) / step) numbers, none if that is
/// below 0. Refuses a step of 0, NaN and infinities. As with NumPy's floats, rounding may make the
/// last one stop itself or beyond: linspace knows how many there are.
garray arange(double stop, Where where = Where::current());
garray arange(double start, double stop, double step = 1, Where where = Where::current());
/// `num` numbers from start to stop, equally far apart; without stop itself unless `endpoint`.
garray linspace(double start, double stop, Index num = 50, bool endpoint = true,
                Where where = Where::current());

}  // namespace gnumpy
