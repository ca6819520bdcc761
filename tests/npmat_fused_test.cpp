// Fused statements on the CPU engine: random ones against the calls that they stand for, bit for
// bit; a few against plain loops.
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <new>
#include <omp.h>
#include <random>

#include "npmat/fused_ahead.hpp"
#include "tests/fused_cases.hpp"
#include "tests/sanitizers.hpp"
#include "tests/thread_counts.hpp"

// The allocations of the process, of which one can be made to fail.
namespace {
thread_local std::int64_t allocations_left = std::numeric_limits<std::int64_t>::max();
thread_local std::int64_t blocks_held = 0;

void* new_block(std::size_t size) {
  if (allocations_left-- <= 0) throw std::bad_alloc();
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  ++blocks_held;
  return block;
}
}  // namespace

void* operator new(std::size_t size) {
  return new_block(size);
}
void* operator new[](std::size_t size) {
  return new_block(size);
}
void operator delete(void* block) noexcept {
  if (block != nullptr) --blocks_held;
  std::free(block);
}
void operator delete[](void* block) noexcept {
  operator delete(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace {

using cudamat::fused_operands;
using cudamat::Index;
using cudamat::Op;
using cudamat::Spread;
using fused_cases::Case;
using fused_cases::check;
using fused_cases::expect_same;
using fused_cases::input;
using fused_cases::Maker;
using fused_cases::number;
using fused_cases::same;
using fused_cases::step;

template <class T>
class Fused : public ::testing::Test {
 protected:
  void TearDown() override { omp_set_num_threads(omp_get_num_procs()); }
};
using Types = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Fused, Types);

// Sanitizers make a run several times as slow.
const int kShare = tests::under_sanitizers() ? 4 : 1;

constexpr Index kExtents[] = {0, 1, 3, 5, 31, 32, 33, 64, 65};

template <class T>
bool asks_for_nothing(const Case<T>& of) {
  const auto has_no_value = [](Op op) { return cudamat::row(op).has(cudamat::kNoEmpty); };
  return std::any_of(of.body.steps.begin(), of.body.steps.end(),
                     [&](const auto& step) { return has_no_value(step.op); }) ||
         std::any_of(of.body.targets.begin(), of.body.targets.end(),
                     [&](const auto& target) { return has_no_value(target.op); });
}

TYPED_TEST(Fused, HasTheBitsOfSingleCallsOnSmallMatrices) {
  Maker<TypeParam> maker(1);
  for (const Index rows : kExtents)
    for (const Index cols : kExtents)
      for (int direction = 0; direction < 4; ++direction)
        for (int i = 0; i < 8 / kShare; ++i) {
          check(maker.make(rows, cols, direction, 12));
          if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(Fused, HasTheBitsOfSingleCallsOnLargeMatrices) {
  constexpr std::pair<Index, Index> kShapes[] = {{1, 100000}, {100000, 1}, {3, 50000}, {700, 300},
                                                 {2000, 64},  {20, 9000},  {300, 500}, {3000, 40},
                                                 {513, 33},   {140000, 2}};
  for (const int threads : thread_counts({1, 2})) {
    omp_set_num_threads(threads);
    Maker<TypeParam> maker(2);
    for (const auto& [rows, cols] : kShapes)
      for (int direction = 0; direction < 4; ++direction)
        for (int i = 0; i < 2; ++i) {
          check(maker.make(rows, cols, direction, 5));
          if (this->HasFatalFailure()) return;
        }
  }
}

TYPED_TEST(Fused, UsesItsReductionsWithTheBitsOfSingleCallsOnSmallMatrices) {
  Maker<TypeParam> maker(4);
  for (const Index rows : kExtents)
    for (const Index cols : kExtents)
      for (int axis = 0; axis < 2; ++axis)
        for (int i = 0; i < 8 / kShare; ++i) {
          const auto made = maker.make(rows, cols, axis, 12, true);
          // Of nothing a maximum has no value, and the door asks for none.
          if (rows * cols == 0 && asks_for_nothing(made)) continue;
          check(made);
          if (this->HasFatalFailure()) return;
        }
}

// Strips of columns and of rows, and what is too long for one. Long doubles take six times as long.
TYPED_TEST(Fused, UsesItsReductionsWithTheBitsOfSingleCallsOnLargeMatrices) {
  constexpr int kPrograms = sizeof(TypeParam) > sizeof(double) ? 1 : 3;
  constexpr std::pair<Index, Index> kShapes[] = {{1, 100000}, {100000, 1}, {3, 50000},  {700, 300},
                                                 {2000, 64},  {20, 9000},  {300, 500},  {3000, 40},
                                                 {513, 33},   {140000, 2}, {70, 30000}, {600, 700}};
  for (const int threads : thread_counts({1, 2})) {
    omp_set_num_threads(threads);
    Maker<TypeParam> maker(5);
    for (const auto& [rows, cols] : kShapes)
      for (int axis = 0; axis < 2; ++axis)
        for (int i = 0; i < kPrograms; ++i) {
          check(maker.make(rows, cols, axis, 6, true));
          if (this->HasFatalFailure()) return;
        }
  }
}

// In their order, as work is done: all of them by the end of it, and none twice.
TEST(Ahead, AsksForEveryLineOnce) {
  static const char memory[64 * 40] = {};
  npmat::fused::Ahead ahead;
  for (const Index work : {1, 7, 35, 36, 1000}) {
    ahead.clear();
    ahead.add(memory, 64 * Index(30));
    ahead.add(memory + 64 * 32, 64 * 5 + 1);  // the end of which is in a line of its own
    ahead.spread(work);
    std::vector<const char*> asked;
    for (Index done = 0; done < work; ++done)
      for (int more = 0; more < 3; ++more) {  // a part ends where another area begins
        const auto lines = ahead.next(more == 0 ? 1 : 0);
        for (Index line = 0; line < lines.count; ++line) asked.push_back(lines.at + 64 * line);
        ASSERT_LE(std::ssize(asked), 36 * (done + 1) / work);
      }
    ASSERT_EQ(asked.size(), 36U) << work;
    for (std::size_t i = 0; i < asked.size(); ++i)
      ASSERT_EQ(asked[i], memory + 64 * (i < 30 ? i : i + 2));
    EXPECT_EQ(ahead.next(1000).count, 0);
  }
  ahead.clear();
  ahead.spread(0);
  EXPECT_EQ(ahead.next(5).count, 0);
}

TYPED_TEST(Fused, UsesItsReductionsBeyondTheCaches) {
  Maker<TypeParam> maker(6);
  const Index cols = Index(9 << 20) / Index(sizeof(TypeParam)) / 1000;
  for (int axis = 0; axis < 2; ++axis)
    for (int i = 0; i < 2; ++i) {
      check(maker.make(1000, cols, axis, 5, true));
      if (this->HasFatalFailure()) return;
    }
}

// Large enough that stores go past the caches.
TYPED_TEST(Fused, HasTheBitsOfSingleCallsBeyondTheCaches) {
  Maker<TypeParam> maker(3);
  const Index cols = Index(9 << 20) / Index(sizeof(TypeParam)) / 1000;
  for (int direction = 0; direction < 4; ++direction) {
    check(maker.make(1000, cols, direction, 2));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Fused, EveryStepTakesNumbersVectorsAndMatricesOnEitherSide) {
  using T = TypeParam;
  for (const auto& row : cudamat::kOpTable) {
    const int count = fused_operands(row.op);
    if (count <= 0) continue;
    for (const Index rows : {7, 300})
      for (int left = 0; left < 5; ++left)
        for (int right = 0; right < (count == 1 ? 1 : 5); ++right) {
          Case<T> made;
          made.rows = rows;
          made.cols = 5;
          made.numbers = {T(0.75)};
          made.body.numbers = 1;
          for (const Spread how : {Spread::Whole, Spread::Row, Spread::Column, Spread::One}) {
            made.body.inputs.push_back(how);
            made.inputs.push_back({made.arrays.size(), how == Spread::Whole ? rows : 1});
            made.make(rows * 5, T(-0.0));
            for (std::size_t i = 1; i < made.arrays.back().size(); i += 2)
              made.arrays.back()[i] = T(i % 13) / 4;
          }
          const auto value = [](int which) { return which < 4 ? input(which) : number(0); };
          made.body.steps.push_back({row.op, count, {value(left), value(right), value(left)}});
          made.body.targets.push_back({step(0)});
          made.targets.push_back({made.make(rows * 5, 0), rows});
          check(made);
          if (this->HasFatalFailure()) return;
        }
  }
}

TYPED_TEST(Fused, TellsZerosOfDifferentSignApart) {
  using T = TypeParam;
  Case<T> made;
  made.rows = 5000;
  made.cols = 1;
  made.numbers = {T(0), T(-0.0)};
  made.body.numbers = 2;
  made.body.inputs = {Spread::Whole};
  made.inputs = {{made.make(5000, 2), 5000}};
  made.body.steps = {{Op::divide, 2, {number(0), input(0)}},
                     {Op::divide, 2, {number(1), input(0)}}};
  made.body.targets = {{step(0)}, {step(1)}};
  made.targets = {{made.make(5000, 1), 5000}, {made.make(5000, 1), 5000}};
  made.run([](const auto& call) { npmat::Engine<T>::fused(call); });
  for (std::size_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(same(made.arrays[1][i], T(0)));
    ASSERT_TRUE(same(made.arrays[2][i], T(-0.0)));
  }
}

TYPED_TEST(Fused, SwapsTwoInputsThatAreTargets) {
  using T = TypeParam;
  for (const Index rows : {3, 1000}) {
    Case<T> made;
    made.rows = rows;
    made.cols = 3;
    for (const T value : {T(1), T(2)}) {
      made.body.inputs.push_back(Spread::Whole);
      made.inputs.push_back({made.make(rows * 3, value), rows});
      made.targets.push_back({made.body.inputs.size() - 1, rows});
    }
    made.body.targets = {{input(1)}, {input(0)}, {input(0), Op::sum, 1}};
    made.targets.push_back({made.make(rows, 0), 1});
    made.run([](const auto& call) { npmat::Engine<T>::fused(call); });
    EXPECT_EQ(made.arrays[0], std::vector<T>(std::size_t(rows * 3), 2));
    EXPECT_EQ(made.arrays[1], std::vector<T>(std::size_t(rows * 3), 1));
    EXPECT_EQ(made.arrays[2], std::vector<T>(std::size_t(rows), 3));
    check(made);
  }
}

TYPED_TEST(Fused, ComputesWhatPlainLoopsDo) {
  using T = TypeParam;
  constexpr Index kRows = 700, kCols = 301, kLd = 703;
  Case<T> made;
  made.rows = kRows;
  made.cols = kCols;
  made.numbers = {T(1), T(0.25)};
  made.body.numbers = 2;
  made.body.inputs = {Spread::Whole, Spread::Whole, Spread::Row, Spread::Column};
  made.inputs = {{made.make(kLd * kCols, 0), kLd},
                 {made.make(kRows * kCols, 0), kRows},
                 {made.make(kCols, 0), 1},
                 {made.make(kRows, 0), 1}};
  std::mt19937 random(5);
  for (auto& array : made.arrays)
    for (T& x : array) x = T(random() % 2001) / 1000;
  // d h (1 - h) + row, and from it: 0.25 - column * that, its sums.
  made.body.steps = {
      {Op::subtract, 2, {number(0), input(1)}}, {Op::mult, 2, {input(0), input(1)}},
      {Op::mult, 2, {step(1), step(0)}},        {Op::add, 2, {step(2), input(2)}},
      {Op::mult, 2, {input(3), step(3)}},       {Op::subtract, 2, {number(1), step(4)}}};
  made.body.targets = {{step(3)}, {step(5)}, {step(3), Op::mean, 0}, {step(5), Op::max, 0}};
  made.targets = {{made.make(kRows * kCols, 0), kRows},
                  {made.make(kLd * kCols, -1), kLd},
                  {made.make(kCols, 0), 1},
                  {made.make(kCols, 0), 1}};
  const auto before = made.arrays;
  made.run([](const auto& call) { npmat::Engine<T>::fused(call); });
  for (Index j = 0; j < kCols; ++j) {
    long double sum = 0;
    T largest = -std::numeric_limits<T>::infinity();
    for (Index i = 0; i < kRows; ++i) {
      const T d = before[0][std::size_t(i + kLd * j)], h = before[1][std::size_t(i + kRows * j)];
      const T slope = d * h * (T(1) - h) + before[2][std::size_t(j)];
      const T other = T(0.25) - before[3][std::size_t(i)] * slope;
      sum += slope;
      largest = std::max(largest, other);
      ASSERT_EQ(made.arrays[4][std::size_t(i + kRows * j)], slope);
      ASSERT_EQ(made.arrays[5][std::size_t(i + kLd * j)], other);
    }
    EXPECT_NEAR(double(made.arrays[6][std::size_t(j)]), double(sum / kRows),
                4 * double(std::numeric_limits<T>::epsilon()));
    EXPECT_EQ(made.arrays[7][std::size_t(j)], largest);
    for (Index i = kRows; i < kLd; ++i) ASSERT_EQ(made.arrays[5][std::size_t(i + kLd * j)], T(-1));
  }
}

// By loops over long double.
TYPED_TEST(Fused, SoftmaxAndLayerNormAreWhatTheyAre) {
  using T = TypeParam;
  for (const int axis : {0, 1}) {
    const Index rows = 300, cols = 410, length = axis == 0 ? rows : cols,
                apart = axis == 0 ? 1 : rows;
    Case<T> made;
    made.rows = rows;
    made.cols = cols;
    made.numbers = {T(1e-5)};
    made.body.numbers = 1;
    made.body.inputs = {Spread::Whole};
    const auto over = [&](Op op, cudamat::FusedValue value) {
      cudamat::FusedStep made_step{op, 1, {value}};
      made_step.axis = axis;
      made.body.steps.push_back(made_step);
    };
    over(Op::max, input(0));
    made.body.steps.push_back({Op::subtract, 2, {input(0), step(0)}});
    made.body.steps.push_back({Op::exp, 1, {step(1)}});
    over(Op::sum, step(2));
    made.body.steps.push_back({Op::divide, 2, {step(2), step(3)}});
    over(Op::mean, input(0));
    made.body.steps.push_back({Op::subtract, 2, {input(0), step(5)}});
    made.body.steps.push_back({Op::mult, 2, {step(6), step(6)}});
    over(Op::mean, step(7));
    made.body.steps.push_back({Op::add, 2, {step(8), number(0)}});
    made.body.steps.push_back({Op::sqrt, 1, {step(9)}});
    made.body.steps.push_back({Op::divide, 2, {step(6), step(10)}});
    made.body.targets = {{step(4)}, {step(11)}, {step(10)}};
    made.body.targets[2].lies = axis == 0 ? Spread::Row : Spread::Column;
    made.inputs = {{made.make(rows * cols, 0), rows}};
    made.targets = {{made.make(rows * cols, 0), rows},
                    {made.make(rows * cols, 0), rows},
                    {made.make(axis == 0 ? cols : rows, 0), 1}};
    std::mt19937 random(6);
    for (T& x : made.arrays[0]) x = T(int(random() % 8001) - 4000) / 1000;
    made.run([](const auto& call) { npmat::Engine<T>::fused(call); });
    constexpr long double kEpsilon = std::numeric_limits<T>::epsilon();
    // These loops round, too: beside long double as often as there are numbers.
    const long double own = std::is_same_v<T, long double> ? (long double)(length) : 0;
    const auto expect_near = [&](T got, long double wanted, long double within) {
      EXPECT_LE(std::abs(got - wanted), (within + own) * kEpsilon) << got << " for " << wanted;
    };
    for (Index line = 0; line < (axis == 0 ? cols : rows); ++line) {
      const auto at = [&](Index i) {
        return std::size_t((axis == 0 ? rows : 1) * line + apart * i);
      };
      long double largest = made.arrays[0][at(0)], sum = 0, total = 0, squares = 0;
      for (Index i = 0; i < length; ++i) {
        largest = std::max<long double>(largest, made.arrays[0][at(i)]);
        total += made.arrays[0][at(i)];
      }
      for (Index i = 0; i < length; ++i) {
        sum += std::exp(made.arrays[0][at(i)] - largest);
        squares += std::pow(made.arrays[0][at(i)] - total / length, 2.0L);
      }
      const long double scale = std::sqrt(squares / length + 1e-5L);
      expect_near(made.arrays[3][std::size_t(line)], scale, 8);
      for (Index i = 0; i < length; ++i) {
        const long double x = made.arrays[0][at(i)], share = std::exp(x - largest) / sum;
        expect_near(made.arrays[1][at(i)] / share, 1, 16);
        expect_near(made.arrays[2][at(i)], (x - total / length) / scale, 16);
      }
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(Fused, RunsTenThousandSteps) {
  using T = TypeParam;
  for (const bool all_live : {false, true}) {
    Case<T> made;
    made.rows = 40;
    made.cols = 50;
    made.body.inputs = {Spread::Whole};
    made.inputs = {{made.make(2000, T(0.5)), 40}};
    made.body.steps.push_back({Op::add, 2, {input(0), input(0)}});
    for (int s = 1; s < 10000; ++s)
      made.body.steps.push_back(
          {Op::subtract, 2, {all_live && s >= 5000 ? step(9999 - s) : input(0), step(s - 1)}});
    made.body.targets = {{step(9999)}, {step(9999), Op::sum, 1}};
    made.targets = {{made.make(2000, 0), 40}, {made.make(40, 0), 1}};
    check(made);
  }
}

TYPED_TEST(Fused, ContinuesTheStreamAtAnyPosition) {
  using T = TypeParam;
  Maker<T> maker(4);
  for (Index drawn = 0; drawn < 6; ++drawn) {
    Case<T> made = maker.make(37, 211, 3, 3);
    made.body.steps.push_back({Op::fill_with_randn, 0, {}});
    made.body.steps.push_back({Op::fill_with_rand, 0, {}});
    const int last = int(made.body.steps.size()) - 1;
    made.body.targets.push_back({step(last)});
    made.body.targets.push_back({step(last - 1)});
    for (int t = 0; t < 2; ++t) made.targets.push_back({made.make(37 * 211, 0), 37});
    const auto with_others_before = [&](const auto& then) {
      return [&, then](const auto& call) {
        std::vector<T> others(7);
        npmat::Engine<T>::normal(others.data(), drawn);
        then(call);
      };
    };
    Case<T> expected = made, got = made;
    const auto stream = expected.run(with_others_before(
        [](const auto& call) { cudamat::detail::unfused<npmat::Engine<T>>(call); }));
    const auto stream_got =
        got.run(with_others_before([](const auto& call) { npmat::Engine<T>::fused(call); }));
    for (std::size_t a = 0; a < made.arrays.size(); ++a)
      expect_same(got.arrays[a], expected.arrays[a], made, a);
    expect_same(stream_got, stream, made, made.arrays.size());
  }
}

/// The engine, with allocations that are counted and of which one fails.
template <class T>
struct Failing : npmat::Engine<T> {
  static inline int left = 0, held = 0;
  static T* allocate(Index n) {
    if (left-- <= 0) throw cudamat::OutOfMemory("none left");
    T* const data = npmat::Engine<T>::allocate(n);
    ++held;
    return data;
  }
  static void deallocate(T* data, Index n) noexcept {
    --held;
    npmat::Engine<T>::deallocate(data, n);
  }
};

/// Whether the single calls succeed with so many allocations; nothing is held if they do not.
template <class T>
bool calls_succeed(Case<T>& of, int allocations) {
  bool succeeded = true;
  Failing<T>::left = allocations;
  of.run([&](const auto& call) {
    try {
      cudamat::detail::unfused<Failing<T>>(call);
    } catch (const cudamat::OutOfMemory&) {
      succeeded = false;
    }
  });
  EXPECT_EQ(Failing<T>::held, 0);
  return succeeded;
}

template <class T>
bool fused_succeeds(Case<T>& of, int allocations) {
  bool succeeded = true;
  of.run([&](const auto& call) {
    const std::int64_t before = blocks_held;
    allocations_left = allocations;
    try {
      npmat::Engine<T>::fused(call);
    } catch (const std::bad_alloc&) {
      succeeded = false;
    }
    allocations_left = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(blocks_held, before);
  });
  return succeeded;
}

TYPED_TEST(Fused, LosesNoMemoryWhereThereIsNone) {
  omp_set_num_threads(1);
  Maker<TypeParam> maker(6);
  int calls = 0, fused = 0;
  for (int i = 0; i < 60 / kShare; ++i) {
    Case<TypeParam> made = maker.make(33, 65, i % 4, 40);
    made.body.steps.push_back({Op::fill_with_rand, 0, {}});
    for (int left = 0; !calls_succeed(made, left); ++left) ++calls;
    for (int left = 0; !fused_succeeds(made, left); ++left) ++fused;
  }
  EXPECT_GT(calls, 20);
  EXPECT_GT(fused, 20);
}

TYPED_TEST(Fused, OfWhatNoMachineCanHoldTheSingleCallsSaySo) {
  using T = TypeParam;
  Case<T> made;
  made.rows = Index(1) << 50;
  made.cols = 1;
  made.body.inputs = {Spread::One};
  made.inputs = {{made.make(1, 1), 1}};
  made.body.targets = {{input(0), Op::total_max}};
  made.targets = {{made.make(1, 0), 1}};
  EXPECT_THROW(made.run([](const auto& call) { cudamat::detail::unfused<npmat::Engine<T>>(call); }),
               cudamat::OutOfMemory);
}

}  // namespace
