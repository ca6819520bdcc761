// SHA-256 (FIPS 180-4): what compiled code is known by.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cudamat::code {

using Digest = std::array<std::uint8_t, 32>;

/// Of bytes that come one after the other.
class Digester {
 public:
  Digester& bytes(std::string_view more);
  /// The bytes, and before them how many: parts that are cut otherwise give another digest.
  Digester& part(std::string_view more);
  /// Of all there was. The digester is of no use afterwards.
  Digest finish();

 private:
  void block(const std::uint8_t* data);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t size_ = 0;
};

/// 64 hexadecimal digits.
std::string hex(const Digest& digest);

}  // namespace cudamat::code
