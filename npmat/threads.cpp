#include "npmat/threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>

#include "npmat/signals.hpp"

namespace npmat {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

#ifdef __SANITIZE_THREAD__
constexpr bool kSanitized = true;  // then all work is shared, for ThreadSanitizer to see
#else
constexpr bool kSanitized = false;
#endif

// Measured on two cores of a virtual machine: to wake a thread takes the caller 3 to 5 us and the
// thread 30 to 60; work of 20 us is done faster by two threads that are awake.
constexpr Index kWorthWaking = 8;        ///< units of 10 us: as long as it takes to wake somebody
constexpr microseconds kLookAround{50};  ///< before an idle thread sleeps: what waking it costs
constexpr microseconds kLookForTheLast{30};  ///< before the caller sleeps
constexpr microseconds kTogether{
    200};                           ///< calls that follow each other sooner are counted together
constexpr microseconds kLate{100};  ///< more than a part may take longer than others
constexpr microseconds kSoonAgain{50'000};  ///< being late twice so soon is no chance
constexpr int kAlone = 25;                  ///< times what was lost: at most 4 % are lost
constexpr Index kMostThreads = 256;
constexpr std::uint64_t kClosed = 0xffffffff;  ///< a share of no call, all parts of which are taken

thread_local bool in_parts = false;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Looks until `done`, for some time; false if that was too short.
template <class Done>
bool look(microseconds time, const Done& done) {
  const auto end = Clock::now() + time;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
  } while (Clock::now() < end);
  return done();
}

/// A thread's part of the parts. `taken` has the number of the call in its upper half and how many
/// parts were taken in the lower: so a part is only taken for the call that one has seen.
struct alignas(64) Share {
  std::atomic<std::uint64_t> taken = kClosed;
};

struct alignas(64) Helper {
  std::atomic<std::uint32_t> call = 0;  ///< the last one that it was asked to help with
  std::atomic<bool> asleep = true;
};

class Pool {
 public:
  /// False if another thread uses the pool, or it is better to be alone.
  bool run(const detail::Parts& parts, Index threads, Index weight) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto begin = Clock::now();
    if (!kSanitized && (begin < alone_until_ || !is_worth_it(begin, threads, weight))) return false;
    threads = std::min(threads, hire(threads - 1) + 1);
    if (threads < 2) return false;
    publish(parts, threads);
    wake_below(0, call_, threads);
    const Index own = work(call_, 0);
    const auto alone = Clock::now();
    finish();
    const auto end = Clock::now();
    last_ = end;
    judge(parts.count, own, alone - begin, end - alone);
    return true;
  }

 private:
  /// Little work is done alone while the others sleep, unless much little work comes at once.
  bool is_worth_it(Clock::time_point now, Index threads, Index weight) {
    const bool awake = threads - 1 <= hired_ && !helpers_[1].asleep.load(std::memory_order_relaxed);
    if (awake || weight >= kWorthWaking) return true;
    little_ = now - last_ < kTogether ? little_ + weight : weight;
    last_ = now;
    if (little_ < kWorthWaking) return false;
    little_ = 0;
    return true;
  }

  /// Makes sure of so many helpers, as far as the system allows; returns how many there are.
  Index hire(Index wanted) {
    wanted = std::min(wanted, kMostThreads - 1);
    const HeldSignals held;  // handlers of the program run on the program's own threads
    try {
      for (; hired_ < wanted; ++hired_)
        std::thread([this, rank = hired_ + 1] { help(rank); }).detach();
    } catch (const std::system_error&) {  // no more threads to be had
    }
    return hired_;
  }

  /// The shares of the call before are closed first: a helper that is late with it and sees
  /// anything of this one (each is stored to release, loaded to acquire) can take no part.
  void publish(const detail::Parts& parts, Index threads) {
    const Index before = threads_.load(std::memory_order_relaxed);
    for (Index k = 0; k < before; ++k)
      shares_[std::size_t(k)].taken.store(kClosed, std::memory_order_relaxed);
    ++call_;
    run_.store(parts.run, std::memory_order_release);
    body_.store(parts.body, std::memory_order_release);
    count_.store(parts.count, std::memory_order_release);
    threads_.store(threads, std::memory_order_release);
    pending_.store(parts.count, std::memory_order_relaxed);
    for (Index k = 0; k < threads; ++k)
      shares_[std::size_t(k)].taken.store(std::uint64_t{call_} << 32, std::memory_order_release);
  }

  /// Wakes those that the thread of this rank wakes: 2 rank + 1 and 2 rank + 2.
  void wake_below(Index rank, std::uint32_t call, Index threads) {
    for (Index other = 2 * rank + 1; other <= 2 * rank + 2 && other < threads; ++other) {
      Helper& helper = helpers_[std::size_t(other)];
      helper.call.store(call);
      if (helper.asleep.load()) helper.call.notify_one();
    }
  }

