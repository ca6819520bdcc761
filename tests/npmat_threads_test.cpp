// The pool of threads: every part is done once, by whoever is free, and nothing depends on who.
#include <atomic>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <latch>
#include <omp.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "npmat/npmat.hpp"
#include "npmat/parallel.hpp"

namespace {

using npmat::for_parts;
using npmat::Index;
using npmat::parallel_for;
using npmat::thread_count;

constexpr Index kMuch = 1000;  // work that is worth waking others for

/// OpenMP's setting for a scope.
class Setting {
 public:
  explicit Setting(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~Setting() { omp_set_num_threads(before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  int before_;
};

/// How often each part was done.
std::vector<int> counts(Index parts, Index threads, Index weight) {
  std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
  for_parts(parts, threads, weight, [&](Index part) noexcept { ++done[std::size_t(part)]; });
  return {done.begin(), done.end()};
}

TEST(Threads, DoEveryPartOnce) {
  for (const Index threads : {1, 2, 3, 8})
    for (const Index parts : {0, 1, 2, 3, 7, 8, 100})
      for (const Index weight : {Index(1), kMuch})
        for (int again = 0; again < 20; ++again)
          ASSERT_THAT(counts(parts, threads, weight), testing::Each(1)) << parts << " " << threads;
}

TEST(Threads, DoEveryPartOnceInQuickSuccession) {
  std::vector<Index> sums(64);
  for (int call = 0; call < 3000; ++call)
    for_parts(64, 4, kMuch,
              [&](Index part) noexcept { sums[std::size_t(part)] += part + call % 3; });
  for (Index part = 0; part < 64; ++part) EXPECT_EQ(sums[std::size_t(part)], 3000 * (part + 1));
}

// A helper that comes late from a call finds another one, of more parts and other threads.
TEST(Threads, DoEveryPartOnceWhateverTheCallBeforeWas) {
  for (Index call = 0; call < 20'000; ++call) {
    const Index parts = 2 + call * 7 % 391, threads = 2 + call % 7;
    ASSERT_THAT(counts(parts, threads, kMuch), testing::Each(1)) << "call " << call;
  }
}

// The caller looks for the last part for 30 us and then sleeps; the part ends just then.
TEST(Threads, WakeACallerThatIsAboutToSleep) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  const auto caller = std::this_thread::get_id();
  const nanoseconds patience = std::chrono::milliseconds(1);
  for (int call = 0; call < 4000; ++call) {
    std::atomic<bool> begun = false;
    std::atomic<nanoseconds> own_end = nanoseconds::max();
    for_parts(2, 2, kMuch, [&](Index) noexcept {
      if (std::this_thread::get_id() == caller) {
        for (const auto end = Clock::now() + patience; !begun && Clock::now() < end;) {
        }
        own_end = Clock::now().time_since_epoch();
      } else {
        begun = true;
        const nanoseconds late(28'000 + call % 500 * 10);
        const auto is_time = [&](nanoseconds end) {
          return end != nanoseconds::max() && Clock::now().time_since_epoch() >= end + late;
        };
        while (!is_time(own_end)) {
        }
      }
    });
  }
}

TEST(Threads, MayAllBeCallers) {
  std::vector<std::thread> callers;
  std::atomic<Index> sum = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int call = 0; call < 300; ++call)
        for_parts(16, 3, kMuch, [&](Index part) noexcept { sum += part; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 300 * 120);
}

TEST(Threads, AreTheOnlyOnesInsideOfParts) {
  const Setting four(4);
  std::atomic<int> wrong = 0;
  for_parts(8, 4, kMuch, [&](Index) noexcept {
    const std::thread::id self = std::this_thread::get_id();
    if (thread_count() != 1) ++wrong;
    for_parts(8, 4, kMuch, [&](Index) noexcept {
      if (std::this_thread::get_id() != self) ++wrong;
    });
  });
  EXPECT_EQ(wrong, 0);
}

#ifndef __SANITIZE_THREAD__  // there the count is fixed

TEST(Threads, AreAsManyAsOpenMpIsSetTo) {
  const Setting three(3);
  EXPECT_EQ(thread_count(), 3);
  {
    const npmat::OneThread one;
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), 3);
}

TEST(Threads, AreThereInTheChildOfAFork) {
  EXPECT_THAT(counts(16, 3, kMuch), testing::Each(1));
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> begun = 0;
    for_parts(2, 2, kMuch, [&](Index) noexcept {
      ++begun;
      for (int tick = 0; begun < 2 && tick < 30'000; ++tick) usleep(1000);  // for the other one
      if (begun < 2) _exit(1);
    });
    _exit(16);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 16);
}

#endif

TEST(ParallelFor, CoversTheRangeInGrains) {
  const Setting four(4);
  for (const Index n : {0, 1, 5, 64, 65, 1000, 12345}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(n));
    std::atomic<int> off_grain = 0;
    parallel_for(n, 64, [&](Index begin, Index end) {
      if (begin % 64 != 0 || (end % 64 != 0 && end != n)) ++off_grain;
      for (Index i = begin; i < end; ++i) ++done[std::size_t(i)];
    });
    EXPECT_THAT(std::vector<int>(done.begin(), done.end()), testing::Each(1)) << n;
    EXPECT_EQ(off_grain, 0);
  }
}

TEST(ParallelFor, ThrowsWhatItsBodyThrows) {
  const Setting two(2);
  const auto fails = [](Index begin, Index) {
    if (begin > 0) throw std::runtime_error("no memory");
  };
  EXPECT_THROW(parallel_for(10'000, 1, fails), std::runtime_error);
  EXPECT_NO_THROW(parallel_for(10'000, 10'000, fails));
}

template <class T>
class ProductPanels : public testing::Test {};
using Types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(ProductPanels, Types);

TYPED_TEST(ProductPanels, MakeUpTheProduct) {
  using Matrix = npmat::CUDAMatrix<TypeParam>;
  const Setting four(4);
  const Index m = 203, n = 310, k = 97;
  Matrix::init_random(2);
  for (const bool trans_a : {false, true})
    for (const bool trans_b : {false, true}) {
      Matrix a = Matrix::empty(trans_a ? cudamat::Shape{k, m} : cudamat::Shape{m, k});
      Matrix b = Matrix::empty(trans_b ? cudamat::Shape{n, k} : cudamat::Shape{k, n});
      Matrix c = Matrix::empty({m, n});
      a.fill_with_rand();
      b.fill_with_rand();
      c.assign(3);
      cudamat::dot(trans_a ? a.T() : a.view(a.shape()), trans_b ? b.T() : b.view(b.shape()), c,
                   TypeParam(2), TypeParam(0.5));
      const auto &x = a.asarray(), &y = b.asarray(), &z = c.asarray();
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) {
          long double sum = 0;
          for (Index p = 0; p < k; ++p)
            sum += static_cast<long double>(trans_a ? x(p, i) : x(i, p)) *
                   (trans_b ? y(j, p) : y(p, j));
          const long double expected = 6 + sum / 2;
          const long double bound = expected * (k + 4) * std::numeric_limits<TypeParam>::epsilon();
          ASSERT_NEAR(static_cast<double>(z(i, j)), static_cast<double>(expected),
                      static_cast<double>(bound))
              << i << ' ' << j << ' ' << trans_a << trans_b;
        }
    }
}

/// What is computed while another thread has the pool, so that this one is alone, is the same.
TEST(Threads, WhoAreBusyDoNotChangeAResult) {
  using Matrix = npmat::CUDAMatrix<float>;
  Matrix::init_random(1);
  Matrix a = Matrix::empty({300, 410}), b = Matrix::empty({410, 523});
  a.fill_with_randn();
  b.fill_with_randn();
  const auto results = [&] {
    Matrix product = npmat::dot(a, b), sums = a.sum(1);
    return std::pair(product.asarray(), sums.asarray());
  };
  const auto together = results();
  std::latch begun(1), computed(1);
  std::thread other([&] {
    for_parts(2, 2, kMuch, [&](Index part) noexcept {
      if (part == 0) begun.count_down();
      computed.wait();
    });
  });
  begun.wait();
  const auto alone = results();
  computed.count_down();
  other.join();
  EXPECT_EQ(alone, together);
}

/// What a program's handler does, it does on the program's threads, as without us.
TEST(Threads, GetNoSignals) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> others = 0, open = 0;
  for (int again = 0; again < 1000 && others == 0; ++again)
    for_parts(64, 8, kMuch, [&](Index) noexcept {
      if (std::this_thread::get_id() == caller) {
        usleep(100);
        return;
      }
      sigset_t held;
      pthread_sigmask(SIG_SETMASK, nullptr, &held);
      ++others;
      for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM})
        open += !sigismember(&held, signal);
      open += sigismember(&held, SIGSEGV);
    });
  EXPECT_GT(others, 0);
  EXPECT_EQ(open, 0);
  sigset_t held;
  pthread_sigmask(SIG_SETMASK, nullptr, &held);
  EXPECT_FALSE(sigismember(&held, SIGINT));
}

/// Signals may come at any time, and their handlers use the stack.
TEST(Threads, SignalsDoNoHarmToProducts) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "under ThreadSanitizer products are no library's";
#endif
  using Matrix = npmat::CUDAMatrix<float>;
  Matrix::init_random(1);
  Matrix a = Matrix::empty({400, 400}), b = Matrix::empty({400, 400});
  a.fill_with_randn();
  b.fill_with_randn();
  for (const int threads : {1, 2}) {
    const Setting setting(threads);
    const auto expected = npmat::dot(a, b).asarray();
    static std::atomic<int> signals;
    signals = 0;
    struct sigaction action = {}, before;
    action.sa_handler = [](int) { ++signals; };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before);
    const itimerval often{{0, 300}, {0, 300}}, never{};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int k = 0; k < 20000 && signals < 300; ++k)
      ASSERT_EQ(npmat::dot(a, b).asarray(), expected);
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    EXPECT_GE(signals, 300);
  }
}

}  // namespace
