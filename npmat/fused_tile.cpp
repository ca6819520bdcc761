#include "npmat/fused_tile.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "npmat/loop_source.hpp"
#include "npmat/target_clones.hpp"

namespace npmat::fused {
namespace {

using In = Place::In;

constexpr Index kShort = 16;  ///< columns that are laid out in wholes of this length

/// What comes from memory is asked for in time only if little of it is computed at once. Measured:
/// 4096 x 4096 floats took 0.75 to 0.9 of the time with half a tile, 64 x 128 took 1.0 to 1.2.
template <class T>
Index tile_of(const Program<T>& program) {
  const bool asks = program.walk.ahead != nullptr || !program.from_memory.empty();
  return program.is_large && asks ? kTile<T> / 2 : kTile<T>;
}

template <class T>
constexpr Index kLine = 64 / Index(sizeof(T));

/// What a compiled loop computes between requests to memory, and how far ahead those are. Measured:
/// bench/results/fused-pieces-xeon-2core.md.
template <class T>
constexpr Index kPiece = 512 / Index(sizeof(T));
constexpr Index kAheadBytes = 2048;

Index rounded(Index n, Index unit) {
  return (n + unit - 1) / unit * unit;
}

/// Elements between the last beginning of a cache line and this place.
template <class T>
Index past_line(const T* at) {
  return Index(reinterpret_cast<std::uintptr_t>(at) % 64 / sizeof(T));
}

/// Copies n elements, from element i of column j on, between a matrix and a line of memory:
/// move(of the matrix, of the line, count).
template <class U, class V, class Move>
void for_pieces(U* matrix, Index ld, Index rows, Index i, V* line, Index n, const Move& move) {
  U* column = matrix;
  for (Index done = 0; done < n; i = 0, column += ld) {
    const Index piece = std::min(rows - i, n - done);
    move(column + i, line + done, piece);
    done += piece;
  }
}

template <class T>
void copy_piece(const T* from, T* to, Index n) {
  if (n > kShort) {
    std::copy_n(from, n, to);
    return;
  }
#pragma GCC unroll 1
  for (Index i = 0; i < n; ++i) to[i] = from[i];
}

/// to[k * to_step] = from[k * from_step].
template <class T, class FromStep, class ToStep>
CUDAMAT_TARGET_CLONES void copy_by_steps(const T* from, FromStep from_step, T* to, ToStep to_step,
                                         Index n) {
#pragma GCC ivdep
  for (Index k = 0; k < n; ++k) to[k * to_step] = from[k * from_step];
}

/// The same of columns of one element; a step of 2, which vectors load, is a constant.
template <class T>
void copy_steps(const T* from, Index from_step, T* to, Index to_step, Index n) {
  using One = std::integral_constant<Index, 1>;
  using Two = std::integral_constant<Index, 2>;
  if (to_step != 1) return copy_by_steps(from, from_step, to, to_step, n);
  if (from_step == 2) return copy_by_steps(from, Two(), to, One(), n);
  copy_by_steps(from, from_step, to, One(), n);
}

/// lay_row() of columns of `rows` elements, a constant.
template <Index rows, class T>
CUDAMAT_TARGET_CLONES void lay_few(const T* row, Index ld, Index i, T* out, Index n) {
  Index done = 0;
  for (; i > 0 && done < rows - i; ++done) out[done] = *row;
  if (i > 0) row += ld;
  const Index columns = (n - done + rows - 1) / rows;
#pragma GCC ivdep
  for (Index j = 0; j < columns; ++j)
    for (Index r = 0; r < rows; ++r) out[done + rows * j + r] = row[ld * j];
}

/// The numbers of a row of short columns, one for each element.
template <class T>
void lay_row(const T* row, Index ld, Index rows, Index i, T* out, Index n) {
  if (rows == 2) return lay_few<2>(row, ld, i, out, n);
  if (rows == 3) return lay_few<3>(row, ld, i, out, n);
  if (rows == 4) return lay_few<4>(row, ld, i, out, n);
  Index left = rows - i;
  for (Index done = 0; done < n; done += left, left = rows, row += ld) {
    if (rows <= kShort)
      std::fill_n(out + done, kShort, *row);
    else
      std::fill_n(out + done, std::min(left, n - done), *row);
  }
}

/// A column, from its element i on, again and again.
template <class T>
void lay_column(const T* column, Index rows, Index i, T* out, Index n) {
  const Index end = std::min(rows - i, n), begin = std::min(i, n - end);
  std::copy_n(column + i, end, out);
  std::copy_n(column, begin, out + end);
  Index filled = end + begin;
  for (; filled < n; filled *= 2) std::copy_n(out, std::min(filled, n - filled), out + filled);
}

/// For some of the lines, which are omitted then.
void ask(Ahead::Lines& lines, Index some) {
  for (Index line = 0; line < some; ++line)
    __builtin_prefetch(lines.at + line * Ahead::kLine, 0, 2);
  lines.at += some * Ahead::kLine;
  lines.count -= some;
}

}  // namespace

template <class T>
Tiles<T>::Tiles(const Program<T>& program, Index longest, Index chunk)
    : program_(program),
      longest_(std::min(rounded(longest, kMapBlock), tile_of(program))),
      stride_(longest_ + kGapBytes / Index(sizeof(T))),
      chunk_size_(rounded(chunk, kMapBlock)),
      scratch_(stride_ * (program.slots + kFills) + chunk_size_ * program.chunks),
      slots_(scratch_.data()),
      fills_(slots_ + stride_ * program.slots),
      chunks_(fills_ + stride_ * kFills) {
  for (const Laid<T>& target : program.targets)
    if (target.streamed) streamed_ = &target;
}

template <class T>
Tiles<T>::~Tiles() {
  if (streamed_ != nullptr) stream_fence();
}

template <class T>
void Tiles<T>::run(Index begin, Index end, Index at) {
  const Index rows = program_.call.rows;
  for (p_ = begin, in_chunk_ = at; p_ < end; p_ += n_, in_chunk_ += n_) {
    n_ = std::min(longest_, end - p_);
    if (program_.by_columns || program_.has_scattered) {
      j_ = p_ / rows;
      i_ = p_ - rows * j_;
    }
    if (program_.by_columns) {
      n_ = std::min(n_, rows - i_);
      if (streamed_ != nullptr && i_ == 0) {
        // Lines that are not wholly written are read, and stores wait for that.
        const T* const column = at_tile(*streamed_);
        __builtin_prefetch(column + rows - 1, 1);
        __builtin_prefetch(column + streamed_->ld, 1);
      }
    }
    // The next tile begins with a line of the target: a line is streamed as a whole or not at all.
    if (streamed_ != nullptr && n_ == longest_) n_ -= past_line(at_tile(*streamed_) + n_);
    run_tile();
  }
}

template <class T>
void Tiles<T>::run_tile() {
  const bool in_steps = program_.loop_outputs.empty();  // a loop sees to it itself
  Ahead::Lines ahead = in_steps ? ahead_of(n_) : Ahead::Lines();
  std::size_t stored = 0;
  std::size_t done = 0;
  for (const Instruction<T>& instruction : program_.code) {
    run(instruction);
    for (; stored < instruction.stores; ++stored) run(program_.stores[stored]);
    if (ahead.count > 0) ask(ahead, ahead.count / Index(program_.code.size() - done));
    if (in_steps) prefetch(done++);
  }
  for (; stored < program_.stores.size(); ++stored) run(program_.stores[stored]);
}

/// The inputs of the tile after this one, a part of them after each instruction: memory would be
/// idle while values in the caches are computed.
template <class T>
void Tiles<T>::prefetch(std::size_t instruction) const {
  asm volatile("");  // GCC drops calls of a function that does nothing but ask for memory
  if (p_ + 2 * n_ > program_.call.rows * program_.call.cols) return;
  const bool ends_column = program_.by_columns && i_ + n_ == program_.call.rows;
  if (n_ < longest_ && !ends_column) return;
  const Index lines = n_ / kLine<T>, parts = Index(program_.code.size()), part = Index(instruction);
  const Index begin = lines * part / parts, end = lines * (part + 1) / parts;
  for (const FromMemory& asked : program_.from_memory) {
    const Laid<const T>& input = program_.inputs[std::size_t(asked.input)];
    const T* const next = ends_column && input.lie == Lie::Piece ? input.data + input.ld * (j_ + 1)
                                                                 : at_tile(input) + n_;
    for (Index line = begin; line < end; ++line) __builtin_prefetch(next + line * kLine<T>);
  }
}

template <class T>
void Tiles<T>::run(const Instruction<T>& instruction) {
  using Kind = typename Instruction<T>::Kind;
  T* const out = instruction.out.in == In::Nowhere ? nullptr : to(instruction.out);
  const auto index = std::size_t(instruction.a.index);
  switch (instruction.kind) {
    case Kind::Matrix:
      return instruction.matrix(from(instruction.a), from(instruction.b), T(1), out, n_);
    case Kind::Scalar:
      return instruction.scalar(from(instruction.a), number(instruction.b), T(1), out, n_);
    case Kind::Where:
      return where_tile(from(instruction.a), from(instruction.b), from(instruction.c), out, n_);
    case Kind::Uniform:
      return program_.draws[index].peek_uniform(out, p_, p_ + n_);
    case Kind::Normal:
      return program_.draws[index].peek_normal(out, p_, p_ + n_);
    case Kind::Load:
      return load(program_.inputs[index], program_.call.body.inputs[index], out);
    case Kind::Loop:
      return run_loop();
  }
}

template <class T>
Ahead::Lines Tiles<T>::ahead_of(Index n) const {
  const Walk& walk = program_.walk;
  return walk.ahead == nullptr ? Ahead::Lines() : walk.ahead->next(n * walk.weight);
}

template <class T>
void Tiles<T>::run_loop() {
  const T* in[kMostLoopPointers];
  T* out[kMostLoopPointers];
  const auto& inputs = program_.loop_inputs;
  const auto& outputs = program_.loop_outputs;
  const auto& asked = program_.from_memory;
  Index steps[kMostLoopPointers];  // from an element to the next
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Place& place = inputs[i];
    const Laid<const T>* const input =
        place.in == In::Input ? &program_.inputs[std::size_t(place.index)] : nullptr;
    const bool single = input != nullptr && input->lie == Lie::Number;
    in[i] = input == nullptr ? to(place) : single ? input->data + input->ld * j_ : at_tile(*input);
    steps[i] = single ? 0 : 1;
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) out[o] = to(outputs[o].place);
  // What is read kAheadBytes after: of views, some columns on where those are short.
  const T* next[kMostLoopPointers];
  const Index later = kAheadBytes / Index(sizeof(T));
  const Index columns = program_.by_columns ? (i_ + later) / program_.call.rows : 0;
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const Laid<const T>& input = program_.inputs[std::size_t(asked[a].input)];
    next[a] = at_tile(input) + later;
    if (input.lie == Lie::Piece) next[a] += (input.ld - program_.call.rows) * columns;
  }
  const Index most = asked.empty() ? n_ : kPiece<T>;
  for (Index at = 0, some = most; at < n_; at += some) {
    some = std::min(most, n_ - at);
    // Pieces end with a line of the target, as tiles do, but for the last one.
    if (streamed_ != nullptr && at + some < n_) some -= past_line(at_tile(*streamed_) + at + some);
    for (std::size_t a = 0; a < asked.size(); next[a++] += some) {
      if (asked[a].written)
        for (Index i = 0; i < some; i += kLine<T>) __builtin_prefetch(next[a] + i, 1);
      else
        for (Index i = 0; i < some; i += kLine<T>) __builtin_prefetch(next[a] + i);
    }
    const Ahead::Lines ahead = ahead_of(some);
    const Index blocks = (some + kLoopBlock - 1) / kLoopBlock;
    program_.loop->function()(in, program_.call.numbers.data(), out, long(some), ahead.at,
                              long((ahead.count + blocks - 1) / blocks));
    for (std::size_t i = 0; i < inputs.size(); ++i) in[i] += steps[i] * some;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].streamed_to < 0)
        out[o] += some;
      else
        stream_out(out[o], at_tile(program_.targets[std::size_t(outputs[o].streamed_to)]) + at,
                   some);
    }
  }
}

