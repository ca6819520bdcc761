#include "cudamat/capi/guarded.hpp"

#include <exception>
#include <string>

#include "cudamat/error.hpp"

namespace cudamat::capi {
namespace {

thread_local std::string last_text;  // empty: no error so far, or no memory for its text

void keep(const char* text) noexcept {
  try {
    last_text = text;
  } catch (...) {
    last_text.clear();
  }
}

int status_of(Reason reason) {
  switch (reason) {
    case Reason::Shape:
      return CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS;
    case Reason::View:
      return CUDAMAT_ERROR_VIEW;
    case Reason::Transposed:
      return CUDAMAT_ERROR_TRANSPOSED;
    case Reason::TransposedMixed:
      return CUDAMAT_ERROR_INCOMPATIBLE_TRANSPOSEDNESS;
    case Reason::NotOnDevice:
      return CUDAMAT_ERROR_NOT_ON_DEVICE;
    case Reason::Unsupported:
      return CUDAMAT_ERROR_UNSUPPORTED;
    case Reason::Other:
      break;
  }
  return CUDAMAT_ERROR_GENERIC;
}

}  // namespace

int status_of_current_exception() noexcept {
  try {
    throw;
  } catch (const LibraryError& error) {
    keep(error.what());
    return error.library() == LibraryError::Library::Cublas ? CUDAMAT_ERROR_CUBLAS
                                                            : CUDAMAT_ERROR_CUDA;
  } catch (const OutOfMemory& error) {
    keep(error.what());
    return CUDAMAT_ERROR_CUBLAS;
  } catch (const CUDAMatException& error) {
    keep(error.what());
    return status_of(error.reason());
  } catch (const std::exception& error) {
    keep(error.what());
    return CUDAMAT_ERROR_GENERIC;
  } catch (...) {
    keep("an unknown exception");
    return CUDAMAT_ERROR_GENERIC;
  }
}

const char* last_error() noexcept {
  return last_text.empty() ? "no error" : last_text.c_str();
}

}  // namespace cudamat::capi
