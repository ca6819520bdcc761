// Runs the program of a fused statement, tile by tile, on one thread.
#pragma once

#include "npmat/engine.hpp"
#include "npmat/fused_program.hpp"
#include "npmat/stream.hpp"

namespace npmat::fused {

/// Memory for n numbers, aligned: a little is on the stack.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index n) : n_(n) {
    if (n > kSmall) large_ = Engine<T>::allocate(n);
  }
  ~Scratch() {
    if (large_ != nullptr) Engine<T>::deallocate(large_, n_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() { return large_ != nullptr ? large_ : small_; }

 private:
  static constexpr Index kSmall = 32768 / Index(sizeof(T));
  Index n_;
  T* large_ = nullptr;
  alignas(64) T small_[kSmall];
};

/// Between slots: where a row of short columns is laid out, more is written than needed; and values
/// at the same place of different slots are not in the same place of a page.
inline constexpr Index kGapBytes = 256;

template <class T>
class Tiles {
 public:
  /// Ranges have at most `longest` elements, and chunks room for `chunk`.
  Tiles(const Program<T>& program, Index longest, Index chunk);
  ~Tiles();
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// Computes the elements [begin, end) of the space, those of a chunk from its element `at` on.
  void run(Index begin, Index end, Index at);

  [[nodiscard]] T* chunk(int index) { return chunks_ + chunk_size_ * index; }

 private:
  static constexpr int kFills = 4;

  void run_tile();
  void prefetch(std::size_t instruction) const;
  void run(const Instruction<T>& instruction);
  void run(const Store& store);
  void run_loop();
  [[nodiscard]] Ahead::Lines ahead_of(Index n) const;
  void load(const Laid<const T>& input, cudamat::Spread how, T* out) const;

  const T* from(const Place& place);
  T* to(const Place& place);
  [[nodiscard]] T number(const Place& place) const;
  template <class U>
  [[nodiscard]] U* at_tile(const Laid<U>& matrix) const;
  const T* filled(T number);

  const Program<T>& program_;
  Index longest_, stride_, chunk_size_;
  Scratch<T> scratch_;
  T *slots_, *fills_, *chunks_;
  const Laid<T>* streamed_ = nullptr;  ///< one of the targets that are, if any is

  // The tile at hand: elements [p_, p_ + n_), in_chunk_ the first one's place in chunks.
  Index p_ = 0, n_ = 0, i_ = 0, j_ = 0, in_chunk_ = 0;

  // Tiles of one number each, for operands that are no number to the loops.
  struct Fill {
    T number = 0;
    Index count = 0;
    std::uint64_t used = 0;
  };
  Fill filled_[kFills];
  std::uint64_t uses_ = 0;
};

}  // namespace npmat::fused
