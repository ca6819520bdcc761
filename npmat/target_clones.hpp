// CUDAMAT_TARGET_CLONES before a function: the compiler makes it for the baseline, for
// x86-64-v3 (AVX2) and x86-64-v4 (AVX-512), and the loader picks one for the machine. With
// -ffp-contract=off the three round alike. CUDAMAT_MULTIVERSION is 1 where that is so (functions of
// one name with different `target` attributes are then possible too), else 0: another compiler or
// loader, or a sanitizer, whose runtime is not up when the loader asks; or what is compiled for one
// machine, which says so by CUDAMAT_ONE_MACHINE.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                           \
    !defined(CUDAMAT_ONE_MACHINE)
#define CUDAMAT_MULTIVERSION 1
#define CUDAMAT_TARGET_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CUDAMAT_MULTIVERSION 0
#define CUDAMAT_TARGET_CLONES
#endif
