#include "cudamat/simt/checks.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <simt_host.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cudamat/simt/executor.hpp"

namespace simt {

namespace {

bool is_atomic(Touch what) {
  return what == Touch::kAtomic || what == Touch::kExchange;
}

}  // namespace

Checks::Checks(const std::vector<Memory>& memories, std::size_t threads, bool continues)
    : threads_(static_cast<std::uint32_t>(threads)), lanes_(threads), continues_(continues) {
  for (const Memory& memory : memories) {
    add(memory);
    ++added_;
  }
}

Checks::~Checks() {
  for (auto& [data, region] : regions_) drop_cells(region);
}

void Checks::add(const Memory& memory) {
  Region region;
  static_cast<Memory&>(region) = memory;
  region.number = added_;
  regions_.emplace(memory.data, region);
}

void Checks::remove(const std::byte* data) {
  const auto found = regions_.find(data);
  if (found == regions_.end()) return;
  std::ranges::replace(found_, &found->second, nullptr);
  drop_cells(found->second);
  regions_.erase(found);
}

// ---- where ----

inline Checks::Region* Checks::find(const std::byte* data) {
  const auto bits = reinterpret_cast<std::uintptr_t>(data);
  Region*& found = found_[(bits >> 16 ^ bits >> 36) % found_.size()];
  if (found == nullptr || std::size_t(data - found->data) >= found->bytes) {
    Region* const region = search(data);
    if (region == nullptr) return nullptr;
    found = region;
  }
  return found;
}

Checks::Region* Checks::search(const std::byte* data) {
  const auto after = regions_.upper_bound(data);
  if (after == regions_.begin()) return nullptr;
  Region& before = std::prev(after)->second;
  return data < before.data + before.bytes ? &before : nullptr;
}

const Checks::Region* Checks::nearest(const std::byte* data) const {
  constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 34;
  const auto after = regions_.upper_bound(data);
  const Region* const next = after == regions_.end() ? nullptr : &after->second;
  const Region* const last = after == regions_.begin() ? nullptr : &std::prev(after)->second;
  const std::ptrdiff_t to_next = next == nullptr ? kFar : next->data - data;
  const std::ptrdiff_t to_last = last == nullptr ? kFar : data - (last->data + last->bytes);
  if (std::min(to_next, to_last) >= kFar) return nullptr;
  return to_last <= to_next ? last : next;
}

void Checks::make_cells(Region& region, int shift) {
  region.shift = shift;
  region.count = (region.bytes >> shift) + 1;
  region.mapped = 3 * region.count * sizeof(Event);
  void* const cells = mmap(nullptr, region.mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (cells == MAP_FAILED) throw std::bad_alloc();
  region.events = static_cast<Event*>(cells);
}

void Checks::drop_cells(Region& region) {
  if (region.events != nullptr) munmap(region.events, region.mapped);
  region.events = nullptr;
}

/// A cell for each byte from now on.
void Checks::refine(Region& region) {
  Region fine = region;
  make_cells(fine, 0);
  if (region.dirty)
    for (std::size_t kind = 0; kind < 3; ++kind)
      for (std::size_t i = 0; i < fine.count; ++i)
        if (const Event& event = region.events[kind * region.count + (i >> region.shift)];
            event.who != 0)
          fine.events[kind * fine.count + i] = event;
  drop_cells(region);
  region = fine;
}

// ---- faults ----

Fault Checks::fault_of(Fault::Kind kind, const Region* region, std::ptrdiff_t offset, Touch what) {
  Fault fault;
  fault.kind = kind;
  fault.what = what;
  if (region == nullptr) return fault;
  fault.memory = static_cast<int>(region->number);
  fault.memory_bytes = region->bytes;
  fault.memory_kind = region->kind;
  fault.offset = offset;
  return fault;
}

void Checks::fail(Fault fault) {
  fault.bytes = bytes_;
  fault.address = data_;
  fault.place = place_;
  fault_ = fault;
  abandon("access");
}

/// Ends the launch, or keeps the fault.
void Checks::note(Fault fault) {
  if (!continues_) fail(fault);
  if (!noted_places_.emplace(fault.kind, place_).second) return;
  fault.bytes = bytes_;
  fault.address = data_;
  fault.place = place_;
  noted_.emplace_back(fault, Failed("access", running(), nullptr));
}

bool Checks::tolerates(const char* text) {
  const auto same = [text](const auto& noted) {
    return std::strcmp(noted.second.what(), text) == 0;
  };
  Fault fault;
  fault.kind = Fault::Kind::Text;
  if (continues_ && std::ranges::none_of(noted_, same))
    noted_.emplace_back(fault, Failed(text, running(), nullptr));
  return continues_;
}

/// What goes on writes where memory of others may be: that is as before at the next access.
void Checks::outside(const std::byte* at, Region* region, Touch what) {
  const Region* const near = region != nullptr ? region : nearest(at);
  const Fault fault =
      fault_of(Fault::Kind::Outside, near, near == nullptr ? 0 : at - near->data, what);
  note(fault);
  const bool in_slack = near != nullptr && at >= near->data - near->slack &&
                        at + bytes_ <= near->data + near->bytes + near->slack;
  if (in_slack || what == Touch::kRead) return;
  before_.resize(bytes_);
  iovec to{before_.data(), bytes_}, from{const_cast<std::byte*>(at), bytes_};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes_)) fail(fault);
  outside_ = const_cast<std::byte*>(at);
}

