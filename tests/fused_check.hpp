// Fused statements on the CUDA engine against the same operations one by one: every bit is the
// same, also of what lies around the targets, and so is where the stream of random numbers stands.
#pragma once

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cudamat/cuda/engine.hpp"
#include "cudamat/detail/unfused.hpp"
#include "tests/fused_bodies.hpp"

namespace fused_test {

using cudamat::FusedCall;
using cudamat::Index;

template <class T>
using Engine = cudamat::cuda::Engine<T>;

/// How the Whole operands of a call lie: the first element `shift` elements behind a boundary of
/// 16 bytes (of the first operand, of the others), and `gap` elements between columns.
struct Placing {
  const char* name;
  Index rows, cols;
  Index shift, others_shift;
  Index gap;
};

inline constexpr Placing kFlat{"contiguous", 37, 5, 0, 0, 0};
inline constexpr Placing kFlatShifted{"contiguous, shifted", 37, 5, 1, 1, 0};
inline constexpr Placing kFlatMixed{"contiguous, shifted apart", 7, 5, 1, 0, 0};
inline constexpr Placing kBlocks{"whole blocks", 8, 5, 0, 0, 4};
inline constexpr Placing kTails{"tails", 10, 3, 0, 0, 2};
inline constexpr Placing kShifted{"shifted", 10, 6, 1, 1, 6};
inline constexpr Placing kOdd{"odd", 9, 4, 0, 0, 2};
inline constexpr Placing kMixed{"shifted apart", 12, 4, 0, 1, 4};
inline constexpr Placing kOneRow{"a row", 1, 9, 0, 0, 3};
inline constexpr Placing kOneColumn{"a column", 33, 1, 0, 0, 7};
inline constexpr Placing kPlacings[] = {kFlat,    kFlatShifted, kFlatMixed, kBlocks, kTails,
                                        kShifted, kOdd,         kMixed,     kOneRow, kOneColumn};

/// Device memory with what it held at first.
template <class T>
class Memory {
 public:
  explicit Memory(std::vector<T> values)
      : values_(std::move(values)), data_(Engine<T>::allocate(Index(values_.size()))) {
    reset();
  }
  ~Memory() { Engine<T>::deallocate(data_, Index(values_.size())); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void reset() { Engine<T>::copy_to_device(values_.data(), data_, Index(values_.size())); }
  [[nodiscard]] std::vector<T> now() const {
    std::vector<T> result(values_.size());
    Engine<T>::copy_to_host(data_, result.data(), Index(result.size()));
    return result;
  }
  [[nodiscard]] T* data() const { return data_; }

 private:
  std::vector<T> values_;
  T* data_;
};

/// Operands for a body.
template <class T>
class Operands {
 public:
  /// `in_place`: stored targets are the body's Whole inputs, as far as there are any.
  Operands(const Sample& sample, const Placing& placing, bool in_place, unsigned seed)
      : sample_(sample), placing_(placing), generator_(seed) {
    const Index ld = placing.rows + placing.gap;
    std::vector<T*> wholes;
    for (const auto spread : sample.body.inputs) {
      const auto [extent, step] = extent_of(spread, ld);
      T* const data = make(extent, spread == Spread::Whole);
      inputs_.push_back({data, step});
      if (spread == Spread::Whole) wholes.push_back(data);
    }
    for (int i = 0; i < sample.body.numbers; ++i) numbers_.push_back(T(0.5) + T(i) / 8);
    std::size_t taken = 0;
    for (const auto& target : sample.body.targets) {
      const bool whole = target.spread() == Spread::Whole;
      const bool takes = whole && in_place && taken < wholes.size();
      const auto [extent, step] = extent_of(target.spread(), whole ? ld : 1);
      targets_.push_back({takes ? wholes[taken++] : make(extent, whole), step});
    }
  }

  FusedCall<T> call() const {
    return {sample_.body, placing_.rows, placing_.cols, inputs_, numbers_, targets_};
  }

  /// All memory after `run`, from the same beginning each time.
  template <class Run>
  std::vector<std::vector<T>> after(const Run& run) {
    Engine<T>::seed(7);
    for (const auto& memory : memories_) memory->reset();
    run(call());
    std::vector<T> stream(5);  // where it stands now
    const Memory<T> next(stream);
    Engine<T>::uniform(next.data(), 5);
    std::vector<std::vector<T>> all{next.now()};
    for (const auto& memory : memories_) all.push_back(memory->now());
    return all;
  }

 private:
  std::pair<Index, Index> extent_of(Spread spread, Index ld) const {
    switch (spread) {
      case Spread::Whole:
        return {ld * placing_.cols, ld};
      case Spread::Row:
        return {ld * placing_.cols, ld};
      case Spread::Column:
        return {placing_.rows, placing_.rows};
      case Spread::One:
        break;
    }
    return {1, 1};
  }

  /// With two elements on either side.
  T* make(Index extent, bool whole) {
    constexpr Index kBefore = 16 / Index(sizeof(T));
    const Index shift = !whole ? 0 : memories_.empty() ? placing_.shift : placing_.others_shift;
    std::vector<T> values(std::size_t(kBefore + shift + extent + 2));
    for (T& value : values) value = number();
    memories_.push_back(std::make_unique<Memory<T>>(std::move(values)));
    return memories_.back()->data() + kBefore + shift;
  }

  T number() {
    constexpr T kSpecial[] = {std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              T(0),
                              T(-0.0),
                              std::numeric_limits<T>::denorm_min(),
                              T(1),
                              T(-2)};
    const auto pick = std::uniform_int_distribution<std::size_t>(0, 39)(generator_);
    return pick < 8 ? kSpecial[pick] : std::normal_distribution<T>(T(0.5), T(1.5))(generator_);
  }

  const Sample& sample_;
  const Placing& placing_;
  std::mt19937 generator_;
  std::vector<std::unique_ptr<Memory<T>>> memories_;
  std::vector<typename FusedCall<T>::Input> inputs_;
  std::vector<T> numbers_;
  std::vector<typename FusedCall<T>::Target> targets_;
};

template <class T>
bool same(T x, T y) {
  return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
}

template <class T>
void expect_same(const Sample& sample, const Placing& placing, bool in_place, unsigned seed = 1) {
  Operands<T> operands(sample, placing, in_place, seed);
  const auto expected =
      operands.after([](const FusedCall<T>& call) { cudamat::detail::unfused<Engine<T>>(call); });
  const auto got = operands.after([](const FusedCall<T>& call) { Engine<T>::fused(call); });
  for (std::size_t m = 0; m < got.size(); ++m)
    for (std::size_t i = 0; i < got[m].size(); ++i)
      ASSERT_TRUE(same(got[m][i], expected[m][i]))
          << sample.name << ", " << placing.name << (in_place ? ", in place" : "") << ": memory "
          << m << " element " << i << ": " << got[m][i] << " for " << expected[m][i];
}

}  // namespace fused_test
