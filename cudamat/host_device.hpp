// CUDAMAT_HD marks a function that runs on the host and in a kernel.
#pragma once

// Results have the same bits on every engine: IEEE 754 as it is written. nvcc has no macro that
// tells of -use_fast_math; CMakeLists.txt looks for it among the flags, and tests at its code.
#ifdef __FAST_MATH__
#error "cudamat is not to be compiled with -ffast-math, -Ofast or --use_fast_math"
#endif

#ifdef __CUDACC__
#define CUDAMAT_HD __host__ __device__
#else
#define CUDAMAT_HD
#endif
