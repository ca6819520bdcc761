#include "cudamat/capi/choice.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "cudamat/error.hpp"

namespace cudamat::capi {
namespace {

struct Decision {
  Choice choice = Choice::Npmat;
  std::string refused;  ///< why there is no engine, if there is none
};

#ifdef CUDAMAT_CAPI_CUDA
bool has_gpu() {
  return cuda::device_count() > 0;
}
std::string gpu() {
  return cuda::describe_device();
}
#else
bool has_gpu() {
  return false;
}
std::string gpu() {
  return "this build has no CUDA engine";
}
#endif

Decision decide() {
  const char* const text = std::getenv("GNUMPY_USE_GPU");
  const std::string_view use = text == nullptr || *text == '\0' ? "auto" : text;
  if (use == "no") return {};
  if (use != "auto" && use != "yes")
    return {{}, fmt::format("[cudamat] GNUMPY_USE_GPU must be auto, yes or no; got '{}'", use)};
  const bool found = has_gpu();
  if (use == "yes" && !found)
    return {
        {},
        fmt::format("[cudamat] GNUMPY_USE_GPU=yes: {}; GNUMPY_USE_GPU=no runs on the CPU", gpu())};
  if (use == "auto")
    fmt::print(stderr, "cudamat: computing on the {} ({}); GNUMPY_USE_GPU=yes|no chooses\n",
               found ? "GPU" : "CPU", gpu());
  return {found ? Choice::Cuda : Choice::Npmat, {}};
}

}  // namespace

Choice choice() {
  static const Decision decision = decide();
  if (!decision.refused.empty()) throw LibraryError(LibraryError::Library::Cuda, decision.refused);
  return decision.choice;
}

}  // namespace cudamat::capi