void Checks::restore() {
  if (outside_ != nullptr) std::memcpy(outside_, before_.data(), before_.size());
  outside_ = nullptr;
}

void Checks::race(const Region& region, std::size_t at, const Event& before, Touch before_what,
                  Touch what) {
  Fault fault =
      fault_of(Fault::Kind::Race, &region, static_cast<std::ptrdiff_t>(at << region.shift), what);
  if ((before.place & kAtomic) != 0) before_what = Touch::kAtomic;
  fault.other = {block_of(before.who), static_cast<int>(thread_of(before.who)), before_what,
                 before.place & ~kAtomic};
  note(fault);
}

void Checks::misaligned(const void* data, std::size_t bytes, Touch what, std::uint32_t place) {
  const auto [begin, end] = running_stack();
  if (data >= begin && data < end) return;
  data_ = data;
  bytes_ = bytes;
  place_ = place;
  const auto* const at = static_cast<const std::byte*>(data);
  const Region* const region = find(at);
  fail(fault_of(Fault::Kind::Misaligned, region, region == nullptr ? 0 : at - region->data, what));
}

void Checks::enter(const void* frame, std::uint32_t place) {
  constexpr std::ptrdiff_t kNeeded = std::ptrdiff_t{16} << 10;  // by what is called here
  const auto [begin, end] = running_stack();
  if (static_cast<const std::byte*>(frame) - static_cast<const std::byte*>(begin) > kNeeded) return;
  place_ = place;
  Fault fault;
  fault.kind = Fault::Kind::Overflow;
  fail(fault);
}

void Checks::interrupt(std::uint32_t place) {
  place_ = place;
  Fault fault;
  fault.kind = Fault::Kind::Interrupted;
  fail(fault);
}

// ---- order ----

/// Whether what another thread did is over for the one that runs.
inline bool Checks::ordered(const Event& before) const {
  return (in_block(before) && !in_phase(before)) || ordered_otherwise(before);
}

bool Checks::ordered_otherwise(const Event& before) const {
  if (before.who == first_ + thread_) return true;
  if (in_block(before)) {
    const std::uint32_t other = before.who - first_;
    const Lane& mine = lanes_[thread_];
    if (other / kWarp == thread_ / kWarp && mine.known[other % kWarp] >= before.time) return true;
  }
  return !channels_.empty() && released(before);
}

