#include "cudamat/cuda/copy_threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

namespace cudamat::cuda {
namespace {

constexpr std::size_t kAlone = std::size_t{768} << 10;  ///< up to this a copy is over too soon
constexpr std::size_t kPart = std::size_t{256} << 10;   ///< that a thread takes at a time
constexpr unsigned kMost = 12;                          ///< threads; more wait for the memory

class CopyThreads {
 public:
  CopyThreads() {
    const unsigned threads = std::min(kMost, std::thread::hardware_concurrency());
    try {
      for (unsigned i = 1; i < threads; ++i) std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {  // as many as there are
    }
  }

  void copy(char* target, const char* source, std::size_t bytes) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn.owns_lock()) {
      std::memcpy(target, source, bytes);
      return;
    }
    std::unique_lock lock(mutex_);
    job_ = {target, source, bytes};
    at_ = 0;
    copied_ = 0;
    there_is_work_.notify_all();
    take_parts(lock);
    all_is_copied_.wait(lock, [this] { return copied_ == job_.bytes; });
    job_ = {};
    at_ = 0;
  }

 private:
  struct Job {
    char* target = nullptr;
    const char* source = nullptr;
    std::size_t bytes = 0;
  };

  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      there_is_work_.wait(lock, [this] { return at_ < job_.bytes; });
      take_parts(lock);
    }
  }

  /// Copies parts of the job until none is left.
  void take_parts(std::unique_lock<std::mutex>& lock) {
    while (at_ < job_.bytes) {
      const Job job = job_;
      const std::size_t begin = at_, some = std::min(kPart, job.bytes - begin);
      at_ += some;
      lock.unlock();
      std::memcpy(job.target + begin, job.source + begin, some);
      lock.lock();
      copied_ += some;
      if (copied_ == job_.bytes) all_is_copied_.notify_one();
    }
  }

  std::mutex turn_;   ///< held by the thread whose copy is made
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable there_is_work_, all_is_copied_;
  Job job_;
  std::size_t at_ = 0;      ///< of the job, where the next part begins
  std::size_t copied_ = 0;  ///< of it, in any order
};

}  // namespace

void copy_bytes(void* target, const void* source, std::size_t bytes) noexcept {
  if (bytes <= kAlone) {
    if (bytes > 0) std::memcpy(target, source, bytes);
    return;
  }
  static auto* const threads = new CopyThreads;  // never destroyed: its threads may be waiting
  threads->copy(static_cast<char*>(target), static_cast<const char*>(source), bytes);
}

}  // namespace cudamat::cuda