template <class T>
void Tiles<T>::run(const Store& store) {
  const T* const value = from(store.value);
  if (store.to.in == In::Chunk) {
    std::copy_n(value, n_, to(store.to));
    return;
  }
  const Laid<T>& target = program_.targets[std::size_t(store.to.index)];
  if (target.streamed)
    stream_out(value, at_tile(target), n_);
  else if (target.lie != Lie::Scattered)
    std::copy_n(value, n_, at_tile(target));
  else if (program_.call.rows == 1)
    copy_steps(value, 1, target.data + target.ld * j_, target.ld, n_);
  else
    for_pieces(target.data + target.ld * j_, target.ld, program_.call.rows, i_, value, n_,
               [](T* column, const T* line, Index n) { copy_piece(line, column, n); });
}

template <class T>
void Tiles<T>::load(const Laid<const T>& input, cudamat::Spread how, T* out) const {
  using cudamat::Spread;
  const Index rows = program_.call.rows;
  if (input.lie != Lie::Scattered)
    std::copy_n(at_tile(input), n_, out);
  else if (rows == 1 && how != Spread::Column)
    copy_steps(input.data + input.ld * j_, input.ld, out, 1, n_);
  else if (how == Spread::Row)
    lay_row(input.data + input.ld * j_, input.ld, rows, i_, out, n_);
  else if (how == Spread::Column)
    lay_column(input.data, rows, i_, out, n_);
  else
    for_pieces(input.data + input.ld * j_, input.ld, rows, i_, out, n_, copy_piece<T>);
}

