// The regions of memory and what surrounds them.
//
//   | page without access | slack | data | slack | page without access |
//
// The data is at the end of its pages, up to kAlignment. Slack holds a pattern that is NaN as well,
// and that writes change.
#include "cudamat/simt/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "cudamat/simt/execute.hpp"
#include "cudamat/simt/failure.hpp"

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#define SIMT_NO_ASAN __attribute__((no_sanitize("address")))
#else
#define SIMT_NO_ASAN
#endif

namespace simt {
namespace {

constexpr std::size_t kNear = 64;          ///< slack bytes before the data that are always checked
constexpr std::size_t kQuarantine = 4096;  ///< freed regions that are kept without access
constexpr std::uint32_t kCanary = 0xFFFFFDFD;  ///< a NaN, as a pair too

using Regions = std::map<const std::byte*, Region>;  ///< by the mapping's first address

struct Registry {
  std::mutex mutex;
  std::vector<Region> live;  ///< in the order of their mappings; every kernel has all looked at
  Regions freed;
  std::deque<const std::byte*> quarantine;  ///< of `freed`, the oldest first
  bool strict = false;
  int accessing = 0;
};

/// Never destroyed: memory may be freed after static objects.
Registry& registry() {
  static auto* const the_registry = [] {
    auto* const made = new Registry;
    const char* const value = std::getenv("SIMT_STRICT");
    const std::string_view text = value == nullptr ? "0" : value;
    if (text != "0" && text != "1") fail("SIMT_STRICT=%s: it takes 0 or 1", value);
    made->strict = text == "1";
    return made;
  }();
  return *the_registry;
}

std::size_t up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

std::byte canary_at(const std::byte* address) {
  const auto shift = reinterpret_cast<std::uintptr_t>(address) % 4 * 8;
  return static_cast<std::byte>(kCanary >> shift);
}

void hide(const std::byte* begin, const std::byte* end) {
#ifdef SIMT_ASAN
  ASAN_POISON_MEMORY_REGION(begin, static_cast<std::size_t>(end - begin));
#else
  (void)begin, (void)end;
#endif
}

void show(const std::byte* begin, std::size_t bytes) {
#ifdef SIMT_ASAN
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
#else
  (void)begin, (void)bytes;
#endif
}

SIMT_NO_ASAN void write_canary(std::byte* begin, std::byte* end) {
  for (; begin < end && reinterpret_cast<std::uintptr_t>(begin) % 4 != 0; ++begin)
    *begin = canary_at(begin);
  for (; begin + 4 <= end; begin += 4) *reinterpret_cast<volatile std::uint32_t*>(begin) = kCanary;
  for (; begin < end; ++begin) *begin = canary_at(begin);
}

/// The first byte that is not the canary's; `end` if there is none.
SIMT_NO_ASAN const std::byte* find_damage(const std::byte* begin, const std::byte* end) {
  constexpr std::uint64_t kPair = std::uint64_t{kCanary} << 32 | kCanary;
  for (; begin < end && reinterpret_cast<std::uintptr_t>(begin) % 8 != 0; ++begin)
    if (*begin != canary_at(begin)) return begin;
  while (begin + 8 <= end && *reinterpret_cast<const volatile std::uint64_t*>(begin) == kPair)
    begin += 8;
  for (; begin < end; ++begin)
    if (*begin != canary_at(begin)) return begin;
  return end;
}

const char* name_of(Kind kind) {
  return kind == Kind::kDevice ? "an allocation" : "pinned memory";
}

[[noreturn]] void fail_damage(const Region& region, const std::byte* at) {
  char text[200];
  describe_offset(text, sizeof text, name_of(region.kind), at - region.data, region.bytes);
  fail("%s was written", text);
}

std::byte* pages_begin(const Region& region) {
  return region.base + kPage;
}
std::byte* pages_end(const Region& region) {
  return region.base + region.length - kPage;
}

void check_region(const Region& region, bool all) {
  const std::byte* begin = pages_begin(region);
  if (!all && region.data - begin > std::ptrdiff_t(kNear)) begin = region.data - kNear;
  const std::byte* const before = find_damage(begin, region.data);
  if (before != region.data) fail_damage(region, before);
  const std::byte* const after = find_damage(region.data + region.bytes, pages_end(region));
  if (after != pages_end(region)) fail_damage(region, after);
}

void protect(const Region& region, int access) {
  if (mprotect(pages_begin(region), region.length - 2 * kPage, access) != 0)
    fail("mprotect failed for %zu bytes", region.length);
}

bool hidden(const Registry& all, const Region& region) {
  return all.strict && all.accessing == 0 && region.kind == Kind::kDevice;
}

void forget_oldest(Registry& all) {
  if (all.quarantine.size() <= kQuarantine) return;
  const auto found = all.freed.find(all.quarantine.front());
  munmap(found->second.base, found->second.length);
  all.freed.erase(found);
  all.quarantine.pop_front();
}

/// The first live region whose mapping begins after the address.
std::vector<Region>::const_iterator after(const std::vector<Region>& live, const std::byte* at) {
  return std::ranges::upper_bound(live, at, {}, &Region::base);
}

/// The region whose mapping holds the address; the registry is locked.
const Region* locate(const Registry& all, const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  const auto holds = [&](const Region& region) {
    return at - region.base < std::ptrdiff_t(region.length);
  };
  const auto live = after(all.live, at);
  if (live != all.live.begin() && holds(*std::prev(live))) return &*std::prev(live);
  const auto freed = all.freed.upper_bound(at);
  if (freed != all.freed.begin() && holds(std::prev(freed)->second))
    return &std::prev(freed)->second;
  return nullptr;
}

constexpr std::size_t kNanBytes = std::size_t{2} << 20;

/// A file of bytes that are NaN, read for large allocations, most of which nobody looks at.
int nan_file() {
  static const int file = [] {
    const int made = memfd_create("nan", MFD_CLOEXEC);
    const std::string bytes(kNanBytes, '\xFF');
    if (made < 0 || write(made, bytes.data(), kNanBytes) != ssize_t(kNanBytes))
      throw std::bad_alloc();
    return made;
  }();
  return file;
}

/// Whole pages from `begin` on are the file's, until they are written. Returns their end.
std::byte* map_nan(std::byte* begin, std::byte* end) {
  for (; begin + kNanBytes <= end; begin += kNanBytes)
    if (mmap(begin, kNanBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, nan_file(), 0) ==
        MAP_FAILED)
      throw std::bad_alloc();
  return begin;
}

/// A mapping of pages with access between two without.
std::byte* map_pages(std::size_t pages) {
  void* const base = mmap(nullptr, pages + 2 * kPage, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(base);
  if (mprotect(first + kPage, pages, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, pages + 2 * kPage);
    throw std::bad_alloc();
  }
  return first;
}

}  // namespace

void* map(Kind kind, int device, std::size_t bytes) {
  watch_faults();
  const std::size_t pages = up(bytes, kPage);
  std::byte* const base = map_pages(pages);
  std::byte* const data = base + kPage + pages - up(bytes, kAlignment);
  const Region region{base, pages + 2 * kPage, data, bytes, kind, device, false};
  std::byte* const rest = std::max(data, map_nan(pages_begin(region), data + bytes));
  write_canary(pages_begin(region), data);
  std::memset(rest, 0xFF, static_cast<std::size_t>(data + bytes - rest));
  write_canary(data + bytes, pages_end(region));
  hide(pages_begin(region), data);
  hide(data + bytes, pages_end(region));
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (hidden(all, region)) protect(region, PROT_NONE);
  all.live.insert(after(all.live, base), region);
  return data;
}

Unmapped unmap(Kind kind, void* data, std::size_t* bytes, int* device) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const Region* const region = locate(all, data);
  if (region == nullptr || region->data != data || region->kind != kind) return Unmapped::kUnknown;
  if (region->freed) fail("double free of %s of %zu bytes", name_of(kind), region->bytes);
  protect(*region, PROT_READ | PROT_WRITE);
  check_region(*region, true);
  show(pages_begin(*region), region->length - 2 * kPage);
  if (mmap(region->base, region->length, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    fail("mmap failed for %zu bytes", region->length);
  *bytes = region->bytes;
  *device = region->device;
  const std::byte* const key = region->base;
  all.freed.emplace(key, *region).first->second.freed = true;
  all.live.erase(all.live.begin() + (region - all.live.data()));
  all.quarantine.push_back(key);
  forget_oldest(all);
  return Unmapped::kDone;
}

namespace {

bool find(const Registry& all, const void* address, Region* found) {
  const Region* const region = locate(all, address);
  if (region != nullptr) *found = *region;
  return region != nullptr;
}

}  // namespace

bool find_region(const void* address, Region* found) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return find(all, address, found);
}

bool find_region_after_fault(const void* address, Region* found) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  return lock.owns_lock() && find(all, address, found);
}

std::vector<Region> live_regions() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.live;
}

