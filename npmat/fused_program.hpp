// A fused statement on the CPU engine: a program for one tile of the space, a run of elements whose
// values fit the first caches.
//
// A value is stored in a slot, memory for one tile that is reused after the value's last use; or
// directly in a target; or in a chunk that a reduction reads. What is prepared here once is the
// same for every tile. A compiled loop of the body, if there is one, replaces the steps.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "cudamat/fused.hpp"
#include "npmat/fused_ahead.hpp"
#include "npmat/fused_loops.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/random.hpp"

namespace npmat::fused {

/// Where the numbers of an operand or of a result are.
struct Place {
  enum class In : std::uint8_t { Nowhere, Slot, Chunk, Target, Input, Number };
  In in = In::Nowhere;
  int index = 0;
};

/// How a matrix meets a tile, the elements [p, p + n) of the space in column-major order, p being
/// element i of column j. Where columns are tall and their ends matter, a tile is in one column.
enum class Lie : std::uint8_t {
  Line,       ///< contiguous: data + p
  Piece,      ///< a piece of a column: data + i + ld * j
  Column,     ///< a piece of the only column: data + i
  Number,     ///< one number: data[ld * j]
  Scattered,  ///< none of these: copied, by columns
};

template <class T>
struct Instruction {
  enum class Kind : std::uint8_t { Matrix, Scalar, Where, Uniform, Normal, Load, Loop };
  Kind kind = Kind::Load;
  Place a, b, c;  ///< Scalar: b is a number, or nowhere; Load: a is an input; draws: a is the draw;
                  ///< Loop: none, and no `out`: its operands are the program's
  Place out;
  union {
    decltype(MapTile<T>::matrix) matrix = nullptr;
    decltype(MapTile<T>::scalar) scalar;
  };
  std::size_t stores = 0;  ///< the stores below this are done after it
};

struct Store {
  Place value, to;
};

/// A matrix of the call.
template <class T>
struct Laid {
  T* data;
  Index ld;
  Lie lie;
  bool streamed = false;  ///< a target that is written past the caches
};

/// What a compiled loop makes: in its place, or in a slot, from where pieces are streamed to a
/// target.
struct LoopOutput {
  Place place;
  int streamed_to = -1;
};

/// An input that comes from memory.
struct FromMemory {
  int input = 0;
  bool written = false;  ///< it is a target, too
};

/// How targets are written that are no inputs: past the caches if they are large, or never, or
/// always.
enum class Writes : std::uint8_t { BySize, Cached, Streamed };

/// How a walk through a space is one of several.
struct Walk {
  Writes writes = Writes::BySize;
  /// If the space is some of the rows of one that has so many, sums along the rows have the order
  /// that they have there.
  Index rows_of_all = -1;
  /// What is to be asked for meanwhile, and how much of that with an element of this walk.
  Ahead* ahead = nullptr;
  Index weight = 0;
  bool compiles = true;  ///< whether a compiled loop may take the place of the steps
};

template <class T>
struct Program {
  Program(const cudamat::FusedCall<T>& of, const Walk& how, std::pmr::memory_resource* memory);

  const cudamat::FusedCall<T>& call;
  Walk walk;
  bool by_columns = false;  ///< tiles must not cross the ends of columns
  bool has_scattered = false;
  bool is_large = false;  ///< its matrices are in memory rather than in the caches
  int slots = 0, chunks = 0;
  Index grain = 0;  ///< elements of about 10 microseconds
  std::pmr::vector<Laid<const T>> inputs;
  std::pmr::vector<Laid<T>> targets;
  /// What is asked for before it is read; nothing in the caches, or where `walk.ahead` does that.
  std::pmr::vector<FromMemory> from_memory;
  std::pmr::vector<Instruction<T>> code;
  std::pmr::vector<Store> stores;
  std::pmr::vector<Place> reduced;  ///< of targets: where a reduction finds its value
  std::vector<Generator> draws;
  std::optional<Loop<T>> loop;  ///< takes the time of the run, too
  std::pmr::vector<Place> loop_inputs;
  std::pmr::vector<LoopOutput> loop_outputs;
};

}  // namespace npmat::fused
