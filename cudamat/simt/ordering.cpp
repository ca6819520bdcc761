#include "cudamat/simt/ordering.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "cudamat/simt/failure.hpp"
#include "cudamat/simt/memory.hpp"

namespace simt {
namespace {

/// What a work did to an allocation.
struct Past {
  std::uint64_t stream = 0;  ///< 0: nothing yet
  std::uint64_t work = 0;
  const char* name = nullptr;
  const char* verb = nullptr;  ///< "wrote", "allocated", "freed", "reads"
};

struct Uses {
  Past last;  ///< of what all others must come after: an allocation, a write or a free
  bool freed = false;
  std::map<std::uint64_t, Past> reads;  ///< since, by stream
};

struct Ordering {
  std::mutex mutex;
  Clock host;
  std::map<const void*, Uses> uses;  ///< by where the allocation begins
};

Ordering& ordering() {
  static auto* const the_ordering = new Ordering;
  return *the_ordering;
}

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  std::transform(other.begin(), other.end(), clock.begin(), clock.begin(),
                 [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

bool is_done(const Timeline& timeline, const Past& past) {
  if (past.stream == 0 || past.stream == timeline.number) return true;
  return past.stream < timeline.known.size() && timeline.known[past.stream] >= past.work;
}

const char* verb_of(Access access) {
  switch (access) {
    case Access::kWrite:
      return "writes";
    case Access::kFree:
      return "frees";
    default:
      return "reads";
  }
}

void check_order(const Timeline& timeline, const Region& region, Access access, const Past& past) {
  if (!is_done(timeline, past))
    fail("%s %s of %zu bytes on stream %llu, which %s %s on stream %llu: nothing orders the two",
         verb_of(access), region.kind == Kind::kDevice ? "an allocation" : "pinned memory",
         region.bytes, static_cast<unsigned long long>(timeline.number), past.name, past.verb,
         static_cast<unsigned long long>(past.stream));
}

void order_use(const Timeline& timeline, const char* name, const Region& region, Access access) {
  Uses& uses = ordering().uses[region.data];
  const Past here{timeline.number, timeline.works, name, nullptr};
  const auto past = [&](const char* verb) { return Past{here.stream, here.work, name, verb}; };
  if (access == Access::kAllocate) {
    uses = {past("allocated"), false, {}};
    return;
  }
  // What looks like a pointer in a structure may be padding that once was one.
  if (uses.freed && access == Access::kUnsure) return;
  if (uses.freed)
    fail("%s an allocation of %zu bytes on stream %llu, which %s freed on stream %llu",
         verb_of(access), region.bytes, static_cast<unsigned long long>(timeline.number),
         uses.last.name, static_cast<unsigned long long>(uses.last.stream));
  check_order(timeline, region, access, uses.last);
  if (access == Access::kRead || access == Access::kUnsure) {
    uses.reads[timeline.number] = past("reads");
    return;
  }
  for (const auto& [stream, read] : uses.reads) check_order(timeline, region, access, read);
  uses = {past(access == Access::kFree ? "freed" : "wrote"), access == Access::kFree, {}};
}

/// The live region that a pointer is into.
bool find_used(const void* pointer, Region* region) {
  const auto* const at = static_cast<const std::byte*>(pointer);
  return pointer != nullptr && find_region(pointer, region) && !region->freed &&
         at >= region->data && at <= region->data + region->bytes;
}

std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  const auto* at = static_cast<const std::byte*>(data);
  for (; bytes > 0; at += 8, bytes -= std::min<std::size_t>(bytes, 8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, std::min<std::size_t>(bytes, 8));
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  return hash;
}

std::atomic<std::uint64_t> timelines = 0;

}  // namespace

Timeline::Timeline() : number(++timelines) {}

Clock clock_of(const Timeline& timeline) {
  const std::lock_guard lock(ordering().mutex);
  Clock clock = timeline.known;
  clock.resize(std::max<std::size_t>(clock.size(), timeline.number + 1));
  clock[timeline.number] = timeline.works;
  return clock;
}

void order_stream(Timeline& timeline, const Clock& clock) {
  const std::lock_guard lock(ordering().mutex);
  join(timeline.known, clock);
}

void order_host(const Clock& clock) {
  const std::lock_guard lock(ordering().mutex);
  join(ordering().host, clock);
}

std::uint64_t order_work(Timeline& timeline, const char* name, const std::vector<Use>& uses) {
  const Doing doing(name);
  const std::lock_guard lock(ordering().mutex);
  join(timeline.known, ordering().host);
  ++timeline.works;
  for (const Use& use : uses) {
    Region region{};
    if (find_used(use.pointer, &region)) order_use(timeline, name, region, use.access);
  }
  return timeline.works;
}

void forget_uses(const void* data) {
  const std::lock_guard lock(ordering().mutex);
  ordering().uses.erase(data);
}

Writes::Writes(const Timeline& timeline, std::uint64_t work, const char* name,
               const std::vector<Use>& uses)
    : stream_(timeline.number), work_(work), name_(name) {
  for (const Use& use : uses) {
    Region region{};
    if (use.access == Access::kUnsure && find_used(use.pointer, &region))
      contents_.push_back({region.data, region.bytes, hash_of(region.data, region.bytes)});
  }
}

Writes::~Writes() {
  for (const Content& content : contents_) {
    if (hash_of(content.data, content.bytes) == content.hash) continue;
    const std::lock_guard lock(ordering().mutex);
    Uses& uses = ordering().uses[content.data];
    uses.last = {stream_, work_, name_, "wrote"};
  }
}

}  // namespace simt
