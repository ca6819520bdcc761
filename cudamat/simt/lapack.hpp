// LAPACK's routines in place of cuSOLVER's, in float and double. Debian's OpenBLAS comes
// without lapack.h.
#pragma once

#include <cstddef>

namespace simt {

/// Lapack<T>::getrf and so on.
template <class T>
struct Lapack;

}  // namespace simt

// The lengths of texts come last, as gfortran passes them.
#define LAPACK(T, getrf_, getrs_, potrf_, geqrf_, orgqr_, syev_, gesvd_)                           \
  extern "C" {                                                                                     \
  void getrf_(const int*, const int*, T*, const int*, int*, int*);                                 \
  void getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*,           \
              const int*, int*, std::size_t);                                                      \
  void potrf_(const char*, const int*, T*, const int*, int*, std::size_t);                         \
  void geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                   \
  void orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*); \
  void syev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*,       \
             std::size_t, std::size_t);                                                            \
  void gesvd_(const char*, const char*, const int*, const int*, T*, const int*, T*, T*,            \
              const int*, T*, const int*, T*, const int*, int*, std::size_t, std::size_t);         \
  }                                                                                                \
  namespace simt {                                                                                 \
  template <>                                                                                      \
  struct Lapack<T> {                                                                               \
    static constexpr auto getrf = getrf_;                                                          \
    static constexpr auto getrs = getrs_;                                                          \
    static constexpr auto potrf = potrf_;                                                          \
    static constexpr auto geqrf = geqrf_;                                                          \
    static constexpr auto orgqr = orgqr_;                                                          \
    static constexpr auto syev = syev_;                                                            \
    static constexpr auto gesvd = gesvd_;                                                          \
  };                                                                                               \
  }

LAPACK(float, sgetrf_, sgetrs_, spotrf_, sgeqrf_, sorgqr_, ssyev_, sgesvd_)
LAPACK(double, dgetrf_, dgetrs_, dpotrf_, dgeqrf_, dorgqr_, dsyev_, dgesvd_)
#undef LAPACK
