#include "cudamat/simt/checks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <simt_host.h>
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
    : format_{static_cast<int>(std::bit_width(threads - 1))},
      sites_(1024),
      lanes_(threads),
      continues_(continues) {
  for (const Memory& memory : memories) {
    add(memory);
    ++added_;
  }
}

void Checks::add(const Memory& memory) {
  Region region;
  static_cast<Memory&>(region) = memory;
  region.number = added_;
  regions_.emplace(memory.data, std::move(region));
}

void Checks::remove(const std::byte* data) {
  const auto found = regions_.find(data);
  if (found == regions_.end()) return;
  std::ranges::replace(found_, &found->second, nullptr);
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

/// From now on a cell for each 1 << shift bytes, which are fewer than before.
void Checks::make_cells(Region& region, int shift) {
  region.cells = region.cells.is_there() ? region.cells.converted(region.bytes, shift, format_)
                                         : Cells(region.bytes, shift, format_);
}

/// There are more times or sites than cells have room for.
void Checks::widen() {
  format_.is_wide = true;
  for (auto& [data, region] : regions_)
    if (region.cells.is_there())
      region.cells = region.cells.converted(region.bytes, region.cells.shift(), format_);
}

std::uint32_t Checks::next_time() {
  if (++time_ >= format_.times() && !format_.is_wide) widen();
  return time_;
}

/// Where the place's number is, or is to be.
inline std::uint32_t& Checks::slot_of(std::uint32_t place) {
  for (std::size_t at = place * 0x9e3779b1u;; ++at) {
    std::uint32_t& site = sites_[at & (sites_.size() - 1)];
    if (site == 0 || places_[site] == place) return site;
  }
}

/// The place's number. Places are few, and soon all known.
inline std::uint32_t Checks::site_of(std::uint32_t place) {
  const std::uint32_t site = slot_of(place);
  return site != 0 ? site : add_site(place);
}

std::uint32_t Checks::add_site(std::uint32_t place) {
  if (places_.size() >= format_.sites() && !format_.is_wide) widen();
  if (places_.size() >= format_.sites()) return 0;
  places_.push_back(place);
  if (2 * places_.size() > sites_.size()) sites_.assign(2 * sites_.size(), 0);
  for (std::uint32_t i = 1; i < places_.size(); ++i) slot_of(places_[i]) = i;
  return static_cast<std::uint32_t>(places_.size() - 1);
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
  Fault fault = fault_of(Fault::Kind::Race, &region,
                         static_cast<std::ptrdiff_t>(at << region.cells.shift()), what);
  if (before.is_atomic) before_what = Touch::kAtomic;
  fault.other = {block_of(before), static_cast<int>(before.thread), before_what,
                 places_[before.site]};
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
  if (in_block(before)) {
    if (before.thread == thread_) return true;
    const Lane& mine = lanes_[thread_];
    if (before.thread / kWarp == thread_ / kWarp &&
        mine.known[before.thread % kWarp] >= before.time)
      return true;
  }
  return !channels_.empty() && released(before);
}

/// Whether the thread knows of a release after the event.
bool Checks::released(const Event& before) const {
  const std::uint32_t of_block = block_of(before);
  const auto in = [&](const Known& known) {
    return std::ranges::any_of(known, [&](const auto& entry) {
      const auto& [channel, count] = entry;
      const auto block = channel->by_block.find(of_block);
      if (block == channel->by_block.end()) return false;
      return std::ranges::any_of(block->second, [&](const auto& numbered) {
        const auto& [number, release] = numbered;
        return number < count && (before.time < release.ordered_block ||
                                  (before.thread == release.thread && before.time <= release.time));
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
  auto& releases = channel.by_block[block_];
  const Release release{thread_, lane.fence, lane.ordered_block};
  const auto same = std::ranges::find_if(releases, [&](const auto& numbered) {
    return numbered.second.thread == thread_ && numbered.second.time == release.time;
  });
  if (same == releases.end()) releases.emplace_back(channel.count++, release);
}

void Checks::fence() {
  Lane& lane = lanes_[std::size_t(current().number)];
  lane.fence = lane.time;
  lane.ordered_block = block_time_;
  lane.time = next_time();
}

void Checks::begin_block(std::uint64_t block) {
  block_ = static_cast<std::uint32_t>(block);
  block_acquired_.clear();
  for (Lane& lane : lanes_) {
    lane.acquired.clear();
    lane.fence = 0;
  }
  order_block();
  begin_time_ = block_time_;
  if (!runs_.empty() && block_ - runs_.back().block == runs_.back().count &&
      begin_time_ - runs_.back().time == runs_.back().count)
    ++runs_.back().count;
  else
    runs_.push_back({begin_time_, block_, 1});
}

std::uint32_t Checks::block_of(const Event& event) const {
  const auto after = std::ranges::upper_bound(runs_, event.time, {}, &Run::time);
  const Run& run = *std::prev(after);
  return run.block + std::min(event.time - run.time, run.count - 1);
}

void Checks::end_block() {
  std::erase_if(channels_, [this](const auto& entry) {
    const Region* const region = find(static_cast<const std::byte*>(entry.first));
    return region != nullptr && region->kind == Memory::Kind::Shared;
  });
  for (auto& [data, region] : regions_) {
    if (region.kind != Memory::Kind::Shared || !region.dirty) continue;
    region.cells.clear();
    region.dirty = false;
  }
}

void Checks::order_block() {
  block_time_ = next_time();
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
  const std::uint32_t now = next_time();
  each([&](Lane& lane, int) {
    lane.known = known;
    lane.time = now;
    if (!acquired.empty()) lane.acquired = acquired;
  });
}

// ---- accesses ----

/// Which of the two reads that stay the new one takes the place of; nullptr: of none. Those stay
/// that a later write is least likely to be ordered with.
inline Event* Checks::replaced_read(Cell& cell, const Event& now) const {
  const auto is_over = [this](const Event& event) { return !event || ordered(event); };
  const auto is_other_block = [this](const Event& event) { return event && !in_block(event); };
  if (is_over(cell.read)) return &cell.read;
  if (is_other_block(cell.read)) std::swap(cell.read, cell.other_read);
  if (is_over(cell.read)) return &cell.read;
  if (is_over(cell.other_read)) return &cell.other_read;
  const std::uint32_t warp = cell.read.thread / kWarp;
  const bool is_better = !is_other_block(cell.other_read) &&
                         cell.other_read.thread / kWarp == warp && now.thread / kWarp != warp;
  return is_better ? &cell.other_read : nullptr;
}

inline void Checks::touch_cell(Region& region, std::size_t at, Event& now, Touch what,
                               bool& fresh) {
  const auto kept = [&]() -> const Event& {
    if (now.site == 0) now.site = site_of(place_);
    return now;
  };
  Cell cell = region.cells.load(at);
  if (cell.write) {
    fresh = false;
    const bool both_atomic = now.is_atomic && cell.write.is_atomic;
    if (!both_atomic && !is_mine(cell.write) && !ordered(cell.write))
      race(region, at, cell.write, Touch::kWrite, what);
  }
  if (what == Touch::kRead) {
    if (cell.read.time == now.time && cell.read.thread == now.thread) return;
    const bool enough = cell.other_read && in_phase(cell.read) && in_phase(cell.other_read) &&
                        cell.read.thread / kWarp != cell.other_read.thread / kWarp;
    if (enough) return;
    Event* const replaced = replaced_read(cell, now);
    if (replaced == nullptr) return;
    *replaced = kept();
    return region.cells.store(at, cell);
  }
  for (const Event& read : {cell.read, cell.other_read})
    if (read && !is_mine(read) && !ordered(read)) race(region, at, read, Touch::kRead, what);
  if (!cell.write) record(region, at);
  region.cells.store(at, {kept(), {}, {}});
}

/// Before the first write to the cell's bytes.
void Checks::record(Region& region, std::size_t at) {
  region.changed = true;
  if (!region.recorded) return;
  Overwritten& old = overwritten_.emplace_back();
  old.data = region.data + (at << region.cells.shift());
  old.bytes = 1u << region.cells.shift();
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
  const int fine = std::countr_zero(offset | bytes | 4);
  if (!region->cells.is_there() || region->cells.shift() > fine) make_cells(*region, fine);
  region->dirty = true;
  if (is_atomic(what)) synchronise(data);
  const Lane& lane = lanes_[thread_];
  Event now{lane.time, thread_, 0, is_atomic(what)};
  bool fresh = !region->written;
  const int shift = region->cells.shift();
  const std::size_t end = (offset + bytes + (std::size_t{1} << shift) - 1) >> shift;
  for (std::size_t cell = offset >> shift; cell < end; ++cell)
    touch_cell(*region, cell, now, what, fresh);
  if (!fresh || what == Touch::kWrite || what == Touch::kExchange) return;
  note(fault_of(Fault::Kind::NeverWritten, region, static_cast<std::ptrdiff_t>(offset), what));
}

}  // namespace simt