void check_canaries(bool near_and_far) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  // Each is in a page of its own: with thousands of them, to wait for memory is most of the time.
  constexpr std::size_t kAhead = 12;
  for (std::size_t i = 0; i < all.live.size(); ++i) {
    if (i + kAhead < all.live.size()) {
      const Region& later = all.live[i + kAhead];
      __builtin_prefetch(later.data - 1);
      __builtin_prefetch(later.data + later.bytes);
    }
    if (!hidden(all, all.live[i])) check_region(all.live[i], near_and_far);
  }
}

bool check_range(const void* data, std::size_t bytes, const char* verb) {
  Region region;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const Region* const found = locate(all, data);
    if (found == nullptr) return false;
    region = *found;
  }
  const std::ptrdiff_t offset = static_cast<const std::byte*>(data) - region.data;
  char text[200];
  if (region.freed) {
    describe_offset(text, sizeof text, name_of(region.kind), offset, region.bytes);
    fail("%s %s, which was freed", verb, text);
  }
  if (offset < 0 || std::size_t(offset) > region.bytes) {
    describe_offset(text, sizeof text, name_of(region.kind), offset, region.bytes);
    fail("%s %s", verb, text);
  }
  if (bytes > region.bytes - std::size_t(offset))
    fail("%s %zu bytes from byte %td of %s of %zu bytes: %zu bytes past its end", verb, bytes,
         offset, name_of(region.kind), region.bytes, bytes - (region.bytes - std::size_t(offset)));
  return true;
}

