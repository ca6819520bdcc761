// What an RBM learns from, and the numbers that every layer begins with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cudamat/shape.hpp"
#include "npmat/array.hpp"

namespace rbm {

using cudamat::Index;

/// Pictures of one size, each a case: height x width pixels, row by row, 255 for what is lit.
struct Pictures {
  std::string name;  ///< for the report: "bars and stripes", or where they were read
  Index height = 0;
  Index width = 0;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] Index size() const { return height * width; }
  [[nodiscard]] Index cases() const {
    return size() == 0 ? 0 : static_cast<Index>(pixels.size()) / size();
  }
  /// Cases x pixels, in [0, 1].
  template <class T>
  [[nodiscard]] npmat::Array<T> array() const {
    npmat::Array<T> result{{cases(), size()}, {pixels.begin(), pixels.end()}};
    for (T& pixel : result.data) pixel /= T(255);
    return result;
  }
};

/// Bars and stripes: side x side pictures of which either whole rows or whole columns are lit, each
/// with probability one half, and a tenth of the pixels flipped. Pixels are 0 or 255.
Pictures bars_and_stripes(Index side, Index cases, std::uint64_t seed);

/// MNIST's training pictures in the folder, or else its test pictures; at most `cases` of them if
/// that is not 0. Throws CUDAMatException for files that are missing or damaged.
Pictures read_mnist(const std::string& folder, Index cases);

/// 0.1 * standard normal numbers of the seed's stream, row by row.
template <class T>
npmat::Array<T> initial_weights(Index num_vis, Index num_hid, std::uint64_t seed);

/// The numbers with which an epoch over `cases` cases samples the hidden units, row by row: those
/// that an engine whose stream starts with the seed draws for the batches of its first epoch.
template <class T>
npmat::Array<T> uniform_draws(Index cases, Index num_hid, std::uint64_t seed);

}  // namespace rbm