/// Whether the thread knows of a release behind the event.
bool Checks::released(const Event& before) const {
  const auto in = [&](const Known& known) {
    return std::ranges::any_of(known, [&](const auto& entry) {
      const auto& [channel, count] = entry;
      const auto block = channel->by_block.find(block_of(before.who));
      if (block == channel->by_block.end()) return false;
      return std::ranges::any_of(block->second, [&](const auto& numbered) {
        const auto& [number, release] = numbered;
        return number < count && (before.time < release.ordered_block ||
                                  (before.who == release.who && before.time <= release.time));
      });
    });
  };
  return in(lanes_[thread_].acquired) || in(block_acquired_);
}

/// An atomic operation: acquires what others have released here, and releases what the thread did
/// before its last fence.
void Checks::synchronise(const void* data) {
  Lane& lane = lanes_[thread_];
  if (lane.fence == 0 && channels_.empty()) return;
  const auto found = channels_.find(data);
  if (found == channels_.end() && lane.fence == 0) return;
  Channel& channel = found == channels_.end() ? channels_[data] : found->second;
  if (channel.count > 0) lane.acquired[&channel] = channel.count;
  if (lane.fence == 0) return;
  const std::uint32_t me = first_ + thread_;
  auto& releases = channel.by_block[block_];
  const Release release{me, lane.fence, lane.ordered_block};
  const auto same = std::ranges::find_if(releases, [&](const auto& numbered) {
    return numbered.second.who == me && numbered.second.time == release.time;
  });
  if (same == releases.end()) releases.emplace_back(channel.count++, release);
}

void Checks::fence() {
  Lane& lane = lanes_[std::size_t(current().number)];
  lane.fence = lane.time;
  lane.ordered_block = block_time_;
  lane.time = ++time_;
}

void Checks::begin_block(std::uint64_t block) {
  block_ = static_cast<std::uint32_t>(block);
  first_ = block_ * threads_ + 1;
  block_acquired_.clear();
  for (Lane& lane : lanes_) {
    lane.acquired.clear();
    lane.fence = 0;
  }
  order_block();
}

void Checks::end_block() {
  std::erase_if(channels_, [this](const auto& entry) {
    const Region* const region = find(static_cast<const std::byte*>(entry.first));
    return region != nullptr && region->kind == Memory::Kind::Shared;
  });
  for (auto& [data, region] : regions_) {
    if (region.kind != Memory::Kind::Shared || !region.dirty) continue;
    std::memset(region.events, 0, region.mapped);
    region.dirty = false;
  }
}

void Checks::order_block() {
  block_time_ = ++time_;
  for (Lane& lane : lanes_) {
    lane.time = block_time_;
    lane.known = {};
    for (const auto& [channel, count] : lane.acquired) {
      std::uint32_t& known = block_acquired_[channel];
      known = std::max(known, count);
    }
    lane.acquired.clear();
  }
}

void Checks::order_lanes(int first, unsigned mask) {
  std::array<std::uint32_t, kWarp> known{};
  Known acquired;
  const auto each = [&](const auto& act) {
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const int i = __builtin_ctz(rest);
      act(lanes_[std::size_t(first + i)], i);
    }
  };
  each([&](const Lane& lane, int i) {
    for (std::size_t k = 0; k < known.size(); ++k) known[k] = std::max(known[k], lane.known[k]);
    known[std::size_t(i)] = std::max(known[std::size_t(i)], lane.time);
    for (const auto& [channel, count] : lane.acquired)
      acquired[channel] = std::max(acquired[channel], count);
  });
  const std::uint32_t now = ++time_;
  each([&](Lane& lane, int) {
    lane.known = known;
    lane.time = now;
    if (!acquired.empty()) lane.acquired = acquired;
  });
}

// ---- accesses ----

/// Two reads stay, those that a later write is least likely to be ordered with.
inline void Checks::keep_read(const Cell& cell, const Event& now) const {
  const auto warp_of = [this](const Event& event) { return (event.who - first_) / kWarp; };
  const auto is_other_block = [this](const Event& event) {
    return event.who != 0 && !in_block(event);
  };
  if (cell.read.who == 0 || ordered(cell.read)) {
    cell.read = now;
    return;
  }
  if (is_other_block(cell.read)) std::swap(cell.read, cell.other_read);
  if (cell.read.who == 0 || ordered(cell.read)) {
    cell.read = now;
  } else if (cell.other_read.who == 0 || ordered(cell.other_read)) {
    cell.other_read = now;
  } else if (!is_other_block(cell.other_read) && warp_of(cell.other_read) == warp_of(cell.read)) {
    if (warp_of(now) != warp_of(cell.read)) cell.other_read = now;
  }
}