/// Where the tile is in a matrix in which it is contiguous.
template <class T>
template <class U>
U* Tiles<T>::at_tile(const Laid<U>& matrix) const {
  switch (matrix.lie) {
    case Lie::Piece:
      return matrix.data + i_ + matrix.ld * j_;
    case Lie::Column:
      return matrix.data + i_;
    default:
      return matrix.data + p_;
  }
}

template <class T>
T Tiles<T>::number(const Place& place) const {
  const auto index = std::size_t(place.index);
  if (place.in == In::Number) return program_.call.numbers[index];
  if (place.in == In::Nowhere) return T(0);
  const Laid<const T>& input = program_.inputs[index];
  return input.data[input.ld * j_];
}

template <class T>
const T* Tiles<T>::from(const Place& place) {
  if (place.in == In::Number) return filled(number(place));
  if (place.in != In::Input) return to(place);
  const Laid<const T>& input = program_.inputs[std::size_t(place.index)];
  return input.lie == Lie::Number ? filled(number(place)) : at_tile(input);
}

template <class T>
T* Tiles<T>::to(const Place& place) {
  switch (place.in) {
    case In::Chunk:
      return chunk(place.index) + in_chunk_;
    case In::Target:
      return at_tile(program_.targets[std::size_t(place.index)]);
    default:
      return slots_ + stride_ * place.index;
  }
}

/// The tile of a number, which is made in the place of the one that was not used for longest.
template <class T>
const T* Tiles<T>::filled(T number) {
  const auto same = [&](const Fill& fill) {
    return fill.count > 0 && fill.number == number &&
           std::signbit(fill.number) == std::signbit(number);
  };
  Fill* fill = std::find_if(filled_, filled_ + kFills, same);
  if (fill == filled_ + kFills) {
    fill = std::min_element(filled_, filled_ + kFills,
                            [](const Fill& x, const Fill& y) { return x.used < y.used; });
    *fill = {number, 0, 0};
  }
  fill->used = ++uses_;
  T* const tile = fills_ + stride_ * (fill - filled_);
  if (fill->count < n_) {
    std::fill_n(tile, n_, number);
    fill->count = n_;
  }
  return tile;
}

template class Tiles<float>;
template class Tiles<double>;
template class Tiles<long double>;

}  // namespace npmat::fused
