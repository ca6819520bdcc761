// gnumpy: NumPy's arrays on a GPU or a CPU. The one header to include.
//
//   #include "gnumpy/gnumpy.hpp"
//   namespace gpu = gnumpy;
//
// garray.hpp has the rules of values and views, functions.hpp the functions, memory.hpp what
// arrays take, work.hpp what expressions become, checks.hpp which numbers are refused, exchange.hpp
// how other libraries share the memory.
// GNUMPY_USE_GPU=auto|yes|no and GNUMPY_CPU_PRECISION=32|64|128 choose the engine when the first
// array is made.
#pragma once

#include "gnumpy/checks.hpp"
#include "gnumpy/exchange.hpp"
#include "gnumpy/format.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/garray.hpp"
#include "gnumpy/index.hpp"
#include "gnumpy/memory.hpp"
#include "gnumpy/work.hpp"