void check_kernel_pointer(const void* pointer) {
  if (pointer == nullptr) return;
  Region region;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    // One past the end of memory without slack is the page after it.
    const Region* const found = locate(all, pointer);
    if (found == nullptr) fail("the kernel is given a pointer to memory of the host");
    region = *found;
  }
  if (region.freed)
    fail("the kernel is given a pointer to %s of %zu bytes, which was freed", name_of(region.kind),
         region.bytes);
}

void describe_offset(char* text, std::size_t size, const char* what, std::ptrdiff_t offset,
                     std::size_t bytes) {
  if (offset < 0)
    std::snprintf(text, size, "%td bytes before %s of %zu bytes", -offset, what, bytes);
  else if (std::size_t(offset) >= bytes)
    std::snprintf(text, size, "byte %td of %s of %zu bytes, %zu bytes past its end", offset, what,
                  bytes, std::size_t(offset) - bytes);
  else
    std::snprintf(text, size, "byte %td of %s of %zu bytes", offset, what, bytes);
}

// ---- strict ----

namespace {

void protect_device_memory(Registry& all, int access) {
  for (const Region& region : all.live)
    if (region.kind == Kind::kDevice) protect(region, access);
}

}  // namespace

void set_strict_memory(bool strict) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.strict == strict) return;
  all.strict = strict;
  if (all.accessing == 0) protect_device_memory(all, strict ? PROT_NONE : PROT_READ | PROT_WRITE);
}

DeviceAccess::DeviceAccess() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.accessing++ == 0 && all.strict) protect_device_memory(all, PROT_READ | PROT_WRITE);
}

DeviceAccess::~DeviceAccess() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (--all.accessing == 0 && all.strict) protect_device_memory(all, PROT_NONE);
}

// ---- shared memory ----

namespace {

constexpr std::size_t kSharedPages = std::size_t{48} << 10;

}  // namespace

SharedMemory::~SharedMemory() {
  if (base_ == nullptr) return;
  show(base_ + kPage, kSharedPages);
  munmap(base_, kSharedPages + 2 * kPage);
}

void SharedMemory::resize(std::size_t bytes) {
  if (base_ == nullptr) {
    base_ = map_pages(kSharedPages);
    first_page_ = base_ + kPage;
    end_ = first_page_ + kSharedPages;
    data_ = end_;
  } else if (bytes == bytes_) {
    return;
  }
  show(base_ + kPage, kSharedPages);
  bytes_ = bytes;
  std::byte* const first = end_ - up(bytes, kPage);
  if (first != base_ + kPage)
    mprotect(base_ + kPage, std::size_t(first - base_) - kPage, PROT_NONE);
  if (first != end_) mprotect(first, std::size_t(end_ - first), PROT_READ | PROT_WRITE);
  first_page_ = first;
  data_ = end_ - up(bytes, kAlignment);
  write_canary(first_page_, data_);
  write_canary(data_ + bytes_, end_);
  hide(first_page_, data_);
  hide(data_ + bytes_, end_);
}

void SharedMemory::poison() {
  std::memset(data_, 0xFF, bytes_);
}

void SharedMemory::check() const {
  const std::byte* damage = find_damage(first_page_, data_);
  if (damage == data_) damage = find_damage(data_ + bytes_, end_);
  if (damage == end_) return;
  char text[200];
  describe_offset(text, sizeof text, "shared memory", damage - data_, bytes_);
  fail("%s was written", text);
}

bool SharedMemory::owns(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return base_ != nullptr && at >= base_ && at < end_ + kPage;
}

}  // namespace simt
