// What is remembered of the accesses to an array: of each few bytes the last write and two reads.
//
// A cell takes 16 bytes, and less where nobody writes or nobody reads: its two words are in pages
// of their own. It has room for three events of 42 bits, which is enough for 2^31 pairs of a thread
// and a time in which it runs, and for 1023 places in the code. Launches that have more need a
// third word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simt {

/// An access.
struct Event {
  std::uint32_t time = 0;    ///< its thread's, which tells the block, too; 0: there was none
  std::uint32_t thread = 0;  ///< its number in the block
  std::uint32_t site = 0;    ///< a number for the place in the code
  bool is_atomic = false;

  explicit operator bool() const { return time != 0; }
};

struct Cell {
  Event write, read, other_read;
};

/// How the events of a launch are written down.
struct EventFormat {
  static constexpr int kBits = 42, kSiteBits = 10, kWideSiteBits = 21, kWideThreadBits = 10;

  int thread_bits;  ///< of numbers of threads in their block
  bool is_wide = false;

  /// Times and sites below these can be written down.
  [[nodiscard]] std::uint64_t times() const {
    return std::uint64_t{1} << (is_wide ? 32 : kBits - kSiteBits - 1 - thread_bits);
  }
  [[nodiscard]] std::uint32_t sites() const { return 1u << (is_wide ? kWideSiteBits : kSiteBits); }
};

/// Of memory of the words of cells.
struct ReleaseWords {
  std::size_t mapped = 0;  ///< bytes; 0: it is calloc()'s
  void operator()(std::uint64_t* words) const;
};

class Cells {
 public:
  Cells() = default;
  /// For an array of so many bytes, a cell for each 1 << shift of them. Throws std::bad_alloc.
  Cells(std::size_t bytes, int shift, const EventFormat& format);

  [[nodiscard]] bool is_there() const { return words_ != nullptr; }
  [[nodiscard]] int shift() const { return shift_; }
  [[nodiscard]] Cell load(std::size_t at) const;
  void store(std::size_t at, const Cell& cell);
  void clear();
  /// The same, for as many bytes or fewer.
  [[nodiscard]] Cells converted(std::size_t bytes, int shift, const EventFormat& format) const;

 private:
  [[nodiscard]] std::uint64_t pack(const Event& event) const;
  [[nodiscard]] Event unpack(std::uint64_t bits) const;

  std::unique_ptr<std::uint64_t[], ReleaseWords>
      words_;              ///< of all cells the first, then the second
  std::size_t count_ = 0;  ///< of cells
  std::size_t bytes_ = 0;  ///< of the words
  int shift_ = 0;
  bool is_wide_ = false;
  // An event, from the lowest bit on: whether it is atomic, its site, its thread, its time.
  int thread_at_ = 0, time_at_ = 0;
  std::uint32_t site_mask_ = 0, thread_mask_ = 0;
};

inline std::uint64_t Cells::pack(const Event& event) const {
  return std::uint64_t{event.time} << time_at_ | std::uint64_t{event.thread} << thread_at_ |
         event.site << 1 | std::uint32_t{event.is_atomic};
}

inline Event Cells::unpack(std::uint64_t bits) const {
  return {static_cast<std::uint32_t>(bits >> time_at_),
          static_cast<std::uint32_t>(bits >> thread_at_) & thread_mask_,
          static_cast<std::uint32_t>(bits >> 1) & site_mask_, (bits & 1) != 0};
}

// In two words: the write and the upper bits of the other read; the read and the lower ones. Zeros
// are not written where there are zeros, or pages that nobody needs would be there.
namespace cells {
constexpr int kBits = EventFormat::kBits;
constexpr int kLower = 64 - kBits;  ///< bits of the other read in the second word
constexpr std::uint64_t kEvent = (std::uint64_t{1} << kBits) - 1;
}  // namespace cells

inline Cell Cells::load(std::size_t at) const {
  const std::uint64_t first = words_[at], second = words_[count_ + at];
  if (is_wide_) return {unpack(first), unpack(second), unpack(words_[2 * count_ + at])};
  const std::uint64_t other = first >> cells::kBits << cells::kLower | second >> cells::kBits;
  return {unpack(first & cells::kEvent), unpack(second & cells::kEvent), unpack(other)};
}

inline void Cells::store(std::size_t at, const Cell& cell) {
  const auto put = [](std::uint64_t& word, std::uint64_t value) {
    if (word != value) word = value;
  };
  const std::uint64_t other = pack(cell.other_read);
  if (is_wide_) {
    put(words_[at], pack(cell.write));
    put(words_[count_ + at], pack(cell.read));
    put(words_[2 * count_ + at], other);
    return;
  }
  put(words_[at], pack(cell.write) | other >> cells::kLower << cells::kBits);
  put(words_[count_ + at], pack(cell.read) | other << cells::kBits);
}

}  // namespace simt
