// Memory for the libraries that compute products and factorisations, had before they are called.
//
// Neither library handles a failed allocation: OpenBLAS asks for the buffer of a call again and
// again, for ever, and oneDNN writes to what it did not get. So their calls are made under a
// LibraryRoom only. OpenBLAS asks for buffers as it is loaded, too: blas_start.hpp.
#pragma once

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// Room for up to `wanted` threads to call the libraries while it lives. Where memory is limited
/// (`ulimit -v`) it may be for fewer; throws OutOfMemory where there is none for one.
class LibraryRoom {
 public:
  enum class For { Blas, OneDnn, Both };

  LibraryRoom(For libraries, Index wanted);
  ~LibraryRoom();
  LibraryRoom(const LibraryRoom&) = delete;
  LibraryRoom& operator=(const LibraryRoom&) = delete;

  /// How many threads there is room for, at least 1.
  Index callers() const { return callers_; }

 private:
  bool blas_;
  Index callers_;
};

}  // namespace npmat
