// Exceptions become status codes here; none crosses the C boundary.
#pragma once

#include "cudamat/capi/cudamat.h"

namespace cudamat::capi {

/// In a catch block: keeps the exception's text as the calling thread's last error and gives its
/// status code (cudamat.h).
int status_of_current_exception() noexcept;

/// The text of the calling thread's last failure, "no error" before the first. Valid until its
/// next.
const char* last_error() noexcept;

/// Runs f; its status.
template <class F>
int guarded(F&& f) noexcept {
  try {
    f();
    return CUDAMAT_OK;
  } catch (...) {
    return status_of_current_exception();
  }
}

}  // namespace cudamat::capi
