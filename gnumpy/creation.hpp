// More functions that create arrays. Part of functions.hpp.
#pragma once

#include <cstdint>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- with an array's shape; zeros_like and ones_like of booleans are boolean ----

garray empty_like(const garray_base& a, Where where = Where::current());  ///< uninitialised
garray zeros_like(const garray_base& a, Where where = Where::current());
garray ones_like(const garray_base& a, Where where = Where::current());
garray full_like(const garray_base& a, double value, Where where = Where::current());
inline garray identity(Index n, Where where = Where::current()) {
  return eye(n, {}, 0, where);
}

// ---- ranges, in the engine's type; computed on the host ----

/// 0, 1, ... and start, start + step, ...: ceil((stop - start) / step) numbers, none if that is
/// negative. Throws for a step of 0, NaN and infinities. As with floats in NumPy, rounding may make
/// the last number reach or exceed stop; linspace has a fixed number of elements.
garray arange(double stop, Where where = Where::current());
garray arange(double start, double stop, double step = 1, Where where = Where::current());
/// `num` evenly spaced numbers from start to stop; without stop itself unless `endpoint`.
garray linspace(double start, double stop, Index num = 50, bool endpoint = true,
                Where where = Where::current());

}  // namespace gnumpy
