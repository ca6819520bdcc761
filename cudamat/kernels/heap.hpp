// What kernels on the CPU allocate with malloc and new, which later launches use and free.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cudamat/simt/checks.hpp"

namespace cudamat::kernels {

/// The heap as one launch sees it. It changes for others when the launch was sound.
class Heap {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8}
                                            << 20;  ///< CUDA's cudaLimitMallocHeapSize

  Heap();
  /// The blocks that there are, and those that the launch has made and freed since.
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
  };
  struct Use {
    std::shared_ptr<Block> block;
    bool fresh = false, freed = false;
  };
  static std::vector<std::shared_ptr<Block>>& kept();

  std::vector<Use> uses_;  ///< in the order of their numbers among the launch's memories
  std::size_t bytes_ = 0;
};

}  // namespace cudamat::kernels
