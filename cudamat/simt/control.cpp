// Faults and handles.
#include <fmt/format.h>

#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"
#include "cudamat/simt/simt.hpp"

namespace simt {
namespace {

struct Faults {
  std::mutex mutex;
  std::int64_t calls = 0;
  std::int64_t fail_at = 0;  ///< of `calls`; 0: none
  bool sticky = false;
  std::string failed;
};

Faults& faults() {
  static auto* const the_faults = new Faults;
  return *the_faults;
}

bool to_fail(const char* call) {
  Faults& all = faults();
  const std::lock_guard lock(all.mutex);
  ++all.calls;
  if (all.fail_at == 0 || all.calls < all.fail_at) return false;
  all.failed = call;
  if (!all.sticky) all.fail_at = 0;
  return true;
}

}  // namespace

void fail_call(std::int64_t n, bool sticky) {
  Faults& all = faults();
  const std::lock_guard lock(all.mutex);
  all.fail_at = n == 0 ? 0 : all.calls + n;
  all.sticky = sticky;
}

std::int64_t calls() {
  const std::lock_guard lock(faults().mutex);
  return faults().calls;
}

std::string failed_call() {
  const std::lock_guard lock(faults().mutex);
  return faults().failed;
}

cudaError_t begin(const char* call, cudaError_t fault) {
  if (to_fail(call)) return fault;
  if (const cudaError_t error = missing_device()) return error;
  return forbidden_in_capture(call);
}

// ---- handles ----

void Handles::add(const void* handle) {
  const std::lock_guard lock(mutex_);
  live_.insert(handle);
}
bool Handles::remove(const void* handle) {
  const std::lock_guard lock(mutex_);
  return live_.erase(handle) != 0;
}
bool Handles::has(const void* handle) {
  const std::lock_guard lock(mutex_);
  return live_.count(handle) != 0;
}
void Handles::list(std::vector<std::string>& lines) {
  const std::lock_guard lock(mutex_);
  lines.insert(lines.end(), live_.size(), what_);
}

Handles& events() {
  static auto* const handles = new Handles("event");
  return *handles;
}
Handles& cublas_handles() {
  static auto* const handles = new Handles("cuBLAS handle");
  return *handles;
}
Handles& cusolver_handles() {
  static auto* const handles = new Handles("cuSOLVER handle");
  return *handles;
}
Handles& cusolver_params() {
  static auto* const handles = new Handles("cuSOLVER options");
  return *handles;
}
Handles& generators() {
  static auto* const handles = new Handles("cuRAND generator");
  return *handles;
}

std::vector<std::string> leaks() {
  host_waits_for_device(-1);
  std::vector<std::string> lines;
  for (const Region& region : live_regions())
    lines.push_back(fmt::format("{} memory of {} bytes",
                                region.kind == Kind::kDevice ? "device" : "pinned", region.bytes));
  lines.insert(lines.end(), live_streams(), "stream");
  events().list(lines);
  cublas_handles().list(lines);
  cusolver_handles().list(lines);
  cusolver_params().list(lines);
  generators().list(lines);
  graphs().list(lines);
  return lines;
}

}  // namespace simt
