#include "cudamat/kernels/heap.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace cudamat::kernels {
namespace {

constexpr std::size_t kMostFreed = 4096;  ///< blocks whose addresses are not used again

std::mutex mutex;  ///< guards the blocks that are kept

}  // namespace

Heap::Blocks& Heap::kept() {
  static auto* const blocks = new Blocks;
  return *blocks;
}

Heap::Heap() {
  const std::lock_guard lock(mutex);
  blocks_ = kept();
  for (const auto& [data, block] : blocks_) bytes_ += block->bytes;
}

std::vector<simt::Memory> Heap::memories() const {
  std::vector<simt::Memory> found;
  for (const auto& [data, block] : blocks_)
    found.push_back(
        {block->data.get(), block->bytes, simt::Memory::Kind::Array, block->written, true});
  return found;
}

void* Heap::allocate(simt::Checks& checks, std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes > kMostBytes - bytes_) return nullptr;
  const auto block = std::make_shared<Block>(bytes);
  bytes_ += bytes;
  blocks_.emplace(block->data.get(), block);
  checks.add({block->data.get(), bytes, simt::Memory::Kind::Array, false});
  return block->data.get();
}

bool Heap::release(simt::Checks& checks, void* data) {
  if (data == nullptr) return true;
  auto found = blocks_.extract(data);
  if (found.empty()) return false;
  const std::shared_ptr<Block>& block = freed_.emplace_back(std::move(found.mapped()));
  bytes_ -= block->bytes;
  freed_bytes_ += block->bytes;
  checks.remove(block->data.get());
  if (!block->is_fresh) given_back_.push_back(data);
  while (freed_.size() > kMostFreed || freed_bytes_ > kMostBytes) {
    freed_bytes_ -= freed_.front()->bytes;
    freed_.pop_front();
  }
  return true;
}

void Heap::keep(const simt::Checks& checks) {
  const std::lock_guard lock(mutex);
  for (const void* const data : given_back_) kept().erase(data);
  for (const auto& [data, block] : blocks_) {
    block->written |= checks.has_written(block->data.get());
    if (std::exchange(block->is_fresh, false)) kept().emplace(data, block);
  }
}

}  // namespace cudamat::kernels
