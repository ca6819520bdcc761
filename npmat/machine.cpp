#include "npmat/machine.hpp"

#include <cstdlib>
#include <string_view>

#include "cudamat/error.hpp"

namespace npmat {
namespace {

using cudamat::misuse;
using cudamat::Reason;

constexpr const char* kVectors = "CUDAMAT_CPU_VECTORS";
constexpr const char* kPrefetch = "CUDAMAT_CPU_PREFETCH";
constexpr std::string_view kNames[] = {"baseline", "avx2", "avx512"};  ///< by Vectors

/// "auto" for a variable that is empty or missing.
std::string_view environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? "auto" : text;
}

/// The best that the processor has: as CUDAMAT_TARGET_CLONES.
Vectors vectors_of_processor() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Vectors::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return Vectors::Avx2;
#endif
  return Vectors::Baseline;
}

Vectors vectors() {
  const Vectors best = vectors_of_processor();
  const std::string_view asked = environment(kVectors);
  if (asked == "auto") return best;
  for (const Vectors some : {Vectors::Baseline, Vectors::Avx2, Vectors::Avx512}) {
    if (asked != kNames[int(some)]) continue;
    if (some > best)
      misuse(Reason::Unsupported, kVectors, "this processor has no {}; its best is {}", asked,
             kNames[int(best)]);
    return some;
  }
  misuse(Reason::Unsupported, kVectors, "must be auto, baseline, avx2 or avx512; got '{}'", asked);
}

bool prefetches() {
  const std::string_view asked = environment(kPrefetch);
  if (asked == "yes") return true;
  if (asked == "no") return false;
  if (asked != "auto")
    misuse(Reason::Unsupported, kPrefetch, "must be auto, yes or no; got '{}'", asked);
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_is("amd") == 0;
#else
  return true;
#endif
}

}  // namespace

Machine machine_of_environment() {
  return {vectors(), prefetches()};
}

const Machine& machine() {
  static const Machine found = machine_of_environment();
  return found;
}

}  // namespace npmat