  /// Takes and does parts, of its own share first; returns how many.
  Index work(std::uint32_t call, Index rank) {
    Index done = 0;
    const Index threads = threads_.load(std::memory_order_acquire);
    for (Index k = 0; k < threads; ++k) {
      const Index share = (rank + k) % threads;
      for (Index part = take(call, share); part >= 0; part = take(call, share)) {
        run_.load(std::memory_order_relaxed)(body_.load(std::memory_order_relaxed), part);
        ++done;
        if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1 && rank != 0)
          pending_.notify_one();
      }
    }
    return done;
  }

  /// The next part of a share, or -1. A part can be taken only if all that was read of the call is
  /// this call's: see publish.
  Index take(std::uint32_t call, Index share) {
    std::atomic<std::uint64_t>& taken = shares_[std::size_t(share)].taken;
    std::uint64_t seen = taken.load(std::memory_order_acquire);
    for (;;) {
      if (seen >> 32 != call) return -1;
      const Index count = count_.load(std::memory_order_acquire);
      const Index threads = threads_.load(std::memory_order_acquire);
      const Index part = count * share / threads + static_cast<Index>(seen & 0xffffffffu);
      if (part >= count * (share + 1) / threads) return -1;
      if (taken.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) return part;
    }
  }

  /// What is waited on is the number that was looked at: one loaded anew may be 0, for ever.
  void finish() {
    std::int32_t left = 0;
    const auto done = [&] { return (left = pending_.load(std::memory_order_acquire)) == 0; };
    if (look(kLookForTheLast, done)) return;
    while (!done()) pending_.wait(left);
  }

  /// Whether the others were a help: if the caller has waited for longer than parts take, or nobody
  /// came, the cores are taken.
  void judge(Index count, Index own, Clock::duration worked, Clock::duration waited) {
    const auto part = worked / std::max<Index>(1, own);
    const bool nobody_came = own == count && worked > 2 * kLate;
    if (waited > 2 * part + kLate) {
      // Once may be chance, or parts that are not alike; but not right after having been alone.
      if (last_ - std::max(late_, alone_until_) < kSoonAgain)
        alone_until_ = last_ + kAlone * waited;
      late_ = last_;
    } else if (nobody_came)
      alone_until_ = last_ + kAlone * kLate;
  }

  [[noreturn]] void help(Index rank) {
    omp_set_num_threads(1);
    in_parts = true;
    Helper& helper = helpers_[std::size_t(rank)];
    for (std::uint32_t seen = 0;;) {
      const auto called = [&] { return helper.call.load(std::memory_order_acquire) != seen; };
      if (!look(kLookAround, called)) {
        helper.asleep.store(true);
        while (!called()) helper.call.wait(seen);
        helper.asleep.store(false);
      }
      seen = helper.call.load(std::memory_order_acquire);
      wake_below(rank, seen, threads_.load(std::memory_order_acquire));
      work(seen, rank);
    }
  }

  std::mutex mutex_;  ///< of the call; what follows belongs to it
  Index hired_ = 0;
  std::uint32_t call_ = 0;
  Index little_ = 0;
  Clock::time_point last_{};
  Clock::time_point late_{};  ///< when the others were late
  Clock::time_point alone_until_{};

  // What helpers read.
  std::atomic<void (*)(const void*, Index)> run_ = nullptr;
  std::atomic<const void*> body_ = nullptr;
  std::atomic<Index> count_ = 0;
  std::atomic<Index> threads_ = 1;
  alignas(64) std::atomic<std::int32_t> pending_ = 0;
  std::array<Share, kMostThreads> shares_;
  std::array<Helper, kMostThreads> helpers_;
};

/// Never destroyed: its threads sleep until the program is gone. The child of a fork has none of
/// them, and gets a pool of its own.
std::atomic<Pool*> the_pool = nullptr;

Pool& pool() {
  if (Pool* const made = the_pool.load(std::memory_order_acquire)) return *made;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (the_pool.load() == nullptr) {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
    (void)registered;
    the_pool.store(new Pool);
  }
  return *the_pool.load();
}

}  // namespace

Index thread_count() {
  if (in_parts) return 1;
  return kSanitized ? 2 : omp_get_max_threads();
}

OneThread::OneThread() : before_(omp_get_max_threads()) {
  if (before_ != 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

void detail::run_parts(const Parts& parts, Index threads, Index weight) {
  const bool nested = std::exchange(in_parts, true);
  const bool shared =
      !nested && threads > 1 && parts.count > 1 && pool().run(parts, threads, weight);
  if (!shared)
    for (Index part = 0; part < parts.count; ++part) parts.run(parts.body, part);
  in_parts = nested;
}

}  // namespace npmat
