// CUDAMAT_HD marks a function that runs on the host and in a kernel.
#pragma once

#ifdef __CUDACC__
#define CUDAMAT_HD __host__ __device__
#else
#define CUDAMAT_HD
#endif
