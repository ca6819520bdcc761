// gnumpy: arrays like NumPy's on a GPU or a CPU. Include this header.
//
//   #include "gnumpy/gnumpy.hpp"
//   namespace gpu = gnumpy;
//
// garray.hpp documents values and views, functions.hpp the functions, memory.hpp the memory of
// arrays, work.hpp the statements of expressions, checks.hpp checks of results, exchange.hpp
// sharing memory with other libraries. GNUMPY_USE_GPU=auto|yes|no and
// GNUMPY_CPU_PRECISION=32|64|128 select the engine when the first array is made.
#pragma once

#include "gnumpy/checks.hpp"
#include "gnumpy/exchange.hpp"
#include "gnumpy/format.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/garray.hpp"
#include "gnumpy/index.hpp"
#include "gnumpy/memory.hpp"
#include "gnumpy/work.hpp"
