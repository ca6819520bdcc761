#include "gnumpy/storage.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "cudamat/error.hpp"
#include "gnumpy/memory.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {
namespace {

using detail::Engine;
using detail::Index;
using detail::Storage;

constexpr std::size_t kReported = 5;       // of the lines that hold most
constexpr std::int64_t kLittle = 1 << 20;  // bytes

/// All that is known of the memory of garrays.
struct Books {
  std::mutex mutex;
  Storage* first = nullptr;
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t kept = 0;
  std::int64_t limit = 0;
  std::int64_t looked_at = 0;       // of in_use, when memory_has_grown() last said so
  std::atomic<bool> grown = false;  // since then
  std::map<std::pair<int, Index>, std::vector<void*>> reuse;  // by Engine::reuse_among() and size

  std::int64_t give_back(Engine& engine) {
    const std::int64_t bytes = kept;
    for (auto& [of, blocks] : reuse) {
      for (void* block : blocks) engine.deallocate(block, of.second);
      blocks.clear();
    }
    kept = 0;
    return bytes;
  }
};

// Never destroyed: garrays of static duration end after it would be.
Books& books() {
  static Books& books = *new Books;
  return books;
}

std::vector<Allocator> allocators_of(const Books& books, std::int64_t minimum_bytes) {
  std::map<std::pair<std::string, unsigned>, Allocator> lines;
  const int element = detail::engine().bytes_per_element();
  for (const Storage* s = books.first; s != nullptr; s = s->next()) {
    Allocator& line = lines[{s->where().file_name(), s->where().line()}];
    line.file = s->where().file_name();
    line.line = s->where().line();
    line.bytes += s->size() * element;
    ++line.arrays;
  }
  std::vector<Allocator> sorted;
  for (auto& [place, line] : lines)
    if (line.bytes >= minimum_bytes) sorted.push_back(std::move(line));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Allocator& a, const Allocator& b) { return a.bytes > b.bytes; });
  return sorted;
}

std::string largest(const Books& books) {
  std::vector<Allocator> lines = allocators_of(books, 1);
  if (lines.size() > kReported) lines.resize(kReported);
  return to_string(lines);
}

}  // namespace

namespace detail {

Storage::Storage(Index size, std::source_location where)
    : size_(size), reuse_among_(engine().reuse_among()), where_(where) {
  Engine& on = engine();
  const int element = on.bytes_per_element();
  std::int64_t bytes = 0;
  Books& all = books();
  const std::scoped_lock lock(all.mutex);
  const auto refuse = [&](const std::string& why) {
    throw Refused(fmt::format(
        "[garray] {}:{}: no memory for {} elements of {} bytes: {}; in use: {} bytes{}\n{}",
        where.file_name(), where.line(), size, element, why, all.in_use,
        all.limit > 0 ? fmt::format(", allowed: {}", all.limit) : "", largest(all)));
  };
  if (__builtin_mul_overflow(size, element, &bytes)) refuse("more than 2^63 bytes");
  const auto kept = all.reuse.find({reuse_among_, size});
  if (kept != all.reuse.end() && !kept->second.empty()) {
    data_ = kept->second.back();
    kept->second.pop_back();
    all.kept -= bytes;
  } else {
    const auto exceeds = [&] { return all.limit > 0 && bytes > all.limit - all.in_use - all.kept; };
    if (exceeds()) all.give_back(on);
    if (exceeds()) refuse("the limit would be exceeded");
    allocated();
    try {
      data_ = on.allocate(size);
    } catch (const cudamat::OutOfMemory&) {
      all.give_back(on);
      try {
        data_ = on.allocate(size);
      } catch (const cudamat::OutOfMemory& error) {
        refuse(error.what());
      }
    }
  }
  all.in_use += bytes;
  all.peak = std::max(all.peak, all.in_use);
  if (all.in_use - all.looked_at > all.looked_at / 4 + kLittle) all.grown = true;
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

Storage::Storage(void* data, Index size, std::shared_ptr<void> owner, std::source_location where)
    : data_(data), size_(size), where_(where), owner_(std::move(owner)), sharers_(1) {}

Storage::~Storage() {
  if (owner_ != nullptr) return;
  Books& all = books();
  const std::scoped_lock lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  const std::int64_t bytes = size_ * engine().bytes_per_element();
  all.in_use -= bytes;
  all.looked_at = std::min(all.looked_at, all.in_use);
  if (reuse_among_ == Engine::kNoReuse || reuse_among_ != engine().reuse_among()) {
    engine().deallocate(data_, size_);
    return;
  }
  try {
    all.reuse[{reuse_among_, size_}].push_back(data_);
    all.kept += bytes;
  } catch (const std::bad_alloc&) {
    engine().deallocate(data_, size_);
  }
  if (all.kept > all.peak) all.give_back(engine());  // sizes that no longer occur
}

bool memory_has_grown() {
  Books& all = books();
  if (!all.grown.load(std::memory_order_relaxed)) return false;
  const std::scoped_lock lock(all.mutex);
  all.grown = false;
  all.looked_at = all.in_use;
  return true;
}

}  // namespace detail

void max_memory_usage(std::int64_t bytes) {
  if (bytes < 0) cudamat::misuse("max_memory_usage", "bytes must be 0 or more; got {}", bytes);
  Books& all = books();
  const std::scoped_lock lock(all.mutex);
  all.limit = bytes;
}

std::int64_t max_memory_usage() {
  const std::scoped_lock lock(books().mutex);
  return books().limit;
}

std::int64_t memory_in_use() {
  const std::scoped_lock lock(books().mutex);
  return books().in_use;
}

std::int64_t memory_available(bool free_first) {
  if (free_first) free_reuse_cache();
  detail::Engine& on = detail::engine();
  Books& all = books();
  const std::scoped_lock lock(all.mutex);
  const std::int64_t here = on.free_bytes() + all.kept;
  return all.limit > 0 ? std::max<std::int64_t>(0, std::min(here, all.limit - all.in_use)) : here;
}

std::int64_t peak_memory() {
  const std::scoped_lock lock(books().mutex);
  return books().peak;
}

void reset_peak_memory() {
  const std::scoped_lock lock(books().mutex);
  books().peak = books().in_use;
}

std::int64_t free_reuse_cache() {
  detail::Engine& on = detail::engine();
  const std::scoped_lock lock(books().mutex);
  return books().give_back(on);
}

std::vector<Allocator> memory_allocators(std::int64_t minimum_bytes) {
  const std::scoped_lock lock(books().mutex);
  return allocators_of(books(), minimum_bytes);
}

std::string to_string(const std::vector<Allocator>& allocators) {
  std::string text;
  for (const Allocator& line : allocators)
    text += fmt::format("  {:>14} bytes in {} {}, made in {}:{}\n", line.bytes, line.arrays,
                        line.arrays == 1 ? "array" : "arrays", line.file, line.line);
  return text;
}

std::string status() {
  detail::Engine& on = detail::engine();
  std::string text = fmt::format("{} ({})\n", on.name(), on.on_gpu() ? "GPU" : "CPU");
  text += fmt::format("memory in use: {} bytes, available: {} bytes", memory_in_use(),
                      memory_available());
  const std::scoped_lock lock(books().mutex);
  if (books().limit > 0) text += fmt::format(", allowed: {} bytes", books().limit);
  text += fmt::format(", kept for reuse: {} bytes\n", books().kept);
  return text + largest(books());
}

}  // namespace gnumpy
