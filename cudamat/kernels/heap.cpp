#include "cudamat/kernels/heap.hpp"

#include <algorithm>
#include <mutex>

namespace cudamat::kernels {
namespace {

std::mutex mutex;  ///< guards the blocks that are kept

}  // namespace

std::vector<std::shared_ptr<Heap::Block>>& Heap::kept() {
  static auto* const blocks = new std::vector<std::shared_ptr<Block>>;
  return *blocks;
}

Heap::Heap() {
  const std::lock_guard lock(mutex);
  for (const std::shared_ptr<Block>& block : kept()) {
    uses_.push_back({block});
    bytes_ += block->bytes;
  }
}

std::vector<simt::Memory> Heap::memories() const {
  std::vector<simt::Memory> found;
  for (const Use& use : uses_)
    found.push_back({use.block->data.get(), use.block->bytes, simt::Memory::Kind::Array,
                     use.block->written, true});
  return found;
}

void* Heap::allocate(simt::Checks& checks, std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes > kMostBytes - bytes_) return nullptr;
  bytes_ += bytes;
  const Use& use = uses_.emplace_back(Use{std::make_shared<Block>(bytes), true});
  checks.add({use.block->data.get(), bytes, simt::Memory::Kind::Array, false});
  return use.block->data.get();
}

bool Heap::release(simt::Checks& checks, void* data) {
  if (data == nullptr) return true;
  const auto found = std::ranges::find_if(
      uses_, [&](const Use& use) { return !use.freed && use.block->data.get() == data; });
  if (found == uses_.end()) return false;
  found->freed = true;
  bytes_ -= found->block->bytes;
  checks.remove(found->block->data.get());
  return true;
}

void Heap::keep(const simt::Checks& checks) {
  const std::lock_guard lock(mutex);
  for (const Use& use : uses_) {
    use.block->written |= checks.has_written(use.block->data.get());
    if (use.freed)
      std::erase(kept(), use.block);
    else if (use.fresh)
      kept().push_back(use.block);
  }
}

}  // namespace cudamat::kernels