inline void Checks::touch_cell(Region& region, std::size_t at, const Event& now, Touch what,
                               bool& fresh) {
  const Cell cell = region.cell(at);
  if (cell.write.who != 0) {
    fresh = false;
    const bool both_atomic = is_atomic(what) && (cell.write.place & kAtomic) != 0;
    if (cell.write.who != now.who && !both_atomic && !ordered(cell.write))
      race(region, at, cell.write, Touch::kWrite, what);
  }
  if (what == Touch::kRead) {
    if (cell.read.who == now.who && cell.read.time == now.time) return;
    const bool enough = cell.other_read.who != 0 && in_phase(cell.read) &&
                        in_phase(cell.other_read) &&
                        (cell.read.who - first_) / kWarp != (cell.other_read.who - first_) / kWarp;
    if (!enough) keep_read(cell, now);
    return;
  }
  for (const Event* const read : {&cell.read, &cell.other_read})
    if (read->who != 0 && read->who != now.who && !ordered(*read))
      race(region, at, *read, Touch::kRead, what);
  if (cell.write.who == 0) record(region, at);
  cell.write = now;
  for (Event* const read : {&cell.read, &cell.other_read})
    if (read->who != 0) read->who = 0;
}

/// Before the first write to the cell's bytes.
void Checks::record(Region& region, std::size_t at) {
  region.changed = true;
  if (!region.recorded) return;
  Overwritten& old = overwritten_.emplace_back();
  old.data = region.data + (at << region.shift);
  old.bytes = 1u << region.shift;
  std::memcpy(old.before.data(), old.data, old.bytes);
}

std::vector<std::size_t> Checks::written_to() const {
  std::vector<std::size_t> numbers;
  for (const auto& [data, region] : regions_)
    if (region.recorded && region.changed)
      numbers.push_back(static_cast<std::size_t>(region.number));
  return numbers;
}

bool Checks::has_written(const std::byte* data) const {
  const auto found = regions_.find(data);
  return found != regions_.end() && found->second.changed;
}

void Checks::touch(const void* data, std::size_t bytes, Touch what, std::uint32_t place) {
  if (outside_ != nullptr) [[unlikely]]
    restore();
  if (bytes == 0) return;
  const auto* const at = static_cast<const std::byte*>(data);
  data_ = data;
  bytes_ = bytes;
  place_ = place;
  Region* const region = find(at);
  if (region == nullptr || bytes > region->bytes - std::size_t(at - region->data)) {
    const auto [begin, end] = running_stack();
    if (region == nullptr && data >= begin && data < end) return;
    return outside(at, region, what);
  }
  thread_ = static_cast<std::uint32_t>(current().number);
  const auto offset = std::size_t(at - region->data);
  if (region->events == nullptr) make_cells(*region, region->shift);
  if (region->shift != 0 && (offset % 4 != 0 || bytes % 4 != 0)) refine(*region);
  region->dirty = true;
  if (is_atomic(what)) synchronise(data);
  const Lane& lane = lanes_[thread_];
  const Event now{first_ + thread_, lane.time, place | (is_atomic(what) ? kAtomic : 0)};
  bool fresh = !region->written;
  const std::size_t end = (offset + bytes + (std::size_t{1} << region->shift) - 1) >> region->shift;
  for (std::size_t cell = offset >> region->shift; cell < end; ++cell)
    touch_cell(*region, cell, now, what, fresh);
  if (!fresh || what == Touch::kWrite || what == Touch::kExchange) return;
  note(fault_of(Fault::Kind::NeverWritten, region, static_cast<std::ptrdiff_t>(offset), what));
}

}  // namespace simt
