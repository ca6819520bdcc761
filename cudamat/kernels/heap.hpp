// What kernels on the CPU allocate with malloc and new, which later launches use and free.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cudamat/simt/checks.hpp"

namespace cudamat::kernels {

/// The heap as one launch sees it. It changes for others when the launch was sound.
class Heap {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8}
                                            << 20;  ///< CUDA's cudaLimitMallocHeapSize

  Heap();
  /// The blocks of earlier launches.
  [[nodiscard]] std::vector<simt::Memory> memories() const;

  /// nullptr where there is no room.
  void* allocate(simt::Checks& checks, std::size_t bytes);
  /// Whether it was a block's address.
  bool release(simt::Checks& checks, void* data);
  /// After a sound launch.
  void keep(const simt::Checks& checks);

 private:
  struct Block {
    explicit Block(std::size_t n) : bytes(n), data(new std::byte[n]) {}
    std::size_t bytes;
    std::unique_ptr<std::byte[]> data;
    bool written = false;
    bool is_fresh = true;  ///< of the launch that runs
  };
  using Blocks = std::unordered_map<const void*, std::shared_ptr<Block>>;  ///< by their data
  /// Those of earlier launches.
  static Blocks& kept();

  Blocks blocks_;
  std::size_t bytes_ = 0;                ///< of those
  std::vector<const void*> given_back_;  ///< those of earlier launches that this one has freed
  /// The last that were freed: nothing else is at their addresses, so that who uses one is found.
  std::deque<std::shared_ptr<Block>> freed_;
  std::size_t freed_bytes_ = 0;
};

}  // namespace cudamat::kernels
